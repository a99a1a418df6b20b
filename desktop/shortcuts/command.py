"""A command: a row of the table that menus, palette, help, buttons and settings are made from."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication


class KeyScope(StrEnum):
    """The scope in which keys apply."""

    EVERYWHERE = "everywhere"
    COMPOSER = "composer"
    COMPLETION = "completion popup"
    ANSWERING = "attention card, text"
    """In the card that asks, also while a person writes in it."""
    CHOOSING = "attention card"
    """In the card that asks, with focus on something that is no text."""
    LIST = "sidebar list"
    TRANSCRIPT = "transcript"
    TOAST = "toast"


LOCAL_SCOPES = tuple(one for one in KeyScope if one is not KeyScope.EVERYWHERE)


@dataclass(frozen=True, slots=True)
class Command:
    """A command with its default keys.

    `keys` are Qt names, `mac` the keys on macOS, where Qt maps Ctrl to Cmd and Meta to Ctrl; None: the same. `menu` is
    its menu, if any. `title` is English, translated where shown.

    A widget handles the `keys` of a local command only; `acts_as` is sent to it for any other key, by default the first
    of `keys`.
    """

    id: str
    title: str
    keys: tuple[str, ...] = ()
    menu: str | None = None
    mac: tuple[str, ...] | None = None
    where: tuple[KeyScope, ...] = (KeyScope.EVERYWHERE,)
    acts_as: str = ""

    @property
    def is_everywhere(self) -> bool:
        return KeyScope.EVERYWHERE in self.where

    @property
    def words(self) -> str:
        """The title in the current language."""
        words = QCoreApplication.translate("Commands", self.title)
        number = self.id.rpartition(".")[2]
        return words.format(number=number) if number.isdigit() else words


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:  # the name that lupdate collects texts by
    """Return the text unchanged, marked for lupdate. Qt's own function of this name is untyped."""
    return text


def overlap(one: Command, other: Command) -> bool:
    """Return whether both commands can apply to the same key press."""
    if one.is_everywhere or other.is_everywhere:
        return True
    card = {KeyScope.ANSWERING, KeyScope.CHOOSING}
    both = {*one.where}, {*other.where}
    return bool(both[0] & both[1]) or bool(both[0] & card and both[1] & card)
