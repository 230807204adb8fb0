"""Commands of other packages: entry points of the group compass.commands, loaded when asked for."""

import importlib.metadata

import click
import pytest

from compass.cli import main


class Entry:
    def __init__(self, name, load):
        self.name = name
        self.load = load


@pytest.fixture
def added(monkeypatch):
    @click.command("greet")
    def greet():
        """Say hello."""
        print("hello")

    def missing():
        raise ModuleNotFoundError("No module named 'absent'", name="absent")

    entries = [Entry("greet", lambda: greet), Entry("broken", missing)]
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: entries if group == "compass.commands" else []
    )


@pytest.mark.usefixtures("added")
def test_an_added_command_runs(capsys):
    assert main(["greet"]) == 0
    assert capsys.readouterr().out == "hello\n"


@pytest.mark.usefixtures("added")
def test_help_lists_all_commands_even_one_that_cannot_be_loaded(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert "greet     Say hello." in out
    assert "broken    Needs compass-abs[verify]." in out
    assert "sif       SIF of a placement." in out


@pytest.mark.usefixtures("added")
def test_a_command_whose_dependencies_are_missing_says_so_on_one_line(capsys):
    assert main(["broken", "--any", "thing"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("compass: broken needs the module absent: pip install 'compass-abs[verify]'")
    assert error.count("\n") == 1


@pytest.mark.usefixtures("added")
def test_the_help_of_such_a_command_says_what_to_install(capsys):
    assert main(["broken", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "This command needs the module absent: pip install 'compass-abs[verify]'" in out
