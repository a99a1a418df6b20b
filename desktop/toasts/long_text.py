"""The whole of a long text, to be read, selected and copied in a bounded place."""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from desktop.widgets.read_text import ReadText

PIECE = 16_000
"""Characters that are laid out at once: more would hold up the window."""

SHOWN = 200_000
"""Characters that are laid out at all; copying everything takes the rest too."""


class LongText(ReadText):
    """Shows the first piece of a text at once, and the others as soon as there is time."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._at = 0
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._add_piece)

    def show_text(self, text: str) -> None:
        """Showing the same text again leaves scroll position and selection as they are."""
        if not self._take(text):
            return
        self._at = min(PIECE, SHOWN)
        self.setPlainText(text[: self._at])
        if len(text) > self._at:
            self._timer.start()
        else:
            self._timer.stop()

    def _add_piece(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        end = min(self._at + PIECE, SHOWN)
        cursor.insertText(self._text[self._at : end])
        self._at = end
        if self._at >= min(len(self._text), SHOWN):
            self._timer.stop()
