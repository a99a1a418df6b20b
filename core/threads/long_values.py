"""Long values as JSON text and without secrets, computed in a thread.

`json.dumps` holds the GIL for the whole of a value, even in a thread: 30 to 300 ms for 10 MB. Masking takes 0.1 s per
megabyte. Values under about 64 KB are processed directly.
"""

import asyncio
from collections.abc import Callable, Iterator
from itertools import islice
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, NamedTuple

from core.domain.text.json_text import (
    SHORT_CHARACTERS,
    STRING_BYTES,
    STRUCTURE_BYTES,
    decode,
    encode,
    encode_output,
    output_too_large,
    readable_json,
    strings_in,
)
from core.domain.text.masking import (
    mask_all,
    masked,
    masked_text,
    reuse_if_same,
    secret_keys,
    secret_places,
    without_private_keys,
)
from core.errors import StepFailed
from core.threads.pieces import SINGLE_THREAD, Pieces, in_thread

PIECE_CHARACTERS = 32 * 1024
GROUP = 256


class JsonFormat(NamedTuple):
    """A JSON notation: the encoder of a value, and of a string with its quotes."""

    value: Callable[[Any], str]
    string: Callable[[str], str]


ASCII = JsonFormat(encode, encode_basestring_ascii)
READABLE = JsonFormat(readable_json, encode_basestring)


def is_long(value: Any) -> bool:
    """Return whether the JSON of the value exceeds about 64 KB. Visits little more than that."""
    size = 0
    todo = [value]
    while todo and size <= SHORT_CHARACTERS:
        part = todo.pop()
        size += 2
        if isinstance(part, str):
            size += len(part)
        elif isinstance(part, dict):
            size += 2 * len(part)
            if size <= SHORT_CHARACTERS:
                todo.extend(part)
                todo.extend(part.values())
        elif isinstance(part, list | tuple):
            size += 2 * len(part)
            if size <= SHORT_CHARACTERS:
                todo.extend(part)
    return size > SHORT_CHARACTERS


async def encode_output_async(value: Any) -> str:
    """Encode like `encode_output`, long values in a thread. Raises StepFailed likewise."""
    return await in_thread(_encoded_output(value), SINGLE_THREAD) if is_long(value) else encode_output(value)


async def encode_async(value: Any) -> str:
    """Encode like `encode`, long values in a thread. Raises StepFailed likewise."""
    return await in_thread(_encoded(value, ASCII), SINGLE_THREAD) if is_long(value) else encode(value)


async def readable_async(value: Any) -> str:
    """Encode like `readable_json`, long values in a thread."""
    return await in_thread(_encoded(value, READABLE), SINGLE_THREAD) if is_long(value) else readable_json(value)


async def decode_async(text: str) -> Any:
    """Decode like `decode`, long texts in a thread. Raises ValueError likewise."""
    if len(text) <= SHORT_CHARACTERS:
        return decode(text)
    return await asyncio.get_running_loop().run_in_executor(SINGLE_THREAD, decode, text)


def _encoded(value: Any, style: JsonFormat) -> Pieces[str]:
    texts: list[str] = []
    try:
        for text, _ in _texts(value, style):
            texts.append(text)
            yield
    except RecursionError:  # in pieces the recursion is twice as deep
        return style.value(value)
    return "".join(texts)


def _encoded_output(value: Any) -> Pieces[str]:
    texts: list[str] = []
    size = in_strings = 0
    try:
        for text, is_string in _texts(value, ASCII):
            texts.append(text)
            size += len(text)
            in_strings += len(text) if is_string else 0
            if size > STRUCTURE_BYTES + STRING_BYTES:
                raise output_too_large(size)
            yield
    except RecursionError:
        raise StepFailed("not_json", "the value cannot be encoded as JSON: it is nested too deeply") from None
    if size - in_strings > STRUCTURE_BYTES or in_strings > STRING_BYTES:
        in_strings = 0
        for text in strings_in(value):
            in_strings += len(encode_basestring_ascii(text)) - 2
            yield
        if size - in_strings > STRUCTURE_BYTES or in_strings > STRING_BYTES:
            raise output_too_large(size)
    return "".join(texts)


# The values are cut, not the text: each piece is encoded by the C encoder in one call, which is fast but holds the GIL,
# so pieces have about 32 KB. Long strings are cut by character, long containers into groups of members; the brackets
# and commas between groups are written here. The result equals that of the encoder for the whole value.
def _texts(value: Any, style: JsonFormat) -> Iterator[tuple[str, bool]]:
    """Yield the JSON of a value in short texts, each with a flag: whether it is part of a long string."""
    if isinstance(value, str) and len(value) > PIECE_CHARACTERS:
        yield '"', False
        for start in range(0, len(value), PIECE_CHARACTERS):
            yield style.string(value[start : start + PIECE_CHARACTERS])[1:-1], True
        yield '"', False
    elif not isinstance(value, dict | list | tuple) or not is_long(value):
        yield style.value(value), False
    elif isinstance(value, dict):
        yield from _members(iter(value.items()), "{", "}", dict, style)
    else:
        yield from _members(iter(value), "[", "]", list, style)


def _members(members: Iterator[Any], begin: str, end: str, kind: type, style: JsonFormat) -> Iterator[tuple[str, bool]]:
    """Yield short members in groups and long members individually."""
    prefix = begin
    while group := list(islice(members, GROUP)):
        together = kind(group)
        if not is_long(together):
            yield prefix + style.value(together)[1:-1], False
            prefix = ","
            continue
        for member in group:
            if kind is dict:
                key, value = member
                yield prefix + style.value({key: None})[1 : -len("null}")], False
            else:
                value = member
                if prefix:
                    yield prefix, False
            yield from _texts(value, style)
            prefix = ","
    yield end if prefix == "," else begin + end, False


async def masked_async(value: Any) -> Any:
    """Mask like `masked`, long values in a thread."""
    return await in_thread(_masked(value), SINGLE_THREAD) if is_long(value) else masked(value)


def _masked(value: Any) -> Pieces[Any]:
    if isinstance(value, str):
        return (yield from _masked_text(value))
    if not is_long(value):
        yield
        return masked(value)
    if isinstance(value, dict):
        hides, copy = secret_keys(value), {}
        for key, part in value.items():
            copy[key] = mask_all(part, key) if hides(key) else (yield from _masked(part))
        return reuse_if_same(value, copy)
    follows_name, parts = secret_places(value), []
    for at, part in enumerate(value):
        parts.append(mask_all(part) if at in follows_name else (yield from _masked(part)))
    return reuse_if_same(value, parts)


def _masked_text(text: str) -> Pieces[str]:
    """Cut at the end of a line, or at least of a word: a secret that spans a cut is not found."""
    whole = without_private_keys(text) if "PRIVATE KEY-----" in text else text
    pieces: list[str] = []
    start = 0
    while start < len(whole):
        end = min(start + PIECE_CHARACTERS, len(whole))
        if end < len(whole):
            middle = start + PIECE_CHARACTERS // 2
            end = max(whole.rfind("\n", middle, end), whole.rfind(" ", middle, end)) + 1 or end
        pieces.append(masked_text(whole[start:end]))
        start = end
        yield
    result = "".join(pieces)
    return text if result == text else result
