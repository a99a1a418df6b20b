"""What was said in a workflow."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.attachment import Attachment
from core.domain.ids import MessageId, RunId, WorkflowId


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
