"""The last lines of the card: why an answer was not taken, a reason for a refusal, and the buttons."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QButtonGroup,
    QGraphicsOpacityEffect,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from core.domain.interruption import APPROVAL_SCOPES, Action
from desktop.attention.attention_strings import coverage_text, scope_label
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button, with_keys
from desktop.widgets.choices import Segmented
from desktop.widgets.labels import plain_tool_tip
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

_LATER = "later"
_REASON_CHARACTERS = 1_000
_WAITING_OPACITY = 0.5


class CardFooter(Adaptive, QWidget):
    """Emits `acted` with an action, `put_off` when the answer can wait, `reasoned` with what is written as a reason,
    `scoped` with what an approval is for."""

    acted = Signal(str)
    put_off = Signal()
    reasoned = Signal(str)
    scoped = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._buttons: dict[str, Button] = {}
        self._later_keys = QKeySequence("Esc")
        self._complaint = Paragraph("", "secondary", "error")
        self._complaint.setObjectName("refusal")
        self._scope = ApprovalScope(theme)
        self._scope.chosen.connect(self.scoped)
        self._reason = QLineEdit()
        self._reason.setMaxLength(_REASON_CHARACTERS)
        self._reason.textEdited.connect(self.reasoned)
        self._later = Button(theme, "", "ghost")
        self._later.setObjectName(_LATER)
        self._later.clicked.connect(self.put_off)
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._tell)
        self._row = QHBoxLayout()
        self._row.addWidget(self._reason, 1)
        self._row.addStretch(0)
        self._row.addWidget(self._later)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._complaint)
        self._column.addWidget(self._scope)
        self._column.addLayout(self._row)
        show_when(self._scope, False)
        self.complain("")
        self.adapt_to(theme)

    def set_keys(self, later_keys: QKeySequence) -> None:
        """It names these."""
        self._later_keys = later_keys
        self.retranslate()

    def set_waiting(self, is_waiting: bool) -> None:
        """Whether nothing here acts yet: the buttons are paler then."""
        effect = QGraphicsOpacityEffect(self) if is_waiting else None
        if effect is not None:
            effect.setOpacity(_WAITING_OPACITY)
        self.setGraphicsEffect(effect)  # type: ignore[arg-type]  # Qt takes None: it removes the one that is there

    @property
    def is_waiting(self) -> bool:
        return self.graphicsEffect() is not None

    def offer(self, actions: Sequence[tuple[Action, str]], *, reason: str | None) -> None:
        """These buttons, from left to right, the last one the main one; `reason` None where none is taken."""
        for button in self._buttons.values():
            self._group.removeButton(button)
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = {}
        for action, words in actions:
            button = Button(self._theme, words, "primary" if action is actions[-1][0] else "secondary", parent=self)
            button.setObjectName(action)
            self._buttons[action] = button
            self._group.addButton(button)
            self._row.addWidget(button)
            button.show()
        show_when(self._reason, reason is not None)
        self._row.setStretch(1, int(reason is None))
        if reason is not None and reason != self._reason.text():
            self._reason.setText(reason)

    def follow(self, page: QWidget) -> None:
        """Have Tab go on here from the last control of the page above: scope, reason, buttons, from left to right."""
        above = [one for one in page.findChildren(QWidget) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
        here = [*self._scope.findChildren(QAbstractButton), self._reason, self._later, *self._buttons.values()]
        for before, after in pairwise([*above[-1:], *here]):
            self.setTabOrder(before, after)

    def offer_scope(self, tool: str | None, scope: str, *, is_edited: bool) -> None:
        """What an approval of a call of this tool may be for; None where that is no question."""
        show_when(self._scope, tool is not None)
        if tool is not None:
            self._scope.offer(tool, scope, is_edited=is_edited)

    @property
    def covers(self) -> str:
        """What the approval covers that is chosen."""
        return self._scope.covers

    def say(self, actions: Sequence[tuple[Action, str]]) -> None:
        """The words of the buttons, in another language."""
        for action, words in actions:
            self._buttons[action].setText(words)

    def button(self, action: Action) -> Button:
        return self._buttons[action]

    @property
    def complaint(self) -> str:
        return self._complaint.text()

    def complain(self, words: str) -> None:
        self._complaint.setText(words)
        show_when(self._complaint, bool(words))

    def retranslate(self) -> None:
        words = self.tr("Reason for a rejection (optional)")
        self._reason.setPlaceholderText(words)
        self._reason.setAccessibleName(words)
        self._later.setText(self.tr("Later"))
        self._later.setToolTip(
            plain_tool_tip(with_keys(self.tr("Back to the message, it stays open"), self._later_keys))
        )

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setSpacing(sizes.space_s)
        self._row.setSpacing(sizes.space_s)

    def _tell(self, button: QAbstractButton) -> None:
        self.acted.emit(button.objectName())


class ApprovalScope(Adaptive, QWidget):
    """Emits `chosen` with `once`, `run` or `always`. Other arguments can be approved once alone."""

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._tool = ""
        self._is_edited = False
        self._choices = Segmented(theme, focus=Qt.FocusPolicy.StrongFocus, parent=self)
        self._choices.chosen.connect(self._choose)
        self._covers = Paragraph("", "secondary", "muted")
        self._row: QBoxLayout = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._choices)
        self._row.addWidget(self._covers, 1, Qt.AlignmentFlag.AlignVCenter)
        self.adapt_to(theme)

    def offer(self, tool: str, scope: str, *, is_edited: bool) -> None:
        """For calls of this tool; `is_edited`: with other arguments than it asked for."""
        self._tool, self._is_edited = tool, is_edited
        self._choices.set_current(APPROVAL_SCOPES[0] if is_edited else scope)
        self._choices.setEnabled(not is_edited)
        self._say()

    @property
    def covers(self) -> str:
        """What the chosen one covers, in words."""
        return self._covers.text()

    def retranslate(self) -> None:
        self._choices.set_segments([(scope, scope_label(scope)) for scope in APPROVAL_SCOPES])
        self._choices.setAccessibleName(self.tr("Approve"))
        self._say()

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_m)

    def _choose(self, scope: str) -> None:
        self._say()
        self.chosen.emit(scope)

    def _say(self) -> None:
        words = coverage_text(self._choices.current or APPROVAL_SCOPES[0], self._tool, is_edited=self._is_edited)
        self._covers.setText(words)
        self._choices.setAccessibleDescription(words)
