"""The memories of agents: listed, searched, edited and deleted by the user (UI §8), and deleted when they expire
(AGENTS_AND_TOOLS §5).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from psygnal import Signal

from core.bus import Bus, WorkflowDeleted
from core.domain.events import Event, RunFinished, ToolEnded, ToolStarted
from core.domain.ids import CallId, MemoryId, RunId, WorkflowId
from core.domain.memory import CONTENT_CHARACTERS, CONTEXT_LIFETIME, MEMORY_TOOL, Memory, MemoryType
from core.domain.text.masking import masked_text
from core.domain.text.search import words_of
from core.domain.workflow import Workflow
from core.errors import NotFound, Refused, StorageFailed
from core.ports import Clock, Memories, MemoryQuery, MemoryUsage
from core.services.outcome import returns_outcome
from core.stores.base import emit

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
    has_more: bool


class MemoryService:
    """Manages the memories of all workflows. `changed` is emitted when any memory may have changed, by the user or by a
    tool of an agent.
    """

    changed = Signal()

    def __init__(
        self,
        memories: Memories,
        workflow: Callable[[WorkflowId], Awaitable[Workflow | None]],
        bus: Bus,
        clock: Clock,
    ) -> None:
        self._memories = memories
        self._workflow = workflow
        self._clock = clock
        bus.subscribe(WorkflowDeleted, lambda _deleted: emit(self.changed))
        self._calls: set[tuple[RunId, CallId]] = set()
        bus.subscribe(Event, self._on_call, (ToolStarted, ToolEnded, RunFinished))

    def note_import(self) -> None:
        """Emit `changed`: memories were imported."""
        emit(self.changed)

    @returns_outcome
    async def page(self, kind: MemoryType | None = None, before: MemoryId | None = None) -> MemoryListing:
        """Return a page, newest first; `before` is the last memory of the previous page."""
        memories = await self._memories.page(MemoryQuery(None, self._clock.now(), kind, PAGE_SIZE + 1), before)
        return await self._listing(memories, PAGE_SIZE)

    @returns_outcome
    async def search(self, text: str, kind: MemoryType | None = None) -> MemoryListing:
        """Return the memories in which each word of the text begins a word, by relevance. A text without words finds
        none.
        """
        words = words_of(text)[:MAX_WORDS]
        memories = await self._memories.search(MemoryQuery(None, self._clock.now(), kind, SEARCH_LIMIT), words)
        return await self._listing(memories, SEARCH_LIMIT)

    @returns_outcome
    async def get(self, memory_id: MemoryId) -> Memory:
        """Return the whole memory. Fails with `not_found`, also for an expired memory."""
        return await self._required(memory_id)

    @returns_outcome
    async def usage(self) -> MemoryUsage:
        """Return the space that all memories take."""
        return await self._memories.usage()

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
        # only a change of type changes the expiry; an edit keeps it
        if kind is not before.type:
            expires_at = self._clock.now() + CONTEXT_LIFETIME if kind is MemoryType.CONTEXT else None
        masked = content if content == before.content else masked_text(content)[:CONTENT_CHARACTERS]
        after = replace(before, content=masked, length=len(masked), type=kind, expires_at=expires_at)
        # it expired or was deleted between the two calls
        if not await self._memories.change(after):
            raise NotFound("memory", memory_id)
        emit(self.changed)
        return after

    @returns_outcome
    async def remove(self, memory_id: MemoryId) -> Memory:
        """Delete a memory and return it: `put_back` restores it. Fails with `not_found`."""
        memory = await self._required(memory_id)
        if not await self._memories.remove(memory_id):
            raise NotFound("memory", memory_id)
        emit(self.changed)
        return memory

    @returns_outcome
    async def restore(self, memory: Memory) -> Memory:
        """Restore a deleted memory at its place."""
        restored = await self._memories.add(memory)
        emit(self.changed)
        return restored

    @returns_outcome
    async def remove_batch(self) -> int:
        """Delete some hundred memories for good and return their number; 0 when none are left."""
        count = await self._memories.remove_some()
        emit(self.changed)
        return count

    def _on_call(self, event: Event) -> None:
        """Follow the calls of the tool: an end does not say of which tool it is."""
        fact = event.fact
        if isinstance(fact, ToolStarted) and fact.tool == MEMORY_TOOL:
            self._calls.add((event.run_id, fact.call_id))
        elif isinstance(fact, ToolEnded) and (event.run_id, fact.call_id) in self._calls:
            self._calls.discard((event.run_id, fact.call_id))
            emit(self.changed)
        elif isinstance(fact, RunFinished) and self._calls:  # of what was cut off there is no end
            self._calls = {call for call in self._calls if call[0] != event.run_id}

    async def _required(self, memory_id: MemoryId) -> Memory:
        memory = await self._memories.get(memory_id, self._clock.now())
        if memory is None:
            raise NotFound("memory", memory_id)
        return memory

    async def _listing(self, memories: Sequence[Memory], limit: int) -> MemoryListing:
        ids = list(dict.fromkeys(memory.workflow_id for memory in memories[:limit] if memory.workflow_id is not None))
        workflows = await asyncio.gather(*map(self._workflow, ids))
        titles = {memory.id: memory.title for memory in workflows if memory is not None}
        return MemoryListing(memories[:limit], titles, len(memories) > limit)


SWEEP_INTERVAL_S = 3600.0

log = logging.getLogger(__name__)


class MemoryExpiry:
    """Sweeps while it is open. Queries skip expired memories that the sweep has not reached."""

    def __init__(self, memories: Memories, clock: Clock) -> None:
        self._memories = memories
        self._clock = clock

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._sweep_forever(), name="memory sweep")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._task.cancel()
        if kind is not GeneratorExit:  # an abandoned generator cannot await
            await asyncio.wait([self._task])

    async def sweep(self) -> int:
        """Delete expired memories and return their number. Raises StorageFailed."""
        count = await self._memories.purge(self._clock.now())
        if count:
            log.info("%d expired memories were deleted", count)
        return count

    async def _sweep_forever(self) -> None:
        while True:
            try:
                await self.sweep()
            except StorageFailed as error:
                log.warning("expired memories stay until the next sweep: %s", error.message)
            await self._clock.sleep(SWEEP_INTERVAL_S)
