"""What the palette lists: anything that has a name and can be gone to or done."""

from dataclasses import dataclass
from enum import StrEnum

from desktop.theme.icon_names import Icon


class Kind(StrEnum):
    """Which list an entry stands in. The value is the prefix that asks for that list alone."""

    WORKFLOW = ""
    COMMAND = ">"
    TEMPLATE = "#"
    AGENT = "@"
    INBOX = "!"
    HELP = "?"


@dataclass(frozen=True, slots=True)
class Entry:
    """`key` is what it leads to, as its source knows it. `note` stands at the right: a state, a model, or, where it
    `has_keys`, the name of keys."""

    kind: Kind
    key: str
    title: str
    note: str
    icon: Icon
    has_keys: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """Stands above the entries of a group."""

    title: str


@dataclass(frozen=True, slots=True)
class Query:
    """What was typed: the list that it asks for, and the words after the prefix."""

    kind: Kind
    words: str


def read_query(text: str) -> Query:
    """`>sto` asks for commands with *sto*; without a prefix for workflows first."""
    stripped = text.lstrip()
    kind = next((one for one in Kind if one.value and stripped.startswith(one.value)), Kind.WORKFLOW)
    return Query(kind, stripped[len(kind.value) :].strip())
