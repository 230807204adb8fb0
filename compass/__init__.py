"""GPU-cluster fragmentation: the SIF metric, the Anchor-Based Space and the COMPASS schedulers."""
