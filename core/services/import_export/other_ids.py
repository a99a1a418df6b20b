"""Other ids for a workflow of an export, where its own are taken. Pure."""

import re
from collections.abc import Callable
from typing import Any

from core.threads.pieces import Pieces

_OWN_IDS = re.compile(r"\b(?:wf|run|msg|mem)_[0-9a-z]{6,40}\b", re.ASCII)


def translated(value: Any, ids: Callable[[str], str], depth: int = 4) -> Pieces[Any]:
    """Return the form of a workflow with other ids of itself, its runs, messages and memories, wherever they stand."""
    if depth == 0 or not isinstance(value, dict | list):
        yield
        return _translated(value, ids)
    if isinstance(value, list):
        items = []
        for item in value:
            items.append((yield from translated(item, ids, depth - 1)))  # noqa: PERF401  # cannot yield
        return items
    members = {}
    for name, part in value.items():
        members[name] = yield from translated(part, ids, depth - 1)
    return members


def _translated(value: Any, ids: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return _OWN_IDS.sub(lambda match: ids(match[0]), value) if "_" in value else value
    if isinstance(value, dict):
        return {_translated(name, ids): _translated(part, ids) for name, part in value.items()}
    return [_translated(part, ids) for part in value] if isinstance(value, list) else value
