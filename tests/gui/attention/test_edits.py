"""A change of a value becomes the smallest list of edits that the core accepts."""

from typing import Any

import pytest

from core.domain.text.json_text import parse_pointer, with_value_at
from desktop.attention.edits import json_equal, state_edits


@pytest.mark.parametrize(
    ("before", "after", "edits"),
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
def test_only_changes_become_edits(before: Any, after: Any, edits: list[dict[str, Any]]) -> None:
    result = state_edits(before, after, "/s")
    assert result == edits
    state: Any = {"s": before}
    for edit in result:
        state = with_value_at(state, parse_pointer(edit["path"]), edit["value"])
    assert json_equal(state["s"], after)
