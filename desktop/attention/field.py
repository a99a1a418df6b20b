"""The base classes of the fields of a schema form, which read a value or a problem."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from core.domain.text.hidden import reveal
from desktop.attention.schema import FieldSpec
from desktop.theme import Theme
from desktop.translation import template_input_text
from desktop.widgets import ComboBox, MultiLineEdit
from desktop.widgets.forms.form import FormField

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


@dataclass(frozen=True, slots=True)
class FieldResult:
    """The content of a field: a value, or the `problem` for which there is none."""

    has_value: bool = False
    value: Any = None
    problem: str = ""


ABSENT = FieldResult()


class ValueField(FormField):
    """A field that clears its error when the user edits it.

    Subclasses create the editor and override `read`, `raw_value` and `set_raw_value`. `name` may be empty for the only
    field of a form, whose owner then calls `set_name`. Texts of shipped templates are translated.
    """

    def __init__(self, theme: Theme, name: str, about: str = "", *, is_required: bool = True) -> None:
        super().__init__(theme, help_above=True)
        self._name = name
        self._about = about
        self.is_required = is_required
        self.is_edited = False

    def read(self) -> FieldResult:
        """Return the current value or problem."""
        raise NotImplementedError

    @property
    def raw_value(self) -> Any:
        """The raw content as JSON, valid or not, for a draft."""
        raise NotImplementedError

    def set_raw_value(self, raw_value: Any) -> None:
        """Restore raw content as if the user had entered it; ignore content that does not fit."""
        raise NotImplementedError

    def set_name(self, name: str) -> None:
        """Change the label and translate it."""
        self._name = name
        self.retranslate()

    def retranslate(self) -> None:
        hint = optional_label() if self._name and not self.is_required else ""
        self.describe(template_input_text(self._name), template_input_text(self._about), hint)

    def _set_editor(self, editor: QWidget) -> None:
        super()._set_editor(editor)
        self.setFocusProxy(editor)

    def _emit_edited(self) -> None:
        self.is_edited = True
        self.show_error("")
        self.edited.emit()

    def _missing(self) -> FieldResult:
        """Return the result of an empty field."""
        return FieldResult(problem=required_text()) if self.is_required else ABSENT


class SingleLineField(ValueField):
    """A single-line editor with an initial `text`, and with the examples of the field in a list."""

    def __init__(self, theme: Theme, field: FieldSpec, text: str) -> None:
        super().__init__(theme, field.name, field.about, is_required=field.is_required)
        self._line = QLineEdit(text)
        if field.examples:
            box = ComboBox()
            box.setEditable(True)
            box.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
            box.setLineEdit(self._line)
            box.addItems([reveal(example) for example in field.examples])
            box.setCompleter(None)  # type: ignore[arg-type]  # none: it would take the Enter that is to send
            box.setCurrentIndex(-1)
            box.setCurrentText(text)
            box.activated.connect(self._on_edited)
            self._set_editor(box)
        else:
            self._set_editor(self._line)
        self._line.textEdited.connect(self._on_edited)

    @property
    def raw_value(self) -> str:
        return self._line.text()

    def set_raw_value(self, raw_value: Any) -> None:
        if isinstance(raw_value, str):
            self._line.setText(raw_value)
            self._on_edited()

    def _on_edited(self) -> None:
        self._emit_edited()


class MultiLineField(ValueField):
    """A multi-line editor with an initial `text`."""

    def __init__(self, theme: Theme, name: str, about: str, text: str, *, is_required: bool) -> None:
        super().__init__(theme, name, about, is_required=is_required)
        self._box = MultiLineEdit(text)
        self._box.setTabChangesFocus(True)
        self._box.textChanged.connect(self._on_text)
        self._set_editor(self._box)

    @property
    def raw_value(self) -> str:
        return self._box.text()

    def set_raw_value(self, raw_value: Any) -> None:
        if isinstance(raw_value, str):
            self._box.set_text(raw_value)

    def _on_text(self) -> None:
        self._emit_edited()


def optional_label() -> str:
    """Return the label of an optional field."""
    return translate("FormField", "optional")


def required_text() -> str:
    """Return the error of an empty required field."""
    return translate("FormField", "This is needed.")
