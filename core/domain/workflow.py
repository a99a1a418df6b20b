"""A workflow: an entry of the sidebar, a conversation bound to one agent. It owns messages and runs."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId

_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_UNSEEN = frozenset({"Cf", "Cs", "Mn", "Me", "Zs"})
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and a pattern of dots that are drawn as nothing."""


def normalized_title(title: str) -> str:
    """A title as it is kept: one line, without control characters, and without those that would reorder the text that
    it is quoted in. Empty where nothing of it could be seen."""
    line = " ".join(
        _REORDERING.sub("", "".join(sign if sign.isprintable() else _apart(sign) for sign in title)).split()
    )
    return line if any(map(_is_seen, line)) else ""


def _is_seen(sign: str) -> bool:
    return sign not in _BLANK and unicodedata.category(sign) not in _UNSEEN


def _apart(sign: str) -> str:
    """What stands for a character that is not printed: nothing for a control, itself for what joins or spaces."""
    return " " if sign.isspace() else "" if unicodedata.category(sign) == "Cc" else sign


@dataclass(frozen=True, slots=True)
class Workflow:
    """The row of a workflow. Its status is not kept: it is that of its newest run, `idle` without one.

    `agent` is the name of who answered last. `answering` is who answers next; None in a row that no turn and no choice
    has written since there are agents. `archived_at` is when a person put it away; None while it is listed (UI §11).
    """

    id: WorkflowId
    title: str
    agent: str
    created_at: datetime
    updated_at: datetime
    answering: AgentSelection | None = None
    archived_at: datetime | None = None

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None
