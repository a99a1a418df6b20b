"""A workflow: an entry of the sidebar, a conversation bound to one agent. It owns messages and runs."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PureWindowsPath
from typing import Any

from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId
from core.domain.input_schema import PLACE_FORMATS, properties_of
from core.domain.text.graphemes import ellipsize
from core.domain.text.masking import secret_spans
from core.domain.text.secret_names import is_secret_name

# A title is quoted in menus, dialogs and notifications. An override without its end would reverse the text after it.
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_UNSEEN = frozenset({"Cf", "Cs", "Mn", "Me", "Zs"})
# Letters and a Braille pattern that are drawn as blanks.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_INPUT_CHARACTERS = 40


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


def run_title(title: str, schema: Any, run_input: Any) -> str:
    """Return the title of a run of a template: `Folder report · invoices`, with its main input in short.

    The main input is the first required text or number that the schema describes, else the first one at all. A secret
    is never shown, and of a path only its last part.
    """
    if not isinstance(run_input, Mapping):
        return title
    properties = properties_of(schema)
    required = schema.get("required") if isinstance(schema, Mapping) else None
    names = [*(required if isinstance(required, list) else []), *properties, *run_input]
    for name in names:
        value = run_input.get(name) if isinstance(name, str) else None
        if isinstance(value, bool) or not isinstance(value, str | int | float) or is_secret_name(name):
            continue
        text = _short_input(str(value), properties.get(name, {}))
        if text:
            return f"{title} · {text}"
    return title


def _short_input(text: str, schema: Mapping[str, Any]) -> str:
    """Return the value on one line; empty if it is or holds a secret."""
    text = text[: 20 * _INPUT_CHARACTERS]
    if schema.get("format") == "password" or schema.get("writeOnly") is True or secret_spans(text):
        return ""
    line = normalized_title(text)
    # of both systems: a template may name a path of either
    is_path = schema.get("format") in PLACE_FORMATS or ("/" in line and " " not in line and "://" not in line)
    return ellipsize(PureWindowsPath(line).name or line if is_path else line, _INPUT_CHARACTERS)


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
    that it replaced when it was imported, which a later import compares it with. `folders` are folders and
    single files, each written as `FolderGrant`: the runs in it may access these, and relative paths start at the first.
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
