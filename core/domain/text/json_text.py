"""JSON as text: how values are stored, measured, displayed and addressed (RFC 6901).

Stored text is ASCII with escapes, so that a lone surrogate or a NUL from a tool survives the database and every
terminal. NaN, sets and cycles are rejected when a value is encoded, not when it is read.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, TypeVar

from core.errors import StepFailed

T = TypeVar("T")

TYPE_NAMES = {dict: "object", list: "list", str: "text", bool: "true/false", int: "number", float: "number"}

STRUCTURE_BYTES = 1_000_000
STRING_BYTES = 10_000_000
LIST_BYTES = 64_000_000
INDENTED_CHARACTERS = 64_000
SHORT_CHARACTERS = 64 * 1024
MAX_INTEGER_BITS = 1_000  # far below the 4,300 digits that Python writes


def encode(value: Any) -> str:
    """Encode `value` as compact ASCII JSON. Raises StepFailed `not_json` for values that JSON cannot represent."""
    try:
        return _WRITER.encode(value)
    except RecursionError:
        raise StepFailed("not_json", "the value cannot be encoded as JSON: it is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise StepFailed("not_json", f"the value cannot be encoded as JSON: {error}") from None


def decode(text: str) -> Any:
    """Decode a text made by `encode`. Raises ValueError for invalid JSON."""
    return _decoded(json.loads, text)


def parse(text: str) -> Any:
    """Parse untrusted text. Raises ValueError, also for NaN, infinities and 1e999."""
    return _decoded(_READER.decode, text)


def parse_at(text: str, start: int) -> tuple[Any, int]:
    """Parse the value that begins at `start`, and return its end too. Raises ValueError like `parse`."""
    return _decoded(_READER.raw_decode, text, start)


def _decoded(decoder: Callable[..., T], *arguments: Any) -> T:
    try:
        return decoder(*arguments)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


# Python's decoder accepts NaN, Infinity and 1e999 (as inf), which no other program could read back from a file.
def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large for a number")
    return number


_WRITER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)  # once: `json.dumps` builds an encoder per call
_READER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


def readable_json(value: Any) -> str:
    """Format compact JSON for display: not ASCII-escaped, key order preserved (ENGINE §3)."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def indented_json(value: Any, text: str | None = None) -> str:
    """Format JSON over several lines for display, or on one line if it is long.

    `text` is the JSON of the value on one line, if known already.
    """
    text = json.dumps(value, ensure_ascii=False) if text is None else text
    return text if len(text) > INDENTED_CHARACTERS else json.dumps(value, indent=2, ensure_ascii=False)


def count_parts(value: Any, most: int) -> int | None:
    """Return the number of keys, items and values of a JSON value; None for anything but a short value that JSON can
    hold: at most SHORT_CHARACTERS and `most` parts.

    Cheaper than encoding it. A value of N parts is at most N levels deep.
    """
    todo, parts, size = [value], 0, 0
    while todo:
        part = todo.pop()
        kind = type(part)
        parts += 1
        if kind is str:
            size += len(part)
        elif kind is dict:
            todo.extend(part.values())
            for key in part:
                if type(key) is not str:
                    return None
                size += len(key)
            parts += len(part)
        elif kind is list or kind is tuple:
            todo.extend(part)
        elif kind is float:
            if not math.isfinite(part):
                return None
        elif kind is int:
            if part.bit_length() > MAX_INTEGER_BITS:
                return None
        elif isinstance(part, str):  # an enum, as in the results of our own tools
            size += len(part)
        elif part is not None and kind is not bool:
            return None
        if parts + len(todo) > most or size + 2 * parts > SHORT_CHARACTERS:
            return None
    return parts


def type_name(value: Any) -> str:
    """Return the display name of the type of a JSON value."""
    return "null" if value is None else TYPE_NAMES.get(type(value), type(value).__name__)


def encode_output(value: Any) -> str:
    """Encode `value` within the limits of ENGINE §2: 1 MB of structure and 10 MB of strings.

    Raises StepFailed `not_json` or `output_too_large`.
    """
    # Structure costs more than text: 10 MB of it hold the GIL for about 300 ms, even in a thread (ARCHITECTURE §5),
    # while a string of that size is merely copied. The strings are measured only if the whole exceeds the smaller
    # limit.
    text = encode(value)
    if len(text) > STRUCTURE_BYTES:
        strings = sum(len(json.dumps(text)) - 2 for text in strings_in(value))
        if len(text) - strings > STRUCTURE_BYTES or strings > STRING_BYTES:
            raise output_too_large(len(text))
    return text


def output_too_large(size: int) -> StepFailed:
    """Return the error for a value above the limits of ENGINE §2. `size` is in bytes of JSON."""
    message = f"the output has {size:,} bytes of JSON; at most 1 MB and 10 MB of text in it can be kept"
    return StepFailed("output_too_large", message, bytes=size)


def strings_in(value: Any) -> Iterator[str]:
    """Yield all strings of a value, keys included."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            todo += [*item, *item.values()]
        elif isinstance(item, list | tuple):
            todo += item


def parse_pointer(pointer: str) -> list[str]:
    """Split `/a/b~1c` into its parts. Raises ValueError if it does not begin with a slash."""
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is not a path like /step/field")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/")]


def pointer_to(*parts: str) -> str:
    """Return the path with these parts, the reverse of `parse_pointer`."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)


def value_at(value: Any, parts: Sequence[str]) -> Any:
    """Look up the value at that path. Raises LookupError."""
    for part in parts:
        value = value[_key(value, part)]
    return value


def with_value_at(value: Any, parts: Sequence[str], new: Any) -> Any:
    """Copy the value with `new` at that path. A mapping may get a new key.

    Only the containers on the path are copied. Raises LookupError if the path does not exist.
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
    """Return the key of a mapping or the index of a list. Raises LookupError."""
    if isinstance(value, dict) and part in value:
        return part
    if isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
        return int(part)
    raise LookupError(part)
