"""Properties of the package as a whole."""

import ast
import doctest
import subprocess
import sys
from pathlib import Path

import compass

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "compass").rglob("*.py"))
LOADED_WHEN_USED = {
    "plotting.py": {"matplotlib"},
    "evaluation/figures.py": {"matplotlib"},
    "evaluation/table.py": {"pyarrow"},
    "evaluation/executors.py": {"distributed"},
    "evaluation/least_moves.py": {"numpy"},
    "baselines/repack.py": {"scipy", "numpy"},
}
"""What a module may load beside the standard library, when it is used and not before."""


def file_of(path):
    """The path of a module within the package, as the architecture has it."""
    return path.relative_to(ROOT / "compass").as_posix().replace("evaluation/baselines/", "baselines/")


def name_of(path):
    """The dotted name of a module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path):
    """The modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            yield node.module


def test_every_public_name_has_an_example():
    without = [name for name in compass.__all__ if ">>> " not in (getattr(compass, name).__doc__ or "")]
    assert without == []


def test_the_core_needs_the_standard_library_only():
    for path in MODULES:
        if not path.name.startswith("cli"):
            extra = LOADED_WHEN_USED.get(file_of(path), set())
            roots = {name.partition(".")[0] for name in imports(path)}
            assert roots <= {*sys.stdlib_module_names, "compass", *extra}, path.name


def test_importing_it_loads_nothing_else():
    code = (
        "import sys; before = set(sys.modules); import compass, compass.replay, compass.snapshot_io; "
        "print({m.partition('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout.strip() == "{'compass'}"


def test_the_core_does_not_know_the_verification():
    for path in MODULES:
        assert "verification" not in {name.partition(".")[0] for name in imports(path)}, path.name


def test_there_are_no_circular_imports():
    needs = {name_of(path): {name for name in imports(path) if name.startswith("compass.")} for path in MODULES}
    while needs:
        ready = {name for name, wanted in needs.items() if not wanted & needs.keys()}
        assert ready, f"circular: {sorted(needs)}"
        needs = {name: wanted for name, wanted in needs.items() if name not in ready}


def test_architecture_has_a_line_for_every_module_and_layers_only_look_down():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("# The verification")[0]
    layers = text.split("\n## ")[1:]
    layer_of = dict.fromkeys(("compass.evaluation", "compass.evaluation.baselines"), len(layers) - 1)
    for path in MODULES:
        if path.name != "__init__.py":
            (layer_of[name_of(path)],) = [k for k, layer in enumerate(layers) if f"`{file_of(path)}`" in layer]
    for path in MODULES:
        if path.name != "__init__.py":
            for name in imports(path):
                if name.startswith("compass."):
                    assert layer_of[name] <= layer_of[name_of(path)], f"{file_of(path)} imports {name}"


def test_architecture_has_a_line_for_every_module_of_the_verification():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("# The verification")[2]
    for path in (ROOT / "verification").glob("*.py"):
        assert path.name == "__init__.py" or f"`{path.name}`" in text, path.name


def test_public_names_are_exported_once_and_sorted():
    assert compass.__all__ == sorted(set(compass.__all__))
    assert all(hasattr(compass, name) for name in compass.__all__)
    assert all(getattr(compass, name).__doc__ for name in compass.__all__)


def test_the_readme_s_library_use_runs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(text.replace("```", "\n"), {}, "README", "README.md", 0)
    assert len(test.examples) >= 5
    assert doctest.DocTestRunner().run(test).failed == 0


def test_modules_stay_small():
    for path in [*MODULES, *(ROOT / "tests").rglob("*.py")]:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path.name
