"""Conformance of ports: vectors that every implementation is tested against, and a harness that runs a port.

Needs the standard library only, except ``cli`` (click). POSIX systems only: a port is watched with ``poll``.
"""
