"""The raw content of a field is saved as JSON and restored; content that does not fit changes nothing."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from desktop.attention.field import ValueField
from desktop.attention.form import SchemaForm
from desktop.attention.options import OptionsField
from desktop.theme import Theme

SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "string"}},
        "number": {"type": "number"},
        "flag": {"type": "boolean", "default": False},
        "maybe": {"type": "boolean"},
        "one": {"enum": ["a", "b"]},
        "any": {},
    },
}
WRITTEN: tuple[Any, ...] = ("é\u00a0x", "a\nb", "12,", True, 2, 1, '{"half": ')
OPTIONS = {"chosen": [False, True], "text": "my\nown"}


@pytest.fixture
def fields(theme: Theme) -> Iterator[list[ValueField]]:
    form = SchemaForm(theme, SCHEMA)
    yield [*form.fields, OptionsField(theme, ["x", "y"])]
    form.deleteLater()


def test_the_content_of_each_kind_of_field_is_restored(fields: list[ValueField]) -> None:
    for field, written in zip(fields, (*WRITTEN, OPTIONS), strict=True):
        field.set_raw_value(json.loads(json.dumps(written)))
        assert field.is_edited
        assert field.raw_value == written


@pytest.mark.parametrize("wrong", [None, [], {}, 99, -1, 1.5, {"chosen": [True], "text": ""}])
def test_content_that_does_not_fit_changes_nothing(fields: list[ValueField], wrong: Any) -> None:
    for field in fields:
        before = field.raw_value
        field.set_raw_value(wrong)
        assert (field.raw_value, field.is_edited) == (before, False)
