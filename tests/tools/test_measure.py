"""The measured size is that of the stored text."""

import json
import math
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.text.json_text import SHORT_CHARACTERS, count_parts, encode
from core.errors import StepFailed
from core.tools import measure
from core.tools.measure import LEVELS, RESULT_BYTES, json_bytes, require_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


def size(value: Any) -> int:
    """Return the measure, taken here rather than in a thread."""
    measuring = measure._measure(value)
    while True:
        try:
            next(measuring)
        except StopIteration as end:
            return int(end.value)


@given(VALUES)
def test_the_size_is_that_of_the_encoded_text(value: Any) -> None:
    assert size(value) == len(encode(value))


@pytest.mark.parametrize("value", ["é\n😀\ud800" * 50_000, [0] * 100_000, {f"k{i}": [i] for i in range(9_000)}, (1, 2)])
async def test_large_values_are_measured_too(value: Any) -> None:
    assert await json_bytes(value) == len(json.dumps(value, separators=(",", ":")))


@pytest.mark.parametrize("value", [["x" * 1_000_000] * 11, [10**50] * 200_000], ids=["texts", "numbers"])
async def test_what_is_above_ten_megabytes_is_refused(value: Any) -> None:
    with pytest.raises(StepFailed) as failure:
        await json_bytes(value)
    assert failure.value.code == "output_too_large"
    assert failure.value.parameters == {"limit_bytes": RESULT_BYTES}


@given(VALUES)
def test_a_value_that_counts_as_short_can_be_written_and_is_no_deeper_than_it_has_parts(value: Any) -> None:
    parts = count_parts(value, LEVELS)
    if parts is not None:
        assert len(encode(value)) <= 12 * SHORT_CHARACTERS  # each character may be escaped
        assert parts == number_of_parts(value)
    else:
        assert number_of_parts(value) > LEVELS


def number_of_parts(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(number_of_parts, value.values()))
    return 1 + sum(map(number_of_parts, value)) if isinstance(value, list | tuple) else 1


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize("value", [Colour.RED, {"colours": (Colour.RED,)}, {"a": None, "b": [True, 1, 1.5, "x"]}, [[]]])
async def test_a_short_value_is_taken_as_it_is(value: Any) -> None:
    assert count_parts(value, LEVELS) is not None
    await require_json(value)


@pytest.mark.parametrize(
    "value", [math.nan, [-math.inf], {1: "a"}, {None: "a"}, [b"x"], {"a": {1}}, object(), [10**400], ["x" * 70_000]]
)
def test_a_value_that_is_long_or_no_json_is_looked_at_more_closely(value: Any) -> None:
    assert count_parts(value, LEVELS) is None


@pytest.mark.parametrize("value", [math.nan, [-math.inf], {1: "a"}, {None: "a"}, [b"x"], {"a": {1}}, object()])
async def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(StepFailed) as failure:
        await require_json(value)
    assert failure.value.code == "not_json"


async def test_a_value_that_contains_itself_is_refused() -> None:
    cycle: list[Any] = []
    cycle.append({"again": cycle})
    with pytest.raises(StepFailed) as failure:
        await json_bytes(cycle)
    assert failure.value.code == "not_json"


async def test_an_integer_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(StepFailed) as failure:
        await json_bytes(10**5000)
    assert failure.value.code == "not_json"
