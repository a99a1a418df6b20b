"""The keys of now, as the help lists them: those of where one was, those that hold everywhere, those of elsewhere."""

from collections.abc import Iterator, Sequence

from desktop.palette.entries import Entry, Heading, Kind
from desktop.palette.ranking import ranked
from desktop.shortcuts.command import LOCAL, Command, Where
from desktop.shortcuts.keymap import Keymap
from desktop.shortcuts.names import key_names
from desktop.shortcuts.words import where_title
from desktop.theme.icon_names import Icon


def command_entry(keymap: Keymap, command: Command, kind: Kind = Kind.COMMAND) -> Entry:
    """A command with its keys. In the help, what is done in one place only leads nowhere."""
    key = command.id if kind is Kind.COMMAND or command.is_everywhere else ""
    icon = Icon.KEYBOARD if kind is Kind.HELP else Icon.CHEVRON_RIGHT
    return Entry(kind, key, command.words, key_names(keymap.shown(command.id)), icon, has_keys=True)


def keys_help(keymap: Keymap, places: Sequence[Where], words: str) -> Iterator[Heading | Entry]:
    """`places` are those where one was, the innermost first. What has no key is left out."""
    shown = dict.fromkeys([*places, Where.EVERYWHERE, *LOCAL])
    told: set[str] = set()
    title = ""
    for where in shown:
        commands = [one for one in keymap.commands if where in one.where and one.id not in told]
        told.update(one.id for one in commands)
        entries = [command_entry(keymap, one, Kind.HELP) for one in commands if keymap.chords(one.id)]
        found = ranked(words, entries)
        if found and title != where_title(where):
            title = where_title(where)
            yield Heading(title)
        yield from found
