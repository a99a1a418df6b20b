"""What was changed becomes the smallest list of places that the core can take."""

from typing import Any

import pytest

from core.domain.text.json_text import parse_pointer, with_value_at
from desktop.attention.edits import json_equal, state_edits


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"x": 1}, {"x": 1}, []),
        ({"x": 1, "y": 2}, {"x": 1, "y": 3}, [{"path": "/s/y", "value": 3}]),
        ({"a": [{"x": 1}, 2]}, {"a": [{"x": 5}, 2]}, [{"path": "/s/a/0/x", "value": 5}]),
        ({"x": 1}, {"x": 1, "new": None}, [{"path": "/s/new", "value": None}]),
        ({"x": 1, "y": 2}, {"x": 1}, [{"path": "/s", "value": {"x": 1}}]),
        ({"a": [1, 2]}, {"a": [1]}, [{"path": "/s/a", "value": [1]}]),
        (
            {"a/b": 1, "c~d": 2},
            {"a/b": 3, "c~d": 4},
            [{"path": "/s/a~1b", "value": 3}, {"path": "/s/c~0d", "value": 4}],
        ),
        ({"x": 1}, {"x": True}, [{"path": "/s/x", "value": True}]),
        ({"x": 1}, {"x": 1.0}, [{"path": "/s/x", "value": 1.0}]),
        (None, {"x": 1}, [{"path": "/s", "value": {"x": 1}}]),
        ("text", "text", []),
    ],
)
def test_only_what_changed_is_told(before: Any, after: Any, told: list[dict[str, Any]]) -> None:
    found = state_edits(before, after, "/s")
    assert found == told
    state: Any = {"s": before}
    for one in found:
        state = with_value_at(state, parse_pointer(one["path"]), one["value"])
    assert json_equal(state["s"], after)
