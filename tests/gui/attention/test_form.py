"""What is typed into a form is the value that was asked for, or it says at the field what is wrong."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.attention.field import FieldResult
from desktop.attention.form import SchemaForm
from desktop.theme.theme import Theme
from desktop.translation.languages import Language, Translation


class Sheet:
    """A form on the screen, filled in by keys."""

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
    def complaints(self) -> list[str]:
        return [one.error for one in self.form.fields]


@pytest.fixture
def sheet(theme: Theme, translation: Translation, qtbot: QtBot) -> Any:
    """Makes the form of a schema."""
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
    one: Sheet = sheet(EVERY_KIND)
    tab = Qt.Key.Key_Tab
    one.type("words")
    one.press(tab)
    one.type("1,5")
    one.press(tab)
    one.type("-12")
    one.press(tab)
    assert isinstance(QApplication.focusWidget(), QCheckBox)
    one.press(Qt.Key.Key_Space, tab)
    assert isinstance(QApplication.focusWidget(), QComboBox)
    one.press(Qt.Key.Key_Down, Qt.Key.Key_Down, tab)
    one.type("one")
    one.press(Qt.Key.Key_Return)
    one.type("two ")
    one.press(tab)
    one.type('{"x": [1, true]}')
    one.press(tab)
    one.type("Paris")
    assert one.read().value == {
        "text": "words",
        "number": 1.5,
        "whole": -12,
        "yes": True,
        "choice": 2,
        "texts": ["one", "two"],
        "json": {"x": [1, True]},
        "address": {"city": "Paris"},
    }
    assert one.complaints == [""] * 8


def test_what_is_needed_and_missing_is_told_at_each_field(sheet: Any) -> None:
    one: Sheet = sheet(EVERY_KIND)
    assert one.read().problem == "This is needed."
    needed = "This is needed."
    assert one.complaints == [needed, needed, needed, "", needed, "", needed, needed]
    one.type("w")
    assert one.complaints[0] == ""
    assert one.form.first_error is one.form.fields[1]


def test_what_is_not_needed_and_empty_is_left_out(sheet: Any) -> None:
    schema = {**EVERY_KIND, "required": []}
    one: Sheet = sheet(schema)
    assert one.read() == FieldResult(has_value=True, value={})


def test_an_object_that_is_not_needed_asks_for_its_parts_once_it_is_begun(sheet: Any) -> None:
    inner = {
        "type": "object",
        "required": ["city", "main"],
        "properties": {"city": {"type": "string"}, "street": {"type": "string"}, "main": {"type": "boolean"}},
    }
    one: Sheet = sheet({"type": "object", "properties": {"address": inner}})
    assert one.read().value == {}
    one.press(Qt.Key.Key_Tab)
    one.type("High Street")
    assert one.read().problem
    assert one.complaints == ["This is needed.", "", ""]
    one.form.fields[0].setFocus()
    one.type("Paris")
    assert one.read().value == {"address": {"city": "Paris", "street": "High Street", "main": False}}


@pytest.mark.parametrize(
    ("schema", "typed", "told"),
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
def test_what_is_wrong_is_told_while_it_is_typed(sheet: Any, schema: Any, typed: str, told: str) -> None:
    one: Sheet = sheet(schema)
    one.type(typed)
    assert one.complaints == [told]
    assert one.read().problem == told


def test_large_whole_numbers_stay_as_they_are(sheet: Any) -> None:
    one: Sheet = sheet({"type": "number"})
    one.type("12345678901234567890")
    assert one.read().value == 12345678901234567890


def test_defaults_stand_there_at_first(sheet: Any) -> None:
    properties = {
        "a": {"type": "string", "default": "A"},
        "b": {"type": "number", "default": 2.5},
        "c": {"type": "boolean", "default": True},
        "d": {"enum": ["x", "y"], "default": "y"},
        "e": {"type": "array", "items": {"type": "string"}, "default": ["p", "q"]},
        "f": {"type": "array", "default": [1]},
    }
    one: Sheet = sheet({"type": "object", "properties": properties})
    assert one.read().value == {"a": "A", "b": 2.5, "c": True, "d": "y", "e": ["p", "q"], "f": [1]}


def test_yes_or_no_can_be_left_open_where_it_is_not_needed(sheet: Any) -> None:
    one: Sheet = sheet({"type": "object", "properties": {"c": {"type": "boolean"}}})
    assert one.read().value == {}
    one.press(Qt.Key.Key_Down, Qt.Key.Key_Down)
    assert one.read().value == {"c": False}


def test_a_refusal_is_shown_at_the_field_that_its_path_leads_through(sheet: Any) -> None:
    one: Sheet = sheet(EVERY_KIND)
    assert one.form.show_error("/texts/0", "too short")
    assert one.complaints[5] == "too short"
    assert one.form.show_error("/address/city", "unknown")
    assert one.complaints[7] == "unknown"
    assert not one.form.show_error("", "all of it")
    assert not one.form.show_error("/nowhere", "what")
    assert sheet({"type": "string"}).form.show_error("", "too short")


def test_every_control_has_a_name_and_says_what_is_wrong_with_it(sheet: Any) -> None:
    one: Sheet = sheet(EVERY_KIND)
    kinds = (QLineEdit, QPlainTextEdit, QCheckBox, QComboBox)
    controls = [each for kind in kinds for each in one.form.findChildren(kind)]
    assert len(controls) == 8
    assert all(each.accessibleName() for each in controls)
    one.read()
    assert one.form.fields[0].editor.accessibleDescription() == "This is needed."


def test_a_form_follows_the_language(sheet: Any, translation: Translation) -> None:
    one: Sheet = sheet({"type": "object", "properties": {"c": {"type": "boolean"}}})
    (box,) = one.form.findChildren(QComboBox)
    assert box.itemText(1) == "Yes"
    translation.set_language(Language.FRENCH)
    QApplication.processEvents()
    assert box.itemText(1) == "Oui"
