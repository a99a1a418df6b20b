"""A schema becomes fields that the user can fill in; a value of any other schema is edited as JSON."""

from typing import Any

import pytest

from desktop.attention.schema import FieldKind, FieldSpec, GroupSpec, field_specs, form_spec


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, FieldKind.TEXT),
        ({"type": "string", "maxLength": 5000}, FieldKind.LONG_TEXT),
        ({"type": "string", "default": "a\nb"}, FieldKind.LONG_TEXT),
        ({"type": "number"}, FieldKind.NUMBER),
        ({"type": "integer"}, FieldKind.INTEGER),
        ({"type": "boolean"}, FieldKind.BOOLEAN),
        ({"enum": ["a", 1, None]}, FieldKind.CHOICE),
        ({"const": 3}, FieldKind.CHOICE),
        ({"type": "array", "items": {"type": "string"}}, FieldKind.TEXTS),
        ({"type": "array", "items": {"type": "number"}}, FieldKind.JSON),
        ({"type": "array"}, FieldKind.JSON),
        ({"type": ["string", "null"]}, FieldKind.JSON),
        ({"type": "string", "anyOf": [{}]}, FieldKind.JSON),
        ({"$ref": "#/$defs/x"}, FieldKind.JSON),
        ({"type": "object"}, FieldKind.JSON),
        ({"type": "object", "properties": {"a": {}}, "required": ["b"]}, FieldKind.JSON),
        ({"type": "object", "properties": {"a": {}}, "oneOf": [{}]}, FieldKind.JSON),
        ({"enum": []}, FieldKind.JSON),
        ({}, FieldKind.JSON),
        (True, FieldKind.JSON),
        (None, FieldKind.JSON),
        ("nonsense", FieldKind.JSON),
        ({"type": "object", "properties": 3}, FieldKind.JSON),
        ({"type": "object", "properties": {"a": {}}, "required": 3}, FieldKind.JSON),
    ],
)
def test_each_schema_has_its_kind_of_field(schema: Any, kind: FieldKind) -> None:
    part = form_spec(schema)
    assert isinstance(part, FieldSpec)
    assert part.kind is kind


def test_an_object_has_a_field_for_each_of_its_properties_in_their_order() -> None:
    inner = {"type": "object", "properties": {"name": {"type": "string", "title": "Full name"}}}
    schema = {
        "type": "object",
        "required": ["b"],
        "properties": {"b": {"type": "integer", "minimum": 1, "maximum": 9}, "a": inner, "c": {"type": "array"}},
    }
    part = form_spec(schema)
    assert isinstance(part, GroupSpec)
    told = [(field.path, field.name, field.kind, field.is_required) for field in field_specs(part)]
    assert told == [
        (("b",), "b", FieldKind.INTEGER, True),
        (("a", "name"), "Full name", FieldKind.TEXT, False),
        (("c",), "c", FieldKind.JSON, False),
    ]
    first = next(field_specs(part))
    assert (first.least, first.most) == (1, 9)


def test_deeply_nested_objects_are_edited_as_json() -> None:
    schema: Any = {"type": "string"}
    for _ in range(50):
        schema = {"type": "object", "properties": {"x": schema}}
    (field,) = field_specs(form_spec(schema))
    assert field.kind is FieldKind.JSON
    assert len(field.path) < 10
