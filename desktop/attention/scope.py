"""What an approval of a tool call is for: once, the run, or always; and what that covers."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from core.domain.interruption import APPROVED_FOR
from desktop.attention.words import coverage_words, scope_words
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.segmented import Segmented


class Scope(Adaptive, QWidget):
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
        self._choices.set_current(APPROVED_FOR[0] if is_edited else scope)
        self._choices.setEnabled(not is_edited)
        self._say()

    @property
    def covers(self) -> str:
        """What the chosen one covers, in words."""
        return self._covers.text()

    def retranslate(self) -> None:
        self._choices.set_segments([(scope, scope_words(scope)) for scope in APPROVED_FOR])
        self._choices.setAccessibleName(self.tr("Approve"))
        self._say()

    def dress(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_m)

    def _choose(self, scope: str) -> None:
        self._say()
        self.chosen.emit(scope)

    def _say(self) -> None:
        words = coverage_words(self._choices.current or APPROVED_FOR[0], self._tool, is_edited=self._is_edited)
        self._covers.setText(words)
        self._choices.setAccessibleDescription(words)
