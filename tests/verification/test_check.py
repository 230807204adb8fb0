"""Running the ledger: verdicts follow from answers, and the command says what it found."""

import dataclasses
import json
import re
import shutil
from multiprocessing import active_children

import pytest

from compass.cli import main
from compass.errors import InputError
from verification import check, cli, evidence
from verification import solvers as solvers_module
from verification.check import Result, run, summary, with_needs
from verification.evidence import Answer, Options, Query, queries
from verification.functions import no_history_breaks
from verification.ledger import read_ledger
from verification.solvers import NoVerdict, SolverMissing

LEDGER = {claim.name: claim for claim in read_ledger()}
QUICK = ["printed-theorem-1", "algorithm-2", "equivalence", "printed-prop-1"]
ALONE = dataclasses.replace(LEDGER["unified-exclusion"], needs=())
"""A claim proved by solvers and bounded by explorations, without those it rests on."""


def result(*answers, claim="printed-theorem-1"):
    found = Result(LEDGER[claim])
    for supports, shown, refutes in answers:
        found.answers.append((Query(LEDGER[claim], "q", supports, print), Answer(shown, refutes, ""), 0.5))
    return found


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        ([], "open"),
        ([("proved", True, False)], "proved"),
        ([("proved", True, False), ("checked", True, False)], "proved"),
        ([("checked", True, False)], "checked"),
        ([("measured", True, False)], "measured"),
        ([("refuted", True, False)], "refuted"),
        ([("proved", False, False)], "open"),  # a solver that cannot tell
        ([("proved", True, False), ("checked", False, False)], "open"),
        ([("proved", True, False), ("checked", False, True)], "refuted"),
    ],
)
def test_verdicts(answers, verdict):
    assert result(*answers, claim="repaired-exclusion").verdict == verdict


def test_a_refuted_claim_needs_all_of_its_evidence():
    assert result(("refuted", True, False), ("checked", True, False)).as_expected
    assert result(("refuted", True, False), ("checked", False, True)).verdict == "open"  # so it is not the smallest
    assert result(("refuted", True, False), ("refuted", False, True)).verdict == "open"


def test_as_expected_and_summary():
    good, bad = result(("refuted", True, False)), result(("proved", True, False))
    assert (good.as_expected, bad.as_expected) == (True, False)
    assert summary([good, bad]) == "1 of 2 verdicts as expected"
    assert good.seconds == 0.5


def test_quick_claims_come_out_as_expected_in_this_process_and_in_others():
    claims = [LEDGER[name] for name in QUICK]
    lines = []
    for workers in (1, 2):
        results = run(claims, Options(), lambda *line: lines.append(line), workers=workers)
        assert [r.claim.name for r in results] == QUICK
        assert all(r.as_expected for r in results)
    assert len(lines) == 2 * sum(len(list(queries(claim, Options()))) for claim in claims)


def test_nothing_runs_on_where_it_is_interrupted():
    def interrupt(*_):
        raise KeyboardInterrupt

    long = [LEDGER[name] for name in QUICK] + [ALONE]
    with pytest.raises(KeyboardInterrupt):
        run(long, Options(), interrupt, workers=2)
    assert active_children() == []


