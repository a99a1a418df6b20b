"""Which values in the configuration of an MCP server are secrets, and what stands there instead (AGENTS_AND_TOOLS §7).

A place is `env/NAME`, `headers/NAME`, `args/2` or `url`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from core.domain.masking import MARK, is_secret_name, masked_text


def secret_places(server: Mapping[str, Any]) -> dict[str, str]:
    """Place → value, of those values of a configuration that look like secrets."""
    found: dict[str, str] = {}
    for part in ("env", "headers"):
        for name, value in (server.get(part) or {}).items():
            if value and not _is_reference(value) and (is_secret_name(name) or masked_text(value) != value):
                found[f"{part}/{name}"] = value
    args = list(server.get("args") or ())
    for at, value in enumerate(args):
        flag, is_pair, _ = value.partition("=")
        is_given = at > 0 and args[at - 1].startswith("-") and "=" not in args[at - 1] and not value.startswith("-")
        is_named = (is_pair and flag.startswith("-") and is_secret_name(flag)) or (
            is_given and is_secret_name(args[at - 1])
        )
        if not _is_reference(value) and (is_named or masked_text(value) != value):
            found[f"args/{at}"] = value
    url = server.get("url")
    if url and masked_text(url) != url:
        found["url"] = url
    return found


def without_secrets(server: Mapping[str, Any], places: Iterable[str]) -> dict[str, Any]:
    """The configuration with what is shown in place of each secret."""
    return with_values(server, {place: _shown(server, place) for place in places})


def with_values(server: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """The configuration with other values in these places; a place that is gone is left out."""
    changed = dict(server)
    for place, value in values.items():
        part, _, name = place.partition("/")
        if part == "url":
            changed["url"] = value
        elif part == "args":
            args = list(changed.get("args") or ())
            if int(name) < len(args):
                args[int(name)] = value
            changed["args"] = args
        elif name in (changed.get(part) or {}):
            changed[part] = {**changed[part], name: value}
    return changed


def _shown(server: Mapping[str, Any], place: str) -> str:
    part, _, name = place.partition("/")
    if part == "url":
        return masked_text(server["url"])
    if part == "args":
        value = str(server["args"][int(name)])
        flag, is_pair, _ = value.partition("=")
        return f"{flag}={MARK}" if is_pair and flag.startswith("-") else MARK
    return MARK


def _is_reference(value: str) -> bool:
    """Whether the value only says where the secret is: `${TOKEN}`, `Bearer ${env:TOKEN}`."""
    return bool(re.fullmatch(r"(?:\w+ )?\$\{[^{}]+\}", value))
