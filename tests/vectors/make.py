"""Makes the vectors: tries all candidates, keeps the fewest bytes that cover everything, writes them.

usage: python tests/vectors/make.py [--check]

With --check nothing is chosen: the vectors that are there are made again by their names and compared. A changed
decision is refused until VERSION is raised and HISTORY says what changed.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

import candidates  # noqa: E402
import coverage  # noqa: E402
import slips  # noqa: E402

from compass.conformance.judge import BAD_EVENT  # noqa: E402
from compass.conformance.lines import compact  # noqa: E402
from compass.conformance.vectors import digest, format_vectors, record  # noqa: E402
from compass.discipline import SETTLED, repaired_discipline, unified_discipline  # noqa: E402
from compass.geometry import Geometry  # noqa: E402
from compass.plans import PlanTable  # noqa: E402
from compass.readings import VALUES  # noqa: E402
from compass.text_input import write_text  # noqa: E402

VERSION = 1
HISTORY = {1: "the first vectors"}
"""What changed with each version."""

MODULES = (
    "board", "choice", "composition", "discipline", "plans", "printed", "printed_state", "repaired", "settled",
    "shapes", "unified",
)  # fmt: skip
"""The modules every branch of which has to be covered, as far as events reach it."""


# -- what a vector covers --------------------------------------------------------------------------------------------


def branches(vectors):
    """For each vector the branches it takes, together with variant and geometry."""
    folder = Path(candidates.ROOT) / "compass"
    wanted = [str(folder / f"{name}.py") for name in MODULES]
    cov = coverage.Coverage(branch=True, data_file=None, config_file=False, include=wanted)
    cov.start()
    for vector in vectors:
        cov.switch_context(vector.name)
        record(vector.name, "", vector.settings, vector.lines)
    cov.stop()
    data = cov.get_data()
    found = {vector.name: set() for vector in vectors}
    for vector in vectors:
        data.set_query_context(vector.name)
        key = vector.settings.variant, vector.settings.geometry
        for path in data.measured_files():
            found[vector.name] |= {(*key, Path(path).stem, arc) for arc in data.arcs(path) or ()}
    return found


def told_readings(vector):
    """The readings of the vector that matter in it: the other value leads to other decisions."""
    settings = vector.settings
    for name, values in VALUES.items() if settings.readings else ():
        (other,) = [value for value in values if value != getattr(settings.readings, name)]
        changed = replace(settings, readings=replace(settings.readings, **{name: other}))
        outcome = record("", "", changed, vector.lines).record
        if (outcome["decisions"], outcome["status"]) != (vector.record["decisions"], vector.record["status"]):
            yield name, getattr(settings.readings, name)


def told_slips(vector):
    """The slips that the vector tells."""
    for name, slip in slips.SLIPS[vector.settings.variant].items():
        if slips.told_by(slip, vector):
            yield name


def features(vectors):
    """Everything that each vector covers."""
    found = branches(vectors)
    for vector in vectors:
        settings, mine = vector.settings, found[vector.name]
        mine.add(("status", settings.variant, vector.record["status"]))
        mine |= {("reading", *pair) for pair in told_readings(vector)}
        if vector.record["status"] != BAD_EVENT:
            mine |= {("slip", settings.variant, slip) for slip in told_slips(vector)}
        if vector.name in candidates.BY_HAND:
            mine.add(("by hand", vector.name))
    return found


def untold(found):
    """Readings and slips that no candidate tells."""
    covered = set().union(*found.values())
    wanted = {("reading", name, value) for name, values in VALUES.items() for value in values}
    wanted |= {("slip", variant, name) for variant, known in slips.SLIPS.items() for name in known}
    return sorted(wanted - covered)


def cover(vectors, found):
    """Greedy set cover, most new features for the bytes; then without those that the others make needless."""
    size = {vector.name: len(compact(vector.record)) for vector in vectors}
    missing = set().union(*found.values())
    chosen = []
    while missing:
        best = max(found, key=lambda name: (len(found[name] & missing) / size[name], name))
        chosen.append(best)
        missing -= found[best]
    for name in sorted(chosen, key=lambda name: (-size[name], name)):
        rest = set().union(*(found[other] for other in chosen if other != name))
        if found[name] <= rest:
            chosen.remove(name)
    return sorted(chosen)


# -- files ------------------------------------------------------------------------------------------------------------


def plan_table(discipline):
    """Every plan that can be asked for, as the porting guide describes the file."""
    table, search = discipline.table, PlanTable(discipline)
    active = [shape for shape in table if discipline.kinds[shape.index] != SETTLED]
    donors = [shape for shape in table if shape.free and not shape.open]
    hosts = [*active, table.empty]
    pairs = [(one, two) for k, one in enumerate(hosts) for two in hosts[k:] if one.load]
    pairs += [(one, two) for one in active for two in donors if (one, two) not in pairs]
    plans = [
        [one.index, two.index, g, *_steps(plan)]
        for one, two in pairs
        for g in (0, *range(2, table.geometry.capacity + 1))
        if (plan := search.plan(one, two, g))
    ]
    exchanges = [
        [one.index, two.index, *_steps(plan)] for one in active for two in donors if (plan := search.exchange(one, two))
    ]
    shapes = ",".join(compact(sorted(shape.sizes)) for shape in table)
    lines = [",\n".join(map(compact, entries)) for entries in (plans, exchanges)]
    return f'{{"shapes":[{shapes}],"plans":[\n{lines[0]}],"exchanges":[\n{lines[1]}]}}\n'


def _steps(plan):
    return [[[int(step.install), step.gpus, step.source] for step in plan.steps]]


def files(names):
    """The text of every file with the vectors of these names, by file name."""
    vectors = [candidates.of_name(name) for name in names]
    texts = {
        f"{variant}.jsonl": format_vectors(v for v in vectors if v.settings.variant == variant)
        for variant in slips.SLIPS
    }
    texts["plans-unified-8.json"] = plan_table(unified_discipline(Geometry()))
    texts["plans-repaired-8.json"] = plan_table(repaired_discipline(Geometry()))
    entries = {name: {"sha256": digest(text), "vectors": text.count("\n")} for name, text in texts.items()}
    for name in ("plans-unified-8.json", "plans-repaired-8.json"):
        del entries[name]["vectors"]
    manifest = {"version": VERSION, "history": HISTORY, "files": entries}
    texts["manifest.json"] = json.dumps(manifest, indent=2) + "\n"
    return texts


def stored():
    """The vectors that are there, as JSON objects by name."""
    texts = [path.read_text("utf-8") for path in sorted(FOLDER.glob("*.jsonl"))]
    return {value["id"]: value for text in texts for value in _records(text)}


def _records(text):
    return [json.loads(line) for line in text.splitlines()]


def changed_decisions(before, after):
    """The vectors that are there with the same settings and events and other decisions."""
    outcome = ("decisions", "status")
    return [
        name
        for name, old in before.items()
        if (new := after.get(name))
        and [old[key] for key in outcome] != [new[key] for key in outcome]
        and all(old[key] == new[key] for key in old if key in ("events", "nodes", "readings", "open_nodes", "widths"))
    ]


def main(arguments):
    """Make the vectors or check them."""
    if arguments == ["--check"]:
        wrong = [name for name, text in files(stored()).items() if (FOLDER / name).read_text("utf-8") != text]
        print(f"not what is made now: {', '.join(wrong)}" if wrong else "as made")
        return int(bool(wrong))
    vectors = [candidates.of_name(name) for name in candidates.all_names()]
    print(f"{len(vectors)} candidates", flush=True)
    found = features(vectors)
    print("".join(f"no candidate tells {' '.join(what)}\n" for what in untold(found)), end="", flush=True)
    texts = files(cover(vectors, found))
    new = {value["id"]: value for name in texts if name.endswith(".jsonl") for value in _records(texts[name])}
    version = json.loads((FOLDER / "manifest.json").read_text("utf-8"))["version"] if stored() else 0
    if version == VERSION and (changed := changed_decisions(stored(), new)):
        print(f"decisions have changed, so VERSION must be raised: {', '.join(changed)}", file=sys.stderr)
        return 2
    for name, text in texts.items():
        write_text(FOLDER / name, text)
    print(f"{len(new)} vectors, {sum(map(len, texts.values()))} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
