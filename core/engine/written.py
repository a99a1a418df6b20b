"""The arguments of a recorded call as they are kept: with their refs, and without secrets (ENGINE §11). Pure."""

import re
from collections.abc import Collection
from typing import Any

from core.domain.json_text import encode
from core.engine.refs import as_literal, find_refs, replaced

_SCHEME = re.compile(r"\s*(?:bearer|basic|token|digest|apikey)?[\s:=]*", re.IGNORECASE)


def with_refs(written: Any, resolved: Any, given: Any) -> Any:
    """The arguments that were given to a tool, with the refs of the `written` ones where they are as `resolved`."""
    if encode(resolved) == encode(given):
        return written
    if isinstance(written, dict) and isinstance(resolved, dict) and isinstance(given, dict):
        return {
            key: with_refs(written[key], resolved[key], part)
            if key in written and key in resolved
            else as_literal(part)
            for key, part in given.items()
        }
    if isinstance(written, list) and isinstance(resolved, list) and isinstance(given, list):
        known = min(len(written), len(resolved))
        return [
            with_refs(written[at], resolved[at], part) if at < known else as_literal(part)
            for at, part in enumerate(given)
        ]
    return as_literal(given)


def but_refs(written: Any, kept: Any, known: Collection[str]) -> Any:
    """The masked copy, with the refs to `known` roots that stand where a secret would."""
    if isinstance(written, str):
        return written if written == kept or _is_ref_alone(written, known) else kept
    if isinstance(written, dict) and isinstance(kept, dict):
        return {key: but_refs(part, kept[key], known) if key in kept else part for key, part in written.items()}
    if isinstance(written, list) and isinstance(kept, list) and len(written) == len(kept):
        return [but_refs(part, kept[at], known) for at, part in enumerate(written)]
    return kept


def _is_ref_alone(text: str, known: Collection[str]) -> bool:
    """Whether the text is nothing but refs, and the name of how a secret is used: `Bearer @input.token`. A password may
    look like a ref to something else."""
    roots = {found.ref.root for found in find_refs(text)}
    if not roots or not roots <= set(known):
        return False
    rest = replaced(text, lambda found: "")
    return isinstance(rest, str) and _SCHEME.fullmatch(rest) is not None
