"""Can it fail? Each seeded fault is caught by the query that is said to catch it.

A sample by default, all of them where the environment has COMPASS_ALL_FAULTS.
"""

import os
import sys
from functools import _lru_cache_wrapper

import pytest

pytest.importorskip("numpy", reason="numpy is not installed")
pytest.importorskip("z3", reason="z3 is not installed")
pytest.importorskip("sympy", reason="sympy is not installed")
pytest.importorskip("jsonschema", reason="jsonschema is not installed")

from verification import fault_ledger, faults
from verification.fault_equivalent import EQUIVALENT
from verification.fault_kinds import Change, Fault, clear_caches, instead
from verification.fault_ledger import caught_in_check
from verification.faults import FAULTS, KINDS, PAGE, QUERIES, Result, asked_by, page, put, row, run_faults, unharmed
from verification.ledger import read_ledger

EVERY = (*FAULTS, *EQUIVALENT)
ALL = "COMPASS_ALL_FAULTS" in os.environ
SAMPLE = FAULTS if ALL else FAULTS[::12]


def by_name(fault):
    return fault.name


def attributes():
    """Every attribute of every module and class of the project, by identity."""
    found = {}
    for module in [m for n, m in sys.modules.items() if n.partition(".")[0] in ("compass", "verification")]:
        for owner in [module, *(v for v in vars(module).values() if isinstance(v, type))]:
            found |= {(owner.__name__, id(owner), name): id(value) for name, value in list(vars(owner).items())}
            for value in [v for v in vars(owner).values() if isinstance(v, dict)]:
                found |= {(id(value), id(key)): id(item) for key, item in value.items()}
    return found


def cached():
    modules = [m for n, m in sys.modules.items() if n.partition(".")[0] in ("compass", "verification")]
    values = {id(v): v for m in modules for v in vars(m).values() if isinstance(v, _lru_cache_wrapper)}
    kept = ("verification.fault_queries", "verification.ledger")
    return [v.__qualname__ for v in values.values() if v.__module__ not in kept and v.cache_info().currsize]


def test_without_a_fault_nothing_is_noticed():
    assert unharmed() == {}


@pytest.mark.parametrize("fault", SAMPLE, ids=by_name)
def test_a_fault_is_caught_and_leaves_nothing_behind(fault):
    before = attributes()
    result = put(fault)
    assert result.caught, f"survives; noticed by {sorted(result.noticed)}"
    without_check = row(result).rpartition("| **not** |")[0]
    assert any(line.startswith(without_check) for line in PAGE.read_text(encoding="utf-8").splitlines())
    assert attributes() == before
    assert cached() == []


@pytest.mark.parametrize("change", EQUIVALENT if ALL else EQUIVALENT[::4], ids=by_name)
def test_a_change_that_is_no_fault_is_not_noticed(change):
    assert put(change).noticed == {}


CHECKED = {
    "merge before refill": "unified-decisions",
    "reading cap swapped": "printed-slotted-pass-all",
    "theorem-1 without WCC": "printed-theorem-1",
    "packings left out": "exact-phi",
}


@pytest.mark.parametrize("name", CHECKED)
def test_a_fault_is_caught_by_the_ledger(name):
    fault = next(fault for fault in FAULTS if fault.name == name)
    claims = [claim for claim in read_ledger() if claim.name == CHECKED[name]]
    assert caught_in_check(fault, claims) == CHECKED[name]
    listed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if f" | {name} | " in line]
    assert [line.endswith(f"| {CHECKED[name]} |") for line in listed] == [True]


def test_the_full_tier_is_said_and_what_nothing_catches():
    claims = [claim for claim in read_ledger() if claim.name == "printed-prop-1"]
    fault = next(fault for fault in FAULTS if fault.name == "one filler too few")
    assert caught_in_check(fault, claims) == "printed-prop-1, full tier"  # by the search alone
    assert caught_in_check(Fault("none", "table", "Nothing is wrong.", "follower", "follower", ()), claims) == ""


