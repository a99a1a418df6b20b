"""The answer to a question: some of its options, and words of one's own."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from core.domain.json_text import readable
from desktop.attention.field import FormField, Reading
from desktop.theme.theme import Theme

_LINES = 3


class OptionsField(FormField):
    """Its value is `{options, text}`. An option is a text, or an object with an `id` and a `label`."""

    def __init__(self, theme: Theme, options: Any) -> None:
        super().__init__(theme, "")
        self._ids: list[Any] = []
        self._boxes: list[QCheckBox] = []
        self._inside = QWidget()
        column = self._lines = QVBoxLayout(self._inside)
        column.setContentsMargins(0, 0, 0, 0)
        for option in options if isinstance(options, list) else ():
            chosen, label = _option(option)
            box = QCheckBox(label.replace("&", "&&"))
            box.setAccessibleName(label)
            box.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            box.clicked.connect(self._tell)
            self._ids.append(chosen)
            self._boxes.append(box)
            column.addWidget(box)
        self._text = QPlainTextEdit()
        self._text.setTabChangesFocus(True)
        self._text.textChanged.connect(self._tell)
        column.addWidget(self._text)
        self._place(self._inside)
        self.setFocusProxy(self._boxes[0] if self._boxes else self._text)
        self.adapt_to(theme)

    def read(self) -> Reading:
        chosen = [one for one, box in zip(self._ids, self._boxes, strict=True) if box.isChecked()]
        text = self._text.toPlainText()
        if not chosen and not text.strip():
            return Reading(problem=self.tr("Choose something or write an answer; to give none, skip it."))
        return Reading(has_value=True, value={"options": chosen, "text": text})

    def retranslate(self) -> None:
        super().retranslate()
        words = self.tr("In your own words")
        self._text.setPlaceholderText(words)
        self._text.setAccessibleName(words)

    def dress(self) -> None:
        super().dress()
        self._lines.setSpacing(self._theme.sizes.space_xs)
        self._text.setFixedHeight(_LINES * self._text.fontMetrics().lineSpacing() + 2 * self._theme.sizes.space_m)


def _option(option: Any) -> tuple[Any, str]:
    """What is sent, and what is read."""
    if isinstance(option, Mapping):
        chosen = option.get("id", option.get("label"))
        return chosen, str(option.get("label", chosen))
    return option, option if isinstance(option, str) else readable(option)
