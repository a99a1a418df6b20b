"""Reading what can be read of a store in doubt into a new store, and what is missing then.

The original is not touched: a process of its own opens copies of it. The engine opens a store with all the tables of
its manifest or not at all, so the copies differ in their manifests: the last one that was seen, the present one, each
without the tables that are damaged, and one of all tables that are there.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from core.backups.lenient_reading import readable_pages
from core.backups.salvage_manifest import decode_manifest, manifest_of_tables
from core.errors import StorageFailed
from core.persistence import dump
from core.persistence.connection import Connection
from core.persistence.folder import MANIFESTS, TABLES
from core.persistence.folder_copy import remove_folder
from core.persistence.manifest import FILE_NAME, Manifest
from core.persistence.probe import copied_store
from core.persistence.schema import migrate, version
from core.persistence.store_files import differences, engine_files, kind_of, read_manifest
from core.persistence.watch_file import DamagedWatchFile, Picture, WatchFile
from core.persistence.worker import Report
from core.persistence.worker_process import OnProgress, run_job
from core.threads.pieces import in_thread


@dataclass(slots=True)
class Salvaged:
    """What was read: numbers of rows by table, and rows and files that could not be read, in words."""

    rows: dict[str, int] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


async def salvage(store: Path, target: Path, on_progress: OnProgress | None = None) -> Salvaged:
    """Read what can be read of the store into a new store in `target`, and return what was read.

    Raises StorageFailed: `store_doubtful` if nothing can be read, and the failures of making copies.
    """
    picture = await asyncio.to_thread(_last_picture, store)
    damaged = await asyncio.to_thread(_damaged_files, store, picture)
    failure = "it has no tables and no log"
    for manifest in await asyncio.to_thread(_manifests, store, picture, damaged):
        await in_thread(remove_folder(target))
        async with copied_store(store) as copy:
            await asyncio.to_thread(_write_manifest, copy, manifest)
            try:
                found = await _run_salvage(copy, target, manifest, on_progress)
            except StorageFailed as error:
                if error.code == "storage_full":
                    raise
                failure = error.message
                continue
        return Salvaged(found["rows"], [*damaged, *found["missing"]])
    raise StorageFailed("store_doubtful", f"nothing of the store can be read: {failure}", folder=str(store))


async def _run_salvage(copy: Path, target: Path, manifest: Manifest, on_progress: OnProgress | None) -> dict[str, Any]:
    arguments = {"folder": str(copy), "target": str(target)}
    try:
        return await run_job("core.backups.salvage:salvage_job", on_progress, **arguments)
    except StorageFailed as error:
        # the engine compares the last number with the tables, and names the one it expects
        expected = re.search(r"computed from tables=(\d+)", error.message)
        if expected is None:
            raise
        fitting = replace(manifest, last_sequence=int(expected[1]))
        await asyncio.to_thread(_write_manifest, copy, fitting)
    return await run_job("core.backups.salvage:salvage_job", on_progress, **arguments)


async def salvage_job(report: Report, *, folder: str, target: str) -> dict[str, Any]:
    """Copy what can be read of the store in `folder`, which is thrown away, to a new store in `target`.

    Reports {rows}; returns the fields of Salvaged. Raises StorageFailed if the store cannot be opened or is empty.
    """
    source = await Connection.open_copy(Path(folder))
    if not await version(source):
        # the table that holds the definitions is lost: made again in the same order, they fit the rows that are left
        await migrate(source)
    stored = await version(source)
    salvaged, lost = Salvaged(), list[str]()
    connection = await dump.create_store(Path(target), stored)
    try:
        known = set(await dump.table_names(connection))

        async def pages() -> AsyncIterator[dump.Page]:
            async for table, rows in readable_pages(source, lost):
                if table in known:
                    salvaged.rows[table] = salvaged.rows.get(table, 0) + len(rows)
                    yield table, rows
                    report({"rows": sum(salvaged.rows.values())})

        await dump.load_pages(connection, pages())
        await migrate(connection)
        if not salvaged.rows.keys() - {"meta"}:
            raise StorageFailed("store_doubtful", "it has no rows that can be read")
    finally:
        await connection.close()
    salvaged.missing = [f"rows of {table}, at {count} damaged places" for table, count in Counter(lost).items()]
    return asdict(salvaged)


def _last_picture(store: Path) -> Picture:
    with suppress(OSError, DamagedWatchFile):
        return WatchFile(store).read()[0]
    return Picture()


def _damaged_files(store: Path, picture: Picture) -> list[str]:
    """Return the files that are missing or differ from the picture, in words."""
    with suppress(OSError):
        return [f"{each.name} ({each.kind})" for each in differences(store, picture, is_thorough=True)]
    return []


def _manifests(store: Path, picture: Picture, damaged: Sequence[str]) -> list[Manifest]:
    """Return manifests to try, the best first. Raises OSError."""
    files = engine_files(store)
    there = {int(Path(name).stem) for name in files if kind_of(name) == TABLES}
    bad = {int(Path(name.partition(" ")[0]).stem) for name in damaged if kind_of(name) == TABLES}
    known = [*_decoded([picture.manifest]), *_decoded([read_manifest(store)])]
    if not picture.is_clean:
        known.reverse()
    known.append(manifest_of_tables(there))
    complete = [manifest for manifest in known if manifest.tables <= there]
    return [*complete, *(manifest.without(bad | (manifest.tables - there)) for manifest in known)]


def _decoded(texts: Iterable[str]) -> Iterator[Manifest]:
    for text in texts:
        with suppress(ValueError):
            yield decode_manifest(bytes.fromhex(text))


def _write_manifest(copy: Path, manifest: Manifest) -> None:
    folder = copy / MANIFESTS
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / FILE_NAME).write_bytes(manifest.encode())
