"""What stands in a field can be kept as JSON, and stands there again; what does not fit changes nothing."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from desktop.attention.field import FormField
from desktop.attention.form import SchemaForm
from desktop.attention.options import OptionsField
from desktop.theme.theme import Theme

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
def fields(theme: Theme) -> Iterator[list[FormField]]:
    form = SchemaForm(theme, SCHEMA)
    yield [*form.fields, OptionsField(theme, ["x", "y"])]
    form.deleteLater()


def test_what_stands_in_each_kind_of_field_stands_there_again(fields: list[FormField]) -> None:
    for field, written in zip(fields, (*WRITTEN, OPTIONS), strict=True):
        field.write(json.loads(json.dumps(written)))
        assert field.is_edited
        assert field.written == written


@pytest.mark.parametrize("wrong", [None, [], {}, 99, -1, 1.5, {"chosen": [True], "text": ""}])
def test_what_does_not_fit_changes_nothing(fields: list[FormField], wrong: Any) -> None:
    for field in fields:
        before = field.written
        field.write(wrong)
        assert (field.written, field.is_edited) == (before, False)
