"""What the forms of the settings share: a card with a name, what is wrong with it, and how it is kept or left."""

from collections.abc import Awaitable, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.services.outcome import Failed, Outcome
from desktop.settings.form_row import FormRow
from desktop.settings.minds import Spawn
from desktop.theme.theme import Theme
from desktop.widgets.accessible import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card
from desktop.widgets.visibility import show_when


class Form(Adaptive, Card):
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

    def dress(self) -> None:
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
