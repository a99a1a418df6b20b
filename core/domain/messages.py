"""Messages of a workflow: sent, queued, and the files attached to them (AGENTS_AND_TOOLS §9). Pure.

An attachment is the content of the file when the message was sent. Later changes of the file have no effect.
"""

import hashlib
import mimetypes
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from pydantic import ValidationError

from core.domain.document import Document
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.model import TEXTS_TAKEN, FilesTaken

FILE_BYTES = 1_000_000
"""Of an attached text."""
PICTURE_BYTES = 3_750_000
"""Of a picture as it is sent: in Base64 it has 5 MB, the smallest limit of the providers."""
PICTURE_SIDE = 2000
"""The longest side of a picture that is sent, in pixels: Anthropic takes none that is larger beside 20 others."""
BINARY_BYTES = 10_000_000
"""Of a PDF or another file."""
MESSAGE_TEXT_BYTES = 4_000_000
MESSAGE_BYTES = 24_000_000
MESSAGE_FILES = 20
NAME_CHARACTERS = 255
PLAIN_TEXT = "text/plain"
PDF = "application/pdf"

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


class AttachmentKind(StrEnum):
    """A text is in the message itself. Of an `other` file, models get only the name."""

    TEXT = "text"
    PICTURE = "picture"
    PDF = "pdf"
    OTHER = "other"


class AttachmentNote(StrEnum):
    """What the user should know of an attachment: it differs from the file, or cannot be read."""

    SCALED = "scaled"
    FIRST_FRAME = "first_frame"
    ENCRYPTED = "encrypted"
    NO_TEXT = "no_text"
    FIRST_PAGES = "first_pages"
    UNREADABLE = "unreadable"


class Attachment(Document):
    """The metadata of an attached file. `size`: its bytes; `hash`: the SHA-256 of its text, or of the data of a file
    that is no text. Only pictures have `width` and `height`.
    """

    name: str
    mime: str
    size: int
    hash: str
    kind: AttachmentKind = AttachmentKind.TEXT
    width: int | None = None
    height: int | None = None
    note: AttachmentNote | None = None

    @property
    def has_data(self) -> bool:
        """Whether its data is in the store (`Storage.files`), not only its text."""
        return self.kind is not AttachmentKind.TEXT


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """An attachment with its content. `text`: that of a text or a PDF; `data`: empty for a text."""

    about: Attachment
    text: str = ""
    data: bytes = field(default=b"", repr=False)


def attached_text(name: str, text: str, size: int | None = None) -> AttachedFile:
    """Make an attachment of a text, under a printable name. `size` defaults to the UTF-8 bytes of the text."""
    data = text.encode("utf-8", "surrogatepass")
    printable_name = shown_name(name)
    about = Attachment(
        name=printable_name,
        mime=mime_of(printable_name),
        size=len(data) if size is None else size,
        hash=hashlib.sha256(data).hexdigest(),
    )
    return AttachedFile(about, text)


def attached_data(name: str, data: bytes, kind: AttachmentKind, mime: str, **fields: Any) -> AttachedFile:
    """Make an attachment of a file that is no text, under a printable name."""
    digest = hashlib.sha256(data).hexdigest()
    text = fields.pop("text", "")
    about = Attachment(name=shown_name(name), mime=mime, size=len(data), hash=digest, kind=kind, **fields)
    return AttachedFile(about, text, data)


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
    return [attachment.model_dump(mode="json", exclude_defaults=True) for attachment in attachments] or None


def attachments_of(fields: object) -> tuple[Attachment, ...]:
    """Parse fields made by `attachment_fields`, skipping what is invalid."""
    return tuple(attachment for attachment, _ in _parse(fields))


def with_input(run_input: Mapping[str, Any], attached: Sequence[AttachedFile]) -> dict[str, Any]:
    """Add the attachments to the input of a run, where a template finds them as `@input.attachments`. A file without
    text has none there either.
    """
    if not attached:
        return dict(run_input)
    abouts = (file.about.model_dump(mode="json", exclude_none=True) for file in attached)
    texts = ({"text": file.text} if file.text or not file.about.has_data else {} for file in attached)
    return {**run_input, INPUT: [{**about, **text} for about, text in zip(abouts, texts, strict=True)]}


def from_input(run_input: Mapping[str, Any]) -> list[AttachedFile]:
    """Parse the attachments that `with_input` added, without their data, skipping what is invalid."""
    return [AttachedFile(attachment, str(item.get("text", ""))) for attachment, item in _parse(run_input.get(INPUT))]


def _parse(fields: object) -> Iterator[tuple[Attachment, Mapping[str, Any]]]:
    for item in fields if isinstance(fields, list) else ():
        with suppress(ValidationError):
            yield Attachment.model_validate(item), item


def with_attachments(prompt: str, attached: Sequence[AttachedFile], taken: FilesTaken = TEXTS_TAKEN) -> str:
    """Append each attachment to the prompt: its text in a fence that nothing in it can close, or its name, with what
    the model gets of it otherwise.
    """
    return "".join([prompt, *(f"{_BEFORE}{_described(file, taken)}" for file in attached)])


def without_attachments(text: str) -> str:
    """Extract the user's own part of a text made by `with_attachments`."""
    return text.partition(_BEFORE)[0]


def goes_as_file(about: Attachment, taken: FilesTaken) -> bool:
    """Return whether the model gets the file itself."""
    match about.kind:
        case AttachmentKind.PICTURE:
            return taken.pictures is not False
        case AttachmentKind.PDF:
            return taken.documents
        case _:
            return False


def _described(file: AttachedFile, taken: FilesTaken) -> str:
    about = file.about
    title = f"{about.name} ({about.mime}, {about.size:,} bytes)"
    if about.kind is AttachmentKind.TEXT:
        return f"{title}\n{_fenced(about.name, file.text)}"
    if goes_as_file(about, taken):
        return f"{title}, which goes along with this message"
    if about.kind is AttachmentKind.PDF and file.text:
        part = " of the first pages" if about.note is AttachmentNote.FIRST_PAGES else ""
        return f"{title}, only the text{part}:\n{_fenced('text.txt', file.text)}"
    reason = {
        AttachmentKind.PICTURE: "you cannot see pictures",
        AttachmentKind.PDF: "its text cannot be read",
    }.get(about.kind, "it cannot be sent")
    return f"{title}, of which you have only the name: {reason}"


def _fenced(name: str, text: str) -> str:
    # Markdown closes a fence at the first line with as many backticks, so ours is longer than any in the text. An
    # attachment could otherwise end its fence and continue in the voice of the user.
    longest = max((len(backticks) for backticks in _FENCES.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    suffix = PurePath(name).suffix[1:]
    language = suffix if _LANGUAGE.fullmatch(suffix) else ""
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}{language}\n{text}{end}{fence}"


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

    The texts and the data of its `attachments` are stored separately (`Storage.messages`, `Storage.files`).
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
