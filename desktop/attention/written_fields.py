"""Fields in which a person writes: what is written there is what is kept of a begun answer."""

from typing import Any

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

from desktop.attention.field import FormField
from desktop.attention.schema import Field
from desktop.theme.theme import Theme


class LineField(FormField):
    """On one line, which begins with `text`."""

    def __init__(self, theme: Theme, field: Field, text: str) -> None:
        super().__init__(theme, field.name, field.about, is_required=field.is_required)
        self._line = QLineEdit(text)
        self._line.textEdited.connect(self._on_edited)
        self._place(self._line)

    @property
    def written(self) -> str:
        return self._line.text()

    def write(self, written: Any) -> None:
        if isinstance(written, str):
            self._line.setText(written)
            self._on_edited()

    def _on_edited(self) -> None:
        self._tell()


class BoxField(FormField):
    """On several lines, which begin with `text`."""

    def __init__(self, theme: Theme, name: str, about: str, text: str, *, is_required: bool) -> None:
        super().__init__(theme, name, about, is_required=is_required)
        self._box = QPlainTextEdit(text)
        self._box.setTabChangesFocus(True)
        self._box.textChanged.connect(self._on_text)
        self._place(self._box)

    @property
    def written(self) -> str:
        return self._box.toPlainText()

    def write(self, written: Any) -> None:
        if isinstance(written, str):
            self._box.setPlainText(written)

    def _on_text(self) -> None:
        self._tell()
