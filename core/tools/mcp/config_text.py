"""Configuration files as users write them: JSON with comments and trailing commas, and YAML of plain values."""

import json
import re
from typing import Any

from core.domain.text.json_text import parse

_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*', re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_NOT_A_BREAK = re.compile(r"[^\n]")


class DuplicateKey(ValueError):
    """An object has a duplicate key: which value counts is unknown."""


def read_relaxed_json(text: str) -> Any:
    """Parse JSON with comments and trailing commas. Raises json.JSONDecodeError with the place in the original text,
    and ValueError.
    """
    # Strings match first, so that what looks like a comment or a comma inside a string is left alone.
    plain = _STRING_OR_COMMENT.sub(lambda part: part[0] if part[0].startswith('"') else _blank(part[0]), text)
    plain = _STRING_OR_LAST_COMMA.sub(lambda part: part[0] if part[0].startswith('"') else " ", plain)
    parse(plain)  # rejects NaN, numbers that are too large, and too many levels, which json.loads accepts
    return json.loads(plain, object_pairs_hook=_unique_keys)


def _blank(comment: str) -> str:
    """Return as many blanks, so that places stay the same."""
    return _NOT_A_BREAK.sub(" ", comment)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        raise DuplicateKey(f"{duplicate!r} is there twice")
    return fields


def read_yaml(text: str) -> Any:
    """Parse YAML of plain values. Raises ValueError with the place; also for aliases, which let a small text expand to
    gigabytes.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.MarkedYAMLError(problem="aliases are not supported", problem_mark=mark)
            return super().compose_node(parent, index)

    try:
        return yaml.load(text, Loader)  # a SafeLoader: plain values alone
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise ValueError(f"{place}{error.problem or 'it is not YAML'}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"it is neither JSON nor YAML: {error}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
