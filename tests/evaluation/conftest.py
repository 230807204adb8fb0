"""Fixtures of the tests of the evaluation."""

import pytest

from compass.evaluation.runs import Workload
from compass.synthetic import generate


@pytest.fixture(scope="module")
def workload():
    """Sixty jobs on two days."""
    jobs = Workload("tiny", generate("venus", 60, 5, mean_gap=2000, mean_duration=9000))
    assert len(jobs.days) == 2
    return jobs
