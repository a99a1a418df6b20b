"""A message that waits until the present turn of its workflow has ended (UI §5)."""

from dataclasses import dataclass
from datetime import datetime

from core.domain.attachment import Attachment
from core.domain.ids import MessageId, WorkflowId


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
class Held:
    """Why the messages of a workflow wait though nothing is at work there: `turn_failed`, `turn_stopped`, or the code
    of what refused the first of them, with its message."""

    code: str
    message: str = ""
