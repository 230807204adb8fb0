"""The documentation: what its build cannot see by itself. `python3 dev.py docs` builds it, with warnings as errors."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
THEORY = "\n".join(text for name, text in PAGES.items() if name.startswith("theory/"))
LINKED = re.findall(r"\{proof\}`([^`]+)`", "\n".join(PAGES.values()))


@pytest.fixture(scope="module")
def extensions():
    """The modules under docs/_ext can be imported."""
    for tool in ("sphinx", "sphinx_click", "yaml", "bs4", "fontTools"):
        pytest.importorskip(tool, reason="the documentation's tools are not installed (dependency group docs)")
    sys.path.insert(0, str(DOCS / "_ext"))
    yield
    sys.path.remove(str(DOCS / "_ext"))


def test_every_linked_query_exists():
    assert len(LINKED) > 100
    for target in LINKED:
        folder, _, name = target.partition("/")
        path = ROOT / "proofs" / folder / f"g8-{name}.smt2"
        assert path.is_file() or (ROOT / "proofs" / target).is_file(), target


def test_every_query_is_linked_from_the_theory():
    """Those of G = 8: the other capacities have the same names; premises only show that a proof is not vacuous."""
    queries = [path for path in (ROOT / "proofs").glob("*/g8-*.smt2") if not path.stem.endswith("-premise")]
    names = {f"{path.parent.name}/{path.stem.removeprefix('g8-')}" for path in queries}
    assert names == set(re.findall(r"\{proof\}`([^`]+)`", THEORY)), "theory pages and proofs/ differ"
    for path in (ROOT / "proofs").glob("*/g[24]-*.smt2"):
        assert f"{path.parent.name}/{path.stem[3:].removesuffix('-premise')}" in names


def test_every_test_and_script_named_on_a_page_exists():
    text = "\n".join(PAGES.values())
    for name in re.findall(r"`((?:tests|examples)/[\w/.-]+)`", text):
        assert (ROOT / name).exists(), name
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", text):
        assert f"def {name}(" in tests, name
    for name in re.findall(r"`(?:python -m )?verification\.(\w+)`", text):
        assert (ROOT / "verification" / f"{name}.py").is_file(), name


GLOSSARY = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGES["reference/glossary.md"].splitlines()
    if re.match(r"\| (?!symbol|-)", line)
]
DEFINING = ("theory/definitions.md", "theory/variants.md")


def test_every_word_in_italics_is_in_the_glossary():
    """On the pages that define words: a row begins with it, before a colon or a comma."""
    heads = [head.strip().lower() for _, word, _ in GLOSSARY for head in re.split("[,(]", word.partition(":")[0])]
    pages = [text for name, text in PAGES.items() if name.startswith("tutorial/") or name in DEFINING]
    words = {word for text in pages for word in re.findall(r"(?<![*\w])\*(\w[\w -]*)\*(?!\*)", text)}
    assert {"trace", "decision", "anchor", "host"} <= words
    unexplained = [w for w in words if not any(head.startswith(w.lower().removesuffix("s")) for head in heads)]
    assert sorted(unexplained) == ["italics"]  # "words in *italics*"


@pytest.mark.parametrize(
    "names",
    [
        r"$N$ $G$ $j$ $w_j$ $g$ $g_j$ $n_g$ $p_g$ $T$ I FF FUF $P$ $K$",  # sections 2 to 4.1, appendix D
        r"$\nu(P)$ $\Phi^*$ $F$ $F^*$ SIF",  # section 3
        r"$w^*(g)$ $s$ SlotConf $D(n)$ $\Sigma$ WCC",  # section 4.2
        r"$\eta$ $N(\eta)$ $T_{peak}$ AFR AGU AJCT",  # section 5
    ],
)
def test_every_symbol_of_the_paper_is_in_the_glossary(names):
    symbols = {symbol.strip() for symbols, _, _ in GLOSSARY for symbol in symbols.split(",")}
    assert set(names.split()) <= symbols
    for _, word, code in GLOSSARY:
        assert word, code
        assert code, word


def test_pages_state_the_sizes_and_times_that_they_are_about_once():
    """What is installed, as dev.py prints it, and how long the default tier takes, as it was measured."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    installs = dict(
        re.findall(r'def (\w+)\(.*\n.*\n    install\("([^"]+)"', (ROOT / "dev.py").read_text(encoding="utf-8"))
    )
    assert f"install the test tools (about {installs['test']})" in readme
    assert f"(about {installs['docs']} into `.venv`)" in PAGES["artifact.md"]
    (seconds,) = re.findall(r"`compass check`: (\d+ s)", PAGES["measurements.md"])
    assert f"in {seconds} on two cores" in readme
    assert f"in {seconds} on two cores" in PAGES["reviewer.md"]


