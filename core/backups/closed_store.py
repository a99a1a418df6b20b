"""Backing up, restoring and checking a store that no process has open."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.backups import restoring
from core.backups.store_backups import check_copy, describe, write_copy
from core.domain.backup import Backup, BackupReason, StoreReport
from core.errors import Refused, StorageFailed
from core.persistence.failures import os_failure
from core.persistence.open_store import locked
from core.persistence.probe import copied_store
from core.persistence.store_check import checked, doubt_of
from core.persistence.store_files import engine_files
from core.persistence.watch_file import WatchFile
from core.persistence.worker_process import OnProgress
from core.threads.files import make_private_folder

_OF_THE_STORE = frozenset({"worker_gone", "storage_failed", "storage_stalled", "store_doubtful"})


@dataclass(frozen=True, slots=True)
class ClosedStoreReport:
    """What a check has found. `doubt` is why the store would not be opened; `report` is None if no copy of it could be
    opened either. `lost` counts the parts that are not in the backup `salvaged`.
    """

    doubt: StorageFailed | None
    report: StoreReport | None
    salvaged: Backup | None = None
    lost: int = 0


async def back_up(store: Path, file: Path, at: datetime, on_progress: OnProgress | None = None) -> Backup:
    """Write a backup of the store to the file, which is replaced. Raises Refused `no_data` and StorageFailed."""
    async with _locked_data(store):
        await checked(store)
        await _write(store, file, BackupReason.REQUEST, at, on_progress)
    return await describe(file)


async def restore(store: Path, file: Path, on_progress: OnProgress | None = None) -> tuple[Backup, Path | None]:
    """Restore the backup as the store in this folder, created if missing.

    Returns where a previous store was set aside. Raises Refused `bad_backup` and StorageFailed;
    then nothing has changed.
    """
    backup = await describe(file)
    try:
        await asyncio.to_thread(make_private_folder, store.parent)
    except OSError as error:
        raise os_failure(error) from error
    async with locked(store):
        return backup, await restoring.restore(store, file, on_progress)


async def check(
    store: Path, salvage: Path | None, at: datetime, on_progress: OnProgress | None = None
) -> ClosedStoreReport:
    """Read all of a store, and write what can be read to the file `salvage`, if given. Changes nothing.

    Raises Refused `no_data`, and StorageFailed for other reasons than the state of the store.
    """
    report: StoreReport | None = None
    async with _locked_data(store):
        doubt = await doubt_of(store)
        try:
            report = await _read(store, on_progress)
            if salvage is None:
                return ClosedStoreReport(doubt, report)
            lost = await _write(store, salvage, BackupReason.SALVAGE, at, on_progress)
        except StorageFailed as error:
            if error.code not in _OF_THE_STORE:
                raise
            return ClosedStoreReport(doubt or error, report)
        return ClosedStoreReport(doubt, report, await describe(salvage), lost)


async def _read(store: Path, on_progress: OnProgress | None) -> StoreReport:
    async with copied_store(store) as copy:
        return await check_copy(copy, on_progress)


async def _write(store: Path, file: Path, reason: BackupReason, at: datetime, on_progress: OnProgress | None) -> int:
    async with copied_store(store) as copy:
        return await write_copy(copy, file, reason, at, on_progress)


@asynccontextmanager
async def _locked_data(store: Path) -> AsyncIterator[None]:
    """Hold the lock of a store that exists. Raises Refused `no_data`, and StorageFailed."""
    try:
        has_data = bool(await asyncio.to_thread(engine_files, store)) or WatchFile.exists(store)
    except OSError as error:
        raise os_failure(error, is_reading=True) from error
    if not has_data:
        raise Refused("no_data", f"there is no data in {store.parent}")
    async with locked(store):
        yield
