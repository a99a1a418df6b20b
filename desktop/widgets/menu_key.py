"""The keys that open the context menu of the focused item. Qt sends a context menu event for them on some systems
only.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent


def opens_menu(event: QKeyEvent) -> bool:
    """Return whether the event is the menu key, or Shift+F10 for keyboards without it."""
    is_shift_f10 = event.key() == Qt.Key.Key_F10 and event.modifiers() == Qt.KeyboardModifier.ShiftModifier
    return is_shift_f10 or event.key() == Qt.Key.Key_Menu
