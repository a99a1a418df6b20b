"""Runs of one template are told apart by their main input."""

from typing import Any

import pytest

from core.domain.workflow import run_title

SCHEMA = {
    "properties": {
        "deep": {"type": "boolean"},
        "apiKey": {"type": "string"},
        "folder": {"type": "string", "format": "folder"},
        "question": {"type": "string"},
    }
}


@pytest.mark.parametrize(
    ("schema", "given", "title"),
    [
        (SCHEMA, {"folder": "/home/ada/invoices/"}, "Report · invoices"),
        (SCHEMA, {"folder": "C:\\Users\\ada\\invoices"}, "Report · invoices"),
        (SCHEMA, {"deep": True, "question": "Why\nnow?"}, "Report · Why now?"),
        (SCHEMA | {"required": ["question"]}, {"folder": "/a", "question": "Why?"}, "Report · Why?"),
        (None, {"count": 3}, "Report · 3"),
        (SCHEMA, {"apiKey": "abc"}, "Report"),
        (SCHEMA, {"question": "sk-ant-api03-" + "a1B2c3D4" * 8}, "Report"),
        (SCHEMA, {}, "Report"),
        (SCHEMA, {"folder": "   "}, "Report"),
        (SCHEMA, [], "Report"),
        ({"required": [{}], "properties": []}, {"x": {}}, "Report"),
    ],
)
def test_a_title_ends_with_the_main_input_and_never_shows_a_secret(schema: Any, given: Any, title: str) -> None:
    assert run_title("Report", schema, given) == title


def test_a_long_input_is_cut() -> None:
    assert len(run_title("Report", SCHEMA, {"question": "word " * 5_000})) <= 50
