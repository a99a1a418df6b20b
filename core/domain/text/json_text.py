"""JSON as text: how values are kept, compared in size and shown on a line.

Text is ASCII with escapes, so a lone surrogate or a NUL from a tool survives the database and every
terminal; NaN, sets and cycles are refused when a value is made, not when it is read.
"""

import json
import math
from collections.abc import Sequence
from typing import Any, NoReturn

from core.errors import StepFailed

TYPE_NAMES = {dict: "object", list: "list", str: "text", bool: "true/false", int: "number", float: "number"}

STRUCTURE_BYTES = 1_000_000
STRING_BYTES = 10_000_000
LIST_BYTES = 64_000_000
INDENTED_CHARACTERS = 64_000


def encode(value: Any) -> str:
    """`value` as compact ASCII JSON. Raises StepFailed `not_json` for what JSON cannot hold."""
    try:
        return _WRITER.encode(value)
    except RecursionError:
        raise StepFailed("not_json", "the value cannot be held as JSON: it is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise StepFailed("not_json", f"the value cannot be held as JSON: {error}") from None


def decode(text: str) -> Any:
    """The value of a text made by `encode`. Raises ValueError on anything that is not JSON."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def parse(text: str) -> Any:
    """The value of a text that somebody wrote. Raises ValueError, also for NaN, infinities and 1e999."""
    try:
        return _READER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_at(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at `start`, and where it ends. Raises ValueError like `read`."""
    try:
        return _READER.raw_decode(text, start)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large for a number")
    return number


_WRITER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)  # made once: `dumps` would make one each time
_READER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


def readable_json(value: Any) -> str:
    """Compact JSON as a person reads it: not ASCII-escaped, order kept (ENGINE §3)."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def indented_json(value: Any, text: str | None = None) -> str:
    """JSON over several lines, to be read; where it is long, on one: indenting takes half a millisecond a kilobyte.

    `text` is its JSON on one line, where that is known already.
    """
    text = json.dumps(value, ensure_ascii=False) if text is None else text
    return text if len(text) > INDENTED_CHARACTERS else json.dumps(value, indent=2, ensure_ascii=False)


def type_name(value: Any) -> str:
    """What a person calls the type of a JSON value."""
    return "null" if value is None else TYPE_NAMES.get(type(value), type(value).__name__)


def encode_output(value: Any) -> str:
    """`value` as JSON text within the sizes of ENGINE §2: 1 MB of structure and 10 MB of strings.

    Raises StepFailed `not_json` or `output_too_large`.
    """
    text = encode(value)
    if len(text) > STRUCTURE_BYTES:
        strings = _string_characters(value)
        if len(text) - strings > STRUCTURE_BYTES or strings > STRING_BYTES:
            raise output_too_large(len(text))
    return text


def output_too_large(size: int) -> StepFailed:
    """More than the sizes of ENGINE §2, in bytes of JSON."""
    message = f"the output has {size:,} bytes of JSON; at most 1 MB and 10 MB of text in it can be kept"
    return StepFailed("output_too_large", message, bytes=size)


def _string_characters(value: Any) -> int:
    """How many characters of the encoded text lie inside strings."""
    total, todo = 0, [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            total += len(json.dumps(item)) - 2
        elif isinstance(item, dict):
            todo.extend(item.values())
            total += sum(len(json.dumps(key)) - 2 for key in item)
        elif isinstance(item, list | tuple):
            todo.extend(item)
    return total


def parse_pointer(pointer: str) -> list[str]:
    """The parts of `/a/b~1c`. Raises ValueError for what does not begin with a slash."""
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no path: /step/field")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/")]


def value_at(value: Any, parts: Sequence[str]) -> Any:
    """What stands there. Raises LookupError."""
    for part in parts:
        value = value[_key(value, part)]
    return value


def with_value_at(value: Any, parts: Sequence[str], new: Any) -> Any:
    """The value with `new` in that place, and what is on the way there made anew; a mapping may get a new key.

    Raises LookupError where there is no such place.
    """
    if not parts:
        return new
    first, rest = parts[0], parts[1:]
    if isinstance(value, dict) and not rest:
        return {**value, first: new}
    key = _key(value, first)
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[key] = with_value_at(value[key], rest, new)
    return copied


def _key(value: Any, part: str) -> Any:
    """The key of a mapping or the index of a list. Raises LookupError."""
    if isinstance(value, dict) and part in value:
        return part
    if isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
        return int(part)
    raise LookupError(part)
