"""The answer to a question: selected options, free text, or both."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QCheckBox, QRadioButton, QSizePolicy, QVBoxLayout, QWidget

from core.domain.input_schema import properties_of
from core.domain.text.hidden import reveal
from core.domain.text.json_text import readable_json
from desktop.attention.field import FieldResult, ValueField
from desktop.shortcuts.chords import ENTER_KEYS
from desktop.theme import Theme
from desktop.translation import number
from desktop.widgets import MultiLineEdit, show_when

_LINES = 3
_STEPS: Mapping[int, int] = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_KEYPAD = Qt.KeyboardModifier.KeypadModifier


class OptionsField(ValueField):
    """Its value is `{options, text}`. An option is a text, or an object with `id` and `label`. `schema` may limit the
    text's length and the number of options.

    Enter on an option emits `confirmed`. Of a single choice it chooses the option before; of several, Space does.
    """

    confirmed = Signal()

    def __init__(self, theme: Theme, options: Any, schema: Any = None) -> None:
        super().__init__(theme, "")
        self._most_characters = _bound(schema, "text", "maxLength")
        self._least, self._most = _bound(schema, "options", "minItems"), _bound(schema, "options", "maxItems")
        self.is_single = self._most == 1
        self._ids: list[Any] = []
        self._boxes: list[QAbstractButton] = []
        # A group that is not exclusive: a single choice can be taken back, and arrows do not choose.
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._editor_box = QWidget()
        column = self._lines = QVBoxLayout(self._editor_box)
        column.setContentsMargins(0, 0, 0, 0)
        for option in options if isinstance(options, list) else ():
            chosen, label = _option(option)
            # A lone ampersand would become a mnemonic.
            box = (QRadioButton if self.is_single else QCheckBox)(reveal(label).replace("&", "&&"))
            if self.is_single:
                self._group.addButton(box)
            box.setAccessibleName(reveal(label))
            box.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            box.clicked.connect(partial(self._on_clicked, box))
            # A desktop may let Enter press buttons, so it is taken before the option gets it.
            box.installEventFilter(self)
            self._ids.append(chosen)
            self._boxes.append(box)
            column.addWidget(box)
        self._text = MultiLineEdit()
        self._text.setTabChangesFocus(True)
        self._text.textChanged.connect(self._emit_edited)
        # Without options free text is the only answer, whatever the schema says.
        self._takes_text = self._most_characters != 0 or not self._boxes
        show_when(self._text, self._takes_text)
        column.addWidget(self._text)
        self._set_editor(self._editor_box)
        self.setFocusProxy(self._boxes[0] if self._boxes else self._text)
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        chosen = [option for option, box in zip(self._ids, self._boxes, strict=True) if box.isChecked()]
        text = self._text.text() if self._takes_text else ""
        if not chosen and not text.strip():
            return FieldResult(problem=self._empty_text())
        if self._most is not None and len(chosen) > self._most:
            return FieldResult(problem=self.tr("Choose at most {number}.").format(number=number(self._most)))
        if self._least is not None and 0 < len(chosen) < self._least:
            return FieldResult(problem=self.tr("Choose at least {number}.").format(number=number(self._least)))
        if self._most_characters is not None and len(text) > self._most_characters:
            limit = number(self._most_characters)
            return FieldResult(problem=self.tr("This is too long: at most {number} characters.").format(number=limit))
        return FieldResult(has_value=True, value={"options": chosen, "text": text})

    @property
    def raw_value(self) -> Mapping[str, Any]:
        return {"chosen": [box.isChecked() for box in self._boxes], "text": self._text.text()}

    def set_raw_value(self, raw_value: Any) -> None:
        chosen, text = (raw_value.get(name) if isinstance(raw_value, Mapping) else None for name in ("chosen", "text"))
        if isinstance(chosen, list) and len(chosen) == len(self._boxes) and isinstance(text, str):
            for box, is_chosen in zip(self._boxes, chosen, strict=True):
                box.setChecked(is_chosen is True)
            self._text.set_text(text)
            self._emit_edited()

    def toggle_option(self, number: int) -> None:
        """Click the option with this number, from 1; ignore numbers without an option."""
        if 1 <= number <= len(self._boxes):
            box = self._boxes[number - 1]
            box.setFocus(Qt.FocusReason.ShortcutFocusReason)
            box.click()

    @property
    def count(self) -> int:
        """The number of options."""
        return len(self._boxes)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move between the options by arrows; choose a single option by Enter, and confirm the answer."""
        if not isinstance(event, QKeyEvent) or event.modifiers() & ~_KEYPAD:
            return False
        if event.key() in _STEPS and event.type() == QEvent.Type.KeyPress and isinstance(watched, QAbstractButton):
            at = self._boxes.index(watched) + _STEPS[event.key()]
            self._boxes[max(0, min(at, len(self._boxes) - 1))].setFocus(Qt.FocusReason.TabFocusReason)
            return True
        if event.key() not in ENTER_KEYS:
            return False
        if event.type() == QEvent.Type.KeyPress and not event.isAutoRepeat():
            if self.is_single and isinstance(watched, QAbstractButton) and not watched.isChecked():
                watched.click()
            self.confirmed.emit()
        return event.type() != QEvent.Type.ShortcutOverride

    def retranslate(self) -> None:
        super().retranslate()
        text = self.tr("In your own words")
        self._text.setPlaceholderText(text)
        self._text.setAccessibleName(text)

    def apply_theme(self) -> None:
        super().apply_theme()
        self._lines.setSpacing(self._theme.sizes.space_xs)
        self._text.setFixedHeight(_LINES * self._text.fontMetrics().lineSpacing() + 2 * self._theme.sizes.space_m)

    def _on_clicked(self, box: QAbstractButton) -> None:
        if self.is_single and box.isChecked():
            for other in self._boxes:
                other.setChecked(other is box)
        self._emit_edited()

    def _empty_text(self) -> str:
        """Return the error for an empty answer."""
        if not self._boxes:
            return self.tr("Write an answer; to give none, skip it.")
        if not self._takes_text:
            return self.tr("Choose something; to give no answer, skip it.")
        return self.tr("Choose something or write an answer; to give none, skip it.")


def _option(option: Any) -> tuple[Any, str]:
    """Return an option's value and label."""
    if isinstance(option, Mapping):
        chosen = option.get("id", option.get("label"))
        return chosen, str(option.get("label", chosen))
    return option, option if isinstance(option, str) else readable_json(option)


def _bound(schema: Any, name: str, bound: str) -> int | None:
    """Return a bound of a property, if the schema has it."""
    limit = properties_of(schema).get(name, {}).get(bound)
    return limit if isinstance(limit, int) else None
