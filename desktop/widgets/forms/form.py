"""The fields of a form: label, editor, help and error of each, and focus on the first error."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.labels import Label
from desktop.widgets.layouts import show_when
from desktop.widgets.paragraph import Paragraph

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object  # a mixin: the Qt class comes from the other base


class FormField(Adaptive, QWidget):
    """A labelled editor with help and an error, which are its accessible name and description too.

    The help is below the editor, where an error replaces it. With `help_above` both are above the editor: what is
    scrolled to the top of a tall field is in sight. `edited` is emitted on changes by the user.
    """

    edited = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, help_above: bool = False) -> None:
        super().__init__(parent)
        self._theme = theme
        self._editor: QWidget | None = None
        self._help_above = help_above
        self._label, self._hint = Label("", "strong"), Label("", "secondary", "muted")
        self._help, self._error = Paragraph("", "secondary", "muted"), Paragraph("", "secondary", "error")
        self._header, self._column = QHBoxLayout(), QVBoxLayout(self)
        self._header.addWidget(self._label)
        self._header.addWidget(self._hint)
        self._header.addStretch(1)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._header)
        self._column.addWidget(self._help)
        self._column.addWidget(self._error)
        self._update()

    @classmethod
    def around(cls, theme: Theme, editor: QWidget) -> "FormField":
        """Return a field for an editor whose value its owner reads and writes."""
        field = cls(theme)
        field._set_editor(editor)
        field.adapt_to(theme)
        return field

    @property
    def editor(self) -> QWidget:
        assert self._editor is not None
        return self._editor

    @property
    def label(self) -> str:
        return self._label.text()

    @property
    def error(self) -> str:
        return self._error.text()

    def describe(self, label: str, about: str = "", hint: str = "") -> None:
        """Set label and help; `hint` is beside the label."""
        self._label.setText(label)
        self._hint.setText(hint)
        self._help.setText(about)
        self._update()

    def show_error(self, error: str) -> None:
        """Show an error; an empty text clears it."""
        self._error.setText(error)
        self._update()

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)
        self._header.setSpacing(self._theme.sizes.space_s)

    def _set_editor(self, editor: QWidget) -> None:
        self._editor = editor
        self._column.insertWidget(3 if self._help_above else 1, editor)
        self._update()

    def _update(self) -> None:
        about, error = self._help.text(), self._error.text()
        show_when(self._label, bool(self._label.text()))
        show_when(self._hint, bool(self._hint.text()))
        show_when(self._help, bool(about) and (self._help_above or not error))
        show_when(self._error, bool(error))
        if self._editor is not None:
            self._describe_editor(self._editor)

    def _describe_editor(self, editor: QWidget) -> None:
        parts = (self._help.text() if self._help_above or not self.error else "", self._hint.text(), self.error)
        editor.setAccessibleName(self.label)
        editor.setAccessibleDescription(". ".join(part for part in parts if part))


class Form(_Widget):
    """A widget with fields. A mixin before the Qt class: `class SchemaForm(Form, Adaptive, QWidget)`."""

    @property
    def fields(self) -> Sequence[FormField]:
        """The fields in tab order."""
        raise NotImplementedError

    @property
    def first_error(self) -> FormField | None:
        """The first field with an error."""
        return next((field for field in self.fields if field.error), None)

    def clear_errors(self) -> None:
        for field in self.fields:
            field.show_error("")

    def focus_first(self) -> None:
        """Focus the first field and select its text."""
        editor = self.fields[0].editor
        editor.setFocus(Qt.FocusReason.OtherFocusReason)
        if isinstance(editor, QLineEdit):
            editor.selectAll()
