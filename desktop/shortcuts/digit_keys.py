"""The keys of the digit row, whatever the layout writes on them (UI §4).

On AZERTY the key of `1` gives `&`, so that no shortcut `Ctrl+1` is ever seen. A shortcut for the character that the key
gives comes first: what is left is a key press that nobody wanted.
"""

from collections.abc import Container

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_FIRST_SCAN_CODE = 10  # of `1`, on X11 and Wayland; that of `0` follows the one of `9`
_VIRTUAL_ZERO = 0x30  # of `0`, on Windows; those of the others follow
_ROW = 10
CTRL_OR_ALT = (Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier)


def digit_of(event: QKeyEvent, platform: str, modifiers: Container[Qt.KeyboardModifier] = CTRL_OR_ALT) -> int | None:
    """Which key of the digit row was pressed with these modifiers alone, 0 to 9; None for any other.

    `platform` is Qt's name of what the window is on.
    """
    if event.modifiers() not in modifiers:
        return None
    if platform == "windows":
        number = event.nativeVirtualKey() - _VIRTUAL_ZERO
        return number if 0 <= number < _ROW else None
    place = event.nativeScanCode() - _FIRST_SCAN_CODE
    return (place + 1) % _ROW if 0 <= place < _ROW else None
