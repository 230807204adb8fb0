"""A scheduler of one's own in the evaluation: a placement rule in twenty lines, compared on a day of jobs.

    python examples/own_scheduler_evaluation.py

``compass.evaluation.simulate`` takes any ``compass.Scheduler`` and keeps books of its own. For one that never moves an
instance, ``PlainScheduler`` has everything but the choice of a node.
"""

from __future__ import annotations

from compass.evaluation.baselines import BestFit, PlainScheduler
from compass.evaluation.ideal import Ideal
from compass.evaluation.simulate import simulate
from compass.synthetic import generate


class HalfAndHalf(PlainScheduler):
    """1-GPU instances by best-fit from the last node down, all others from the first node up."""

    def choose(self, gpus: int) -> int:
        """The fullest node with room; of several the first, or for one GPU the last."""
        nodes = [node for node, free in enumerate(self.book.levels.free) if free >= gpus]
        ends = reversed(nodes) if gpus == 1 else nodes
        return min(ends, key=lambda node: self.book.levels.free[node])


def main() -> None:
    """Print the measures of three schedulers on 400 synthetic jobs."""
    jobs = generate("venus", 400, seed=1)
    for kind in (HalfAndHalf, BestFit, Ideal):
        found = simulate(jobs, kind(60))
        ajct, agu, afr = (float(value or 0) for value in (found.ajct, found.agu, found.afr))
        print(f"{kind.__name__:<12} AJCT {ajct:7.0f} s  AGU {agu:.3f}  AFR {afr:.3f}")


if __name__ == "__main__":
    main()
