"""Settings of every test."""

from hypothesis import settings

# How long an example takes depends on the machine and on what else it does: no test may fail for that. Examples are the
# same on every run, so that a run can be repeated; pytest --hypothesis-profile=search looks for new ones.
settings.register_profile("compass", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("compass")
