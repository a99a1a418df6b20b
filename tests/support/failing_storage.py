"""Stores whose n-th call fails: before anything was written, or after, though it is told as failed."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.errors import StorageFailed
from core.persistence.surreal import SurrealStorage
from core.ports import Write
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.in_memory.tables import Tables
from tests.support.intercepted import intercept_reads

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

    def __init__(self, tables: Tables | None = None) -> None:
        super().__init__(tables)
        intercept_reads(self, lambda call: self.trouble.meet(call))  # noqa: PLW0108  # `trouble` comes later

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        return await self.trouble.meet(lambda: InMemoryStorage.commit(self, writes), is_commit=True)


class FailingSurreal(SurrealStorage):
    """The real store, whose commits are in trouble."""

    trouble: Trouble

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        return await self.trouble.meet(lambda: SurrealStorage.commit(self, writes), is_commit=True)
