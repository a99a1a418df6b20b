"""A value to be read, selected and copied in a bounded place."""

from math import ceil

from PySide6.QtCore import QMargins, QSize
from PySide6.QtGui import QResizeEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import QWidget

from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.read_text import ReadText

SHOWN_CHARACTERS = 16_000
"""What is laid out; copying takes all of it."""

_MOST_LINES = 12
_LEAST_LINES = 2


class ValueText(Adaptive, ReadText):
    """As high as it needs, up to 12 lines; where there are more, it ends with a whole one."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._laid_out = ""
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.adapt_to(theme)

    def show_text(self, text: str) -> None:
        """Showing the same again, or the same and more, leaves selection and scroll position as they are."""
        if not self._take(text):
            return
        before = self._laid_out
        self._laid_out = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "\n…"
        if before and self._laid_out.startswith(before):
            end = QTextCursor(self.document())
            end.movePosition(QTextCursor.MoveOperation.End)
            end.insertText(self._laid_out[len(before) :])
        else:
            self.setPlainText(self._laid_out)
        self.updateGeometry()
        self._end_with_a_line()

    def dress(self) -> None:
        self.setFont(self._theme.font("code_small"))
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
        self._end_with_a_line()

    def _end_with_a_line(self) -> None:
        room, line = (
            self.contentsRect().height() - ceil(self.document().documentMargin()),
            self.fontMetrics().lineSpacing(),
        )
        is_cut = self.document().size().height() * line > room
        left = QMargins(0, 0, 0, room % line if is_cut and room > line else 0)
        if left != self.viewportMargins():
            self.setViewportMargins(left)

    def sizeHint(self) -> QSize:
        lines = min(_MOST_LINES, max(1, ceil(self.document().size().height())))
        return QSize(super().sizeHint().width(), self._height(lines))

    def minimumSizeHint(self) -> QSize:
        lines = min(_LEAST_LINES, max(1, ceil(self.document().size().height())))
        return QSize(0, self._height(lines))

    def _height(self, lines: int) -> int:
        around = 2 * ceil(self.document().documentMargin()) + 2  # without these 2 it would scroll by a line
        return lines * self.fontMetrics().lineSpacing() + around
