"""JSON as people write it: with comments, and commas behind the last one."""

import json
import re
from typing import Any

from core.domain.json_text import read

_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*', re.DOTALL)
_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_NOT_A_BREAK = re.compile(r"[^\n]")


class Doubled(ValueError):
    """An object has the same key twice: nobody can know which one is meant."""


def read_relaxed(text: str) -> Any:
    """The value. Raises json.JSONDecodeError with the place in the text as it was written, and ValueError."""
    plain = _PARTS.sub(lambda found: found[0] if found[0].startswith('"') else _blank(found[0]), text)
    plain = _LAST_COMMA.sub(lambda found: found[0] if found[0].startswith('"') else " ", plain)
    read(plain)  # refuses what is no JSON: NaN, numbers too large, too many levels
    return json.loads(plain, object_pairs_hook=_once)


def _blank(comment: str) -> str:
    """As many blanks: places stay."""
    return _NOT_A_BREAK.sub(" ", comment)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise Doubled(f"{doubled!r} is there twice")
    return found
