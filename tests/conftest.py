"""Settings of every test, and the command line in this process."""

import io
import json
import sys

import pytest
from hypothesis import settings

# How long an example takes depends on the machine and on what else it does: no test may fail for that. Examples are the
# same on every run, so that a run can be repeated; pytest --hypothesis-profile=search looks for new ones.
settings.register_profile("compass", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("compass")


@pytest.fixture
def run(capsys, monkeypatch):
    from compass.cli import main  # not before coverage is measured

    def run(*arguments, stdin=""):
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def run_json(run):
    def run_json(*arguments, stdin=""):
        status, out, err = run(*arguments, "--json", stdin=stdin)
        assert (status, err) == (0, "")
        return json.loads(out)

    return run_json
