"""JSON pointers (RFC 6901): parts of a value, and the value with another part in its place."""

from collections.abc import Sequence
from typing import Any


def parts_of(pointer: str) -> list[str]:
    """The parts of `/a/b~1c`. Raises ValueError for what does not begin with a slash."""
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no path: /step/field")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/")]


def part_at(value: Any, parts: Sequence[str]) -> Any:
    """What stands there. Raises LookupError."""
    for part in parts:
        value = value[_key(value, part)]
    return value


def with_part(value: Any, parts: Sequence[str], new: Any) -> Any:
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
    copied[key] = with_part(value[key], rest, new)
    return copied


def _key(value: Any, part: str) -> Any:
    """The key of a mapping or the index of a list. Raises LookupError."""
    if isinstance(value, dict) and part in value:
        return part
    if isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
        return int(part)
    raise LookupError(part)
