"""The fields of a schema form: text, number, check box, single and multiple choice, list of lines."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QVBoxLayout, QWidget

from core.domain.input_schema import has_format
from core.domain.text.hidden import reveal
from core.domain.text.json_text import readable_json
from desktop.attention.field import ABSENT, FieldResult, MultiLineField, SingleLineField, ValueField
from desktop.attention.schema import FieldKind, FieldSpec
from desktop.theme import Theme
from desktop.translation import number, template_input_text
from desktop.widgets import ComboBox

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_LINES = 4
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d+")


class TextField(SingleLineField):
    """A single line, in the format that the schema names. An optional field that is empty has no value."""

    def __init__(self, theme: Theme, field: FieldSpec) -> None:
        super().__init__(theme, field, field.default if isinstance(field.default, str) else "")
        # An empty default shows that an empty text is a valid value.
        self._may_be_empty = field.has_default and field.default == ""
        self._field = field
        self._line.setPlaceholderText(_EXAMPLES.get(field.text_format, ""))
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        text = self._line.text()
        if self._field.text_format in _EXAMPLES:
            text = _formatted(text.strip(), self._field.text_format)
        if not text and not (self.is_required and self._may_be_empty):
            return self._missing()
        if not has_format(text, self._field.text_format):
            return FieldResult(problem=_format_problem(self._field.text_format))
        return _of_length(text, self._field)


class LongTextField(MultiLineField):
    """Several lines of text; for `FieldKind.TEXTS`, a list with an item per non-empty line."""

    def __init__(self, theme: Theme, field: FieldSpec) -> None:
        super().__init__(theme, field.name, field.about, _lines(field.default), is_required=field.is_required)
        self._is_list = field.kind is FieldKind.TEXTS
        self._has_default = field.has_default
        self._field = field
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        text = self._box.text()
        if self._is_list:
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            has_value = bool(lines) or self.is_required or self._has_default
            return FieldResult(has_value=True, value=lines) if has_value else ABSENT
        return _of_length(text, self._field) if text else self._missing()

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
        for label in _labels(self._choices, field.labels):
            self._box.addItem(label)
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


class ChoicesField(ValueField):
    """A check box for each choice; its value is the list of the checked choices."""

    def __init__(self, theme: Theme, field: FieldSpec) -> None:
        super().__init__(theme, field.name, field.about, is_required=field.is_required)
        self._field = field
        self._editor_box = QWidget()
        self._lines = QVBoxLayout(self._editor_box)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._boxes: list[QCheckBox] = []
        defaults = field.default if isinstance(field.default, list) else []
        for choice, label in zip(field.choices, _labels(field.choices, field.labels), strict=True):
            box = QCheckBox(label.replace("&", "&&"))
            box.setAccessibleName(label)
            box.setChecked(choice in defaults)
            box.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            box.clicked.connect(self._emit_edited)
            self._boxes.append(box)
            self._lines.addWidget(box)
        self._set_editor(self._editor_box)
        self.setFocusProxy(self._boxes[0])
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        chosen = [choice for choice, box in zip(self._field.choices, self._boxes, strict=True) if box.isChecked()]
        least, most = self._field.least, self._field.most
        if not chosen and not (self.is_required and not least):
            return self._missing()
        if least is not None and len(chosen) < least:
            text = translate("ChoicesField", "Choose at least {number}.")
            return FieldResult(problem=text.format(number=number(int(least))))
        if most is not None and len(chosen) > most:
            text = translate("ChoicesField", "Choose at most {number}.")
            return FieldResult(problem=text.format(number=number(int(most))))
        return FieldResult(has_value=True, value=chosen)

    @property
    def raw_value(self) -> list[bool]:
        return [box.isChecked() for box in self._boxes]

    def set_raw_value(self, raw_value: Any) -> None:
        if isinstance(raw_value, list) and len(raw_value) == len(self._boxes):
            for box, is_checked in zip(self._boxes, raw_value, strict=True):
                box.setChecked(is_checked is True)
            self._emit_edited()

    def apply_theme(self) -> None:
        super().apply_theme()
        self._lines.setSpacing(self._theme.sizes.space_xs)


_EXAMPLES = {
    "email": "name@example.org",
    "uri": "https://example.org",
    "date": "2026-12-31",
    "date-time": "2026-12-31 18:30",
}


def _formatted(text: str, text_format: str) -> str:
    """Return a date and time as the format needs it, in the time zone of this machine where it names none."""
    if text_format != "date-time":
        return text
    try:
        written = datetime.fromisoformat(text.upper())
    except ValueError:
        return text
    return (written if written.tzinfo is not None else written.astimezone()).isoformat()


def _format_problem(text_format: str) -> str:
    match text_format:
        case "email":
            return translate("TextField", "This has to be an e-mail address.")
        case "uri":
            text = translate("TextField", "This has to be an address, such as {example}.")
        case "date":
            text = translate("TextField", "This has to be a date, such as {example}.")
        case _:
            text = translate("TextField", "This has to be a date and a time, such as {example}.")
    return text.format(example=_EXAMPLES[text_format])


def _of_length(text: str, field: FieldSpec) -> FieldResult:
    """Return the text, or the problem with its length."""
    if field.least is not None and len(text) < field.least:
        problem = translate("TextField", "This is too short: at least {number} characters.")
        return FieldResult(problem=problem.format(number=number(int(field.least))))
    if field.most is not None and len(text) > field.most:
        problem = translate("TextField", "This is too long: at most {number} characters.")
        return FieldResult(problem=problem.format(number=number(int(field.most))))
    return FieldResult(has_value=True, value=text)


def _labels(choices: Sequence[Any], labels: Sequence[str]) -> list[str]:
    """Return what is shown for each choice: its label, or else its value."""
    values = [choice if isinstance(choice, str) else readable_json(choice) for choice in choices]
    return [reveal(label or value) for label, value in zip_longest(labels, values, fillvalue="")]


def _number(text: str) -> float:
    """Return an int for whole numbers of any size, else a float."""
    return int(text) if _WHOLE.fullmatch(text) else float(text)


def _lines(default: Any) -> str:
    """Return a text, or the lines of a list of texts, else an empty text."""
    if isinstance(default, list):
        return "\n".join(map(str, default))
    return default if isinstance(default, str) else ""
