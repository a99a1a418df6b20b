"""Writing a backup and loading it into a new store: jobs of the process for work on whole stores."""

import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from datetime import datetime
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.backups.backup_file import BackupFile, BackupWriter, bad_backup
from core.backups.lenient_reading import readable_pages
from core.domain.backup import Backup, BackupReason
from core.domain.run import RunStatus
from core.errors import StorageFailed
from core.persistence import dump, schema
from core.persistence.connection import Connection
from core.persistence.facts_migration import migrate_to_facts
from core.persistence.failures import os_failure
from core.persistence.statements import Row, Statement
from core.persistence.worker import Report
from core.threads.files import sync_folder

# What a run did after the backup is not known. To go on with it could repeat all of that, so recovery ends it instead
# (`core.engine.runs.recovered_run.RESTORED_MARK`); the user can continue it.
_MARK_RESTORED = "UPDATE run SET unclean_ends = -1 WHERE status IN $argument RETURN NONE"
SPARE_BYTES = 16 * 1024 * 1024


async def write_backup(report: Report, *, folder: str, file: str, reason: str, created_at: str) -> dict[str, Any]:
    """Write the rows of the store in `folder`, a copy that is thrown away, to `file`, and read them back.

    The file appears under its name when it is complete, verified and durable; a file of that name is replaced. A
    salvage leaves out what cannot be read. Reports {rows, of}. Returns {lost}: how many parts were left out. Raises
    StorageFailed.
    """
    target = Path(file)
    part = target.with_name(f".{target.name}.part")
    try:
        connection = await Connection.open_copy(Path(folder))
        version = await schema.version(connection)
        if version == 0:
            raise StorageFailed("store_doubtful", "the store is empty")
        engine, app = _release("surrealdb"), _release("metier")
        writer = BackupWriter(part, BackupReason(reason), datetime.fromisoformat(created_at), version, engine, app)
        try:
            lost = await _write_rows(connection, writer, report, is_lenient=reason == BackupReason.SALVAGE)
        finally:
            writer.close()
        _verify(part)
        part.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise os_failure(error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return {"lost": len(lost)}


async def _write_rows(connection: Connection, writer: BackupWriter, report: Report, *, is_lenient: bool) -> list[str]:
    digests, workflows, runs = dump.Digests(), 0, 0
    progress = dump.Progress(report, await dump.count_rows(connection))
    lost: list[str] = []  # a table for each part
    pages = readable_pages(connection, lost) if is_lenient else dump.read_pages(connection)
    async for table, rows in pages:
        writer.add(digests.add(table, rows))
        workflows += _count_without("discarded_at", rows) if table == "workflow" else 0
        runs += _count_without("root", rows) if table == "run" else 0
        progress.add(len(rows))
    writer.finish(digests, workflows, runs)
    return lost


def _verify(path: Path) -> None:
    """Read the file back. Raises StorageFailed if it does not hold what was read of the store."""
    file, digests = BackupFile(path), dump.Digests()
    file.check()
    for table, rows in file.pages():
        digests.add(table, rows)
    if differing := digests.differing(file.digests):
        raise StorageFailed("storage_failed", f"the backup does not hold what was written: {', '.join(differing)}")


async def load_backup(report: Report, *, file: str, folder: str) -> dict[str, Any]:
    """Load a backup into a new store in `folder`, bring it to the current version, and close it.

    Reports {rows, of}. Returns {}. Raises Refused `bad_backup`, and StorageFailed; then the folder is of no use.
    """
    try:
        backup = BackupFile(Path(file))
        check_restorable(backup.info, Path(folder).parent)
        backup.check()
        connection = await _load_store(backup, Path(folder), report)
        try:
            await connection.commit([Statement(_MARK_RESTORED, [RunStatus.RUNNING, RunStatus.ENQUEUED])])
        finally:
            await connection.close()
    except OSError as error:
        raise os_failure(error) from error
    return {}


async def _load_store(backup: BackupFile, folder: Path, report: Report) -> Connection:
    """Load the backup into a new store in the folder, and bring it to the current version."""
    if backup.info.schema >= schema.FACTS_VERSION:
        connection = await dump.create_store(folder, backup.info.schema)
        try:
            await _load_rows(connection, backup, report)
            await schema.migrate(connection)
        except BaseException:
            await connection.close()
            raise
        return connection
    with TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}.", ignore_cleanup_errors=True) as earlier:
        source = await dump.create_store(Path(earlier, "store"), backup.info.schema)
        try:
            await _load_rows(source, backup, report)
            connection = await dump.create_store(folder)
            try:
                await migrate_to_facts(source, connection)
            except BaseException:
                await connection.close()
                raise
        finally:
            await source.close()
    return connection


async def _load_rows(connection: Connection, backup: BackupFile, report: Report) -> None:
    names = set(await dump.table_names(connection))
    progress = dump.Progress(report, sum(backup.info.rows.values()))

    async def pages() -> AsyncIterator[dump.Page]:
        for table, rows in backup.pages():
            if table not in names:
                raise bad_backup("changed", f"a store of version {backup.info.schema} has no table {table!r}")
            yield table, rows
            progress.add(len(rows))

    if (await dump.load_pages(connection, pages())).differing(backup.digests):
        raise bad_backup("changed", "the rows differ from what the file announces")
    if differing := (await dump.digests_of(connection)).differing(backup.digests):
        raise bad_backup("changed", f"the restored rows differ: {', '.join(differing)}")


def check_restorable(info: Backup, folder: Path) -> None:
    """Raise Refused `bad_backup` for a backup of a later release, and StorageFailed `storage_full` if it does not fit.

    Raises OSError.
    """
    if info.schema > schema.VERSION:
        raise bad_backup(
            "newer", f"the backup has version {info.schema}, this release supports version {schema.VERSION}"
        )
    if info.schema not in {migration.number for migration in schema.MIGRATIONS}:
        raise bad_backup("changed", f"there is no version {info.schema}")
    free = shutil.disk_usage(folder).free
    if info.content_bytes + SPARE_BYTES > free:
        raise StorageFailed(
            "storage_full",
            f"the backup unpacks to {info.content_bytes} bytes, and {free} are free",
            needed=info.content_bytes,
            free=free,
        )


def _count_without(field: str, rows: Iterable[Row]) -> int:
    return sum(row.get(field) is None for row in rows)


def _release(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # in the built app
        return ""
