"""Engines that check every claim about the algorithms of `compass`, and the ledger of what they found."""
