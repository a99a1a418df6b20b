"""Text to be read, selected and copied in a bounded place, whole however much of it is laid out."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget


class ReadText(QPlainTextEdit):
    """Who derives from this lays out as much as there is time for, of what `_take` says is new."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self.setReadOnly(True)
        self.setProperty("bare", True)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)

    @property
    def text(self) -> str:
        """The whole of it, however much is laid out yet."""
        return self._text

    def copy_all(self) -> None:
        """Put the whole text into the clipboard, as it came."""
        QGuiApplication.clipboard().setText(self._text)

    def _take(self, text: str) -> bool:
        """False where it is the same as before: selection and scroll position are to stay as they are."""
        if text == self._text:
            return False
        self._text = text
        return True
