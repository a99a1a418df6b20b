"""The difference between two JSON values as a list of {path, value}, the answer to a state edit (ENGINE §8)."""

from collections.abc import Iterator, Mapping
from typing import Any

StateEdit = dict[str, Any]


def state_edits(before: Any, after: Any, path: str) -> list[StateEdit]:
    """Return the smallest replacements that turn `before` into `after`; `path` points to both.

    A path can be replaced or added, never removed: where a key is gone, the enclosing value is replaced.
    """
    return list(_state_edits(before, after, path))


def json_equal(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal, with numbers and booleans distinct."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(json_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(json_equal, one, other))
    return type(one) is type(other) and bool(one == other)


def _state_edits(before: Any, after: Any, path: str) -> Iterator[StateEdit]:
    if isinstance(before, Mapping) and isinstance(after, Mapping) and before.keys() <= after.keys():
        for key, value in after.items():
            place = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key in before:
                yield from _state_edits(before[key], value, place)
            else:
                yield {"path": place, "value": value}
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, value in enumerate(after):
            yield from _state_edits(before[number], value, f"{path}/{number}")
    elif not json_equal(before, after):
        yield {"path": path, "value": after}
