"""Long values as JSON text, written in a thread.

`json.dumps` holds the interpreter for the whole of a value, in a thread too: 10 MB are 30 to 300 ms.
"""

import asyncio
from collections.abc import Iterator
from itertools import islice
from json.encoder import encode_basestring_ascii
from typing import Any

from core.domain.json_text import STRING_BYTES, STRUCTURE_BYTES, decode, encode, encode_output, too_large
from core.errors import StepFailed
from core.threads.pieces import ONE_AT_A_TIME, Pieces, in_thread

SHORT_CHARACTERS = 64 * 1024
PIECE_CHARACTERS = 32 * 1024
GROUP = 256


def is_long(value: Any) -> bool:
    """Whether its JSON is longer than about 64 KB, found without walking much more than that."""
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


async def output_text(value: Any) -> str:
    """`core.domain.json_text.encode_output`, which long values get in a thread. Raises StepFailed likewise."""
    return await in_thread(_written(value), ONE_AT_A_TIME) if is_long(value) else encode_output(value)


async def json_text(value: Any) -> str:
    """`core.domain.json_text.encode`, which long values get in a thread. Raises StepFailed `not_json` likewise."""
    return await in_thread(_joined(value), ONE_AT_A_TIME) if is_long(value) else encode(value)


async def value_of(text: str) -> Any:
    """`core.domain.json_text.decode`, which long texts get in a thread. Raises ValueError likewise."""
    if len(text) <= SHORT_CHARACTERS:
        return decode(text)
    return await asyncio.get_running_loop().run_in_executor(ONE_AT_A_TIME, decode, text)


def _joined(value: Any) -> Pieces[str]:
    texts: list[str] = []
    for text, _ in _pieces(value):
        texts.append(text)
        yield
    return "".join(texts)


def _written(value: Any) -> Pieces[str]:
    texts: list[str] = []
    size = in_strings = 0
    for text, is_string in _pieces(value):
        texts.append(text)
        size += len(text)
        in_strings += len(text) if is_string else 0
        if size > STRUCTURE_BYTES + STRING_BYTES:
            raise too_large(size)
        yield
    if size - in_strings > STRUCTURE_BYTES or in_strings > STRING_BYTES:
        in_strings = 0
        for text in _strings(value):
            in_strings += len(encode_basestring_ascii(text)) - 2
            yield
        if size - in_strings > STRUCTURE_BYTES or in_strings > STRING_BYTES:
            raise too_large(size)
    return "".join(texts)


def _pieces(value: Any) -> Iterator[tuple[str, bool]]:
    """`_texts`; raises StepFailed `not_json`."""
    try:
        yield from _texts(value)
    except RecursionError:
        raise StepFailed("not_json", "the value cannot be held as JSON: it is nested too deeply") from None


def _texts(value: Any) -> Iterator[tuple[str, bool]]:
    """The JSON of a value in texts that take little time each, and of which it is known whether they are a part of
    one long string."""
    if isinstance(value, str) and len(value) > PIECE_CHARACTERS:
        yield '"', False
        for start in range(0, len(value), PIECE_CHARACTERS):
            yield encode_basestring_ascii(value[start : start + PIECE_CHARACTERS])[1:-1], True
        yield '"', False
    elif not isinstance(value, dict | list | tuple) or not is_long(value):
        yield encode(value), False
    elif isinstance(value, dict):
        yield from _members(iter(value.items()), "{", "}", dict)
    else:
        yield from _members(iter(value), "[", "]", list)


def _members(members: Iterator[Any], begin: str, end: str, kind: type) -> Iterator[tuple[str, bool]]:
    """Short members in groups, long ones by themselves."""
    before = begin
    while group := list(islice(members, GROUP)):
        together = kind(group)
        if not is_long(together):
            yield before + encode(together)[1:-1], False
            before = ","
            continue
        for member in group:
            if kind is dict:
                key, value = member
                yield before + encode({key: None})[1 : -len("null}")], False
            else:
                value = member
                if before:
                    yield before, False
            yield from _texts(value)
            before = ","
    yield end if before == "," else begin + end, False


def _strings(value: Any) -> Iterator[str]:
    """All texts of a value, keys too."""
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            todo.extend(part)
            todo.extend(part.values())
        elif isinstance(part, list | tuple):
            todo.extend(part)
