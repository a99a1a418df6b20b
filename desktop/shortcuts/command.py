"""What can be done by key: a row of the one table that menus, palette, help, buttons and settings are made from."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication


class KeyScope(StrEnum):
    """Where keys hold."""

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
    """`keys` are Qt's names of the default keys, `mac` those on macOS, where Qt takes Ctrl for Cmd and Meta for Ctrl;
    None: the same. `menu` is where it stands, if it does. `title` is English, and translated where it is shown.

    What hears a local command knows its `keys` alone; `acts_as` is what it is sent for any other key, the first of
    them where that is empty.
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
        """What it is called, in the language of now."""
        words = QCoreApplication.translate("Commands", self.title)
        number = self.id.rpartition(".")[2]
        return words.format(number=number) if number.isdigit() else words


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:  # the name that lupdate collects texts by
    """The text itself, to be translated where it is shown. Qt's own function of this name has no types."""
    return text


def overlap(one: Command, other: Command) -> bool:
    """Whether a key could mean both."""
    if one.is_everywhere or other.is_everywhere:
        return True
    card = {KeyScope.ANSWERING, KeyScope.CHOOSING}
    both = {*one.where}, {*other.where}
    return bool(both[0] & both[1]) or bool(both[0] & card and both[1] & card)
