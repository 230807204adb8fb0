"""Write every proof obligation to ``proofs/`` as a file that any SMT solver reads: ``python -m verification.export``.

Only ``.smt2`` files are written, and such files that no obligation has any more are removed; what else is in the
folders of ``proofs/`` is left alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

from verification.obligations import CAPACITIES, obligations

PROOFS = Path(__file__).resolve().parent.parent / "proofs"


def exported() -> dict[str, str]:
    """The text of every file below ``proofs/``, by its path."""
    return {obligation.path: obligation.text for capacity in CAPACITIES for obligation in obligations(capacity)}


def differences(root: Path = PROOFS) -> list[str]:
    """The paths that are missing, surplus, or not byte for byte what the code generates; empty where all is current."""
    wanted = exported()
    present = {path.relative_to(root).as_posix(): path for path in sorted(root.glob("*/*.smt2"))}
    wrong = [path for path in wanted if path not in present or present[path].read_bytes() != wanted[path].encode()]
    return sorted({*wrong, *(path for path in present if path not in wanted)})


def export(root: Path = PROOFS) -> int:
    """Write all files; returns how many changed."""
    wanted = exported()
    changed = differences(root)
    for path in changed:
        target = root / path
        if path in wanted:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(wanted[path].encode())
        else:
            target.unlink()
    return len(changed)


if __name__ == "__main__":
    changed = export(Path(sys.argv[1])) if len(sys.argv) > 1 else export()
    sys.stdout.write(f"{len(exported())} obligations, {changed} files changed\n")
