"""Theorem 2 on domains of panels: the history by brute force, and that the check can fail."""

from collections import Counter

import pytest

from compass.errors import InputError
from compass.geometry import Geometry
from compass.printed import Printed
from verification import panels
from verification.packings import outcomes
from verification.panels import Domain, jobs_against, theorem_2_panels


@pytest.mark.parametrize("size", [8, 9])
def test_none_of_three_partial_domains_has_to_be_partial(size):
    printed = Printed(3, Domain(size))
    sizes = Counter()
    for number, (gpus, instances) in enumerate(jobs_against(size)):
        printed.arrive(f"j{number}", gpus, instances)
        sizes[gpus] += instances
    assert sorted(node.load for node in printed.state().nodes) == [4, 6, 2 * size - 10]
    assert min(partial for _, partial in outcomes(tuple(sorted(sizes.elements(), reverse=True)), size)) == 0


def test_a_domain_is_the_geometry_of_its_slots():
    for gpus in range(1, 9):
        assert Domain(9).slot_width(gpus) == Domain(8).slot_width(gpus) == Geometry(8).slot_width(gpus)
    assert Domain(8).wcc_coefficients == Geometry(8).wcc_coefficients
    with pytest.raises(InputError, match="7 panels"):
        Domain(7)


@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        ([(1, 9), (8, 2)], "slack 9, loads"),  # 1s and 8s: one domain is full, so only two are partial
        ([(1, 1), (2, 1), (4, 2)], "two domains are not filled"),
        ([(1, 8), (3, 6)], "refused"),
        ([(1, 1), (3, 2), (5, 1)], "slack -4"),
    ],
)
def test_the_check_can_fail(monkeypatch, jobs, message):
    monkeypatch.setattr(panels, "jobs_against", lambda size: jobs)
    holds, detail, _ = theorem_2_panels(9, 9)
    assert not holds
    assert message in detail
