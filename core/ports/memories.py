"""Storage and search of the agents' memories."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.domain.ids import MemoryId, WorkflowId
from core.domain.memory import Memory, MemoryType

# Words with more matches say little about any of them: then the newest are returned, which needs no ranking.
MAX_RANKED = 300


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """A filter of memories that have not expired by `now`; `limit` is between 1 and 100.

    `workflows` None means all memories; None among the workflows means the general memories.
    """

    workflows: Collection[WorkflowId | None] | None
    now: datetime
    type: MemoryType | None = None
    limit: int = 20


@dataclass(frozen=True, slots=True)
class MemoryUsage:
    """The number of memories and their approximate size in bytes, including expired memories."""

    count: int
    size: int


class Memories(Protocol):
    """The agents' memories. Listings contain only the heads of contents.

    All methods raise StorageFailed; those that use the index raise SearchFailed too.
    """

    async def add(self, memory: Memory) -> Memory:
        """Add the memory durably unless its id exists. Returns the stored memory."""

    async def get(self, memory_id: MemoryId, now: datetime) -> Memory | None:
        """Return the whole memory, or None if it is missing, expired or unreadable."""

    async def page(self, wanted: MemoryQuery, before: MemoryId | None = None) -> list[Memory]:
        """Return memories, newest first; `before` is the last id of the previous page."""

    async def search(self, wanted: MemoryQuery, words: Sequence[str]) -> list[Memory]:
        """Return memories in which every word (`core.domain.words`) is the prefix of a word.

        Ordered by relevance (BM25), then newest first. More than MAX_RANKED matches are not ranked: the newest are
        returned. Without words the result is empty. A memory is found as soon as `add` or `change` has returned.
        """

    async def update_index(self) -> None:
        """Index the memories that the index lacks, and remove those that no longer exist. The first search does it."""

    async def change(self, memory: Memory) -> bool:
        """Replace type, content and expiry of the memory; its position in listings stays.

        `workflow_id` must be the stored one. Returns False if there is no such memory.
        """

    async def usage(self) -> MemoryUsage:
        """Return the space that all memories take."""

    async def remove_some(self) -> int:
        """Delete up to some hundred memories. Returns their number: deleting all at once would block writers."""

    async def remove(self, memory_id: MemoryId) -> bool:
        """Delete the memory. Returns False if there is no such memory."""

    async def purge(self, now: datetime) -> int:
        """Delete expired memories. Returns their number."""
