"""Values of a JSON text are found without much memory, whatever the text holds."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from compass.json_input import locate


def peak(call, *args):
    """What a call returns, and how many bytes it held at once."""
    tracemalloc.start()
    try:
        return call(*args), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("character", ["x", '"', "\\", "é\\", "[", "}"])
def test_a_long_string_is_passed_over_at_once(character):
    text = json.dumps([character * 300_000, {"a": character * 300_000}, [1]], indent=0, ensure_ascii=False)
    line, memory = peak(locate, text, (2, 0))
    assert line == 6
    assert memory < 3 * len(text)  # one copy or two, not a way back for every character


def test_a_member_is_found_without_a_list_of_those_after_it():
    text = json.dumps({"nodes": [{"name": "n"}] * 30_000}, indent=0)
    line, memory = peak(locate, text, ("nodes", 1, "name"))
    assert line == 6
    assert memory < 10_000
    assert locate(text, ("nodes", 29_999, "name")) == 3 * 29_999 + 3
