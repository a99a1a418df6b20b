"""The keys that the sidebar shows, and those that it hears itself while its list has the focus."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

OPEN = QKeySequence("Return")
PEEK = QKeySequence("Space")
RENAME = QKeySequence("F2")
ARCHIVE = QKeySequence("Del")
DELETE = QKeySequence("Shift+Del")
UNDO = QKeySequence("Ctrl+Z")
FOLD = QKeySequence("Left")
UNFOLD = QKeySequence("Right")
LEAVE = QKeySequence("Esc")


@dataclass(frozen=True, slots=True)
class Keys:
    """Those of the window's commands that it has buttons for, and those that its menu names: they are only shown."""

    new: QKeySequence
    settings: QKeySequence
    collapse: QKeySequence
    open: QKeySequence = OPEN
    peek: QKeySequence = PEEK
    rename: QKeySequence = RENAME
    archive: QKeySequence = ARCHIVE
    delete: QKeySequence = DELETE


def is_pressed(keys: QKeySequence, event: QKeyEvent) -> bool:
    """Whether the event is this key; those of the keypad are the same keys."""
    pressed = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    key = Qt.Key.Key_Return if event.key() == Qt.Key.Key_Enter else event.key()
    return QKeySequence(pressed.value | key) == keys
