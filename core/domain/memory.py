"""What agents remember beyond a conversation (AGENTS_AND_TOOLS §5, `memory`)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from core.domain.ids import MemoryId, WorkflowId

CONTENT_CHARACTERS = 50_000
PREVIEW_CHARACTERS = 1_000
CONTEXT_LIFETIME = timedelta(days=7)


class MemoryType(StrEnum):
    USER_PREF = "user_pref"
    CONTEXT = "context"
    KNOWLEDGE = "knowledge"
    DECISION = "decision"

    @property
    def is_general(self) -> bool:
        """Whether such a memory is of use beyond its workflow, unless somebody says otherwise."""
        return self in (MemoryType.USER_PREF, MemoryType.KNOWLEDGE)


@dataclass(frozen=True, slots=True)
class Memory:
    """`workflow_id` None: a general one, for every workflow. `expires_at` None: it stays. In a listing `content` may be
    the first HEAD_CHARACTERS alone; `length` is that of the whole."""

    id: MemoryId
    type: MemoryType
    workflow_id: WorkflowId | None
    content: str
    length: int
    created_at: datetime
    expires_at: datetime | None = None

    def is_alive(self, now: datetime) -> bool:
        """One that has expired is found no longer, whether or not it was purged."""
        return self.expires_at is None or self.expires_at > now
