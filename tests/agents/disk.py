"""A journal that can be cut off at any point, on the in-memory store, and a clock that never waits."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from core.domain.events import Event, Fact, stream_fact
from core.domain.run import Run
from core.ports import AppendChunk, AppendEvents, Chunk, Companion, Write
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.in_memory.tables import Tables
from tests.support.intercepted import intercept_reads

START = datetime(2026, 1, 1, tzinfo=UTC)

T = TypeVar("T")


class Disk(InMemoryStorage):
    """The in-memory store with the latency of a disk."""

    def __init__(self, tables: Tables | None = None) -> None:
        super().__init__(tables)
        reads: dict[str, tuple[str, ...]] = {"messages": ("of_workflow",), "runs": ("page",)}
        reads |= dict.fromkeys(("events", "chunks"), ("of_run",))
        intercept_reads(self, after_a_turn_of_the_loop, reads)


async def after_a_turn_of_the_loop(call: Callable[[], Awaitable[Any]]) -> Any:
    await asyncio.sleep(0)
    return await call()


class Journal:
    """The journal of one run in one process. `kill` ends the process."""

    def __init__(self, run: Run, disk: Disk) -> None:
        self.run_id = run.id
        self.workflow_id = run.workflow_id
        self.message_id = run.message_id
        self.told: list[Event] = []
        self._disk = disk
        self.before = at_once(type(disk.events).of_run(disk.events, run.id))
        self._seq = max((event.seq for event in self.before), default=0)
        self._waiting: list[Write] = []
        self._lengths: dict[tuple[str, int | None], int] = {}
        self._is_dead = False

    def emit(self, *facts: Fact, writes: Sequence[Write] = (), companion: Companion | None = None) -> None:
        assert companion is None, "no recording is on"
        if not self._is_dead:
            self._waiting.extend(writes)
            events = tuple(event for event in self._stamp(facts) if event.fact.stored)
            self._waiting.extend([AppendEvents(self.run_id, events)] if events else [])

    def commit(
        self, *facts: Fact, writes: Sequence[Write] = (), companion: Companion | None = None
    ) -> "asyncio.Future[frozenset[int]]":
        self.emit(*facts, writes=writes, companion=companion)
        done: asyncio.Future[frozenset[int]] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(self._commit, done)
        return done

    def stream(self, step: str, index: int | None, text: str) -> None:
        if self._is_dead:
            return
        offset = self._lengths.get((step, index), 0)
        self._lengths[step, index] = offset + len(text)
        self._waiting.append(AppendChunk(Chunk(self.run_id, step, index, offset, text)))
        list(self._stamp([stream_fact(self.message_id, step, index, offset, text)]))

    def resume_stream(self, step: str, index: int | None, length: int) -> None:
        self._lengths[step, index] = length

    async def drain(self) -> None:
        await asyncio.sleep(0)

    def flush(self) -> None:
        """Write the pending group."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            assert not at_once(self._disk.commit(waiting))

    def kill(self) -> None:
        """Drop everything that is not on disk yet."""
        self._is_dead = True
        self._waiting.clear()

    def _commit(self, done: "asyncio.Future[frozenset[int]]") -> None:
        self.flush()
        if not done.done():
            done.set_result(frozenset())

    def _stamp(self, facts: Iterable[Fact]) -> Iterable[Event]:
        for fact in facts:
            self._seq += fact.stored
            self.told.append(Event(self.run_id, self.workflow_id, self._seq, START, fact))
            yield self.told[-1]


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("it waits")
