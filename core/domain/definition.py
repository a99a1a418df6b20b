"""The definition of a tool, which a permission is bound to: another definition voids it (AGENTS_AND_TOOLS §6)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

SHOWN_CHARACTERS = 2_000


def definition_text(
    name: str, title: str, description: str, schemas: Sequence[Any], hints: Mapping[str, bool], server: str
) -> str:
    """Return the definition as canonical text. `server` is the fingerprint of the server's command or address."""
    parts = {
        "name": name,
        "title": title,
        "description": description,
        "schema": schemas[0],
        "output": schemas[1],
        "hints": dict(hints),
        "server": server,
    }
    return json.dumps(parts, sort_keys=True, separators=(",", ":"))


def definition_changes(before: str | None, now: str) -> list[dict[str, Any]]:
    """Return what differs: `part`, and the texts `before` and `now`, cut if long. Of the server only that it differs;
    without a definition before, the permission is of an older version.
    """
    if before is None:
        return [{"part": "unbound"}]
    old, new = json.loads(before), json.loads(now)
    changes: list[dict[str, Any]] = []
    for part in new:
        if old.get(part) != new[part]:
            texts = {"before": _shown(old.get(part)), "now": _shown(new[part])} if part != "server" else {}
            changes.append({"part": part, **texts})
    return changes


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}… ({len(text):,})"
