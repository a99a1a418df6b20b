"""The engine's list of its tables, by level: read, never written.

The engine merges tables when it is opened with four or more of them in level 0, or with 256 MB or more in level 1, ten
times as much in level 2 and so on: once at each opening, before its constructor returns. It holds the GIL meanwhile,
0.7 s for 126 MB. `merge` does that in another process.
"""

import struct
from pathlib import Path
from typing import Any

from core.persistence.engine_handle import UNLOCK_TRIES, close_handle, open_handle
from core.persistence.worker import Report

MERGE_TABLES = 4
LEVEL_BYTES, LEVEL_FACTOR = 256 * 1024 * 1024, 10
MERGE_BYTES = 8 * 1024 * 1024  # less is merged within 50 ms
_HEADER = struct.Struct(">HQQQB")  # format, next table, log number, last sequence, number of levels
_FORMAT = 1
_TRIES = 1200


def tables_by_level(store: Path) -> list[list[int]]:
    """Return the numbers of the tables in each level, from 0. Raises OSError, or ValueError for an unknown form."""
    data = (store / "manifest" / f"{0:020}.manifest").read_bytes()
    try:
        version, *_, levels = _HEADER.unpack_from(data)
        offset, tables = _HEADER.size, []
        for _ in range(levels):
            (count,) = struct.unpack_from(">I", data, offset)
            tables.append(list(struct.unpack_from(f">{count}Q", data, offset + 4)))
            offset += 4 + 8 * count
    except struct.error as error:
        raise ValueError(f"the manifest is cut: {error}") from error
    if version != _FORMAT:
        raise ValueError(f"the manifest has the unknown form {version}")
    return tables


def is_merge_due(store: Path, *, is_open: bool = False) -> bool:
    """Return whether the next opening would stand still while it merges tables. Blocks on the disk.

    Closing an open store adds a table.
    """
    try:
        levels = tables_by_level(store)
        sizes = [sum(_table(store, number).stat().st_size for number in level) for level in levels]
    except (OSError, ValueError):
        return False
    if len(levels[0]) + is_open >= MERGE_TABLES and sum(sizes[:2]) >= MERGE_BYTES:
        return True
    return any(size >= LEVEL_BYTES * LEVEL_FACTOR**number for number, size in enumerate(sizes[1:]))


def _table(store: Path, number: int) -> Path:
    return store / "sstables" / f"{number:020}.sst"


async def merge(report: Report, store: str) -> dict[str, Any]:
    """Merge what is due, as soon as the store is closed. A job of the worker; reports once when it is ready."""
    report({})
    path, seen = Path(store), set[Path]()
    tries = _TRIES
    while (tables := set((path / "sstables").iterdir())) != seen:
        seen = tables
        await close_handle(await open_handle(path, tries))
        tries = UNLOCK_TRIES
        if not is_merge_due(path):
            break
    return {}
