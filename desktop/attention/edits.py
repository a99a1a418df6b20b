"""The difference between two JSON values as a list of {path, value}, the answer to a state edit (ENGINE §8)."""

from collections.abc import Iterator, Mapping
from typing import Any

StateEdit = dict[str, Any]


def state_edits(before: Any, after: Any, path: str) -> list[StateEdit]:
    """Return the smallest replacements that turn `before` into `after`; `path` points to both.

    A path can be replaced or added, never removed: where a key is gone, the enclosing value is replaced.
    """
    return list(_state_edits(before, after, path))


def json_equal(value: Any, other: Any) -> bool:
    """Return whether two JSON values are equal, with numbers and booleans distinct."""
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(json_equal(value[key], other[key]) for key in value)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(json_equal, value, other))
    return type(value) is type(other) and bool(value == other)


def _state_edits(before: Any, after: Any, path: str) -> Iterator[StateEdit]:
    # Only if no key is gone: a path can be replaced or added, never removed.
    if isinstance(before, Mapping) and isinstance(after, Mapping) and before.keys() <= after.keys():
        for key, value in after.items():
            inner = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key in before:
                yield from _state_edits(before[key], value, inner)
            else:
                yield {"path": inner, "value": value}
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, value in enumerate(after):
            yield from _state_edits(before[number], value, f"{path}/{number}")
    elif not json_equal(before, after):
        yield {"path": path, "value": after}
