"""Long values are encoded in a thread, with the same result as when encoded at once."""

import asyncio
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.text.json_text import encode, encode_output, readable_json
from core.errors import StepFailed
from core.threads import long_values
from core.threads.long_values import decode_async, encode_async, encode_output_async, is_long, readable_async

ROWS = [{"number": number, "name": f"row {number}", "words": ["one", "two"]} for number in range(10_000)]

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts),
)


@pytest.fixture
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the limits small, so that small values are encoded like long values."""
    monkeypatch.setattr(long_values, "SHORT_CHARACTERS", 8)
    monkeypatch.setattr(long_values, "PIECE_CHARACTERS", 3)
    monkeypatch.setattr(long_values, "GROUP", 2)


@pytest.mark.usefixtures("short_pieces")
@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_a_value_in_pieces_is_the_same_text(value: Any) -> None:
    assert asyncio.run(encode_output_async(value)) == encode_output(value)
    assert asyncio.run(encode_async(value)) == encode(value)
    assert asyncio.run(readable_async(value)) == readable_json(value)


@pytest.mark.parametrize(
    "value",
    [
        "x" * 200_000,
        "😀\ud800\x00" * 50_000,
        ["a" * 70_000, {"k" * 70_000: [1, None]}, []],
        {"rows": ROWS, "text": "é" * 100_000, "": {}},
        (1, ("x" * 70_000,)),
        list(range(100_000)),
    ],
    ids=["text", "surrogates", "long members", "rows", "tuples", "numbers"],
)
async def test_a_long_value_is_written_exactly(value: Any) -> None:
    assert is_long(value)
    text = await encode_output_async(value)
    assert text == encode(value)
    assert encode(await decode_async(text)) == text
    assert await encode_async(value) == text
    assert await readable_async(value) == readable_json(value)


async def test_a_value_that_is_long_and_deep_is_written_too() -> None:
    value: Any = "x" * 100_000
    for _ in range(600):
        value = [value]
    assert await encode_async(value) == encode(value)
    assert await readable_async(value) == readable_json(value)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (["x" * 10_100_000], "output_too_large"),
        ([[number] for number in range(300_000)], "output_too_large"),
        ({"ok": "x" * 70_000, "bad": float("nan")}, "not_json"),
        ({"ok": "x" * 70_000, "bad": {1, 2}}, "not_json"),
    ],
    ids=["text", "structure", "not a number", "a set"],
)
async def test_values_that_cannot_be_stored_are_refused_as_at_once(value: Any, code: str) -> None:
    with pytest.raises(StepFailed) as refused:
        await encode_output_async(value)
    assert refused.value.code == code
    with pytest.raises(StepFailed) as at_once:
        encode_output(value)
    assert at_once.value.code == code


async def test_ten_megabytes_of_text_and_one_of_structure_are_accepted() -> None:
    value = {"text": "x" * 9_900_000, "rows": ROWS}
    assert await encode_output_async(value) == encode(value)


async def test_a_cycle_and_deep_nesting_are_refused() -> None:
    cycle: list[Any] = ["x" * 70_000]
    cycle.append(cycle)
    deep: list[Any] = ["x" * 70_000]
    for _ in range(5_000):
        deep = [deep, "x" * 100]
    for value in (cycle, deep):
        with pytest.raises(StepFailed) as refused:
            await encode_output_async(value)
        assert refused.value.code in ("not_json", "output_too_large")


async def test_the_loop_goes_on_meanwhile() -> None:
    turns = 0
    writing = asyncio.ensure_future(encode_output_async({"text": "é" * 1_600_000}))
    began = time.perf_counter()
    while not writing.done() and time.perf_counter() - began < 10:
        turns += 1
        await asyncio.sleep(0)
    assert len(await writing) > 9_000_000
    assert turns > 20
