"""Texts that go along with a message: what is kept of them, and how a model is told (AGENTS_AND_TOOLS §9). Pure.

The text is what the file held when the message was sent: what becomes of the file afterwards changes nothing.
"""

import hashlib
import mimetypes
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from core.domain.ids import MessageId, RunId, WorkflowId

FILE_BYTES = 1_000_000
MESSAGE_BYTES = 4_000_000
MESSAGE_FILES = 20
NAME_CHARACTERS = 255
PLAIN_TEXT = "text/plain"

INPUT = "attachments"
_BEFORE = "\n\nAttached file: "
_FENCES = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#-]{1,20}")
_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".toml": "application/toml",
    ".jsonl": "application/jsonl",
    ".ts": "text/typescript",
    ".tsx": "text/typescript",
}
"""Where the tables of systems differ or are wrong."""


class Attachment(BaseModel):
    """What is known of an attached text without it. `size`: the bytes of the file; `hash`: the SHA-256 of its text."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    name: str
    mime: str
    size: int
    hash: str


@dataclass(frozen=True, slots=True)
class AttachedText:
    """An attachment with its text."""

    about: Attachment
    text: str


def attached_text(name: str, text: str, size: int | None = None) -> AttachedText:
    """A text under that name, which is made one that can be shown on a line. `size` None: that of the text in UTF-8."""
    data = text.encode("utf-8", "surrogatepass")
    shown = shown_name(name)
    about = Attachment(
        name=shown,
        mime=mime_of(shown),
        size=len(data) if size is None else size,
        hash=hashlib.sha256(data).hexdigest(),
    )
    return AttachedText(about, text)


def shown_name(name: str) -> str:
    """The name on one line, without signs that cannot be shown; one of 255 characters at most."""
    line = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name).strip()
    return line[:NAME_CHARACTERS] or "text"


def mime_of(name: str) -> str:
    """What kind of file the name says that it is; plain text where it says nothing."""
    known = _TYPES.get(PurePath(name).suffix.lower())
    return known or mimetypes.guess_type(name, strict=False)[0] or PLAIN_TEXT


def attachment_fields(attachments: Iterable[Attachment]) -> list[dict[str, Any]] | None:
    """As they stand in a fact and in a row; None where there are none."""
    return [one.model_dump() for one in attachments] or None


def attachments_of(fields: object) -> tuple[Attachment, ...]:
    """What `attachment_fields` made these of, as far as it can be read."""
    found: list[Attachment] = []
    for one in fields if isinstance(fields, list) else ():
        with suppress(ValidationError):
            found.append(Attachment.model_validate(one))
    return tuple(found)


def with_input(given: Mapping[str, Any], attached: Sequence[AttachedText]) -> dict[str, Any]:
    """The input of a run with what goes along, which a template finds in `@input.attachments`; as it was without."""
    if not attached:
        return dict(given)
    return {**given, INPUT: [{**one.about.model_dump(), "text": one.text} for one in attached]}


def from_input(given: Mapping[str, Any]) -> list[AttachedText]:
    """What `with_input` put there, as far as it can be read."""
    fields = given.get(INPUT)
    found: list[AttachedText] = []
    for one in fields if isinstance(fields, list) else ():
        with suppress(ValidationError):
            found.append(AttachedText(Attachment.model_validate(one), str(one.get("text", ""))))
    return found


def with_attachments(prompt: str, attached: Sequence[AttachedText]) -> str:
    """What a model is told: what the person wrote, then each text in a fence that nothing in it can close."""
    return "".join([prompt, *(f"{_BEFORE}{_fenced(one)}" for one in attached)])


def without_attachments(told: str) -> str:
    """What the person wrote, of what `with_attachments` made."""
    return told.partition(_BEFORE)[0]


def _fenced(attached: AttachedText) -> str:
    about, text = attached.about, attached.text
    longest = max((len(found) for found in _FENCES.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    suffix = PurePath(about.name).suffix[1:]
    language = suffix if _LANGUAGE.fullmatch(suffix) else ""
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{about.name} ({about.mime}, {about.size:,} bytes)\n{fence}{language}\n{text}{end}{fence}"


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


class MessageState(StrEnum):
    """`open` while its run writes it; `interrupted` is text that a crash or a cancel cut off."""

    OPEN = "open"
    FINAL = "final"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Message:
    """The row of a message; `run_id` is the run that shows in it (assistant) or that it started (user).
    The texts of its `attachments` are kept apart (`Storage.attached_texts`)."""

    id: MessageId
    workflow_id: WorkflowId
    role: Role
    text: str
    created_at: datetime
    state: MessageState = MessageState.FINAL
    run_id: RunId | None = None
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """`id` is the one that it keeps when it is said: so it is never said twice."""

    id: MessageId
    workflow_id: WorkflowId
    text: str
    created_at: datetime
    attachments: tuple[Attachment, ...] = ()

    @property
    def key(self) -> str:
        """The key of the run that it begins (ENGINE §9)."""
        return f"queued message {self.id}"


@dataclass(frozen=True, slots=True)
class QueueHold:
    """Why the messages of a workflow wait though nothing is at work there: `turn_failed`, `turn_stopped`, or the code
    of what refused the first of them, with its message."""

    code: str
    message: str = ""
