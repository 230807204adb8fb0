"""Everything a fresh checkout can do, with CPython 3.11 or newer and git only.

usage: python3 dev.py COMMAND [argument ...]

    demo        install into .venv, run the three variants on a synthetic trace and compare them with baselines
    test        install the test tools, run the tests with branch coverage
    check       install the solvers, check every claim of the ledger
    lint        install the linters, run them
    docs        install Sphinx, build the pages into build/docs, run their examples; docs linkcheck: their links
    benchmark   install the plot tools, measure speed, memory and moves
    artifact    make the numbers and figures of the documentation again; artifact check docs: only these sections

Further arguments go to the tool, as in python3 dev.py test -k phi. Needs the package index on the first run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / "python"
DEMO = ROOT / "build" / "demo"
NODES = "150"  # in the demo a few jobs wait, and `printed` has more than 2 avoidable partial nodes


def run(*command: str | Path) -> None:
    """Run a command in the project folder, printed first; leave with its exit status where it fails."""
    shown = " ".join(Path(part).name if part == command[0] else str(part) for part in command)
    print(f"$ {shown}", flush=True)
    status = subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode
    if status:
        sys.exit(status)


def install(size: str, *requirements: str) -> None:
    """Install requirements into .venv, which is made where it is missing; nothing is done when they are the same."""
    stamp = VENV / "installed.txt"
    wanted = "\n".join([*requirements, (ROOT / "pyproject.toml").read_text(encoding="utf-8")])
    if PYTHON.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    print(f"installing {' '.join(requirements)} into .venv (about {size} in all, once)", flush=True)
    if not PYTHON.exists():
        venv.create(VENV, with_pip=True, clear=True)
    run(PYTHON, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")  # the first that knows --group
    run(PYTHON, "-m", "pip", "install", "--quiet", *requirements)
    stamp.write_text(wanted, encoding="utf-8")


def demo(arguments: list[str]) -> None:
    """The main job: a synthetic trace under the three variants, and the SIF of a placement."""
    install("40 MB", "--editable", ".")
    DEMO.mkdir(parents=True, exist_ok=True)
    trace = (DEMO / "trace.csv").relative_to(ROOT)
    compass = (PYTHON, "-m", "compass")
    run(*compass, "show", "examples/three-partial-nodes.json")
    run(*compass, "sif", "examples/three-partial-nodes.json")
    run(*compass, "generate", "--mix", "venus", "--jobs", "5000", "--seed", "1", "--out", trace)
    for variant in ("printed", "repaired", "unified"):
        run(*compass, "replay", trace, "--nodes", NODES, "--variant", variant, *arguments)
    run(*compass, "evaluate", "demo", "--out", (DEMO / "evaluation").relative_to(ROOT))


def test(arguments: list[str]) -> None:
    """The tests, on both cores, with branch coverage."""
    install("1 GB", "--editable", ".[cluster,evaluate,plot,verify]", "--group", "test")
    coverage = [] if arguments else ["--cov", "--cov-report=term-missing:skip-covered"]
    run(PYTHON, "-m", "pytest", "-q", "-n", "auto", *coverage, *arguments)


def check(arguments: list[str]) -> None:
    """Every claim of the ledger: proofs, explorations, counterexamples."""
    install("400 MB", "--editable", ".[verify]")
    run(PYTHON, "-m", "compass", "check", *arguments)


def lint(arguments: list[str]) -> None:
    """Style, imports, docstrings and strict types."""
    install("1.2 GB", "--editable", ".[cluster,evaluate,plot,verify]", "--group", "dev")
    run(PYTHON, "-m", "ruff", "check", *arguments)
    run(PYTHON, "-m", "ruff", "format", "--check")
    run(PYTHON, "-m", "mypy")


def benchmark(arguments: list[str]) -> None:
    """Every benchmark under tests/benchmarks, each with the same arguments; each prints its table."""
    install("1.2 GB", "--editable", ".[cluster,evaluate,plot,verify]", "--group", "dev")
    for script in sorted((ROOT / "tests" / "benchmarks").glob("bench_*.py")):
        run(PYTHON, script.relative_to(ROOT), *arguments)


def docs(arguments: list[str]) -> None:
    """The documentation, every warning an error, without a network; then the examples on its pages."""
    install("1.2 GB", "--editable", ".[cluster,evaluate,plot,verify]", "--group", "dev")
    strict = ("--nitpicky", "--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto")
    for builder in arguments or ["html", "doctest"]:
        target = "build/docs" if builder == "html" else f"build/{builder}"
        run(PYTHON, "-m", "sphinx", *strict, "-d", "build/doctrees", "-b", builder, "docs", target)
    print("built: build/docs/index.html")


def evaluation(arguments: list[str]) -> None:
    """Every experiment of the evaluation, compared with the tables of the documentation; half an hour."""
    install("1.2 GB", "--editable", ".[cluster,evaluate,plot,verify]", "--group", "dev")
    run(PYTHON, "tests/benchmarks/measure_evaluation.py", *arguments)


def fgd(arguments: list[str]) -> None:
    """FGD on its authors' own experiment; two minutes."""
    install("1.2 GB", "--editable", ".[cluster,evaluate,plot,verify]", "--group", "dev")
    run(PYTHON, "tests/benchmarks/check_general_fgd.py", *arguments)


def readings(arguments: list[str]) -> None:
    """The printed algorithm under every reading; an hour."""
    install("1.2 GB", "--editable", ".[cluster,evaluate,plot,verify]", "--group", "dev")
    run(PYTHON, "tests/benchmarks/measure_readings.py", "--out", "build/printed_readings.csv", *arguments)


SPIN = "--max-nodes 9 --plain-nodes 6 --time-limit 300 --memory 8000"  # as in tests/benchmarks/results/spin.md
SECTIONS = {
    "docs": (docs, []),
    "check": (check, ["--full"]),
    "benchmark": (benchmark, ["--check", *SPIN.split()]),
    "fgd": (fgd, ["--check"]),
    "readings": (readings, ["--check"]),
    "evaluation": (evaluation, []),
}


def artifact(arguments: list[str]) -> None:
    """The numbers and figures that the documentation states; docs/artifact.md says which, and what comes out."""
    unknown = set(arguments) - SECTIONS.keys()
    if unknown:
        print(f"dev.py artifact: no section {sorted(unknown)[0]!r} (sections: {', '.join(SECTIONS)})", file=sys.stderr)
        sys.exit(2)
    times = {}
    for name in arguments or SECTIONS:
        start = time.monotonic()
        section, extra = SECTIONS[name]
        section(extra)
        times[name] = time.monotonic() - start
    for name, seconds in times.items():
        print(f"{name:<10} {seconds:6.0f} s")


COMMANDS = {
    "demo": demo,
    "test": test,
    "check": check,
    "lint": lint,
    "docs": docs,
    "benchmark": benchmark,
    "artifact": artifact,
}


def main(arguments: list[str]) -> None:
    """Carry out one command."""
    if sys.version_info < (3, 11):
        sys.exit("dev.py: Python 3.11 or newer is needed")
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__, end="")
    elif not arguments or arguments[0] not in COMMANDS:
        print(f"usage: python3 dev.py {{{','.join(COMMANDS)}}} [argument ...]  (see --help)", file=sys.stderr)
        sys.exit(2)
    else:
        COMMANDS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
