"""Help and version of the command line."""

from __future__ import annotations

import importlib.metadata
import re

import click

import compass.cli
from compass.readings import VALUES
from compass.synthetic import MIXES
from compass.trace import COLUMNS


def test_help_and_version(run, monkeypatch):
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    for command in ("sif", "phi", "wcc", "run", "replay", "show", "generate"):
        assert f"\n  {command} " in out
        assert run(command, "-h")[0] == 0
    assert run("--version")[0] == 0
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "1.2")
    assert run("--version") == (0, "compass, version 1.2\n", "")

    def missing(_):
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert run("--version") == (0, "compass, version of a source tree that is not installed\n", "")


def test_commands_have_help_for_every_option():
    for command in compass.cli.cli.commands.values():
        for parameter in command.params:
            assert isinstance(parameter, click.Argument) or parameter.help


def test_help_says_the_form_of_every_file_and_the_values_of_every_name(run):
    def text(command):
        status, out, err = run(command, "--help")
        assert (status, err) == (0, "")
        assert all(len(line) <= 80 for line in out.splitlines())
        return " ".join(out.split())

    for command in ("sif", "show"):
        assert "node,job,gpus[,capacity][,pool]" in text(command)
        assert '{"capacity": 8, "nodes": [' in text(command)
    for command in ("wcc", "replay"):
        assert ",".join(COLUMNS) in text(command)
    for part in ('{"event":"depart","job":"a"}', '"admitted":true', "Moves first, then placements", "is forgotten"):
        assert part in text("run")
    for command in ("run", "replay"):
        for name, values in VALUES.items():
            assert f" {name} {values[0]} [default], {', '.join(values[1:])}" in text(command)
    for name, mix in MIXES.items():
        assert f" {name} {mix.about}" in text("generate")
    assert "[default: 8]" in text("phi")
    assert "130 interrupted; 141 the reader" in " ".join(run("--help")[1].split())


def test_the_forms_in_the_help_are_read(run):
    text = " ".join(run("sif", "--help")[1].split())
    form = text[text.index('{"capacity"') : text.index("; a node may")]
    assert run("sif", "-", stdin=form)[0] == 0
    text = " ".join(run("run", "--help")[1].split())
    events = [re.search(pattern, text)[0] for pattern in (r'{"event":"arrive".*?}', r'{"event":"depart",.*?}')]
    assert run("run", "-", "--nodes", "1", "--variant", "unified", stdin="\n".join(events))[0] == 0
