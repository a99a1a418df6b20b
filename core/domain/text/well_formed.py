"""Text with halves of characters, which UTF-8 cannot encode: lone surrogates, as JavaScript makes them by cutting a
text in the middle of an emoji.
"""

import re
from collections.abc import Mapping
from typing import Any

REPLACEMENT = "\ufffd"

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAY_BE_LONE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def well_formed(text: str) -> str:
    """Return the text with pairs of surrogates joined and lone surrogates replaced."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class SurrogateJoiner:
    """Joins surrogate pairs that a server split over two pieces."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """Add a piece, and return the text as far as it is complete."""
        # A JSON encoder that escapes non-ASCII writes an emoji as a pair of `\\uXXXX` escapes. A server that cuts its
        # stream between the two sends two valid JSON texts, each with half a character.
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return well_formed(text)

    def flush(self) -> str:
        """Replace an unpaired half at the end."""
        half, self._half = self._half, ""
        return well_formed(half)


def well_formed_value(value: Any) -> Any:
    """Return a JSON value with all its texts and keys well formed; the same value if they are."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, Mapping):
        pairs = [(well_formed(key), well_formed_value(part)) for key, part in value.items()]
        same = all(key is old and part is was for (key, part), (old, was) in zip(pairs, value.items(), strict=True))
        return value if same else dict(pairs)
    if isinstance(value, list | tuple):
        parts = [well_formed_value(part) for part in value]
        return value if all(part is was for part, was in zip(parts, value, strict=True)) else parts
    return value


def well_formed_json(data: bytes) -> str:
    """Return the text of JSON in which bytes that are no UTF-8, and escapes of lone surrogates, are replaced."""
    text = data.decode("utf-8", "replace")
    if not _MAY_BE_LONE.search(data):
        return text
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)
