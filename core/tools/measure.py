"""Sizes: of values as JSON, and as text in the summary of a call.

`json.dumps` holds the interpreter for the whole of a value: 10 MB take 50 to 300 ms. So values are measured in pieces,
and no value can stall the loop.
"""

import math
from collections.abc import Iterator
from contextlib import suppress
from json.encoder import encode_basestring_ascii
from typing import Any

from core.domain.text.json_text import STRING_BYTES, count_parts, type_name
from core.errors import StepFailed
from core.threads.pieces import SINGLE_THREAD, Pieces, in_thread

RESULT_BYTES = STRING_BYTES
"""The limit of a stored result (AGENTS_AND_TOOLS §3)."""

LEVELS = 200
PART_CHARACTERS = 1024
PIECE_PARTS = 500
_END = object()


async def require_json(value: Any) -> None:
    """Raise StepFailed as `json_bytes` does. A short value takes a microsecond or two."""
    if count_parts(value, LEVELS) is None:
        await json_bytes(value)


async def json_bytes(value: Any) -> int:
    """Return the size of `value` as ASCII JSON. Small values are measured at once, others in a thread.

    Raises StepFailed `not_json` for values that JSON cannot hold (NaN, keys that are not text, cycles, more than 200
    levels) and `output_too_large` above 10 MB.
    """
    measuring = _measure(value)
    try:
        # The first piece is measured here: most values are small, and a thread would cost more than it saves.
        next(measuring)
    except StopIteration as end:
        return int(end.value)
    return await in_thread(measuring, SINGLE_THREAD)


def text_bytes(text: str) -> int:
    """Return the bytes that `text` adds to a JSON string."""
    return len(encode_basestring_ascii(text)) - 2


def _measure(value: Any) -> Pieces[int]:
    size = 0
    for count, part in enumerate(_parts(value), 1):
        size += part
        if size > RESULT_BYTES:
            raise StepFailed("output_too_large", "there is more than 10 MB of JSON", limit_bytes=RESULT_BYTES)
        if count % PIECE_PARTS == 0:
            yield
    return size


def _parts(value: Any) -> Iterator[int]:
    """Yield the sizes of the parts of a value. Each takes a few microseconds."""
    levels: list[Iterator[Any]] = [iter([value])]
    while levels:
        item = next(levels[-1], _END)
        if item is _END:
            levels.pop()
        elif isinstance(item, str):
            yield 2
            for start in range(0, len(item), PART_CHARACTERS):
                yield text_bytes(item[start : start + PART_CHARACTERS])
        elif isinstance(item, dict | list | tuple):
            if len(levels) > LEVELS:
                raise StepFailed("not_json", f"the value is nested more than {LEVELS} levels deep")
            colons = len(item) if isinstance(item, dict) else 0
            yield 2 + max(0, len(item) - 1) + colons
            levels.append(_members(item) if isinstance(item, dict) else iter(item))
        else:
            yield _scalar_bytes(item)


def _members(value: dict[Any, Any]) -> Iterator[Any]:
    for key, item in value.items():
        if not isinstance(key, str):
            raise StepFailed("not_json", f"a key of an object is not text but {key!r:.40}")
        yield key
        yield item


def _scalar_bytes(item: Any) -> int:
    if item is None or item is True:
        return 4
    if item is False:
        return 5
    if isinstance(item, float) and math.isfinite(item):
        return len(float.__repr__(item))
    if isinstance(item, int):
        with suppress(ValueError):  # too many digits to be written
            return len(int.__repr__(item))
    kind = item if isinstance(item, float) else type_name(item)
    raise StepFailed("not_json", f"JSON cannot hold this {kind}")


def format_count(number: int, noun: str, plural: str | None = None) -> str:
    """Return `1 file`, `12 files`, `10,000 files`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def format_size(number: int) -> str:
    """Return `999 bytes`, `1.2 kB`, `3.4 MB`: powers of 1000."""
    if number < 1000:
        return format_count(number, "byte")
    return f"{number / 1000:.1f} kB" if number < 999_950 else f"{number / 1_000_000:.1f} MB"


def shorten(text: str, limit: int = 80) -> str:
    """Return the text on a single line, cut with `…` above the limit."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"
