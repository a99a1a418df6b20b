"""The backups of an open store: written to a file, and kept beside the store."""

import asyncio
import logging
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from core.backups.backup_file import BackupFile
from core.backups.checking import parse_report
from core.domain.backup import Backup, BackupReason, StoreReport
from core.errors import Refused
from core.persistence.connection import Connection
from core.persistence.failures import os_failure
from core.persistence.folder_copy import copied_folder
from core.persistence.worker_process import OnProgress, run_job

MAX_KEPT = 7
SUFFIX = ".jsonl.gz"

log = logging.getLogger(__name__)


class StoreBackups:
    """Implements `core.ports.Backups` for the store of a connection, whose folder has the `kept` backups beside it."""

    def __init__(self, connection: Connection, store: Path) -> None:
        self._connection = connection
        self._copy = store.with_name(f"{store.name}.copy")
        self._kept = kept_folder(store)
        self._working = asyncio.Lock()

    async def write(
        self, file: Path, reason: BackupReason, created_at: datetime, on_progress: OnProgress | None = None
    ) -> Backup:
        async with self._working, copied_folder(self._connection, self._copy) as folder:
            await write_copy(folder, file, reason, created_at, on_progress)
        return (await asyncio.to_thread(BackupFile, file)).info

    async def keep(
        self, reason: BackupReason, created_at: datetime, on_progress: OnProgress | None = None, *, only: bool = False
    ) -> Backup:
        file = await asyncio.to_thread(_free_name, self._kept, created_at)
        backup = await self.write(file, reason, created_at, on_progress)
        await asyncio.to_thread(_remove_old, self._kept, 1 if only else MAX_KEPT)
        return backup

    async def kept(self) -> list[Backup]:
        return await asyncio.to_thread(kept_backups, self._kept)

    async def describe(self, file: Path) -> Backup:
        return await describe(file)

    async def check(self, on_progress: OnProgress | None = None) -> StoreReport:
        async with self._working, copied_folder(self._connection, self._copy) as folder:
            return await check_copy(folder, on_progress)


async def write_copy(
    copy: Path, file: Path, reason: BackupReason, created_at: datetime, on_progress: OnProgress | None
) -> int:
    """Write a backup of the store in this folder, a copy that is thrown away (`jobs.write_backup`).

    Returns how many parts could not be read. Raises StorageFailed.
    """
    written = await run_job(
        "core.backups.jobs:write_backup",
        on_progress,
        folder=str(copy),
        file=str(file),
        reason=reason,
        created_at=created_at.isoformat(),
    )
    lost: int = written["lost"]
    return lost


async def check_copy(copy: Path, on_progress: OnProgress | None) -> StoreReport:
    """Read all of the store in this folder, a copy that is thrown away. Raises StorageFailed."""
    return parse_report(await run_job("core.backups.checking:check_store", on_progress, folder=str(copy)))


def kept_folder(store: Path) -> Path:
    """Return the folder of the kept backups of this store."""
    return store.with_name("backups")


async def describe(file: Path) -> Backup:
    """Return what the file says of itself, after comparing its checksum.

    Raises Refused `bad_backup`, and StorageFailed.
    """
    try:
        return await asyncio.to_thread(_describe, file)
    except OSError as error:
        raise os_failure(error) from error


def _describe(file: Path) -> Backup:
    backup = BackupFile(file)
    backup.check()
    return backup.info


def _free_name(folder: Path, created_at: datetime) -> Path:
    """Return a free name in the folder, created if missing. Names sort by time. Raises StorageFailed."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise os_failure(error) from error
    name = f"metier-{created_at.astimezone(UTC):%Y-%m-%d-%H%M%S}"
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(path for path in (folder / f"{name}{SUFFIX}" for name in names) if not path.exists())


def _files(folder: Path) -> list[Path]:
    """Return the files of kept backups, newest first."""
    return sorted(folder.glob(f"metier-*{SUFFIX}"), reverse=True)


def kept_backups(folder: Path) -> list[Backup]:
    """Return the backups in their folder that can be read, newest first. Blocks on the disk."""
    backups = []
    for path in _files(folder):
        try:
            backups.append(BackupFile(path).info)
        except (OSError, Refused) as error:
            log.warning("the backup %s cannot be read: %s", path.name, error)
    return backups


def _remove_old(folder: Path, kept: int) -> None:
    for path in [*_files(folder)[kept:], *folder.glob(f".metier-*{SUFFIX}.part")]:
        with suppress(OSError):  # it is tried again with the next backup
            path.unlink()
