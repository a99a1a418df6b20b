"""Chords: a key with modifiers under one normalized name, `Ctrl+Shift+P`, the same on every system.

The digit row is read by position: on AZERTY the key of `1` types `&`, so `Ctrl+1` never arrives. A shortcut of the
typed character has precedence; the position applies to key presses that no shortcut accepted.
"""

from collections.abc import Container, Iterable

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication

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
ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PORTABLE = QKeySequence.SequenceFormat.PortableText
_DIGITS = range(Qt.Key.Key_0.value, Qt.Key.Key_9.value + 1)
_MODIFIERS = Mod.ShiftModifier | Mod.ControlModifier | Mod.AltModifier | Mod.MetaModifier
CTRL_OR_ALT = (Mod.ControlModifier, Mod.AltModifier)

_FIRST_SCAN_CODE = 10  # of `1` on X11 and Wayland; the row continues to `9` and `0`
_VIRTUAL_ZERO = 0x30  # the virtual key of `0` on Windows; those of `1` to `9` follow
_ROW_KEYS = 10


def normalized(text: str) -> str:
    """Return the normalized name of a chord; empty if the text does not name exactly one key."""
    keys = key_sequence(text)
    return _name(first_combination(keys)) if keys.count() == 1 else ""


def chord_of(event: QKeyEvent) -> str:
    """Return the chord of a key event, without the keypad flag; empty for a modifier alone and for unnamed keys."""
    if event.key() in MODIFIER_KEYS or event.key() in (0, Qt.Key.Key_unknown):
        return ""
    return _name(QKeyCombination(event.modifiers() & _MODIFIERS, Qt.Key(event.key())))


def is_pressed(chord: str, event: QKeyEvent) -> bool:
    """Return whether the event is this normalized chord."""
    return chord_of(event) == chord


def click_by_enter(event: QKeyEvent) -> bool:
    """Click the focused button if Enter is pressed anew, and return whether it was. Qt by itself handles Space only."""
    focused = QApplication.focusWidget()
    if event.key() not in ENTER_KEYS or event.isAutoRepeat() or not isinstance(focused, QAbstractButton):
        return False
    focused.click()
    return True


def key_combination(chord: str) -> QKeyCombination:
    """Return the key combination of a normalized name."""
    return first_combination(key_sequence(chord))


def first_combination(keys: QKeySequence) -> QKeyCombination:
    """Return the first key of a sequence. Raises IndexError for an empty sequence."""
    combination: QKeyCombination = keys[0]  # type: ignore[index]  # its types do not have it
    return combination


def key_sequence(chord: str) -> QKeySequence:
    """Return the key sequence of a normalized name."""
    return QKeySequence.fromString(chord, _PORTABLE)


def with_keypad(keys: Iterable[QKeySequence]) -> list[QKeySequence]:
    """Return the keys as Qt has to match them: Return also as the Enter of the number pad, which is another key."""
    names = [sequence.toString(_PORTABLE) for sequence in keys]
    twins = [name.removesuffix("Return") + "Enter" for name in names if name.split("+")[-1] == "Return"]
    return [QKeySequence.fromString(name, _PORTABLE) for name in names + twins]


def types_character(chord: str) -> bool:
    """Return whether the key types a character, regardless of modifiers."""
    key = key_combination(chord).key().value
    return 0x20 <= key < Qt.Key.Key_Escape.value  # Qt's codes below Key_Escape are Unicode code points


def _name(keys: QKeyCombination) -> str:
    key, modifiers = keys.key(), keys.keyboardModifiers() & _MODIFIERS
    if key == Qt.Key.Key_Enter:
        key = Qt.Key.Key_Return
    elif key == Qt.Key.Key_Backtab:  # what Qt makes of Shift+Tab
        key, modifiers = Qt.Key.Key_Tab, modifiers | Mod.ShiftModifier
    if key in (0, Qt.Key.Key_unknown) or key in MODIFIER_KEYS:
        return ""
    if modifiers == Mod.ShiftModifier and key.value in _DIGITS:
        # only a layout that types digits with Shift, such as AZERTY, sends a digit and Shift; others send `!` and Shift
        modifiers = Mod.NoModifier
    return QKeySequence(QKeyCombination(modifiers, key)).toString(_PORTABLE)


def digit_of(event: QKeyEvent, platform: str, modifiers: Container[Mod] = CTRL_OR_ALT) -> int | None:
    """Return the digit of the pressed key of the digit row, if the modifiers are among `modifiers`; else None.

    `platform` is Qt's platform name.
    """
    if event.modifiers() not in modifiers:
        return None
    if platform == "windows":
        number = event.nativeVirtualKey() - _VIRTUAL_ZERO
        return number if 0 <= number < _ROW_KEYS else None
    place = event.nativeScanCode() - _FIRST_SCAN_CODE
    return (place + 1) % _ROW_KEYS if 0 <= place < _ROW_KEYS else None
