"""Rebuilding the store: all live rows in a new store, which takes the place of the old store.

The engine never gives back the space of deleted and replaced values over 4 KB, and keeps what is deleted in its files
until it happens to merge them. So another process copies all rows of a snapshot into a new store, while commits go on
and are recorded; the new store repeats them, and is exchanged for the old store while commits wait.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from core.errors import StorageFailed
from core.persistence import dump, schema
from core.persistence.connection import Connection
from core.persistence.engine_handle import close_handle, execute, open_handle
from core.persistence.folder import wal_bytes
from core.persistence.folder_copy import copied_folder
from core.persistence.manifest import is_merge_due
from core.persistence.replacement import building_folder, discard_unfinished, snapshot_folder
from core.persistence.statements import CommitRecord
from core.persistence.worker import Report
from core.persistence.worker_process import run_job

BUILD_JOB, MEASURE_JOB = "core.persistence.rebuild:build", "core.persistence.rebuild:measure"
LAST_COMMITS = 20  # so many may wait for the exchange
_SIZE = f"RETURN math::sum((SELECT VALUE {dump.ROW_BYTES} FROM type::table($table)))"

OnProgress = Callable[[dict[str, Any]], object]


async def rebuild(connection: Connection, on_progress: OnProgress | None = None) -> None:
    """Rebuild the store; `on_progress` gets {rows, of}. Cancelling leaves the store as it was.

    Raises StorageFailed: nothing was changed, or the disk failed during the exchange, and the next commit opens the old
    store or the new store.
    """
    await asyncio.to_thread(discard_unfinished, connection.path)
    async with _snapshot(connection) as (snapshot, record):
        building = building_folder(connection.path)
        try:
            await run_job(BUILD_JOB, on_progress, folder=str(snapshot), target=str(building))
            await _exchange(connection, building, record)
        finally:
            await asyncio.to_thread(discard_unfinished, connection.path)


async def live_bytes(connection: Connection) -> int:
    """Return the size of all rows, without what the files hold beside them. Raises StorageFailed."""
    async with _snapshot(connection) as (snapshot, _):
        measured = await run_job(MEASURE_JOB, folder=str(snapshot))
        size: int = measured["bytes"]
        return size


async def _exchange(connection: Connection, building: Path, record: CommitRecord) -> None:
    """Repeat the recorded commits in the new store, and put it in place."""
    handle = await open_handle(building)
    try:
        while len(record.queries) > LAST_COMMITS:
            await _repeat(handle, record)

        async def finish() -> None:
            nonlocal handle
            await _repeat(handle, record)
            last, handle = handle, None
            await close_handle(last)

        await connection.exchange(finish)
    finally:
        if handle is not None:
            await close_handle(handle)


async def _repeat(handle: Any, record: CommitRecord) -> None:
    if record.is_broken:
        raise StorageFailed("storage_busy", "too much was written while the store was rebuilt, or a commit failed")
    queries, record.queries[:] = record.queries[:], []
    for query in queries:
        await execute(handle, query)


@asynccontextmanager
async def _snapshot(connection: Connection) -> AsyncIterator[tuple[Path, CommitRecord]]:
    """Yield a copy of the store's folder as it is after one commit, and a record of the commits after it."""
    record = CommitRecord()
    try:
        folder = snapshot_folder(connection.path)
        async with copied_folder(connection, folder, lambda: connection.record_commits(record)) as copy:
            yield copy, record
    finally:
        connection.record_commits(None)


async def build(report: Report, *, folder: str, target: str) -> dict[str, Any]:
    """Copy all rows of the store in `folder`, a copy, into a new store in `target`. A job; reports {rows, of}."""
    source = await Connection.open_copy(Path(folder))
    progress = dump.Progress(report, await dump.count_rows(source))
    new = await dump.create_store(Path(target), await schema.version(source))
    digests = await dump.load_pages(new, _counted(dump.read_pages(source), progress))
    await dump.verify(new, digests)
    await new.close()
    if wal_bytes(Path(target)):
        raise StorageFailed("storage_full", "the new store could not be written to its end")
    while is_merge_due(Path(target)):
        await close_handle(await open_handle(Path(target)))
    return {}


async def measure(_: Report, *, folder: str) -> dict[str, Any]:
    """Return {bytes}, the size of all rows of the store in `folder`, a copy. A job."""
    source = await Connection.open_copy(Path(folder))
    sizes = [await source.read(_SIZE, {"table": table}) for table in await dump.table_names(source)]
    return {"bytes": sum(sizes)}


async def _counted(pages: AsyncIterator[dump.Page], progress: dump.Progress) -> AsyncIterator[dump.Page]:
    async for page in pages:
        yield page
        progress.add(len(page[1]))
