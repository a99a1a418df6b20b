"""Upkeep of the store: what is deleted leaves its files within a day, and they do not grow far beyond what is live."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from core.errors import MetierError, Refused, StorageFailed
from core.ports import Clock, Upkeep, UpkeepNote
from core.services.outcome import Failed, returns_outcome
from core.services.store_work import StoreWork, WorkState

LOOK_S = 60.0
IDLE_LOOKS = 3
"""So many looks in a row find no step at work before a rebuild begins by itself."""
SOON, DAILY = timedelta(minutes=15), timedelta(hours=20)
"""The least time between two rebuilds: of a small store, and of a large one."""
SMALL_BYTES = 128 * 1024 * 1024
GROWTH = 2.0
"""A store is rebuilt when its files are this many times as large as what is live."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoreSize:
    """The size of the store's files, and whether they may hold texts that were deleted."""

    stored_bytes: int
    has_deleted: bool


class UpkeepService(StoreWork):
    """An async context manager. `changed` is emitted when `state` has changed.

    Without `upkeep`, for a store in memory, requests fail with `not_available`. `is_busy` returns whether steps are
    running.
    """

    def __init__(self, upkeep: Upkeep | None, clock: Clock, is_busy: Callable[[], bool]) -> None:
        super().__init__()
        self._given = upkeep
        self._clock = clock
        self._is_busy = is_busy
        self._lock = asyncio.Lock()
        self._measured_bytes = 0

    def start(self) -> None:
        """Begin to look after the store; a second call has no effect."""
        if self._given is not None and self._task is None:
            self._begin(self._look_after(self._given), "upkeep of the store")

    @returns_outcome
    async def size(self) -> StoreSize:
        """Return the size of the store."""
        return StoreSize(await self._upkeep.stored_bytes(), (await self._upkeep.note()).has_deleted)

    @returns_outcome
    async def rebuild(self) -> StoreSize:
        """Rebuild the store now. Cancelling leaves it as it was. Fails with `storage_busy` and those of the disk."""
        await self._rebuild(self._upkeep)
        return StoreSize(await self._upkeep.stored_bytes(), (await self._upkeep.note()).has_deleted)

    @property
    def _upkeep(self) -> Upkeep:
        if self._given is None:
            raise Refused("not_available", "a store in memory has no files")
        return self._given

    async def _look_after(self, upkeep: Upkeep) -> None:
        idle = 0
        while True:
            await self._clock.sleep(LOOK_S)
            idle = 0 if self._is_busy() else idle + 1
            if idle < IDLE_LOOKS:
                continue
            try:
                if await self._is_due(upkeep):
                    await self._rebuild(upkeep)
            except MetierError as error:
                log.warning("the store was not rebuilt: %s", error.message)
                idle = -10 * IDLE_LOOKS

    async def _is_due(self, upkeep: Upkeep) -> bool:
        note, stored = await upkeep.note(), await upkeep.stored_bytes()
        if note.rebuilt_at is not None:
            since = self._clock.now() - note.rebuilt_at
            if timedelta() <= since < (SOON if stored < SMALL_BYTES else DAILY):
                return False
        return note.has_deleted or await self._has_grown(upkeep, note, stored)

    async def _has_grown(self, upkeep: Upkeep, note: UpkeepNote, stored: int) -> bool:
        """Return whether the files are far larger than what is live, which is only measured when they have grown."""
        if stored < SMALL_BYTES or stored < GROWTH * max(note.rebuilt_bytes, self._measured_bytes):
            return False
        self._measured_bytes = stored
        async with self._lock:  # a rebuild at the user's request has its snapshot in the same place
            return stored > GROWTH * await upkeep.live_bytes()

    async def _rebuild(self, upkeep: Upkeep) -> None:
        async with self._lock:
            self._set_state(WorkState(done=0))
            failure = None
            try:
                await upkeep.rebuild(self._clock.now(), self._on_progress)
            except StorageFailed as error:
                failure = Failed.of(error)
                raise
            finally:
                self._set_state(WorkState(failure=failure))
