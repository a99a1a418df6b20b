"""Lists, objects, numbers and flags that came as JSON in a text."""

from typing import Any

import pytest

from core.domain.text.held_json import read_held_json


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


NUMBERS = {"type": "array", "items": {"type": "integer"}}
TREE = {"$ref": "#/$defs/t", "$defs": {"t": of(next={"$ref": "#/$defs/t"}, n={"type": "number"})}}
EITHER = {"anyOf": [{**of(a=NUMBERS), "required": ["a"]}, {**of(b={"type": "boolean"}), "required": ["b"]}]}


@pytest.mark.parametrize(
    ("schema", "written", "read"),
    [
        (of(a=NUMBERS), '{"a": "[1, \\"2\\"]"}', {"a": [1, 2]}),
        (of(a=NUMBERS), {"a": "[1, 2]"}, {"a": [1, 2]}),
        (of(a={"type": "integer"}, b={"type": "boolean"}), {"a": " 7 ", "b": "True"}, {"a": 7, "b": True}),
        (of(a={"type": ["integer", "null"]}), {"a": "null"}, {"a": None}),
        (of(a={"anyOf": [{"type": "integer"}, {"type": "null"}]}), {"a": "5"}, {"a": 5}),
        (of(a={"enum": [1, 2]}), {"a": "2"}, {"a": 2}),
        (TREE, {"next": '{"next": {"n": "1.5"}}'}, {"next": {"next": {"n": 1.5}}}),
        (EITHER, '{"a": "[1]"}', {"a": [1]}),
        (EITHER, {"b": "false"}, {"b": False}),
        ({"type": "array", "prefixItems": [{"type": "string"}, NUMBERS]}, ["[1]", "[1]"], ["[1]", [1]]),
        (of(), {"a": "[1]"}, {"a": "[1]"}),
        (of(a={"type": "string"}), {"a": "[1]"}, {"a": "[1]"}),
        (of(a={"type": ["string", "object"]}), {"a": "{}"}, {"a": "{}"}),
        (of(a={}), {"a": "7"}, {"a": "7"}),
        (of(a={"type": "integer"}), {"a": "7.5"}, {"a": "7.5"}),
        (of(a={"type": "integer"}), {"a": "seven"}, {"a": "seven"}),
        (of(a=NUMBERS), {"a": '"[1]"'}, {"a": '"[1]"'}),
        ({"$ref": "https://elsewhere.example/x"}, '{"a": 1}', '{"a": 1}'),
        ({"$ref": "#"}, '{"a": 1}', '{"a": 1}'),
    ],
)
def test_a_text_is_read_where_the_schema_wants_what_it_holds(schema: Any, written: Any, read: Any) -> None:
    assert read_held_json(schema, written) == read


def test_a_value_without_such_texts_is_the_same_one() -> None:
    value = {"a": [1, 2], "b": {"c": "[1]"}}
    assert read_held_json(of(a=NUMBERS), value) is value
