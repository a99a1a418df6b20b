"""Text typed into a form becomes a value, or an error at its field."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.attention.field import FieldResult
from desktop.attention.form import SchemaForm
from desktop.theme import Theme
from desktop.translation import Language, Translation


class Sheet:
    """A form on the screen, filled in by keyboard."""

    def __init__(self, theme: Theme, qtbot: QtBot, schema: Any) -> None:
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.form = SchemaForm(theme, schema)
        QVBoxLayout(self.window).addWidget(self.form)
        self.window.resize(600, 800)
        with qtbot.waitActive(self.window):
            self.window.show()
            self.window.activateWindow()
        self.form.fields[0].setFocus(Qt.FocusReason.TabFocusReason)

    def type(self, text: str) -> None:
        QTest.keyClicks(self._focused(), text)

    def press(self, *keys: Qt.Key) -> None:
        for key in keys:
            QTest.keyClick(self._focused(), key)

    def _focused(self) -> QWidget:
        focused = QApplication.focusWidget()
        assert focused is not None
        return focused

    def read(self) -> FieldResult:
        return self.form.read()

    @property
    def errors(self) -> list[str]:
        return [filled.error for filled in self.form.fields]


@pytest.fixture
def sheet(theme: Theme, translation: Translation, qtbot: QtBot) -> Any:
    """Return a function that shows the form of a schema."""
    return lambda schema: Sheet(theme, qtbot, schema)


EVERY_KIND = {
    "type": "object",
    "required": ["text", "number", "whole", "yes", "choice", "texts", "json", "address"],
    "properties": {
        "text": {"type": "string", "title": "A text"},
        "number": {"type": "number"},
        "whole": {"type": "integer"},
        "yes": {"type": "boolean"},
        "choice": {"enum": ["a", 2, None]},
        "texts": {"type": "array", "items": {"type": "string"}},
        "json": {"anyOf": [{"type": "null"}, {"type": "object"}]},
        "address": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}},
    },
}


def test_every_kind_of_field_is_filled_in_by_keyboard(sheet: Any) -> None:
    filled: Sheet = sheet(EVERY_KIND)
    tab = Qt.Key.Key_Tab
    filled.type("words")
    filled.press(tab)
    filled.type("1,5")
    filled.press(tab)
    filled.type("-12")
    filled.press(tab)
    assert isinstance(QApplication.focusWidget(), QCheckBox)
    filled.press(Qt.Key.Key_Space, tab)
    assert isinstance(QApplication.focusWidget(), QComboBox)
    filled.press(Qt.Key.Key_Down, Qt.Key.Key_Down, tab)
    filled.type("one")
    filled.press(Qt.Key.Key_Return)
    filled.type("two ")
    filled.press(tab)
    filled.type('{"x": [1, true]}')
    filled.press(tab)
    filled.type("Paris")
    assert filled.read().value == {
        "text": "words",
        "number": 1.5,
        "whole": -12,
        "yes": True,
        "choice": 2,
        "texts": ["one", "two"],
        "json": {"x": [1, True]},
        "address": {"city": "Paris"},
    }
    assert filled.errors == [""] * 8


def test_a_missing_value_is_shown_at_each_required_field(sheet: Any) -> None:
    filled: Sheet = sheet(EVERY_KIND)
    assert filled.read().problem == "This is needed."
    needed = "This is needed."
    assert filled.errors == [needed, needed, needed, "", needed, "", needed, needed]
    filled.type("w")
    assert filled.errors[0] == ""
    assert filled.form.first_error is filled.form.fields[1]


def test_an_empty_optional_field_has_no_value(sheet: Any) -> None:
    schema = {**EVERY_KIND, "required": []}
    filled: Sheet = sheet(schema)
    assert filled.read() == FieldResult(has_value=True, value={})


def test_an_optional_object_requires_its_parts_once_it_is_begun(sheet: Any) -> None:
    inner = {
        "type": "object",
        "required": ["city", "main"],
        "properties": {"city": {"type": "string"}, "street": {"type": "string"}, "main": {"type": "boolean"}},
    }
    filled: Sheet = sheet({"type": "object", "properties": {"address": inner}})
    assert filled.read().value == {}
    filled.press(Qt.Key.Key_Tab)
    filled.type("High Street")
    assert filled.read().problem
    assert filled.errors == ["This is needed.", "", ""]
    filled.form.fields[0].setFocus()
    filled.type("Paris")
    assert filled.read().value == {"address": {"city": "Paris", "street": "High Street", "main": False}}


@pytest.mark.parametrize(
    ("schema", "typed", "error"),
    [
        ({"type": "integer"}, "1.5", "This has to be a whole number."),
        ({"type": "number"}, "many", "This has to be a number."),
        ({"type": "number"}, "1e999", "This number is too large."),
        ({"type": "integer", "minimum": 3}, "2", "At least 3."),
        ({"type": "number", "maximum": 3.5}, "4", "At most 3.5."),
        ({}, '{"x": ', "This is no JSON: line 1, column 7."),
        ({}, "NaN", "This is no JSON: a number is too large, or it is nested too deeply."),
        ({}, '{"x": 1}', ""),
        ({"type": "integer"}, "12", ""),
    ],
)
def test_an_error_is_shown_while_it_is_typed(sheet: Any, schema: Any, typed: str, error: str) -> None:
    filled: Sheet = sheet(schema)
    filled.type(typed)
    assert filled.errors == [error]
    assert filled.read().problem == error


def test_large_whole_numbers_stay_as_they_are(sheet: Any) -> None:
    filled: Sheet = sheet({"type": "number"})
    filled.type("12345678901234567890")
    assert filled.read().value == 12345678901234567890


def test_fields_start_with_their_defaults(sheet: Any) -> None:
    properties = {
        "a": {"type": "string", "default": "A"},
        "b": {"type": "number", "default": 2.5},
        "c": {"type": "boolean", "default": True},
        "d": {"enum": ["x", "y"], "default": "y"},
        "e": {"type": "array", "items": {"type": "string"}, "default": ["p", "q"]},
        "f": {"type": "array", "default": [1]},
    }
    filled: Sheet = sheet({"type": "object", "properties": properties})
    assert filled.read().value == {"a": "A", "b": 2.5, "c": True, "d": "y", "e": ["p", "q"], "f": [1]}


def test_an_optional_boolean_can_stay_empty(sheet: Any) -> None:
    filled: Sheet = sheet({"type": "object", "properties": {"c": {"type": "boolean"}}})
    assert filled.read().value == {}
    filled.press(Qt.Key.Key_Down, Qt.Key.Key_Down)
    assert filled.read().value == {"c": False}


def test_a_violation_is_shown_at_the_field_that_its_path_leads_through(sheet: Any) -> None:
    filled: Sheet = sheet(EVERY_KIND)
    assert filled.form.show_error("/texts/0", "too short")
    assert filled.errors[5] == "too short"
    assert filled.form.show_error("/address/city", "unknown")
    assert filled.errors[7] == "unknown"
    assert not filled.form.show_error("", "all of it")
    assert not filled.form.show_error("/nowhere", "what")
    assert sheet({"type": "string"}).form.show_error("", "too short")


def test_every_control_has_an_accessible_name_and_its_error(sheet: Any) -> None:
    filled: Sheet = sheet(EVERY_KIND)
    kinds = (QLineEdit, QPlainTextEdit, QCheckBox, QComboBox)
    controls = [each for kind in kinds for each in filled.form.findChildren(kind)]
    assert len(controls) == 8
    assert all(each.accessibleName() for each in controls)
    filled.read()
    assert filled.form.fields[0].editor.accessibleDescription() == "This is needed."


def test_a_form_follows_the_language(sheet: Any, translation: Translation) -> None:
    filled: Sheet = sheet({"type": "object", "properties": {"c": {"type": "boolean"}}})
    (box,) = filled.form.findChildren(QComboBox)
    assert box.itemText(1) == "Yes"
    translation.set_language(Language.FRENCH)
    QApplication.processEvents()
    assert box.itemText(1) == "Oui"


FORMATS = {
    "type": "object",
    "required": ["mail", "several"],
    "properties": {
        "mail": {"type": "string", "format": "email"},
        "day": {"type": "string", "format": "date"},
        "time": {"type": "string", "format": "date-time"},
        "page": {"type": "string", "format": "uri"},
        "short": {"type": "string", "minLength": 2, "maxLength": 3},
        "one": {"type": "string", "oneOf": [{"const": "s", "title": "Sea & sun"}, {"const": "h", "title": "Home"}]},
        "several": {
            "type": "array",
            "uniqueItems": True,
            "items": {"anyOf": [{"const": "a", "title": "An apple"}, {"const": "b", "title": "A berry"}]},
            "minItems": 1,
            "maxItems": 1,
            "default": ["b"],
        },
    },
}


def test_formats_lengths_and_choices_with_titles_are_checked_beside_their_fields(sheet: Any) -> None:
    filled: Sheet = sheet(FORMATS)
    for text in ("ada", "31.12.2026", "tomorrow", "a page", "toolong"):
        filled.type(text)
        filled.press(Qt.Key.Key_Tab)
    filled.type("H")
    filled.press(Qt.Key.Key_Tab, Qt.Key.Key_Space)  # a second choice
    assert filled.read().problem
    *texts, one, several = filled.errors
    assert all(texts)
    assert (one, several) == ("", "Choose at most 1.")
    filled.press(Qt.Key.Key_Space)
    right = ("ada@x.org", "2026-12-31", "2026-12-31 18:30", "https://x.org", "abc")
    for field, text in zip(filled.form.fields, right, strict=False):
        field.set_raw_value(text)
    value = filled.read().value
    assert value["time"].startswith("2026-12-31T18:30:00")
    assert len(value.pop("time")) == len("2026-12-31T18:30:00+00:00")
    expected = {"mail": "ada@x.org", "day": "2026-12-31", "page": "https://x.org", "short": "abc", "one": "h"}
    assert value == {**expected, "several": ["b"]}
