"""What the engine finds in a store: looked up in a copy, by a process of its own.

A damaged manifest makes the engine abort the process, and opening a store changes its files.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.errors import StorageFailed
from core.persistence.connection import COMMIT_ROW, Connection
from core.persistence.dump import ROW_BYTES, table_names
from core.persistence.failures import os_failure
from core.persistence.folder_copy import FolderCopy, remove_folder
from core.persistence.keys import record_id
from core.persistence.open_store import CHECKPOINT_ROW
from core.persistence.watch_file import Mark
from core.persistence.worker_process import run_job
from core.threads.pieces import in_thread

_READ_ALL = f"RETURN count(SELECT VALUE {ROW_BYTES} FROM type::table($table))"


@dataclass(frozen=True, slots=True)
class Findings:
    """What a store was found to be. `failure` is why it could not be opened, in the engine's words.

    `schema` is 0 for a store without tables, and None for tables without a version. `mark_number` is the number in the
    row of the mark. `unreadable` are the tables that could not be read to their ends.
    """

    failure: str = ""
    schema: int | None = 0
    number: int = 0
    checkpoint: int = 0
    mark_number: int | None = None
    counters: dict[str, int] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Return whether the store was opened and has a version and readable rows."""
        return not self.failure and not self.unreadable and bool(self.schema)


async def probe(store: Path, mark: Mark, *, reads_all: bool) -> Findings:
    """Return what the engine finds in a copy of the closed store. `reads_all`: each row is read, not only a few.

    Raises StorageFailed `storage_full`, `storage_not_writable`, `storage_not_readable` if no copy can be made.
    """
    async with copied_store(store) as copy:
        return await probe_copy(copy, mark, reads_all=reads_all)


async def probe_copy(copy: Path, mark: Mark, *, reads_all: bool) -> Findings:
    """Return what the engine finds in the folder, which it may change. Raises StorageFailed as `probe` does."""
    try:
        found = await run_job(
            "core.persistence.probe:probe_job", folder=str(copy), mark=mark.row and list(mark.row), reads_all=reads_all
        )
    except StorageFailed as error:
        if error.code == "storage_full":  # any other is the copy's: a missing file of it is no missing permission
            raise
        return Findings(failure=error.message)
    return Findings(**{**found, "unreadable": tuple(found["unreadable"])})


async def probe_job(_: Any, folder: str, mark: list[Any] | None, *, reads_all: bool) -> dict[str, Any]:
    """Open the folder, and return the fields of Findings. The process then ends without closing the store."""
    connection = await Connection.open_copy(Path(folder))
    tables = await table_names(connection)
    if not tables:
        return asdict(Findings())
    schema = await _field(connection, "meta", "schema", "version") if "meta" in tables else None
    numbers = [await _field(connection, *row, "commit") or 0 for row in (COMMIT_ROW, CHECKPOINT_ROW)]
    return asdict(
        Findings(
            schema=schema,
            number=max(numbers),
            checkpoint=numbers[1],
            mark_number=await _field(connection, mark[0], mark[1], "commit") if mark else None,
            counters=await connection.counters(),
            unreadable=tuple([name for name in tables if not await _is_readable(connection, name)])
            if reads_all
            else (),
        )
    )


@asynccontextmanager
async def copied_store(store: Path) -> AsyncIterator[Path]:
    """Yield a copy of the closed store, beside it or in the system's temporary folder; remove it at the end.

    What the engine never changes is linked where the file system can. Raises StorageFailed.
    """
    beside = store.with_name(f"{store.name}.copy")
    await in_thread(remove_folder(beside))
    try:
        try:
            await in_thread(FolderCopy(store, beside).update_until_stable())
            yield beside
            return
        except OSError as error:
            if error.filename and Path(error.filename).is_relative_to(store):
                raise os_failure(error, is_reading=True) from error
        finally:
            await in_thread(remove_folder(beside))
        with TemporaryDirectory(prefix="metier-", ignore_cleanup_errors=True) as folder:
            copy = Path(folder, "store")
            await in_thread(FolderCopy(store, copy).update_until_stable())
            yield copy
    except OSError as error:
        raise os_failure(error) from error


async def _field(connection: Connection, table: str, key: Any, name: str) -> int | None:
    try:
        row = await connection.read("SELECT * FROM ONLY $id", {"id": record_id(table, key)})
    except StorageFailed:
        return None
    value = row.get(name) if row else None
    return value if isinstance(value, int) else None


async def _is_readable(connection: Connection, table: str) -> bool:
    try:
        await connection.read(_READ_ALL, {"table": table})
    except StorageFailed:
        return False
    return True