def test_the_page_says_for_every_fault_where_the_check_shows_it():
    lines = [line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [cells[5].removesuffix(" |") for cells in lines if len(cells) == 6 and cells[1] != "fault"]
    known = {claim.name for claim in read_ledger()} | {faults.ENDLESS}
    assert len(cells) == len(FAULTS)
    assert {cell.removesuffix(fault_ledger.FULL) for cell in cells} <= known


def test_every_fault_is_taken_back():
    before = attributes()
    for number, fault in enumerate(EVERY):
        with fault.seeded():
            assert number % 12 or attributes() != before, fault.name
        assert number % 12 or attributes() == before, fault.name
    assert attributes() == before


def test_a_fault_is_taken_back_after_an_error():
    before = attributes()
    with pytest.raises(KeyError, match="inside"), FAULTS[0].seeded():
        raise KeyError("inside")
    assert attributes() == before


def test_after_all_faults_nothing_is_noticed():
    put(next(fault for fault in FAULTS if fault.part == "coefficient"))
    assert put(Fault("none", "table", "Nothing.", "settled", "agree unified", ())).noticed == {}


def test_there_are_enough_of_every_part():
    parts = [fault.part for fault in FAULTS]
    assert len(FAULTS) >= 45
    assert {part: parts.count(part) >= 10 for part in set(parts)} == dict.fromkeys(
        ("operator", "guard", "table", "metric", "coefficient", "check"), True
    )
    names = [fault.name for fault in EVERY]
    assert len(names) == len(set(names))


def test_every_fault_names_a_query():
    for fault in FAULTS:
        assert asked_by(fault.caught_by) in QUERIES, fault.name
    assert asked_by("smt unified-limits/g4-anchor") == "smt unified"
    assert asked_by("numbers unified G=8") == "counts unified G=8"
    assert asked_by("counts printed: progress") == "counts printed"
    assert {name.split()[0] for name in QUERIES} | {"numbers", "moves"} == KINDS.keys()


def test_the_page_lists_every_fault():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    listed = [line.split(" | ") for line in lines if line.startswith("| ")]
    expected = [[f"| {f.part}", f.name, f.what, f"`{f.caught_by}`"] for f in FAULTS]
    assert [cells[:4] for cells in listed if len(cells) == 6 and cells[1] != "fault"] == expected
    assert f"{len(FAULTS)} of {len(FAULTS)} faults are caught" in "\n".join(lines)
    made = page([]).splitlines()
    assert lines[-len(EQUIVALENT) :] == made[-len(EQUIVALENT) :]


@pytest.mark.skipif(not ALL, reason="takes some minutes: set COMPASS_ALL_FAULTS")
def test_the_page_is_what_the_command_makes(tmp_path, capsys):
    assert faults.main(tmp_path / "faults.md") == 0
    assert (tmp_path / "faults.md").read_bytes() == PAGE.read_bytes()
    assert capsys.readouterr().err == ""


def test_a_survivor_is_shown(tmp_path, monkeypatch, capsys):
    survivor = Fault("none", "table", "Nothing is wrong.", "follower", "follower", ())
    results = run_faults([survivor], workers=1)
    assert results == [Result(survivor, {})]
    assert "| table | none | Nothing is wrong. | **survives** `follower` |  | **not** |" in page(results)
    monkeypatch.setattr(faults, "run_faults", lambda chosen: [Result(fault, {}) for fault in chosen])
    assert faults.main(tmp_path / "faults.md") == 1
    assert "survives" in capsys.readouterr().err


def test_a_query_that_raises_or_does_not_end_has_noticed():
    class Loud:
        def shout(self):
            raise ZeroDivisionError("loud")

    query = faults.Query("shout", frozenset(), Loud().shout)
    assert query.notices() == {"shout": "ZeroDivisionError: loud"}
    endless = next(fault for fault in FAULTS if fault.name == "merges without progress")
    with endless.seeded():
        assert "NoEnd" in QUERIES["load unified"].notices()["load unified"]


def test_a_change_puts_back_the_very_object():
    class Owner:
        @staticmethod
        def here():
            return 1

    raw = vars(Owner)["here"]
    with Change(Owner, "here", instead(staticmethod(lambda: 2))).applied():
        assert Owner.here() == 2
    assert vars(Owner)["here"] is raw
    clear_caches()
    assert cached() == []
