"""The script that measures the check: what a command takes, its family included."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="no such figures on this system")

TWICE = """
import subprocess, sys
held = bytearray(b"x" * 50_000_000)
child = "held = bytearray(b'x' * 50_000_000); total = sum(range(3_000_000)); sys = input()"
process = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE)
import time; time.sleep(0.6); process.communicate(b"\\n"); sys.exit(3)
"""


def test_a_command_is_measured_with_what_it_starts(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[1] / "benchmarks")
    import bench_check

    status, seconds, busy, peak = bench_check.measured([sys.executable, "-c", TWICE])
    assert status == 3
    assert busy > 0
    assert seconds >= 0.6
    if sys.platform == "linux":
        assert peak > 95  # MB: both of the two hold 48


def test_both_tiers_are_asked_for(monkeypatch, capsys):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[1] / "benchmarks")
    import bench_check

    asked = []
    monkeypatch.setattr(bench_check, "measured", lambda command: asked.append(command[3:]) or (1, 2.0, 3.0, 4.0))
    monkeypatch.setattr(bench_check.measure_obligations, "main", asked.append)
    assert bench_check.main(full=True) == 1
    assert asked == [["check", "--json"], ["check", "--json", "--full"], []]
    assert "| full tier | 2 | 3 | 4 | 1 |" in capsys.readouterr().out
