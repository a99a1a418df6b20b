"""Messages of a workflow: sent, queued, and the texts attached to them (AGENTS_AND_TOOLS §9). Pure.

An attached text is the content of the file when the message was sent. Later changes of the file have no effect.
"""

import hashlib
import mimetypes
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from pydantic import ValidationError

from core.domain.document import Document
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
# Where the systems' own tables differ or are wrong.
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


class Attachment(Document):
    """The metadata of an attached text. `size`: the bytes of the file; `hash`: the SHA-256 of its text."""

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
    """Make an attachment of a text, under a printable name. `size` defaults to the UTF-8 bytes of the text."""
    data = text.encode("utf-8", "surrogatepass")
    printable_name = shown_name(name)
    about = Attachment(
        name=printable_name,
        mime=mime_of(printable_name),
        size=len(data) if size is None else size,
        hash=hashlib.sha256(data).hexdigest(),
    )
    return AttachedText(about, text)


def shown_name(name: str) -> str:
    """Put a name on one line of at most 255 characters, unprintable characters replaced."""
    line = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name).strip()
    return line[:NAME_CHARACTERS] or "text"


def mime_of(name: str) -> str:
    """Guess the media type from the file name, by default plain text."""
    overridden = _TYPES.get(PurePath(name).suffix.lower())
    return overridden or mimetypes.guess_type(name, strict=False)[0] or PLAIN_TEXT


def attachment_fields(attachments: Iterable[Attachment]) -> list[dict[str, Any]] | None:
    """Convert attachments to the form in facts and rows; None if there are none."""
    return [attachment.model_dump() for attachment in attachments] or None


def attachments_of(fields: object) -> tuple[Attachment, ...]:
    """Parse fields made by `attachment_fields`, skipping what is invalid."""
    return tuple(attachment for attachment, _ in _parse(fields))


def with_input(run_input: Mapping[str, Any], attached: Sequence[AttachedText]) -> dict[str, Any]:
    """Add the attachments to the input of a run, where a template finds them as `@input.attachments`."""
    if not attached:
        return dict(run_input)
    return {**run_input, INPUT: [{**attachment.about.model_dump(), "text": attachment.text} for attachment in attached]}


def from_input(run_input: Mapping[str, Any]) -> list[AttachedText]:
    """Parse the attachments that `with_input` added, skipping what is invalid."""
    return [AttachedText(attachment, str(item.get("text", ""))) for attachment, item in _parse(run_input.get(INPUT))]


def _parse(fields: object) -> Iterator[tuple[Attachment, Mapping[str, Any]]]:
    for item in fields if isinstance(fields, list) else ():
        with suppress(ValidationError):
            yield Attachment.model_validate(item), item


def with_attachments(prompt: str, attached: Sequence[AttachedText]) -> str:
    """Append each attachment to the prompt, in a fence that nothing in it can close."""
    return "".join([prompt, *(f"{_BEFORE}{_fenced(attachment)}" for attachment in attached)])


def without_attachments(text: str) -> str:
    """Extract the user's own part of a text made by `with_attachments`."""
    return text.partition(_BEFORE)[0]


def _fenced(attached: AttachedText) -> str:
    # Markdown closes a fence at the first line with as many backticks, so ours is longer than any in the text. An
    # attachment could otherwise end its fence and continue in the voice of the user.
    about, text = attached.about, attached.text
    longest = max((len(backticks) for backticks in _FENCES.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    suffix = PurePath(about.name).suffix[1:]
    language = suffix if _LANGUAGE.fullmatch(suffix) else ""
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{about.name} ({about.mime}, {about.size:,} bytes)\n{fence}{language}\n{text}{end}{fence}"


class Role(StrEnum):
    """The author of a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


class MessageState(StrEnum):
    """`open` while its run writes it; `interrupted` is text that a crash or a cancellation cut off."""

    OPEN = "open"
    FINAL = "final"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Message:
    """The row of a message. `run_id` is the run that it shows (assistant) or started (user).

    The texts of its `attachments` are stored separately (`Storage.attached_texts`).
    """

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
    """A message that waits for the end of the current turn (UI §5). It keeps its `id` when it is sent, so it is sent
    once. `is_held`: it was imported, and waits until the user sends it or a turn of its workflow succeeds.
    """

    id: MessageId
    workflow_id: WorkflowId
    text: str
    created_at: datetime
    attachments: tuple[Attachment, ...] = ()
    is_held: bool = False

    @property
    def key(self) -> str:
        """The idempotency key of the run that it starts (ENGINE §9)."""
        return f"queued message {self.id}"


@dataclass(frozen=True, slots=True)
class QueueHold:
    """Why queued messages wait although the workflow is idle.

    `code`: `turn_failed`, `turn_stopped`, `imported`, or the code of the error that rejected the first message, with
    its `message`.
    """

    code: str
    message: str = ""
