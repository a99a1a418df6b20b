"""A handle of the embedded engine: opening, executing queries, closing."""

import asyncio
from pathlib import Path
from typing import Any

from core.errors import StorageFailed
from core.persistence.driver import AsyncSurreal, SurrealError
from core.persistence.failures import Conflict, statement_results, storage_failure
from core.persistence.folder import private_files, wal_bytes
from core.persistence.statements import Query

DATABASE = "metier"  # of the namespace and of the database in it
CONFLICT_RETRIES = 5
UNLOCK_TRIES, UNLOCK_DELAY_S = 40, 0.05


async def open_with_empty_log(path: Path, tries: int = 1) -> Any:
    """Open the store so that the next write starts a new log. Raises StorageFailed."""
    is_unclean = wal_bytes(path) > 0
    handle = await open_handle(path, tries)
    if not is_unclean:
        return handle
    await close_handle(handle)
    if wal_bytes(path) > 0:
        raise StorageFailed("storage_full", "the log of the previous process could not be written to the tables")
    return await open_handle(path, UNLOCK_TRIES)


async def open_handle(path: Path, tries: int = UNLOCK_TRIES) -> Any:
    """Return a connected handle. The engine releases its lock shortly after closing, hence `tries`.

    Blocks the loop (and the GIL) for 5 to 50 ms, and for seconds if tables are due to be merged (see `upkeep`).
    """
    while (handle := _lock_store(path, is_last=tries <= 1)) is None:
        tries -= 1
        await asyncio.sleep(UNLOCK_DELAY_S)
    try:
        await handle.connect()
        await handle.use(DATABASE, DATABASE)
    except BaseException as error:  # a handle that is dropped, not closed, keeps the store locked
        await close_handle(handle)
        if isinstance(error, SurrealError):
            raise storage_failure([str(error)]) from error
        raise
    return handle


def _lock_store(path: Path, *, is_last: bool) -> Any:
    """Lock the store, or return None if it is in use and another try follows."""
    try:
        with private_files():
            return AsyncSurreal(f"surrealkv://{path.as_posix()}")
    except SurrealError as error:
        failed = storage_failure([str(error)])
        if failed.code == "in_use" and not is_last:
            return None
        raise failed from error


async def execute(handle: Any, query: Query, conflicts: int = CONFLICT_RETRIES) -> list[Any]:
    """Return the results of the query's statements. Raises StorageFailed."""
    try:
        response = handle.query_raw(query.text, query.variables)
        # The driver encodes within the call, so a long text would block the loop: it gets a loop of its own in a
        # thread.
        return statement_results(await (asyncio.to_thread(asyncio.run, response) if query.is_long else response))
    except Conflict as conflict:
        if conflicts == 0:
            raise storage_failure(["too many conflicts"]) from conflict
        return await execute(handle, query, conflicts - 1)
    except SurrealError as error:
        raise storage_failure([str(error)]) from error
    except (TypeError, ValueError, OverflowError) as error:  # how the driver refuses what it cannot encode
        raise storage_failure([f"a value cannot be stored: {error}"]) from error


async def close_handle(handle: Any) -> None:
    """Write the log into the tables and release the store. Raises StorageFailed."""
    try:
        await handle.close()
    except SurrealError as error:
        raise storage_failure([str(error)]) from error
