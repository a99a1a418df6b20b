"""Which keys a command cannot have, and why (UI §4).

In text fields, characters type themselves and editing keys edit. Ctrl+Alt is AltGr on many keyboards, Alt with a letter
opens a menu, and Ctrl+Shift with a digit types another character on each layout.
"""

from enum import StrEnum

from PySide6.QtCore import Qt

from desktop.shortcuts.chords import Mod, key_combination, types_character
from desktop.shortcuts.command import Command, KeyScope

Key = Qt.Key


class Refusal(StrEnum):
    """Why a command cannot have a key."""

    CLOSES = "closes"
    """Esc closes the innermost thing."""
    MOVES_FOCUS = "moves_focus"
    """Tab leads from one control to the next."""
    WRITES = "writes"
    """It types a character where the scope takes text."""
    EDITS = "edits"
    """It edits text where the scope takes text."""
    ALT_GR = "alt_gr"
    """Ctrl+Alt is AltGr, which types characters."""
    MENU = "menu"
    """Alt with a letter opens a menu."""
    SHIFTED_DIGIT = "shifted_digit"
    """Ctrl+Shift with a digit."""


_EDITING_KEYS = frozenset(
    {
        Key.Key_Return,
        Key.Key_Backspace,
        Key.Key_Delete,
        Key.Key_Left,
        Key.Key_Right,
        Key.Key_Up,
        Key.Key_Down,
        Key.Key_Home,
        Key.Key_End,
        Key.Key_PageUp,
        Key.Key_PageDown,
    }
)
_TEXT_SHORTCUTS = frozenset({f"Ctrl+{letter}" for letter in "ACVXYZ"} | {"Ctrl+Shift+Z", "Shift+Del", "Shift+Ins"})
_SCOPES_WITHOUT_TEXT = frozenset({KeyScope.LIST, KeyScope.TRANSCRIPT, KeyScope.TOAST})
_SCOPES_WITHOUT_EDITING = _SCOPES_WITHOUT_TEXT | {KeyScope.CHOOSING}
_ENTER_SCOPES = frozenset({KeyScope.COMPOSER, KeyScope.COMPLETION})
"""The scopes in which Enter is a command and not only a line break."""
_DIGITS = frozenset(range(Key.Key_0.value, Key.Key_9.value + 1))


def refusal_of(command: Command, chord: str, *, is_mac: bool = False) -> Refusal | None:
    """Return why the command cannot have this key; None if it can. Default keys are always allowed."""
    if chord in command.keys or chord in (command.mac or ()):
        return None
    keys = key_combination(chord)
    key, modifiers = keys.key(), keys.keyboardModifiers()
    without_shift = modifiers & ~Mod.ShiftModifier
    takes_text = not _SCOPES_WITHOUT_TEXT.issuperset(command.scopes)
    if key == Key.Key_Escape:
        return Refusal.CLOSES
    if key == Key.Key_Tab and without_shift == Mod.NoModifier:
        return Refusal.MOVES_FOCUS
    if chord in _TEXT_SHORTCUTS and takes_text:
        return Refusal.EDITS
    if types_character(chord):
        return _refusal_of_character(key, modifiers, takes_text=takes_text, is_mac=is_mac)
    if (
        key in _EDITING_KEYS
        and without_shift == Mod.NoModifier
        and not _SCOPES_WITHOUT_EDITING.issuperset(command.scopes)
    ):
        is_enter = key == Key.Key_Return and _ENTER_SCOPES.issuperset(command.scopes)
        return None if is_enter else Refusal.EDITS
    return None


def _refusal_of_character(key: Key, modifiers: Mod, *, takes_text: bool, is_mac: bool) -> Refusal | None:
    without_shift = modifiers & ~Mod.ShiftModifier
    if without_shift == Mod.NoModifier:
        return Refusal.WRITES if takes_text else None
    if not is_mac and modifiers & Mod.ControlModifier and modifiers & Mod.AltModifier:
        return Refusal.ALT_GR
    if without_shift == Mod.AltModifier and (is_mac or key.value not in _DIGITS):
        return Refusal.ALT_GR if is_mac else Refusal.MENU  # on macOS, Option types characters as AltGr does
    if key.value in _DIGITS and modifiers == Mod.ControlModifier | Mod.ShiftModifier:
        return Refusal.SHIFTED_DIGIT
    return None
