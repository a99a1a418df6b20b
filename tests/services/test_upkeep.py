"""When the store is rebuilt by itself: in a pause, after a deletion or when its files have grown."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from core.errors import StorageFailed
from core.ports import OnUpkeepProgress, UpkeepNote
from core.services.outcome import Failed, Ok
from core.services.store_work import WorkState
from core.services.upkeep import IDLE_LOOKS, LOOK_S, SMALL_BYTES, UpkeepService
from tests.support.clock import loop_clock

PAUSE_S = LOOK_S * (IDLE_LOOKS + 1)


class Files:
    """The files of a store that counts its rebuilds."""

    def __init__(self, *, stored: int = 1000, live: int = 900, has_deleted: bool = False) -> None:
        self.stored = stored
        self.live = live
        self.noted = UpkeepNote(has_deleted)
        self.rebuilds = 0
        self.measured = 0
        self.failure: StorageFailed | None = None

    async def note(self) -> UpkeepNote:
        return self.noted

    async def stored_bytes(self) -> int:
        return self.stored

    async def live_bytes(self) -> int:
        self.measured += 1
        return self.live

    async def rebuild(self, now: datetime, on_progress: OnUpkeepProgress) -> None:
        self.rebuilds += 1
        on_progress({"rows": 1, "of": 2})
        await asyncio.sleep(1)
        if self.failure is not None:
            raise self.failure
        self.stored = self.live
        self.noted = UpkeepNote(False, now, self.stored)


class Work:
    is_busy = False


@asynccontextmanager
async def looked_after(files: Files, work: Work | None = None) -> AsyncIterator[UpkeepService]:
    at_work = work or Work()
    async with UpkeepService(files, loop_clock(), lambda: at_work.is_busy) as service:
        service.start()
        yield service


async def test_what_was_deleted_leaves_the_files_in_the_next_pause() -> None:
    work, files = Work(), Files(has_deleted=True)
    work.is_busy = True
    async with looked_after(files, work):
        await asyncio.sleep(PAUSE_S)
        assert files.rebuilds == 0
        work.is_busy = False
        await asyncio.sleep(PAUSE_S)
        assert files.rebuilds == 1
        await asyncio.sleep(PAUSE_S)
        assert files.rebuilds == 1


async def test_a_large_store_is_rebuilt_at_most_once_a_day() -> None:
    files = Files(stored=3 * SMALL_BYTES, live=2 * SMALL_BYTES, has_deleted=True)
    async with looked_after(files):
        await asyncio.sleep(PAUSE_S)
        files.noted = UpkeepNote(True, files.noted.rebuilt_at, files.noted.rebuilt_bytes)
        await asyncio.sleep(12 * 3600)
        assert files.rebuilds == 1
        await asyncio.sleep(12 * 3600)
        assert files.rebuilds == 2


async def test_a_store_is_rebuilt_when_its_files_are_far_larger_than_its_rows() -> None:
    grown, full = Files(stored=4 * SMALL_BYTES, live=SMALL_BYTES), Files(stored=4 * SMALL_BYTES, live=3 * SMALL_BYTES)
    async with looked_after(grown), looked_after(full):
        await asyncio.sleep(10 * PAUSE_S)
    assert (grown.rebuilds, full.rebuilds) == (1, 0)
    assert full.measured == 1  # again only when it has grown


async def test_a_rebuild_shows_its_progress_and_its_failure() -> None:
    files, states = Files(has_deleted=True), list[WorkState]()
    files.failure = StorageFailed("storage_full", "no room")
    async with looked_after(files) as service:
        service.changed.connect(lambda: states.append(service.state))
        assert isinstance(await service.rebuild(), Failed)
        assert [state.done for state in states] == [0, 1, None]
        assert service.state.failure is not None
        assert service.state.failure.code == "storage_full"
        files.failure = None
        done = await service.rebuild()
        assert isinstance(done, Ok)
        assert not done.data.has_deleted
        assert service.state == WorkState()


async def test_leaving_cuts_a_rebuild_off() -> None:
    files = Files(has_deleted=True)
    async with looked_after(files):
        await asyncio.sleep(LOOK_S * IDLE_LOOKS + 0.5)
        assert files.rebuilds == 1
    assert files.noted.has_deleted


async def test_a_store_in_memory_has_no_upkeep() -> None:
    async with UpkeepService(None, loop_clock(), lambda: False) as service:
        service.start()
        size = await service.size()
        assert isinstance(size, Failed)
        assert size.code == "not_available"
