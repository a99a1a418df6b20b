"""Ctrl or Alt with a key of the digit row, whatever the layout writes on that key (UI §4).

On AZERTY the key of `1` gives `&`, so that no shortcut `Ctrl+1` is ever seen. A shortcut for the character that the key
gives comes first: what is left is a key press that nobody wanted.
"""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QWidget

_FIRST_SCAN_CODE = 10  # of `1`, on X11 and Wayland
_FIRST_VIRTUAL_KEY = 0x31  # of `1`, on Windows
_WITH = (Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier)


class DigitKeys(QObject):
    """An event filter of the application for the keys of one window."""

    pressed = Signal(int)
    """1 to 9."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        number = digit_of(event, QGuiApplication.platformName())
        if number is None or not isinstance(watched, QWidget) or watched.window() is not self._window:
            return False
        self.pressed.emit(number)
        return True


def digit_of(event: QKeyEvent, platform: str) -> int | None:
    """Which key of the digit row was pressed with Ctrl or Alt alone; None for any other."""
    if event.modifiers() not in _WITH:
        return None
    if platform == "windows":
        number = event.nativeVirtualKey() - _FIRST_VIRTUAL_KEY + 1
    else:
        number = event.nativeScanCode() - _FIRST_SCAN_CODE + 1
    return number if 1 <= number <= 9 else None
