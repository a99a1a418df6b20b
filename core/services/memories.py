"""What agents remember, as a person looks it through (UI §8): listed, searched, read, changed, deleted."""

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
    """`memories` are heads; `titles` has those of the workflows that some are of. `more`: there are others after
    them."""

    memories: Sequence[Memory]
    titles: dict[WorkflowId, str]
    more: bool


class MemoryService:
    """Every memory of every workflow. `MemoriesChanged` tells of each change that is made here."""

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
        """Newest first; `before` is the last one of the page before."""
        found = await self._memories.page(MemoryQuery(None, self._clock.now(), kind, PAGE_SIZE + 1), before)
        return await self._listed(found, PAGE_SIZE)

    @returns_outcome
    async def search(self, text: str, kind: MemoryType | None = None) -> MemoryListing:
        """Those in which each of the words begins a word, by relevance. A text without words finds none."""
        words = words_of(text)[:MAX_WORDS]
        found = await self._memories.search(MemoryQuery(None, self._clock.now(), kind, SEARCH_LIMIT), words)
        return await self._listed(found, SEARCH_LIMIT)

    @returns_outcome
    async def get(self, memory_id: MemoryId) -> Memory:
        """The whole of it. Fails with `not_found`, also for one that has expired."""
        return await self._required(memory_id)

    @returns_outcome
    async def room(self) -> MemoryUsage:
        """What all of them take."""
        return await self._memories.room()

    @returns_outcome
    async def change(self, memory_id: MemoryId, content: str, kind: MemoryType) -> Memory:
        """Give it another content and type. One that becomes context expires as such; one that is none any more stays.
        Secrets are masked. Fails with `not_found`, and with `bad_input` for a blank or a too long content."""
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
        """Delete it, and give it as it was: `put_back` with that undoes it. Fails with `not_found`."""
        memory = await self._required(memory_id)
        if not await self._memories.remove(memory_id):
            raise NotFound("memory", memory_id)
        self._bus.publish(MemoriesChanged())
        return memory

    @returns_outcome
    async def put_back(self, memory: Memory) -> Memory:
        """One that was deleted is there again, at its place."""
        kept = await self._memories.add(memory)
        self._bus.publish(MemoriesChanged())
        return kept

    @returns_outcome
    async def remove_some(self) -> int:
        """Delete some hundred of all there are, for good; how many, 0 once there are none."""
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
    """Sweeps as long as it is entered. What it has not come to is not found by anybody all the same."""

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
        """Delete what has expired; how many there were. Raises StorageFailed."""
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
