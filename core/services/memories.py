"""The memories of agents: listed, searched, edited and deleted by the user (UI §8), and deleted when they expire
(AGENTS_AND_TOOLS §5).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from core.bus import Bus, MemoriesChanged
from core.domain.ids import MemoryId, WorkflowId
from core.domain.memory import CONTENT_CHARACTERS, CONTEXT_LIFETIME, Memory, MemoryType
from core.domain.text.masking import masked_text
from core.domain.text.search import words_of
from core.domain.workflow import Workflow
from core.errors import NotFound, Refused, StorageFailed
from core.ports.clock import Clock
from core.ports.memories import Memories, MemoryQuery, MemoryUsage
from core.services.outcome import returns_outcome

PAGE_SIZE = 25
SEARCH_LIMIT = 50
"""So many are given of what a search finds."""
MAX_WORDS = 20


@dataclass(frozen=True, slots=True)
class MemoryListing:
    """A page of memories without their contents. `titles` holds the titles of their workflows; `more`: other memories
    follow.
    """

    memories: Sequence[Memory]
    titles: dict[WorkflowId, str]
    more: bool


class MemoryService:
    """Manages the memories of all workflows. Each change here publishes `MemoriesChanged`."""

    def __init__(
        self,
        memories: Memories,
        workflow: Callable[[WorkflowId], Awaitable[Workflow | None]],
        bus: Bus,
        clock: Clock,
    ) -> None:
        self._memories = memories
        self._workflow = workflow
        self._bus = bus
        self._clock = clock

    @returns_outcome
    async def page(self, kind: MemoryType | None = None, before: MemoryId | None = None) -> MemoryListing:
        """Return a page, newest first; `before` is the last memory of the previous page."""
        found = await self._memories.page(MemoryQuery(None, self._clock.now(), kind, PAGE_SIZE + 1), before)
        return await self._listed(found, PAGE_SIZE)

    @returns_outcome
    async def search(self, text: str, kind: MemoryType | None = None) -> MemoryListing:
        """Return the memories in which each word of the text begins a word, by relevance. A text without words finds
        none.
        """
        words = words_of(text)[:MAX_WORDS]
        found = await self._memories.search(MemoryQuery(None, self._clock.now(), kind, SEARCH_LIMIT), words)
        return await self._listed(found, SEARCH_LIMIT)

    @returns_outcome
    async def get(self, memory_id: MemoryId) -> Memory:
        """Return the whole memory. Fails with `not_found`, also for an expired memory."""
        return await self._required(memory_id)

    @returns_outcome
    async def room(self) -> MemoryUsage:
        """Return the space that all memories take."""
        return await self._memories.room()

    @returns_outcome
    async def change(self, memory_id: MemoryId, content: str, kind: MemoryType) -> Memory:
        """Change content and type of a memory. A memory that becomes context expires as context; any other type does
        not expire. Secrets are masked. Fails with `not_found`, and with `bad_input` if the content is blank or too
        long.
        """
        if not content.strip() or len(content) > CONTENT_CHARACTERS:
            message = f"a memory has 1 to {CONTENT_CHARACTERS:,} characters, not all of them blank"
            raise Refused("bad_input", message, field="content", limit=CONTENT_CHARACTERS)
        before = await self._required(memory_id)
        expires_at = before.expires_at
        if kind is not before.type:
            expires_at = self._clock.now() + CONTEXT_LIFETIME if kind is MemoryType.CONTEXT else None
        kept = content if content == before.content else masked_text(content)[:CONTENT_CHARACTERS]
        after = replace(before, content=kept, length=len(kept), type=kind, expires_at=expires_at)
        if not await self._memories.change(after):
            raise NotFound("memory", memory_id)
        self._bus.publish(MemoriesChanged())
        return after

    @returns_outcome
    async def remove(self, memory_id: MemoryId) -> Memory:
        """Delete a memory and return it: `put_back` restores it. Fails with `not_found`."""
        memory = await self._required(memory_id)
        if not await self._memories.remove(memory_id):
            raise NotFound("memory", memory_id)
        self._bus.publish(MemoriesChanged())
        return memory

    @returns_outcome
    async def put_back(self, memory: Memory) -> Memory:
        """Restore a deleted memory at its place."""
        kept = await self._memories.add(memory)
        self._bus.publish(MemoriesChanged())
        return kept

    @returns_outcome
    async def remove_some(self) -> int:
        """Delete some hundred memories for good and return their number; 0 when none are left."""
        count = await self._memories.remove_some()
        self._bus.publish(MemoriesChanged())
        return count

    async def _required(self, memory_id: MemoryId) -> Memory:
        memory = await self._memories.get(memory_id, self._clock.now())
        if memory is None:
            raise NotFound("memory", memory_id)
        return memory

    async def _listed(self, found: Sequence[Memory], most: int) -> MemoryListing:
        ids = list(dict.fromkeys(one.workflow_id for one in found[:most] if one.workflow_id is not None))
        workflows = await asyncio.gather(*map(self._workflow, ids))
        titles = {one.id: one.title for one in workflows if one is not None}
        return MemoryListing(found[:most], titles, len(found) > most)


SWEEP_INTERVAL_S = 3600.0

log = logging.getLogger(__name__)


class MemoryExpiry:
    """Sweeps while it is open. Queries skip expired memories that the sweep has not reached."""

    def __init__(self, memories: Memories, clock: Clock) -> None:
        self._memories = memories
        self._clock = clock

    async def __aenter__(self) -> Self:
        self._sweeping = asyncio.create_task(self._sweep_on(), name="memory sweep")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._sweeping.cancel()
        if kind is not GeneratorExit:  # whoever is abandoned cannot wait
            await asyncio.wait([self._sweeping])

    async def sweep(self) -> int:
        """Delete expired memories and return their number. Raises StorageFailed."""
        count = await self._memories.purge(self._clock.now())
        if count:
            log.info("%d expired memories were deleted", count)
        return count

    async def _sweep_on(self) -> None:
        while True:
            try:
                await self.sweep()
            except StorageFailed as error:
                log.warning("expired memories stay until the next sweep: %s", error.message)
            await self._clock.sleep(SWEEP_INTERVAL_S)
