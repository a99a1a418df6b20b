"""What a person changed in a value, as the list of {path, value} that a state edit is answered with (ENGINE §8)."""

from collections.abc import Iterator, Mapping
from typing import Any

StateEdit = dict[str, Any]


def state_edits(before: Any, after: Any, path: str) -> list[StateEdit]:
    """The smallest places whose replacement makes `before` into `after`; `path` is where both stand.

    A place can be replaced and a key added, but nothing can be taken away: then the whole around it is replaced.
    """
    return list(_state_edits(before, after, path))


def json_equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same, with numbers and booleans told apart."""
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
