"""Settings of every test."""

from hypothesis import settings

# How long an example takes depends on the machine and on what else it does: no test may fail for that.
settings.register_profile("compass", deadline=None)
settings.load_profile("compass")
