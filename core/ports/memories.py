"""What agents remember, as it is kept and found."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.domain.ids import MemoryId, WorkflowId
from core.domain.memory import Memory, MemoryType

MAX_RANKED = 300
"""So many matches are ranked. A search that more fit has words that tell little: then the newest come first."""


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """Which memories: those of any of these workflows (None among them: the general ones; None instead: all there are),
    of that type if there is one, that have not expired by `now`; at most `limit`, at least 1 and at most 100."""

    workflows: Collection[WorkflowId | None] | None
    now: datetime
    type: MemoryType | None = None
    limit: int = 20


@dataclass(frozen=True, slots=True)
class MemoryUsage:
    """How many memories there are, and about how many bytes they take, those included that have expired."""

    count: int
    size: int


class Memories(Protocol):
    """Everything raises StorageFailed when the store cannot be read or written. Listings give heads."""

    async def add(self, memory: Memory) -> Memory:
        """Keep it, whole; on disk when this returns. One of that id that is there already stays, and is given."""
        ...

    async def get(self, memory_id: MemoryId, now: datetime) -> Memory | None:
        """The whole of it. None too for one that has expired or cannot be read."""
        ...

    async def page(self, wanted: MemoryQuery, before: MemoryId | None = None) -> list[Memory]:
        """Newest first; `before` is the last id of the page before."""
        ...

    async def search(self, wanted: MemoryQuery, words: Sequence[str]) -> list[Memory]:
        """Those in which every one of the words (`core.domain.text.search`) begins a word, by relevance (BM25), newer
        before older ones of the same; of more than RANKED, the newest. Of no words, none.
        """
        ...

    async def change(self, memory: Memory) -> bool:
        """Give the memory of that id this type, content and end; it stays where it is in listings. `workflow_id` is its
        own. False: it is not there."""
        ...

    async def room(self) -> MemoryUsage:
        """What all of them take."""
        ...

    async def remove_some(self) -> int:
        """Delete some hundred, for good; how many, 0 if there are none. All at once, nobody else could write."""
        ...

    async def remove(self, memory_id: MemoryId) -> bool:
        """Delete it for good. False: it was not there."""
        ...

    async def purge(self, now: datetime) -> int:
        """Delete what has expired, for good; how many there were."""
        ...
