"""The names under which tools are sent, and the way back from them."""

import re
from collections.abc import Iterable, Mapping

NAME_CHARACTERS = 64
_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_PREFIX = re.compile(r"^(functions|default_api)[.:]")


def wire_name(name: str) -> str:
    """Convert a tool's name to characters that every provider accepts."""
    return _NAME.sub("_", name)[:NAME_CHARACTERS] or "unnamed"


def resolve_tool_name(called: str, names: Mapping[str, str]) -> str:
    """Find the name of the called tool.

    It is the tool sent under that name (`tools_by_name`), else the only tool whose name differs just in case,
    surrounding spaces or a prefix such as `functions.` (OpenAI) or `default_api:` (Google); else the name as called.
    """
    if called in names:
        return names[called]
    name_called = _PREFIX.sub("", called.strip()).casefold()
    candidates = [tool for name, tool in names.items() if name.casefold() == name_called]
    return candidates[0] if len(candidates) == 1 else called


def tools_by_name(names: Iterable[str]) -> dict[str, str]:
    """Map the names under which a request sends tools to their own names; on a conflict the first wins."""
    tools: dict[str, str] = {}
    for name in names:
        tools.setdefault(wire_name(name), name)
    return tools
