"""What a tool call is about, told from its arguments on one line."""

from collections.abc import Mapping
from typing import Any

from core.domain.json_text import readable

CHARACTERS = 200
_TELLING = ("path", "file", "url", "query", "pattern", "expression", "command", "question", "name", "title", "id")
_SILENT = frozenset({"run_code", "wait"})  # code is no line, and the result of a wait says how long it was


def target_of(tool: str, arguments: Any) -> str:
    """The argument that tells most: by its name, else the first text or number. Empty where none does.

    At most 200 characters, without line breaks.
    """
    if tool in _SILENT:
        return ""
    if not isinstance(arguments, Mapping):
        return _on_a_line(arguments) if arguments else ""
    named = (arguments[name] for name in _TELLING if name in arguments)
    found = next((value for value in (*named, *arguments.values()) if _tells(value)), "")
    return _on_a_line(found)


def _tells(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def _on_a_line(value: Any) -> str:
    text = value[: 4 * CHARACTERS] if isinstance(value, str) else readable(value)
    line = " ".join(text[: 4 * CHARACTERS].split())
    return line if len(line) <= CHARACTERS else line[: CHARACTERS - 1] + "…"
