"""Texts about keys: their names on the keyboard, scopes, and reasons why a key is refused."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeySequence

from desktop.shortcuts.chords import first_combination, key_sequence
from desktop.shortcuts.command import KeyScope
from desktop.shortcuts.custom_keys import ProblemKind
from desktop.shortcuts.rules import Refusal

translate = QCoreApplication.translate  # lupdate finds texts by this name


def key_name(keys: QKeySequence | str) -> str:
    """Return the native name of a key; empty without a key."""
    shown = key_sequence(keys) if isinstance(keys, str) else keys
    if shown.isEmpty():
        return ""
    name = shown.toString(QKeySequence.SequenceFormat.NativeText)
    if first_combination(shown).key() == Qt.Key.Key_Return:
        # Qt calls it Return, keyboards call it Enter; macOS has a symbol for it, which stays
        return_name = QKeySequence(Qt.Key.Key_Return).toString(QKeySequence.SequenceFormat.NativeText)
        return name.removesuffix(return_name) + translate("KeyNames", "Enter") if return_name.isalpha() else name
    return name


def key_names(keys: Sequence[QKeySequence]) -> str:
    """Return the names of all keys: `Ctrl+B or F9`."""
    names = [key_name(key) for key in keys]
    if len(names) <= 1:
        return "".join(names)
    return translate("KeyNames", "{one} or {other}").format(one=", ".join(names[:-1]), other=names[-1])


def scope_title(scope: KeyScope) -> str:
    """Return the heading of a scope's keys."""
    return {
        KeyScope.EVERYWHERE: translate("KeysHelp", "Everywhere"),
        KeyScope.COMPOSER: translate("KeysHelp", "Writing a message"),
        KeyScope.COMPLETION: translate("KeysHelp", "Suggestions"),
        KeyScope.ANSWERING: translate("KeysHelp", "Answering"),
        KeyScope.CHOOSING: translate("KeysHelp", "Answering"),
        KeyScope.LIST: translate("KeysHelp", "List of workflows"),
        KeyScope.TRANSCRIPT: translate("KeysHelp", "Transcript"),
        KeyScope.TOAST: translate("KeysHelp", "Notifications"),
    }[scope]


def refusal_sentence(refusal: Refusal) -> str:
    """Return why a command cannot have a key."""
    return {
        Refusal.CLOSES: translate("KeyWords", "Esc always closes the innermost thing."),
        Refusal.MOVES_FOCUS: translate("KeyWords", "Tab always leads to the next control."),
        Refusal.WRITES: translate("KeyWords", "This key types a character. Add Ctrl."),
        Refusal.EDITS: translate("KeyWords", "This key edits text."),
        Refusal.ALT_GR: translate("KeyWords", "On many keyboards these keys type a character."),
        Refusal.MENU: translate("KeyWords", "Alt with a letter opens a menu."),
        Refusal.SHIFTED_DIGIT: translate("KeyWords", "Ctrl+Shift with a digit differs from keyboard to keyboard."),
    }[refusal]


def problem_sentence(kind: ProblemKind) -> str:
    """Return why an entry is invalid, with `{command}` and `{key}` to fill in."""
    return {
        ProblemKind.UNKNOWN: translate("KeyWords", "There is no command “{command}” in this version."),
        ProblemKind.UNREADABLE: translate("KeyWords", "{command}: “{key}” is not a key."),
        ProblemKind.REFUSED: translate("KeyWords", "{command}: “{key}” cannot be used."),
        ProblemKind.TAKEN: translate("KeyWords", "{command}: another command has “{key}”."),
    }[kind]
