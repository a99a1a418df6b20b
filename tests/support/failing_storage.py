"""Stores whose n-th call fails: before anything was written, or after, though it is told as failed."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from core.domain.events import Event
from core.domain.ids import RunId, WorkflowId
from core.domain.interruption import Interruption
from core.domain.messages import Message
from core.domain.run import Run, Snapshot, StepResult
from core.domain.tool import ToolCall
from core.errors import StorageFailed
from core.persistence.surreal import SurrealStorage
from core.ports.storage import Chunk, Write
from tests.support.in_memory.storage import InMemoryStorage

T = TypeVar("T")


@dataclass(slots=True)
class Trouble:
    """Which calls of a store fail: those from number `at` on, `count` of them, counted from 1 once it is on.

    `is_applied`: a commit takes effect before it fails. `reads`: reads count too, else commits alone. `failed` says
    how many have failed.
    """

    at: int
    count: int = 1
    is_applied: bool = False
    reads: bool = False
    code: str = "storage_full"
    is_on: bool = False
    calls: int = 0
    failed: int = 0

    async def meet(self, call: Callable[[], Awaitable[T]], *, is_commit: bool = False) -> T:
        """Make the call, or fail."""
        if not self.is_on or not (is_commit or self.reads):
            return await call()
        self.calls += 1
        if not self.at <= self.calls < self.at + self.count:
            return await call()
        self.failed += 1
        if is_commit and self.is_applied:
            await call()
        raise StorageFailed(self.code, "a failure for the sake of a test")


class FailingMemory(InMemoryStorage):
    """The store in memory, in trouble."""

    trouble: Trouble

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        return await self.trouble.meet(lambda: InMemoryStorage.commit(self, writes), is_commit=True)

    async def run(self, run_id: RunId) -> Run | None:
        return await self.trouble.meet(lambda: InMemoryStorage.run(self, run_id))

    async def runs(self, **where: Any) -> list[Run]:
        return await self.trouble.meet(lambda: InMemoryStorage.runs(self, **where))

    async def messages(self, workflow_id: WorkflowId) -> list[Message]:
        return await self.trouble.meet(lambda: InMemoryStorage.messages(self, workflow_id))

    async def unfinished_runs(self) -> list[Run]:
        return await self.trouble.meet(lambda: InMemoryStorage.unfinished_runs(self))

    async def snapshot(self, run_id: RunId) -> Snapshot:
        return await self.trouble.meet(lambda: InMemoryStorage.snapshot(self, run_id))

    async def interruptions(self, run_id: RunId) -> list[Interruption]:
        return await self.trouble.meet(lambda: InMemoryStorage.interruptions(self, run_id))

    async def step_results(self, run_id: RunId, *, iterations: bool = True) -> list[StepResult]:
        return await self.trouble.meet(lambda: InMemoryStorage.step_results(self, run_id, iterations=iterations))

    async def tool_calls(self, run_id: RunId) -> list[ToolCall]:
        return await self.trouble.meet(lambda: InMemoryStorage.tool_calls(self, run_id))

    async def events(self, run_id: RunId) -> list[Event]:
        return await self.trouble.meet(lambda: InMemoryStorage.events(self, run_id))

    async def chunks(self, run_id: RunId) -> list[Chunk]:
        return await self.trouble.meet(lambda: InMemoryStorage.chunks(self, run_id))


class FailingSurreal(SurrealStorage):
    """The real store, whose commits are in trouble."""

    trouble: Trouble

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        return await self.trouble.meet(lambda: SurrealStorage.commit(self, writes), is_commit=True)
