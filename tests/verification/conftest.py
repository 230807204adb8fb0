"""Tests of the verification run the core for long: without tracing its lines, which its own tests cover."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config, items):
    """Mark the tests of this folder for pytest-cov, where it is installed."""
    if config.pluginmanager.hasplugin("_cov"):
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.no_cover)
