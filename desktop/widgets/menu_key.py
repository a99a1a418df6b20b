"""The keys that open the menu of what has the focus. Qt makes a context menu of them on some systems alone."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent


def opens_menu(event: QKeyEvent) -> bool:
    """The menu key, or Shift+F10 where a keyboard has none."""
    is_shift_f10 = event.key() == Qt.Key.Key_F10 and event.modifiers() == Qt.KeyboardModifier.ShiftModifier
    return is_shift_f10 or event.key() == Qt.Key.Key_Menu
