"""A row of a form: a name, its control below it, and a line on what it is or what is wrong with it."""

from collections.abc import Awaitable, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.services.outcome import Failed, Outcome
from desktop.aio import Spawn
from desktop.theme.theme import Theme
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card
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

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _show(self) -> None:
        words = self._problem or self._help
        self._line.setText(words)
        self._line.set_tone("error" if self._problem else "muted")
        show_when(self._line, bool(words))
        self._control.setAccessibleDescription(words)


class EditForm(Adaptive, Card):
    """`kept` tells what was made or changed, `left` that a person is done without.

    A class to derive from, which places its parts and overrides `put`, `refused` and `heading`.
    """

    kept = Signal(object)
    left = Signal()

    def __init__(self, theme: Theme, spawn: Spawn, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._spawn = spawn
        self._is_keeping = False
        self._rows: list[FormRow] = []
        self._title, self._problem = Label("", "title"), Paragraph("", "label", "error")
        self._save, self._leave = Button(theme, kind="primary"), Button(theme)
        self._column, self._buttons = QVBoxLayout(self), QHBoxLayout()
        self._save.clicked.connect(self._on_save)
        self._leave.clicked.connect(self.left)

    def put(self) -> Awaitable[Outcome[Any]] | None:
        """Begin to keep what is in the fields now; None where the form has said already why that cannot be."""
        raise NotImplementedError

    def refused(self, failed: Failed) -> str:
        """Why it was not kept."""
        raise NotImplementedError

    def heading(self) -> str:
        """What is made or changed."""
        raise NotImplementedError

    def focus_first(self) -> None:
        """Into the first field, whose text can be typed over."""
        field = self._rows[0].control
        field.setFocus(Qt.FocusReason.OtherFocusReason)
        if isinstance(field, QLineEdit):
            field.selectAll()

    def searched(self) -> str:
        return " ".join([self._title.text(), *(row.name for row in self._rows)])

    def retranslate(self) -> None:
        self._title.setText(self.heading())
        self._leave.setText(self.tr("Cancel"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_l)
        self._column.setSpacing(sizes.space_m)
        self._buttons.setSpacing(sizes.space_m)

    def _place(self, parts: Sequence[QWidget], rows: Sequence[FormRow]) -> None:
        """The parts below the title, in their order; `rows` are all that are in them."""
        self._rows = list(rows)
        for widget in (self._title, *parts, self._problem):
            self._column.addWidget(widget)
        for button in (self._save, self._leave):
            self._buttons.addWidget(button)
        self._buttons.addStretch()
        self._column.addLayout(self._buttons)
        show_when(self._problem, False)

    def _say(self, problem: str, row: FormRow | None = None) -> None:
        """What is wrong, empty if nothing is: at its row, where there is one, else at the end."""
        if row is not None:
            row.complain(problem)
        self._problem.setText(problem if row is None else "")
        show_when(self._problem, bool(problem) and row is None)
        if problem:
            announce(self, problem, is_urgent=True)

    def _on_save(self) -> None:
        if not self._is_keeping and (keeping := self.put()) is not None:
            self._is_keeping = True
            self._spawn(self._keep(keeping), f"keep what a {type(self).__name__} has")

    async def _keep(self, keeping: Awaitable[Outcome[Any]]) -> None:
        try:
            answer = await keeping
        finally:
            self._is_keeping = False
        if isinstance(answer, Failed):
            self._refuse(answer)
            return
        self._say("")
        self.kept.emit(answer.data)

    def _refuse(self, failed: Failed) -> None:
        self._say(self.refused(failed))
