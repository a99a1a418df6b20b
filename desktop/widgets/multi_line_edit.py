"""A field of several lines, whose text is read as it was set."""

from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QWidget

_BREAKS = str.maketrans({"\u2028": "\n", "\u2029": "\n"})

# What a document cannot hold, or takes for the end of a line: a character of the private plane 16 stands for each.
_STAND_INS = {point: 0x100000 + point for point in (0x2028, 0x2029, 0xFDD0, 0xFDD1, *range(0xD800, 0xE000))}
_STOOD_FOR = {stand_in: point for point, stand_in in _STAND_INS.items()}


def raw_text(document: QTextDocument) -> str:
    """Return the text of a document. Unlike `toPlainText` it keeps no-break spaces; paragraphs and the lines within
    them end with `\\n`.
    """
    return document.toRawText().translate(_BREAKS)


class MultiLineEdit(QPlainTextEdit):
    """Read its text by `text`: `toPlainText` replaces no-break spaces. A text that was not edited is the very text that
    was set; an edited text keeps what the document itself would lose, such as U+2029.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._set = self._raw = ""
        if text:
            self.set_text(text)

    def set_text(self, text: str) -> None:
        """Replace the text and drop the undo history."""
        self.setPlainText(text.translate(_STAND_INS))
        self._set, self._raw = text, self.document().toRawText()

    def text(self) -> str:
        raw = self.document().toRawText()
        return self._set if raw == self._raw else raw.translate(_BREAKS).translate(_STOOD_FOR)