@pytest.mark.parametrize("page", ["README.md", "ARCHITECTURE.md", "proofs/README.md", "docs/measurements.md"])
def test_links_lead_to_files(page):
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        assert "://" in target or (path.parent / target).exists(), target


def test_every_extension_has_its_place_in_the_architecture():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert [path.name for path in (DOCS / "_ext").glob("*.py") if f"`{path.name}`" not in text] == []


def test_a_claim_is_shown_at_most_once_and_exists():
    shown = Counter(re.findall(r"\{claim\} (\S+)", THEORY))
    claims = set((ROOT / "proofs" / "claims.txt").read_text(encoding="utf-8").split())
    assert shown.keys() <= claims
    assert set(shown.values()) == {1}


def test_the_ledger_s_table_is_the_readme_s(extensions):
    from ledger import claims

    from verification.ledger import read_ledger, table

    assert "```{ledger}\n```" in PAGES["theory/claims.md"]
    assert list(claims().values()) == read_ledger()
    assert table(read_ledger()) in (ROOT / "README.md").read_text(encoding="utf-8")


def test_bibtex_says_what_the_citation_file_says(extensions):
    import yaml
    from bibtex import entries

    record = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license", "abstract", "type"} <= record.keys()
    software, paper, *others = entries()
    assert software == (
        "@software{compass-abs,\n"
        "  author = {{The compass-abs developers}},\n"
        "  title = {{compass-abs: GPU-cluster fragmentation, measured and bounded}},\n"
        "  version = {0.1.0},\n  date = {2026-11-30}\n}"
    )
    assert paper == (
        "@misc{zhou2026,\n  author = {Zhou, Y. and Wu, H.},\n"
        "  title = {{COMPASS-ABS: Reducing Fragmentation in Shared GPU Clusters for Deep Learning Training "
        "Workloads}},\n"
        "  year = {2026}\n}"
    )
    assert len(others) == len(record["references"])
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{record["version"]}"' in project
    assert f'license = "{record["license"]}"' in project


def test_the_inventory_notices_what_is_missing(extensions):
    from api import missing, public_names

    names = list(public_names())
    assert "compass.metric.sif" in names
    assert "compass.metric.SifReport.to_json" in names
    assert "compass.phi.Patterns" in names
    assert missing(names) == []
    assert missing(name for name in names if name != "compass.metric.sif") == ["compass.metric.sif"]


def test_every_dependency_has_its_reason(extensions):
    import tomllib

    from dependencies import dependencies

    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    record = tomllib.loads(text)
    project = record["project"]
    groups = {
        "dependencies": project["dependencies"],
        **project["optional-dependencies"],
        **record["dependency-groups"],
    }
    named = {
        (group, re.match(r"[\w-]+", entry)[0])
        for group, entries in groups.items()
        for entry in entries
        if isinstance(entry, str)
    }
    assert {(group, name) for group, name, why in dependencies(text) if len(why) > 5} == named


def test_messages_are_read_from_the_source(extensions):
    from messages import messages

    found = messages()
    assert ("compass.scheduler", "InputError", "job <job>: is not running") in [
        (m.module, m.kind, re.sub(r"<[^>]*>", "<job>", m.text)) for m in found
    ]
    assert {m.module.partition(".")[0] for m in found} == {"compass", "verification"}
    assert len({m.kind for m in found}) == 6


