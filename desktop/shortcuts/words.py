"""What is said of keys: where they hold, why one is refused, what of a file cannot be used."""

from PySide6.QtCore import QCoreApplication

from desktop.shortcuts.command import Where
from desktop.shortcuts.reading import Trouble
from desktop.shortcuts.rules import Refusal

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def where_title(where: Where) -> str:
    """What the keys of a place are listed under."""
    return {
        Where.EVERYWHERE: translate("KeysHelp", "Everywhere"),
        Where.COMPOSER: translate("KeysHelp", "Writing a message"),
        Where.COMPLETION: translate("KeysHelp", "Names offered while writing"),
        Where.ANSWERING: translate("KeysHelp", "Answering"),
        Where.CHOOSING: translate("KeysHelp", "Answering"),
        Where.LIST: translate("KeysHelp", "List of workflows"),
        Where.TRANSCRIPT: translate("KeysHelp", "Transcript"),
        Where.TOAST: translate("KeysHelp", "Notifications"),
    }[where]


def refusal_sentence(why: Refusal) -> str:
    """Why a command cannot have a key."""
    return {
        Refusal.CLOSES: translate("KeyWords", "Esc always closes what is innermost."),
        Refusal.MOVES_FOCUS: translate("KeyWords", "Tab always leads to the next control."),
        Refusal.WRITES: translate("KeyWords", "This key writes a character where text can go. Add Ctrl."),
        Refusal.EDITS: translate("KeyWords", "This key has its own work in every text."),
        Refusal.ALT_GR: translate("KeyWords", "On many keyboards these keys type a character."),
        Refusal.MENU: translate("KeyWords", "Alt with a letter opens a menu."),
        Refusal.SHIFTED_DIGIT: translate("KeyWords", "Ctrl+Shift with a digit is another key on each keyboard."),
    }[why]


def trouble_sentence(trouble: Trouble) -> str:
    """What is wrong with something in the file, about `{command}` and `{key}`."""
    return {
        Trouble.UNKNOWN: translate("KeyWords", "There is no command “{command}” in this version."),
        Trouble.UNREADABLE: translate("KeyWords", "{command}: “{key}” is no key."),
        Trouble.REFUSED: translate("KeyWords", "{command}: “{key}” cannot be used."),
        Trouble.TAKEN: translate("KeyWords", "{command}: another command has “{key}”."),
    }[trouble]
