"""A row of a form: a name, its control below it, and a line on what it is or what is wrong with it."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when


class FormRow(Adaptive, QWidget):
    """Its owner says its words; the control has them as its accessible name and description too."""

    def __init__(self, theme: Theme, control: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._control = control
        self._help, self._problem = "", ""
        self._name = Label("", "strong")
        self._line = Paragraph("", "secondary", "muted")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        for widget in (self._name, control, self._line):
            self._column.addWidget(widget)
        self.adapt_to(theme)

    @property
    def name(self) -> str:
        return self._name.text()

    @property
    def control(self) -> QWidget:
        return self._control

    @property
    def problem(self) -> str:
        return self._problem

    def describe(self, name: str, about: str = "") -> None:
        self._name.setText(name)
        self._control.setAccessibleName(name)
        self._help = about
        self._show()

    def complain(self, problem: str) -> None:
        """Say what is wrong, empty if nothing is."""
        self._problem = problem
        self._show()

    def dress(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _show(self) -> None:
        words = self._problem or self._help
        self._line.setText(words)
        self._line.set_tone("error" if self._problem else "muted")
        show_when(self._line, bool(words))
        self._control.setAccessibleDescription(words)
