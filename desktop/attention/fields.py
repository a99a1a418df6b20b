"""The fields of a schema form: text, number, check box, choice, list of lines."""

import re
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from core.domain.text.hidden import reveal
from core.domain.text.json_text import readable_json
from desktop.attention.field import ABSENT, FieldResult, MultiLineField, SingleLineField, ValueField
from desktop.attention.schema import FieldKind, FieldSpec
from desktop.theme import Theme
from desktop.translation import template_input_text
from desktop.widgets import ComboBox

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_LINES = 4
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d+")


class TextField(SingleLineField):
    """A single line. An optional field that is empty has no value."""

    def __init__(self, theme: Theme, field: FieldSpec) -> None:
        super().__init__(theme, field, field.default if isinstance(field.default, str) else "")
        # An empty default shows that an empty text is a valid value.
        self._may_be_empty = field.has_default and field.default == ""
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        text = self._line.text()
        if text or (self.is_required and self._may_be_empty):
            return FieldResult(has_value=True, value=text)
        return self._missing()


class LongTextField(MultiLineField):
    """Several lines of text; for `FieldKind.TEXTS`, a list with an item per non-empty line."""

    def __init__(self, theme: Theme, field: FieldSpec) -> None:
        super().__init__(theme, field.name, field.about, _lines(field.default), is_required=field.is_required)
        self._is_list = field.kind is FieldKind.TEXTS
        self._has_default = field.has_default
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        text = self._box.text()
        if self._is_list:
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            has_value = bool(lines) or self.is_required or self._has_default
            return FieldResult(has_value=True, value=lines) if has_value else ABSENT
        if text:
            return FieldResult(has_value=True, value=text)
        return self._missing()

    def retranslate(self) -> None:
        super().retranslate()
        self._box.setPlaceholderText(self.tr("One on each line") if self._is_list else "")

    def apply_theme(self) -> None:
        super().apply_theme()
        self._box.setFixedHeight(_LINES * self._box.fontMetrics().lineSpacing() + 2 * self._theme.sizes.space_m)


class NumberField(SingleLineField):
    """A number with a decimal point or comma, validated while it is typed."""

    def __init__(self, theme: Theme, field: FieldSpec) -> None:
        is_number = isinstance(field.default, int | float) and not isinstance(field.default, bool)
        super().__init__(theme, field, readable_json(field.default) if is_number else "")
        self._field = field
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        # Texts copied from elsewhere often have the typographic minus.
        text = self._line.text().strip().replace("\u2212", "-")
        if not text:
            return self._missing()
        if self._field.kind is FieldKind.INTEGER:
            if not _WHOLE.fullmatch(text):
                return FieldResult(problem=translate("NumberField", "This has to be a whole number."))
            return self._within(int(text))
        if not _NUMBER.fullmatch(text):
            return FieldResult(problem=translate("NumberField", "This has to be a number."))
        return self._within(_number(text.replace(",", ".")))

    def apply_theme(self) -> None:
        super().apply_theme()
        self._line.setMaximumWidth(self._theme.sizes.user_bubble // 2)

    def _within(self, value: float) -> FieldResult:
        minimum, maximum = self._field.least, self._field.most
        if value in (float("inf"), float("-inf")):
            return FieldResult(problem=translate("NumberField", "This number is too large."))
        if minimum is not None and value < minimum:
            return FieldResult(
                problem=translate("NumberField", "At least {number}.").format(number=readable_json(minimum))
            )
        if maximum is not None and value > maximum:
            return FieldResult(
                problem=translate("NumberField", "At most {number}.").format(number=readable_json(maximum))
            )
        return FieldResult(has_value=True, value=value)

    def _on_edited(self) -> None:
        super()._on_edited()
        # An empty field is only an error on submit.
        if self._line.text().strip():
            self.show_error(self.read().problem)


class CheckField(ValueField):
    """A check box whose label is the field's name."""

    def __init__(self, theme: Theme, field: FieldSpec) -> None:
        super().__init__(theme, "", field.about, is_required=field.is_required)
        self._box = QCheckBox()
        self._box.setChecked(field.default is True)
        self._box.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        # Unlike toggled, clicked is not emitted by setChecked.
        self._box.clicked.connect(self._emit_edited)
        self._set_editor(self._box)
        self.set_name(field.name)
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        return FieldResult(has_value=True, value=self._box.isChecked())

    @property
    def raw_value(self) -> bool:
        return self._box.isChecked()

    def set_raw_value(self, raw_value: Any) -> None:
        if isinstance(raw_value, bool):
            self._box.setChecked(raw_value)
            self._emit_edited()

    def set_name(self, name: str) -> None:
        self._box.setText(reveal(name).replace("&", "&&"))
        self._box.setAccessibleName(reveal(name))

    def _describe_editor(self, editor: QWidget) -> None:
        editor.setAccessibleDescription(template_input_text(self._about))


class ChoiceField(ValueField):
    """A combo box. Without a default nothing is selected at first."""

    def __init__(self, theme: Theme, field: FieldSpec) -> None:
        super().__init__(theme, field.name, field.about, is_required=field.is_required)
        self._is_yes_or_no = field.kind is FieldKind.BOOLEAN
        self._choices: Sequence[Any] = (True, False) if self._is_yes_or_no else field.choices
        self._box = ComboBox()
        self._box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._box.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._box.addItem("")
        for choice in self._choices:
            self._box.addItem(reveal(choice if isinstance(choice, str) else readable_json(choice)))
        if field.has_default and field.default in self._choices:
            self._box.setCurrentIndex(self._choices.index(field.default) + 1)
        elif len(self._choices) == 1 and field.is_required:
            # A constant leaves nothing to choose.
            self._box.setCurrentIndex(1)
        self._box.activated.connect(self._emit_edited)
        self._set_editor(self._box)
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        chosen = self._box.currentIndex()
        if chosen > 0:
            return FieldResult(has_value=True, value=self._choices[chosen - 1])
        return self._missing()

    @property
    def raw_value(self) -> int:
        """The index of the selected choice from 1; 0 for none."""
        return self._box.currentIndex()

    def set_raw_value(self, raw_value: Any) -> None:
        if isinstance(raw_value, int) and 0 <= raw_value < self._box.count():
            self._box.setCurrentIndex(raw_value)
            self._emit_edited()

    def retranslate(self) -> None:
        super().retranslate()
        self._box.setItemText(0, translate("ChoiceField", "Choose…") if self.is_required else "–")
        if self._is_yes_or_no:
            self._box.setItemText(1, translate("ChoiceField", "Yes"))
            self._box.setItemText(2, translate("ChoiceField", "No"))

    def apply_theme(self) -> None:
        super().apply_theme()
        self._box.setMinimumWidth(self._theme.sizes.user_bubble // 2)


def _number(text: str) -> float:
    """Return an int for whole numbers of any size, else a float."""
    return int(text) if _WHOLE.fullmatch(text) else float(text)


def _lines(default: Any) -> str:
    """Return a text, or the lines of a list of texts, else an empty text."""
    if isinstance(default, list):
        return "\n".join(map(str, default))
    return default if isinstance(default, str) else ""
