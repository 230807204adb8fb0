"""Evaluation: a simulator for any scheduler, baselines, and the experiments on traces.

``import compass`` does not load it. At run time it needs the standard library only, except where a module says so.
"""
