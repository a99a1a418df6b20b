"""What a provider says when it does not answer: its own words, wherever it puts them."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from core.domain.json_text import decode

MESSAGE_CHARACTERS = 1000

_MARKUP = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)


def said_in_body(body: str) -> str:
    """What the body of an error answer says; "" where that is nothing."""
    try:
        value = decode(body)
    except ValueError:
        return shortened(html.unescape(_MARKUP.sub(" ", body)))
    return said_in(value)


def said_in(value: Any) -> str:
    """What an error object says, in whichever of its fields."""
    return shortened(": ".join(dict.fromkeys(filter(None, _words(value)))) or _as_text(value))


def error_in(chunk: dict[str, Any], choices: list[Any]) -> Any:
    """The error that a piece of the stream holds, if it does: at its top, in a choice, or as a whole."""
    if chunk.get("error"):
        return chunk["error"]
    for choice in choices:
        if isinstance(choice, dict) and choice.get("error"):
            return choice["error"]
    if chunk.get("object") == "error" or chunk.get("type") == "error":
        return chunk
    if "choices" not in chunk and (chunk.get("detail") or isinstance(chunk.get("message"), str)):
        return chunk
    return None


def shortened(text: str) -> str:
    """The text on one line, at most 1000 characters of it."""
    line = " ".join(text[: 20 * MESSAGE_CHARACTERS].split())
    return line if len(line) <= MESSAGE_CHARACTERS else line[:MESSAGE_CHARACTERS] + "…"


def _words(value: Any) -> Iterator[str]:
    """The message of an error, and behind it what a gateway quotes of the provider behind itself."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value[:5]:
            yield from _words(item)
    elif isinstance(value, dict):
        for name in ("error", "errors", "message", "msg", "detail", "description"):
            if value.get(name):
                yield from _words(value[name])
                break
        metadata = value.get("metadata")
        if isinstance(metadata, dict) and metadata.get("raw"):
            yield from _words(metadata["raw"])


def _as_text(value: Any) -> str:
    return "" if value in (None, {}, []) else json.dumps(value, ensure_ascii=False)
