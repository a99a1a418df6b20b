"""JSON as small models write it (AGENTS_AND_TOOLS §10)."""

import re
from collections.abc import Callable
from typing import Any

from core.domain.text.json_text import encode, parse
from core.errors import StepFailed

_FENCED = re.compile(r"```(?:json5?)?\s*\n(.*?)\n?\s*```", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
MAX_DEPTH = 200


def parse_nearly_json(text: str) -> Any:
    """Parse JSON, or a text near to it that has a single meaning: control characters within strings, trailing commas,
    single quotes, keys without quotes, comments, a code fence around all of it.

    Raises ValueError for anything else, with what is wrong with it as JSON. An unknown escape has several meanings:
    `"\\d"` may be a pattern whose backslash was not doubled.
    """
    try:
        return parse(text)
    except ValueError as error:
        plain_error = error
    if fenced := _FENCED.fullmatch(text):
        text = fenced[1]
    text = _STRING.sub(lambda string: _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", string[0]), text)
    try:
        return parse(text)
    except ValueError:
        pass
    if any(escape[1] not in "\"'\\/bfnrtu" for escape in _ESCAPE.finditer(text)):
        raise plain_error
    import pyjson5  # late: rarely needed

    try:
        return pyjson5.decode(text, maxdepth=MAX_DEPTH)
    except pyjson5.Json5Exception:
        raise plain_error from None


def object_of(text: str, read: Callable[[str], Any] = parse_nearly_json) -> dict[str, Any] | None:
    """Read the object of the text, if it has one and it can be stored. Some models wrap it in a JSON string."""
    try:
        value = read(text.strip())
        if isinstance(value, str):
            value = read(value.strip())
        encode(value)
    except (ValueError, StepFailed):
        return None
    return value if isinstance(value, dict) else None
