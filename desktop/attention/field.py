"""A field of a form: its name, what it is about, its control, and what is wrong with it."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.attention.schema import FieldSpec
from desktop.theme.theme import Theme
from desktop.translation.template_strings import input_words
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


@dataclass(frozen=True, slots=True)
class FieldResult:
    """What stands in a field. `problem` is why it is no answer, in words; then there is no value."""

    has_value: bool = False
    value: Any = None
    problem: str = ""


ABSENT = FieldResult()


class FormField(Adaptive, QWidget):
    """Emits `edited` when a person changed something; what was wrong with it before is forgotten then.

    A class to derive from, which makes the control, places it, and overrides `read`, `written` and `write`. `name` may
    be empty where the field is the only one; whoever made it then says what it is by `set_name`. What is of a shipped
    template is said in the language of now.
    """

    edited = Signal()

    def __init__(self, theme: Theme, name: str, about: str = "", *, is_required: bool = True) -> None:
        super().__init__()
        self._theme = theme
        self._name = name
        self._about = about
        self.is_required = is_required
        self.is_edited = False
        self._control: QWidget | None = None
        self._title = Label("", "strong")
        self._optional = Label("", "secondary", "muted")
        self._help = Paragraph("", "secondary", "muted")
        self._complaint = Paragraph("", "secondary", "error")
        self._complaint.setObjectName("complaint")
        self._head = QHBoxLayout()
        self._head.addWidget(self._title)
        self._head.addWidget(self._optional)
        self._head.addStretch(1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._head)
        self._column.addWidget(self._help)
        self._column.addWidget(self._complaint)
        show_when(self._title, bool(name))
        show_when(self._optional, bool(name) and not is_required)
        show_when(self._help, bool(about))
        show_when(self._complaint, False)

    @property
    def control(self) -> QWidget:
        """Where focus goes."""
        assert self._control is not None
        return self._control

    def read(self) -> FieldResult:
        """What stands there now."""
        raise NotImplementedError

    @property
    def written(self) -> Any:
        """What stands there as it stands there, be it no answer: JSON."""
        raise NotImplementedError

    def write(self, written: Any) -> None:
        """Have this stand there again, as if a person wrote it now; without effect where it does not fit."""
        raise NotImplementedError

    def complain(self, words: str) -> None:
        """Show what is wrong, or nothing."""
        self._complaint.setText(words)
        show_when(self._complaint, bool(words))
        self._describe()

    @property
    def complaint(self) -> str:
        return self._complaint.text()

    def set_name(self, name: str) -> None:
        """Another name, in the language of now."""
        self._name = name
        self._title.setText(input_words(name))
        show_when(self._title, bool(name))
        self._describe()

    def retranslate(self) -> None:
        self._title.setText(input_words(self._name))
        self._help.setText(input_words(self._about))
        self._optional.setText(optional_label())
        self._describe()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setSpacing(sizes.space_xs)
        self._head.setSpacing(sizes.space_s)

    def _place(self, control: QWidget) -> None:
        self._control = control
        self._column.insertWidget(2, control)
        self.setFocusProxy(control)

    def _tell(self) -> None:
        """The control has changed."""
        self.is_edited = True
        self.complain("")
        self.edited.emit()

    def _describe(self) -> None:
        if self._control is not None:
            self._control.setAccessibleName(input_words(self._name))
            about = (
                input_words(self._about),
                "" if self.is_required else self._optional.text(),
                self._complaint.text(),
            )
            self._control.setAccessibleDescription(". ".join(part for part in about if part))


def optional_label() -> str:
    """What need not be filled in."""
    return translate("FormField", "optional")


def required_text() -> str:
    return translate("FormField", "This is needed.")


class SingleLineField(FormField):
    """On one line, which begins with `text`."""

    def __init__(self, theme: Theme, field: FieldSpec, text: str) -> None:
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


class MultiLineField(FormField):
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