def test_json_has_the_agreed_keys(capsys):
    assert main(["check", "theorem-1", "--variant", "printed", "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record | {"seconds": 0, "reading": ""} == {
        "claim": "theorem-1",
        "variant": "printed",
        "reading": "",
        "verdict": "refuted",
        "expected": "refuted",
        "scope": "N = 3, G = 8",
        "method": "smallest history of jobs (default reading; room=cap cap=nodes)",
        "ran": "",
        "skipped": [
            "no smaller history than trace.jsonl under the default reading",
            "no smaller history than every-reading.jsonl under room=cap cap=nodes",
        ],
        "not_installed": [],
        "seconds": 0,
        "artifact": "proofs/printed-theorem-1",
        "asked": True,
    }


def test_a_verdict_that_differs_is_status_1(capsys, monkeypatch):
    changed = dataclasses.replace(LEDGER["printed-theorem-1"], verdict="proved")
    monkeypatch.setattr(cli, "read_ledger", lambda: [changed])
    assert main(["check"]) == 1
    out = capsys.readouterr().out
    assert "printed-theorem-1" in out
    assert "EXPECTED proved" in out
    assert "0 of 1 verdicts as expected" in out


def test_the_tiers_and_the_bound_on_nodes():
    claim = LEDGER["repaired-reachable"]
    small, default, full = (len(list(queries(claim, Options(*o)))) for o in [(False, 2), (False,), (True,)])
    assert 0 < small < default < full
    claim = LEDGER["unified-agrees"]
    default, full, longest = (len(list(queries(claim, Options(*o)))) for o in [(), (True,), (True, None, (), True)])
    assert 0 < default < full < longest


@pytest.mark.parametrize(
    ("solvers", "ran"), [(("cvc5",), "N <= 1, 3 of 43 queries"), (("z3", "cvc5"), "N <= 1, z3, 35 of 75 queries")]
)
def test_a_missing_solver_is_said_and_no_pass(monkeypatch, capsys, solvers, ran):
    def one_of_two(solver, text, seconds=60.0):
        if solver == "cvc5":
            raise SolverMissing(solver, "No module")
        return solvers_module.Answer(solver, re.search(r":status (\w+)", text)[1], 0.0)

    monkeypatch.setattr(evidence, "ask", one_of_two)
    outcome = run([ALONE], Options(solvers=solvers, max_nodes=1), workers=1)[-1]
    assert outcome.verdict == "open"
    assert any(answer.detail == "cvc5 is not installed: No module" for _, answer, _ in outcome.answers)
    assert (outcome.ran, outcome.missing) == (ran, ["cvc5"])
    monkeypatch.setattr(cli, "read_ledger", lambda: [ALONE])
    monkeypatch.setattr(cli, "run", lambda *_: [outcome])
    assert main(["check"]) == 1
    said = capsys.readouterr()
    assert said.err == "cvc5 is not installed: half of the proofs is missing\n"
    line = said.out.splitlines()[1]
    assert line.endswith(f"(ran: {ran})   EXPECTED proved   NOT INSTALLED cvc5")
    assert main(["check", "--json"]) == 1
    (record,) = json.loads(capsys.readouterr().out)
    assert (record["ran"], record["not_installed"]) == (ran, ["cvc5"])


def test_an_unknown_answer_is_no_pass(monkeypatch):
    def unknown(solver, text, seconds=60.0):
        raise NoVerdict(f"{solver}: unknown")

    monkeypatch.setattr(evidence, "ask", unknown)
    (outcome,) = run([ALONE], Options(solvers=("z3",), max_nodes=1), workers=1)
    assert outcome.verdict == "open"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "theorm-2"], "no claim 'theorm-2', did you mean 'theorem-2'? (all: compass check --list)"),
        (["check", "XYZ"], "no claim 'XYZ' (all: compass check --list)"),
        (["check", "--list", "XYZ"], "no claim 'XYZ'"),
        (["check", "--list", "--json"], "--list prints no JSON"),
        (["check", "--list", "--trace", "x", "--nodes", "1", "--variant", "printed"], "and no --list"),
        (["check", "algorithm-2", "--variant", "unified"], "algorithm-2 is no claim of unified"),
        (["check", "theorem-1", "wcc-form", "--variant", "unified"], "wcc-form is no claim of unified"),
        (["check", "--trace", "x.jsonl"], "--trace needs --nodes and --variant"),
        (["check", "--nodes", "3"], "go with --trace"),
        (["check", "--trace", "x", "--nodes", "1", "--variant", "printed", "--full"], "do not go with --trace"),
        (["check", "--trace", "x", "--nodes", "1", "--variant", "printed", "--solver", "z3"], "do not go with --trace"),
        (
            ["check", "--trace", "x", "--nodes", "1", "--variant", "printed", "--max-nodes", "1"],
            "do not go with --trace",
        ),
        (["check", "--max-nodes", "0"], "0 is too small"),
    ],
)
def test_misuse_is_one_line_and_status_2(capsys, arguments, message):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_claims_are_listed_and_none_is_run(capsys, monkeypatch):
    monkeypatch.setattr(cli, "run", None)
    assert main(["check", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=2) for line in lines] == [[c.name, c.verdict, c.scope] for c in LEDGER.values()]
    assert main(["check", "--list", "theorem-1", "--variant", "unified"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split()[:2] == ["unified-sif-bound", "proved"]


HISTORY = LEDGER["printed-theorem-1"].folder / "trace.jsonl"


def test_a_given_history_is_checked_event_by_event(capsys):
    assert main(["check", "--trace", str(HISTORY), "--nodes", "3", "--variant", "printed"]) == 1
    out = capsys.readouterr().out
    assert "trace.jsonl:3: theorem-1 is broken: WCC holds" in out
    assert "n0" in out
    assert main(["check", "--trace", str(HISTORY), "--nodes", "3", "--variant", "printed", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["claim"] == "theorem-1"


@pytest.mark.parametrize("variant", ["repaired", "unified"])
def test_the_other_variants_keep_their_claims_on_it(capsys, variant):
    assert main(["check", "--trace", str(HISTORY), "--nodes", "3", "--variant", variant]) == 0
    assert "no claim is broken" in capsys.readouterr().out
    assert main(["check", "--trace", str(HISTORY), "--nodes", "3", "--variant", variant, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["claim"] is None


def test_a_history_that_cannot_be_carried_out_breaks_prop_1(capsys):
    history = LEDGER["printed-prop-1"].folder / "trace.jsonl"
    assert main(["check", "--trace", str(history), "--nodes", "1", "--variant", "printed"]) == 1
    assert "prop-1 is broken: the event cannot be carried out" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line", ['{"event":"depart","job":"x"}', '{"event":"arrive","job":"x","gpus":8,"instances":9}', "nonsense"]
)
def test_bad_events_in_a_history(tmp_path, capsys, line):
    path = tmp_path / "h.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    assert main(["check", "--trace", str(path), "--nodes", "3", "--variant", "unified"]) == 2
    error = capsys.readouterr().err
    assert "h.jsonl:1" in error
    assert error.count("\n") == 1


def test_evidence_that_does_not_show_what_it_should(monkeypatch, tmp_path):
    claim = LEDGER["printed-theorem-1"]
    item = dict(claim.evidence[0])
    readings = evidence.chosen_readings(claim, item)
    assert len(readings) == 384
    assert evidence.trace_breaks(claim, item, readings[:2]).shown
    for change, detail in [
        ({"predicate": "saturation"}, "does not break"),
        ({"reason": "because"}, "another reason"),
        ({"nodes": 2}, "does not break|cannot be replayed"),
    ]:
        answer = evidence.trace_breaks(claim, {**item, **change}, readings[:1])
        assert not answer.shown
        assert any(part in answer.detail for part in detail.split("|"))
    smallest = evidence.trace_is_smallest(LEDGER["printed-no-waiting"], dict(LEDGER["printed-no-waiting"].evidence[0]))
    assert smallest.shown
    wrong = dict(LEDGER["printed-no-waiting"].evidence[0]) | {"instances": 1}
    assert not evidence.trace_is_smallest(LEDGER["printed-no-waiting"], wrong).shown
    prop_1 = LEDGER["printed-prop-1"]
    earlier = next(dict(item) for item in prop_1.evidence if item["file"] == "before.jsonl")
    assert evidence.trace_is_smallest(prop_1, earlier).shown
    assert not evidence.trace_is_smallest(prop_1, earlier | {"smallest_under": []}).shown  # needs 4 instances
    reach = dict(LEDGER["repaired-reachable"].evidence[0])
    assert evidence.counts_hold(LEDGER["repaired-reachable"], reach, [None]).shown
    off = reach | {"numbers": {**reach["numbers"], "states": 1}}
    assert "found, recorded" in evidence.counts_hold(LEDGER["repaired-reachable"], off, [None]).detail
    packing = dict(LEDGER["algorithm-2"].evidence[0])
    assert not evidence.packings_answer(packing | {"sizes": [8]}).shown
    assert evidence.packings_answer({k: v for k, v in packing.items() if k != "sizes"}).refutes
    bare = tmp_path / "bare.smt2"
    bare.write_text("(check-sat)", encoding="utf-8")
    assert not evidence.smt_answer(str(bare), "z3").shown
    function = dict(LEDGER["wcc-form"].evidence[0])
    assert evidence.function_answer(LEDGER["wcc-form"], function).shown
    assert not evidence.function_answer(LEDGER["wcc-form"], function | {"numbers": {"g8": 0}}).shown


def test_a_predicate_that_bites_where_it_should_not_is_seen():
    assert no_history_breaks("no-waiting", 1, [2], 2)[0]
    holds, detail, _ = no_history_breaks("no-waiting", 1, [1, 2], 2)
    assert not holds
    assert "breaks no-waiting: the job waits although" in detail


def test_states_are_explored_under_every_reading_of_an_item():
    claim = LEDGER["printed-saturation"]
    contents = ["", "1", "1 1", "1 1 1", "1 1 1 1", "2", "2 2", "3", "3+1", "4"]  # one node, G = 4
    numbers = {"states": 72 * len(contents)}
    item = {"kind": "counts", "nodes": 1, "capacity": 4, "predicates": ["saturation"], "numbers": numbers}
    item |= {"every": True, "readings": ["pool=fullest"]}
    readings = evidence._readings_of_counts(claim, item)
    assert len(readings) == 144  # half of the 288 that differ in more than ties
    kept = [reading for reading in readings if reading.refill == "text"]
    assert evidence.counts_hold(claim, item, kept).shown
    assert not evidence.counts_hold(claim, item, kept[:-1]).shown
    assert not evidence.counts_hold(claim, item | {"numbers": {}}, []).shown
    broken = evidence.counts_hold(claim, item | {"nodes": 2}, readings[::-1])
    assert broken.refutes
    assert "under refill=pseudocode" in broken.detail


def test_a_missing_obligation_is_noticed(monkeypatch):
    claim = LEDGER["unified-termination"]
    damaged = dataclasses.replace(claim, evidence=({"kind": "smt", "files": 99},), needs=())
    (outcome,) = check.run([damaged], Options(solvers=()), workers=1)
    assert outcome.verdict == "open"
    assert "10 files, 99 recorded" in outcome.answers[0][1].detail


def test_a_file_that_is_not_what_the_code_generates_is_noticed(tmp_path):
    claim = LEDGER["unified-termination"]
    assert evidence.files_are_current(claim, 10).shown
    folder = shutil.copytree(claim.folder, tmp_path / claim.name)
    damaged = dataclasses.replace(claim, folder=folder)
    trivial = "(set-info :status sat)\n(check-sat)\n"
    (folder / "g8-merge.smt2").write_text(trivial, encoding="utf-8")
    assert evidence.smt_answer(str(folder / "g8-merge.smt2"), "z3").shown
    answer = evidence.files_are_current(damaged, 10)
    assert not answer.shown
    assert "1 differ, the first g8-merge.smt2" in answer.detail


def test_a_claim_is_not_proved_when_one_that_it_needs_is_not():
    needed = dataclasses.replace(LEDGER["printed-theorem-1"], verdict="proved")
    claim = dataclasses.replace(LEDGER["printed-no-waiting"], needs=("printed-theorem-1",))
    chosen = with_needs([claim], [needed, claim])
    assert [c.name for c in chosen] == ["printed-theorem-1", "printed-no-waiting"]
    first, second = run(chosen, Options(), workers=1)
    assert not first.as_expected
    assert second.unmet == "printed-theorem-1"
    assert second.verdict == "open"
    with pytest.raises(ValueError, match="together with those it needs"):
        run([claim], Options(), workers=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"readings": ["cap=fit"]}, "cap"),
        ({"readings": ["rehome=before", "migrations=simultaneous"]}, "no reading has"),
        ({"predicate": "nonsense"}, "there is no predicate 'nonsense'"),
    ],
)
def test_evidence_that_could_be_empty_is_refused(change, message):
    claim = LEDGER["printed-theorem-1"]
    damaged = dataclasses.replace(claim, evidence=({**claim.evidence[0], **change},))
    with pytest.raises(InputError, match=message):
        list(queries(damaged, Options()))
    assert not evidence.trace_breaks(claim, claim.evidence[0], []).shown


def test_an_unknown_predicate_of_states_is_refused():
    claim = LEDGER["repaired-exclusion"]
    damaged = dataclasses.replace(claim, evidence=({"kind": "counts", "nodes": 1, "predicates": ["x"], "numbers": {}},))
    with pytest.raises(InputError, match="there is no predicate 'x'"):
        list(queries(damaged, Options()))


def test_what_was_run_is_said(capsys):
    assert main(["check", "equivalence-jointly", "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["ran"] == "up to 9 instances, 1 of 2 queries"
    assert record["skipped"] == ["every packing keeps equivalence-jointly, up to 12 instances"]
    assert main(["check", "repaired-reachable", "--max-nodes", "1"]) == 0
    # One exploration with G = 8 and one with G = 16; left out are N = 2..5 with G = 8 and N = 4 with G = 2 and 4.
    assert "(ran: N <= 1, 2 of 8 queries)" in capsys.readouterr().out


def test_n_is_that_of_the_geometry_of_the_scope():
    items = [{"kind": "counts", "nodes": 2}, {"kind": "counts", "nodes": 4, "capacity": 4}]
    claim = LEDGER["repaired-reachable"]
    queried = [(Query(claim, "q", "checked", print, item=item), Answer(True, False, ""), 0.0) for item in items]
    assert Result(claim, queried).ran == "N <= 2"


def test_the_bound_on_nodes_is_for_comparisons_too():
    (only,) = queries(LEDGER["printed-agrees"], Options(max_nodes=1))
    assert only.name == "models agree, nodes = 1"


def test_one_solver_is_not_the_ledgers_proof():
    proof = Query(ALONE, "q [z3]", "proved", print, solver="z3")
    found = Result(ALONE, [(proof, Answer(True, False, ""), 0.0)])
    assert summary([found], ["z3"]).endswith("; proofs by z3 alone, those of the ledger are by z3 and cvc5")
    assert summary([result(("refuted", True, False))], ["z3"]) == "1 of 1 verdicts as expected"


def test_claims_that_are_needed_are_told_from_those_asked_for(capsys, monkeypatch):
    claim = dataclasses.replace(LEDGER["printed-no-waiting"], needs=("printed-prop-1",))
    monkeypatch.setattr(cli, "read_ledger", lambda: [LEDGER["printed-prop-1"], claim])
    assert main(["check", "printed-no-waiting", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [(record["claim"], record["asked"]) for record in records] == [("prop-1", False), ("no-waiting", True)]


def test_the_bound_of_unified_is_its_dial(tmp_path, capsys):
    path = tmp_path / "h.jsonl"
    events = [{"event": "arrive", "job": f"j{k}", "gpus": 4} for k in range(8)]
    events += [{"event": "depart", "job": f"j{k}"} for k in (0, 2, 4, 6)]
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    arguments = ["check", "--trace", str(path), "--nodes", "4", "--variant", "unified"]
    assert main([*arguments, "--open-nodes", "4"]) == 0
    assert "no claim is broken" in capsys.readouterr().out
