"""A look at a text that is to go along with a message: read only, in a window of its own that blocks nothing."""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.chat.composer.long_lines import LongLines
from desktop.theme.theme import Theme
from desktop.translation.formats import byte_size
from desktop.widgets.labels import ElidedLabel

_PIECE_CHARACTERS = 20_000


class Preview(QDialog):
    """Closes by Esc. A long text is put in piece by piece, so that the window stalls for none."""

    def __init__(self, theme: Theme, name: str, size: int, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("preview")
        self.setWindowTitle(" ".join(name.split()))
        self._rest = text
        self._edit = QPlainTextEdit(self)
        self._edit.setReadOnly(True)
        self._edit.setUndoRedoEnabled(False)
        self._edit.setFont(theme.font("code"))
        self._edit.setAccessibleName(name)
        self._lines = LongLines(self._edit.document())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(ElidedLabel(f"{name} · {byte_size(size)}", "label", "muted", parent=self))
        column.addWidget(self._edit, 1)
        column.addWidget(buttons)
        sizes = theme.sizes
        self.resize(min(sizes.composer, parent.width() - sizes.space_xl), parent.height() * 2 // 3)
        self._pieces = QTimer(self)
        self._pieces.timeout.connect(self._put_piece)
        self._put_piece()
        self._edit.setFocus()
        if self._rest:
            self._pieces.start(0)

    @property
    def text(self) -> str:
        """What is shown by now."""
        return self._lines.text()

    def _put_piece(self) -> None:
        piece, self._rest = self._rest[:_PIECE_CHARACTERS], self._rest[_PIECE_CHARACTERS:]
        cursor = QTextCursor(self._edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self._lines.insert(cursor, piece)
        if not self._rest:
            self._pieces.stop()
