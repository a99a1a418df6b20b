"""A store in memory that takes its time, may be full, and may be where the process dies."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from core.domain.ids import RunId
from core.domain.run import Run
from core.errors import StorageFailed
from core.ports import Write
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.in_memory.tables import Tables
from tests.support.intercepted import intercept_reads

Json = dict[str, Any]


class FaultyDisk(InMemoryStorage):
    """The store of one process. Commits take effect one after the other, in the order in which they were asked for.

    `crash_at`: the number of the commit at which the process dies, and whether that commit still takes effect.
    `commits` counts over all processes, so that a full disk is full at the same place.
    """

    def __init__(self, tables: Tables, rng: random.Random, plan: Json, commits: int = 0) -> None:
        super().__init__(tables)
        self.tables = tables
        self.commits = commits
        self.own_commits = 0
        self.at_work = 0
        self.failed = 0
        self.crash_at: tuple[int, bool] | None = None
        self.on_crash: Callable[[], object] = lambda: None
        self._rng = rng
        self._ms: list[float] = plan["ms"]
        self._full: list[Json] = plan["full"]
        self._writer = asyncio.Lock()
        self._is_dead = False
        intercept_reads(self, self._slowly, {"runs": ("get", "page")})
        intercept_reads(self, self._held_up, {"runs": ("unfinished",), "events": ("of_run",)})
        names = ("snapshots", "chunks")
        intercept_reads(self, self._late, dict.fromkeys(names, ("of_run",)))

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        self.at_work += 1
        try:
            async with self._writer:
                return await self._commit(writes)
        finally:
            self.at_work -= 1

    async def _commit(self, writes: Sequence[Write]) -> frozenset[int]:
        self.commits += 1
        self.own_commits += 1
        await self._take_time()
        crash = self.crash_at is not None and self.own_commits > self.crash_at[0]
        if crash and self.crash_at and not self.crash_at[1]:
            await self._die()
        if (full := self._is_full()) is not None and not full["applied"]:
            self.failed += 1
            raise StorageFailed("storage_full", "the simulated disk is full")
        lost = self.tables.apply(writes) if not self._is_dead else frozenset[int]()
        if crash:
            await self._die()
        await self._take_time()
        if full is not None:
            self.failed += 1
            raise StorageFailed("storage_full", "the simulated disk is full, though what was written is there")
        return lost

    def die(self) -> None:
        """Nothing reaches the disk any more."""
        self._is_dead = True

    async def _die(self) -> None:
        self.die()
        self.on_crash()
        await asyncio.Event().wait()

    async def _take_time(self) -> None:
        if self._is_dead:
            await asyncio.Event().wait()
        if (ms := self._rng.choice(self._ms)) > 0:
            await asyncio.sleep(ms / 1000)

    def _is_full(self) -> Json | None:
        number = self.commits - 1
        return next((each for each in self._full if each["at"] <= number < each["at"] + each["count"]), None)

    # Reading takes time too: what is read may be old when it arrives.

    async def _slowly(self, call: Callable[[], Awaitable[Any]]) -> Any:
        await self._take_time()
        found = await call()
        await self._take_time()
        return found

    async def _late(self, call: Callable[[], Awaitable[Any]]) -> Any:
        await self._take_time()
        return await call()

    async def _held_up(self, call: Callable[[], Awaitable[Any]]) -> Any:
        found = await call()
        await self._take_time()
        return found


def stored_run(tables: Tables, run_id: RunId | None) -> Run | None:
    """The row as it is on disk at this moment."""
    found = tables.runs.get(run_id) if run_id is not None else None
    return found[1] if found else None
