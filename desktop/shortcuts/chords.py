"""A key with its modifiers, as one normal name: `Ctrl+Shift+P`, on every system the same."""

from collections.abc import Container

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

Mod = Qt.KeyboardModifier

MODIFIER_KEYS = frozenset(
    {
        Qt.Key.Key_Control,
        Qt.Key.Key_Shift,
        Qt.Key.Key_Alt,
        Qt.Key.Key_AltGr,
        Qt.Key.Key_Meta,
        Qt.Key.Key_Super_L,
        Qt.Key.Key_Super_R,
        Qt.Key.Key_Hyper_L,
        Qt.Key.Key_Hyper_R,
        Qt.Key.Key_CapsLock,
        Qt.Key.Key_NumLock,
        Qt.Key.Key_ScrollLock,
        Qt.Key.Key_Mode_switch,
        Qt.Key.Key_Multi_key,
    }
)
_DIGITS = range(Qt.Key.Key_0.value, Qt.Key.Key_9.value + 1)
_MODIFIERS = Mod.ShiftModifier | Mod.ControlModifier | Mod.AltModifier | Mod.MetaModifier


def normalized(text: str) -> str:
    """The normal name of one key with its modifiers; empty where the text names none, or more than one."""
    found = key_sequence(text)
    return _name(first_combination(found)) if found.count() == 1 else ""


def chord_of(event: QKeyEvent) -> str:
    """What was pressed; empty for a modifier alone, and for a key that has no name. The keypad's keys are the same."""
    if event.key() in MODIFIER_KEYS or event.key() in (0, Qt.Key.Key_unknown):
        return ""
    return _name(QKeyCombination(event.modifiers() & _MODIFIERS, Qt.Key(event.key())))


def is_pressed(chord: str, event: QKeyEvent) -> bool:
    """Whether the event is this key, by its normal name."""
    return chord_of(event) == chord


def key_combination(chord: str) -> QKeyCombination:
    """Of a normal name."""
    return first_combination(key_sequence(chord))


def first_combination(keys: QKeySequence) -> QKeyCombination:
    """The only key of a sequence. Raises IndexError for an empty one."""
    found: QKeyCombination = keys[0]  # type: ignore[index]  # it can be indexed, which its types do not tell
    return found


def key_sequence(chord: str) -> QKeySequence:
    """Of a normal name; empty of an empty one."""
    return QKeySequence.fromString(chord, QKeySequence.SequenceFormat.PortableText)


def types_character(chord: str) -> bool:
    """Whether the key gives a character, whatever its modifiers."""
    key = key_combination(chord).key().value
    return 0x20 <= key < Qt.Key.Key_Escape.value


def _name(keys: QKeyCombination) -> str:
    key, modifiers = keys.key(), keys.keyboardModifiers() & _MODIFIERS
    if key == Qt.Key.Key_Enter:
        key = Qt.Key.Key_Return
    elif key == Qt.Key.Key_Backtab:
        key, modifiers = Qt.Key.Key_Tab, modifiers | Mod.ShiftModifier
    if key in (0, Qt.Key.Key_unknown) or key in MODIFIER_KEYS:
        return ""
    if modifiers == Mod.ShiftModifier and key.value in _DIGITS:
        modifiers = Mod.NoModifier  # a layout that writes digits with Shift; on others that is another character
    return QKeySequence(QKeyCombination(modifiers, key)).toString(QKeySequence.SequenceFormat.PortableText)


_FIRST_SCAN_CODE = 10  # of `1`, on X11 and Wayland; that of `0` follows the one of `9`
_VIRTUAL_ZERO = 0x30  # of `0`, on Windows; those of the others follow
_ROW_KEYS = 10
CTRL_OR_ALT = (Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier)


def digit_of(event: QKeyEvent, platform: str, modifiers: Container[Qt.KeyboardModifier] = CTRL_OR_ALT) -> int | None:
    """Which key of the digit row was pressed with these modifiers alone, 0 to 9; None for any other.

    `platform` is Qt's name of what the window is on.
    """
    if event.modifiers() not in modifiers:
        return None
    if platform == "windows":
        number = event.nativeVirtualKey() - _VIRTUAL_ZERO
        return number if 0 <= number < _ROW_KEYS else None
    place = event.nativeScanCode() - _FIRST_SCAN_CODE
    return (place + 1) % _ROW_KEYS if 0 <= place < _ROW_KEYS else None