def test_what_conform_reports_is_on_its_page(extensions):
    """Every text with which a port is told not to conform, from the source: its fixed parts, in order, in one cell."""
    from messages import template

    raised = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "compass" / "conformance").glob("*.py")]
    calls = [node for tree in raised for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    names = ("Divergence", "PortEnded", "PortFailure", "_failure", "_ended")
    failures = [call for call in calls if ast.unparse(call.func).rpartition(".")[2] in names]
    texts = {text for call in failures if (text := template(call.args[0]))}
    assert len(texts) > 15
    shown = re.findall(r"`([^`]+)`", PAGES["reference/messages.md"].partition("## What `compass conform`")[2])
    for text in texts:
        fixed = ".*".join(re.escape(part) for part in re.split(r"<[^>]*>", text))
        assert any(re.search(fixed, cell) for cell in shown), text


def test_every_command_with_json_has_a_section():
    from compass.cli import cli

    page = PAGES["reference/formats.md"]
    commands = {name: cli.get_command(None, name) for name in cli.list_commands(None)}
    named = [name for name, command in commands.items() if any("--json" in p.opts for p in command.params)]
    assert len(named) >= 7
    assert [name for name in named if f"\n### `compass {name}`\n" not in page] == []


def test_cells_of_wide_tables_know_their_column(extensions):
    from phone import labelled

    row = "".join(f"<th>{name}</th>" for name in ["a", "b", "c", 60 * "d"])
    line = f"<tr>{row.replace('th', 'td').replace('<td>c', '<td>ccc')}</tr>"
    page = f"<table><thead><tr>{row}</tr></thead><tbody>{line}</tbody></table>"
    assert labelled(page).count('class="scrolled"') == 1  # no prose: rows can be compared
    assert "data-label" not in labelled(page)
    prose = page.replace("ccc", 61 * "c")
    assert labelled(prose).count("data-label") == 4
    assert labelled(prose).count('class="wide"') == 1
    many = prose.replace("</tr></tbody>", "</tr>" + 8 * line + "</tbody>")
    assert labelled(many).count('class="scrolled"') == 1
    few_columns = prose.replace(f"<th>{60 * 'd'}</th>", "")
    assert "data-label" not in labelled(few_columns)
    assert "class" not in labelled(few_columns)


def test_no_line_breaks_between_a_formula_and_its_comma(extensions):
    from docutils import nodes
    from mathml import join

    math = nodes.math("", "N")
    text = nodes.paragraph("", "", nodes.Text("so ("), math, nodes.Text("), as"))
    join(math)
    (joined,) = text.findall(nodes.inline)
    assert joined.astext() == "(N),"
    assert text.astext() == "so (N), as"
    alone = nodes.math("", "N")
    other = nodes.paragraph("", "", nodes.Text("of "), alone, nodes.Text(" nodes"))
    join(alone)
    assert list(other.findall(nodes.inline)) == []


def test_lines_of_code_know_their_indentation(extensions):
    from bs4 import BeautifulSoup
    from phone import indented

    lines = ["if <b>x</b>:\n", "    return &lt;1&gt;\n", "\n", "end\n"]
    html = indented(f'<p>a\nb</p><div class="highlight"><pre><i></i>{"".join(lines)}</pre></div>')
    page = BeautifulSoup(html, "html.parser")
    assert page.pre.get_text() == "if x:\n    return <1>\n\nend\n"
    assert [line.get("style") for line in page.select("pre > span.line")] == [None, "--in: 4ch", None, None]
    assert [line.decode_contents() for line in page.select("span.line")] == ["<i></i>" + lines[0], *lines[1:]]
    assert page.p.get_text() == "a\nb"


def test_histories_are_told_event_by_event(extensions):
    from ledger import claims, replay

    claim = claims()["printed-theorem-1"]
    assert list(replay(claim, claim.evidence[0]))[-4:] == [
        "3. job c arrives: 2 instances of 4 GPUs",
        "   n0 │······  │ 6/8 partial",
        "   n1 │AAAABB  │ 6/8 partial",
        "   n2 │AAAA    │ 4/8 partial",
    ]
