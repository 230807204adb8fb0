"""Synthetic traces: the shares asked for, and the same bytes for the same arguments."""

from __future__ import annotations

import hashlib
import math
import os
import random
import statistics
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compass.composition import wcc_shares
from compass.errors import InputError
from compass.geometry import Geometry
from compass.synthetic import DURATIONS, MIXES, Mix, _Choice, _exponential, find_mix, generate
from compass.trace import format_trace, read_trace
from compass.wcc_time import wcc_over_time

DIGEST = "cb0c07b044ddbb2461613bf1777990a3d40312e49557710295ab9cfd2e2e90c3"


def shares(trace):
    instances = Counter()
    for job in trace:
        instances[job.gpus_per_instance] += job.instances
    total = sum(instances.values())
    return {gpus: number / total for gpus, number in instances.items()}


@given(st.sampled_from(sorted(MIXES)), st.integers(1, 30), st.integers(0, 2**63 - 1))
def test_every_trace_is_one_that_is_read(name, jobs, seed):
    trace = generate(name, jobs, seed)
    assert len(trace) == jobs
    assert trace[0].submit_time == 0
    assert all(job.duration >= 1 for job in trace)
    assert read_trace_of(trace) == trace
    assert generate(MIXES[name], jobs, seed) == trace


def read_trace_of(trace):
    import io

    return read_trace(io.BytesIO(format_trace(trace).encode()))


def test_a_longer_trace_begins_like_a_shorter_one():
    assert generate("venus", 90, 5)[:20] == generate("venus", 90, 5)[:20]
    assert [job[1:] for job in generate("venus", 200, 5)][:20] == [job[1:] for job in generate("venus", 20, 5)]


def test_the_bytes_are_pinned():
    text = "".join(format_trace(generate(name, 500, 7)) for name in MIXES)
    assert hashlib.sha256(text.encode()).hexdigest() == DIGEST


