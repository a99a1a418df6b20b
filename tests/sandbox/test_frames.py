"""Frames carry every JSON object, and nothing else."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.sandbox import frames

TEXTS = st.text('a"\\\0\x7fé😀\u2028\udfff')
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(TEXTS, VALUES, max_size=3))
def test_a_message_comes_out_as_it_went_in(message: dict[str, object]) -> None:
    frame = frames.pack(message)
    header, body = frame[: frames.HEADER_BYTES], frame[frames.HEADER_BYTES :]
    assert frames.body_bytes(header) == len(body)
    assert frames.unpack(body) == message
    assert body.isascii()


def test_a_long_text_is_packed_in_steps_and_comes_out_whole() -> None:
    message = {"text": 'é😀"\\\n' * 200_000, "long": [1]}
    assert frames.is_long(message)
    assert frames.unpack(frames.pack(message)[frames.HEADER_BYTES :]) == message


def test_a_frame_out_of_bounds_is_refused_on_both_sides() -> None:
    with pytest.raises(frames.BadFrame):
        frames.pack({"text": "x" * frames.MAX_BYTES})
    with pytest.raises(frames.BadFrame):
        frames.body_bytes((frames.MAX_BYTES + 1).to_bytes(4, "big"))


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[1]", b"\xff", json.dumps("text").encode(), b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(frames.BadFrame):
        frames.unpack(body)
