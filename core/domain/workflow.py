"""A workflow: an entry of the sidebar, a conversation bound to one agent. It owns messages and runs."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId

# A title is quoted in menus, dialogs and notifications. An override without its end would reverse the text after it.
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_UNSEEN = frozenset({"Cf", "Cs", "Mn", "Me", "Zs"})
# Letters and a Braille pattern that are drawn as blanks.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def normalized_title(title: str) -> str:
    """Normalize a title for storage: on one line, without control characters.

    Bidirectional overrides, which would reorder the surrounding text, are removed. Empty if nothing would be visible.
    """
    line = " ".join(
        _REORDERING.sub(
            "", "".join(character if character.isprintable() else _replacement(character) for character in title)
        ).split()
    )
    return line if any(map(_is_visible, line)) else ""


def _is_visible(character: str) -> bool:
    return character not in _BLANK and unicodedata.category(character) not in _UNSEEN


def _replacement(character: str) -> str:
    """Return the replacement of an unprintable character: nothing for a control, itself for joiners and spaces."""
    return " " if character.isspace() else "" if unicodedata.category(character) == "Cc" else character


@dataclass(frozen=True, slots=True)
class Workflow:
    """The row of a workflow. Its status is that of its newest run (`idle` without a run), and is not stored.

    `agent` is the name of the last answering agent. `answering` selects who answers next; None in a row from before
    agents existed. `archived_at` is the time of archiving; None while it is listed (UI §11). `origin` is the workflow
    that it replaced when it was imported, which a later import compares it with. `folders` are absolute: the runs in it
    may access these, and relative paths start at the first.
    """

    id: WorkflowId
    title: str
    agent: str
    created_at: datetime
    updated_at: datetime
    answering: AgentSelection | None = None
    archived_at: datetime | None = None
    origin: WorkflowId | None = None
    folders: tuple[str, ...] = ()

    @property
    def is_archived(self) -> bool:
        """Whether the user has archived it."""
        return self.archived_at is not None