def test_the_bytes_do_not_depend_on_the_process():
    code = (
        "import hashlib; from compass.synthetic import *; from compass.trace import format_trace\n"
        "print(hashlib.sha256(''.join(format_trace(generate(m, 500, 7)) for m in MIXES).encode()).hexdigest())"
    )
    for hash_seed in ("1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
        assert result.stdout.decode().strip() == DIGEST


def test_other_arguments_give_other_traces():
    base = generate("venus", 50, 1)
    assert base != generate("venus", 50, 2)
    assert base != generate("openb", 50, 1)
    assert base != generate("venus", 50, 1, mean_gap=61.0)
    assert base != generate("venus", 50, 1, mean_duration=9001.0)
    assert generate("venus", 3, 1, prefix="x")[2].job_id == "x-2"
    assert generate("venus", 11, 1)[2].job_id == "job-02"


@pytest.mark.parametrize("name", sorted(MIXES))
def test_shares_of_instances_are_those_of_the_mix(name):
    mix = MIXES[name]
    expected = Counter()
    for phase in mix.phases:
        total = math.fsum(phase.values())
        for gpus, share in phase.items():
            expected[gpus] += share / total / len(mix.phases)
    found = shares(generate(name, 40_000, 3))
    # Instances of one job are not independent, so the deviation of a share is some thousandths.
    assert set(found) == set(expected)
    for gpus, share in expected.items():
        assert abs(found[gpus] - share) < 0.015, gpus


def test_means_of_gaps_and_durations():
    trace = generate("openb", 40_000, 3, mean_gap=50, mean_duration=2000)
    assert abs(trace[-1].submit_time / len(trace) / 50 - 1) < 0.02
    assert abs(statistics.fmean(job.duration for job in trace) / 2000 - 1) < 0.05
    assert math.isclose(sum(mean * weight for mean, weight in DURATIONS.items()), sum(DURATIONS.values()), rel_tol=0.02)


def test_exponentials_have_their_distribution():
    rng = random.Random(1)
    sample = sorted(_exponential(rng) for _ in range(40_000))
    # Kolmogorov's distance; 1.95 / sqrt(n) is passed with probability 0.001 by a right sampler, and the seed is fixed.
    distance = max(abs((k + 1) / len(sample) - (1 - math.exp(-x))) for k, x in enumerate(sample))
    assert distance < 1.95 / math.sqrt(len(sample))


def test_the_known_mix_agrees_with_the_table_of_the_paper():
    venus = MIXES["venus"].phases[0]
    for sizes, percent in (((1,), 37.68), ((2, 4), 9.44), ((3, 5, 6, 7), 0.44), ((8,), 52.44)):
        assert abs(sum(venus[gpus] for gpus in sizes) - percent) < 0.13
    assert abs(sum(venus.values()) - 100) < 1e-9


def test_where_wcc_holds():
    geometry = Geometry()
    for name in ("venus", "openb", "friendly"):
        assert wcc_shares(geometry, MIXES[name].phases[0])
        assert wcc_over_time(generate(name, 3000, 1)).time_share > 0.95
    assert 0.2 < wcc_over_time(generate("alternating", 8000, 1)).time_share < 0.8
    uniform = wcc_over_time(generate("uniform", 3000, 1))
    assert uniform.wcc_events < 0.01 * uniform.events
    assert wcc_over_time(generate("violating", 3000, 1)).time_share == 0


def test_phases_take_turns():
    mix = Mix("m", ({1: 1}, {8: 1, 4: 0}), phase_jobs=3)
    assert [job.gpus_per_instance for job in generate(mix, 9)] == [1, 1, 1, 8, 8, 8, 1, 1, 1]


def test_gangs():
    mix = Mix("m", ({8: 1},), gangs={8: {3: 1}})
    assert {job.instances for job in generate(mix, 9)} == {3}


def test_a_choice_never_passes_the_last_value():
    class Last(random.Random):
        def random(self):
            return 1 - 2**-53

    assert _Choice({7: 5e-324}).draw(Last()) == 7
    assert _Choice({7: 1, 8: 1}).draw(Last()) == 8


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"jobs": 0}, "jobs: 0 is too small, must be from 1 to 2000000"),
        ({"jobs": 2_000_001}, "jobs: 2000001 is too large, must be from 1 to 2000000"),
        ({"jobs": 1.5}, "jobs: 1.5 is not an integer"),
        ({"seed": -1}, "seed: -1 is too small, must be from 0 to 9223372036854775807"),
        ({"mean_gap": 0}, "mean gap: 0 must be positive and at most 1000000"),
        ({"mean_gap": math.nan}, "mean gap: nan must be positive and at most 1000000"),
        ({"mean_duration": 2e9}, "mean duration: 2000000000.0 must be positive and at most 1000000000"),
        ({"prefix": "a/b"}, "prefix 'a/b': a job's name cannot hold '/', which numbers its instances"),
        ({"prefix": "x" * 248}, "prefix 248 is too large, must be from 1 to 247"),
        ({"mix": "venu"}, f"mix 'venu': there is none, did you mean 'venus'? (known: {', '.join(MIXES)})"),
    ],
)
def test_malformed_arguments(arguments, what):
    with pytest.raises(InputError) as caught:
        generate(**{"mix": "venus", "jobs": 1, **arguments})
    assert str(caught.value) == what


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"name": ""}, "mix '': is empty"),
        ({"phases": ()}, "mix 'm': has no phase"),
        ({"phase_jobs": 0}, "mix 'm': 0 is too small, must be from 1 to 2000000"),
        ({"phases": ({0: 1},)}, "mix 'm': 0 is too small, must be from 1 to 16"),
        ({"phases": ({1: -1},)}, "mix 'm': weight -1 of 1: must be from 0 to 1000000000"),
        ({"phases": ({1: math.nan},)}, "mix 'm': weight nan of 1: must be from 0 to 1000000000"),
        ({"phases": ({1: 0},)}, "mix 'm': no weight is positive"),
        ({"phases": ({},)}, "mix 'm': no weight is positive"),
        ({"gangs": {17: {1: 1}}}, "mix 'm': 17 is too large, must be from 1 to 16"),
        ({"gangs": {1: {0: 1}}}, "mix 'm': 0 is too small, must be from 1 to 1000000"),
    ],
)
def test_malformed_mixes(arguments, what):
    with pytest.raises(InputError) as caught:
        Mix(**{"name": "m", "phases": ({1: 1},), **arguments})
    assert str(caught.value) == what


def test_mixes_by_name():
    assert all(find_mix(name).name == name and find_mix(name).about for name in MIXES)
