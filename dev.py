"""Everything a fresh checkout can do, with CPython 3.11 or newer and git only.

    python3 dev.py demo        install into .venv and run the three variants on a synthetic trace
    python3 dev.py test        install the test tools, run the tests with branch coverage
    python3 dev.py lint        install the linters, run them
    python3 dev.py benchmark   install the plot tools, measure speed, memory and moves

Further arguments go to the tool, as in ``python3 dev.py test -k phi``. Needs the package index on the first run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / "python"
DEMO = ROOT / "build" / "demo"


def run(*command: str | Path) -> None:
    """Run a command in the project folder, printed first; leave with its exit status where it fails."""
    shown = " ".join(Path(part).name if part == command[0] else str(part) for part in command)
    print(f"$ {shown}", flush=True)
    status = subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode
    if status:
        sys.exit(status)


def install(*requirements: str) -> None:
    """Install requirements into .venv, which is made where it is missing; nothing is done when they are the same."""
    stamp = VENV / "installed.txt"
    wanted = "\n".join([*requirements, (ROOT / "pyproject.toml").read_text(encoding="utf-8")])
    if not PYTHON.exists():
        venv.create(VENV, with_pip=True, clear=True)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    run(PYTHON, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")  # the first that knows --group
    run(PYTHON, "-m", "pip", "install", "--quiet", *requirements)
    stamp.write_text(wanted, encoding="utf-8")


def demo(arguments: list[str]) -> None:
    """The main job: a synthetic trace under the three variants, and the SIF of a placement."""
    install("--editable", ".")
    DEMO.mkdir(parents=True, exist_ok=True)
    trace = DEMO / "trace.csv"
    compass = (PYTHON, "-m", "compass")
    run(*compass, "show", "examples/three-partial-nodes.json")
    run(*compass, "sif", "examples/three-partial-nodes.json")
    run(*compass, "generate", "--mix", "venus", "--jobs", "5000", "--seed", "1", "--out", trace.relative_to(ROOT))
    for variant in ("printed", "repaired", "unified"):
        run(*compass, "replay", trace.relative_to(ROOT), "--nodes", "unlimited", "--variant", variant, *arguments)


def test(arguments: list[str]) -> None:
    """The tests, on both cores, with branch coverage."""
    install("--editable", ".[plot,verify]", "--group", "test")
    coverage = [] if arguments else ["--cov", "--cov-report=term-missing:skip-covered"]
    run(PYTHON, "-m", "pytest", "-q", "-n", "auto", *coverage, *arguments)


def lint(arguments: list[str]) -> None:
    """Style, imports, docstrings and strict types."""
    install("--editable", ".[plot,verify]", "--group", "dev")
    run(PYTHON, "-m", "ruff", "check", *arguments)
    run(PYTHON, "-m", "ruff", "format", "--check")
    run(PYTHON, "-m", "mypy")


def benchmark(arguments: list[str]) -> None:
    """Every benchmark under tests/benchmarks; each prints its table."""
    install("--editable", ".[plot,verify]", "--group", "dev")
    for script in sorted((ROOT / "tests" / "benchmarks").glob("bench_*.py")):
        run(PYTHON, script.relative_to(ROOT), *arguments)


COMMANDS = {"demo": demo, "test": test, "lint": lint, "benchmark": benchmark}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(f"usage: python3 dev.py {{{','.join(COMMANDS)}}} [argument ...]")
    if sys.version_info < (3, 11):
        sys.exit("dev.py: Python 3.11 or newer is needed")
    COMMANDS[sys.argv[1]](sys.argv[2:])
