"""Baselines: schedulers of other papers and textbook ones, on whole GPUs, all on the books of a plain cluster."""

from compass.evaluation.baselines.best_fit import BestFit, FirstFit, RandomFit, WorstFit
from compass.evaluation.baselines.buddy import Buddy
from compass.evaluation.baselines.cafgd import Cafgd
from compass.evaluation.baselines.consolidate import Consolidate
from compass.evaluation.baselines.drain import Drain
from compass.evaluation.baselines.fgd import CausalFgd, Fgd, fragmentation, instance_counts
from compass.evaluation.baselines.mcg import Mcg
from compass.evaluation.baselines.on_demand import OnDemand
from compass.evaluation.baselines.plain import PlainScheduler
from compass.evaluation.baselines.rounds import Drr, Fft

__all__ = [
    "BestFit",
    "Buddy",
    "Cafgd",
    "CausalFgd",
    "Consolidate",
    "Drain",
    "Drr",
    "Fft",
    "Fgd",
    "FirstFit",
    "Mcg",
    "OnDemand",
    "PlainScheduler",
    "RandomFit",
    "WorstFit",
    "fragmentation",
    "instance_counts",
]
