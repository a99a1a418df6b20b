"""A key with its modifiers, as one normal name: `Ctrl+Shift+P`, on every system the same."""

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


def normal(text: str) -> str:
    """The normal name of one key with its modifiers; empty where the text names none, or more than one."""
    found = sequence(text)
    return _name(first_of(found)) if found.count() == 1 else ""


def pressed(event: QKeyEvent) -> str:
    """What was pressed; empty for a modifier alone, and for a key that has no name. The keypad's keys are the same."""
    if event.key() in MODIFIER_KEYS or event.key() in (0, Qt.Key.Key_unknown):
        return ""
    return _name(QKeyCombination(event.modifiers() & _MODIFIERS, Qt.Key(event.key())))


def is_pressed(chord: str, event: QKeyEvent) -> bool:
    """Whether the event is this key, by its normal name."""
    return pressed(event) == chord


def combination(chord: str) -> QKeyCombination:
    """Of a normal name."""
    return first_of(sequence(chord))


def first_of(keys: QKeySequence) -> QKeyCombination:
    """The only key of a sequence. Raises IndexError for an empty one."""
    found: QKeyCombination = keys[0]  # type: ignore[index]  # it can be indexed, which its types do not tell
    return found


def sequence(chord: str) -> QKeySequence:
    """Of a normal name; empty of an empty one."""
    return QKeySequence.fromString(chord, QKeySequence.SequenceFormat.PortableText)


def writes(chord: str) -> bool:
    """Whether the key gives a character, whatever its modifiers."""
    key = combination(chord).key().value
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
