"""Memories: what agents remember beyond a conversation (AGENTS_AND_TOOLS §5, `memory`)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from core.domain.ids import MemoryId, WorkflowId

MEMORY_TOOL = "memory"
CONTENT_CHARACTERS = 50_000
PREVIEW_CHARACTERS = 1_000
CONTEXT_LIFETIME = timedelta(days=7)


class MemoryType(StrEnum):
    """What a memory is about."""

    USER_PREF = "user_pref"
    CONTEXT = "context"
    KNOWLEDGE = "knowledge"
    DECISION = "decision"

    @property
    def is_general(self) -> bool:
        """Whether such a memory applies beyond its workflow by default."""
        return self in (MemoryType.USER_PREF, MemoryType.KNOWLEDGE)


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory. `workflow_id` None: it applies to every workflow. `expires_at` None: it never expires.

    In a listing, `content` may be only the first PREVIEW_CHARACTERS; `length` is that of the whole.
    """

    id: MemoryId
    type: MemoryType
    workflow_id: WorkflowId | None
    content: str
    length: int
    created_at: datetime
    expires_at: datetime | None = None

    def is_alive(self, now: datetime) -> bool:
        """Return whether the memory has not expired. Expired memories are never found, even before they are purged."""
        return self.expires_at is None or self.expires_at > now
