"""The engine's list of its tables, by level: read, and never written but for salvage.

The engine merges tables when it is opened with four or more of them in level 0, or with 256 MB or more in level 1, ten
times as much in level 2 and so on: once at each opening, before its constructor returns. It holds the GIL meanwhile,
0.7 s for 126 MB. `merge` does that in another process.

Big-endian: version u16, next table u64, first log u64, last sequence number u64, levels u8, then for each level a count
u32 and the tables u64, and the snapshots u32. It has no checksum. The format belongs to the pinned version of the
engine; a test compares it with what that writes.
"""

import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.persistence.engine_handle import UNLOCK_TRIES, close_handle, open_handle
from core.persistence.folder import MANIFESTS, TABLES
from core.persistence.worker import Report

MERGE_TABLES = 4
LEVEL_BYTES, LEVEL_FACTOR = 256 * 1024 * 1024, 10
MERGE_BYTES = 8 * 1024 * 1024  # less is merged within 50 ms
FILE_NAME = f"{0:020}.manifest"
VERSION = 1
_HEADER, _COUNT, _TABLE = struct.Struct(">HQQQB"), struct.Struct(">I"), struct.Struct(">Q")
NO_SNAPSHOTS = _COUNT.pack(0)
_TRIES = 1200


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a manifest says. `levels` are the numbers of the tables, from young to old in the first level."""

    next_table: int
    first_log: int
    last_sequence: int
    levels: Sequence[Sequence[int]]

    @property
    def tables(self) -> set[int]:
        """The numbers of all tables."""
        return {table for level in self.levels for table in level}

    def without(self, tables: Collection[int]) -> "Manifest":
        """Return a manifest that does not list these tables."""
        levels = [[table for table in level if table not in tables] for level in self.levels]
        return replace(self, levels=levels)

    def encode(self) -> bytes:
        """Return the bytes of the file."""
        header = _HEADER.pack(VERSION, self.next_table, self.first_log, self.last_sequence, len(self.levels))
        levels = (_COUNT.pack(len(level)) + b"".join(map(_TABLE.pack, level)) for level in self.levels)
        return b"".join([header, *levels, NO_SNAPSHOTS])


def parse_manifest(data: bytes) -> tuple[Manifest, bytes]:
    """Return what the file says, and what follows its levels. Raises ValueError for an unknown form."""
    try:
        version, next_table, first_log, last_sequence, count = _HEADER.unpack_from(data)
        position, levels = _HEADER.size, []
        for _ in range(count):
            (length,) = _COUNT.unpack_from(data, position)
            end = position + _COUNT.size + length * _TABLE.size
            if end > len(data):
                raise ValueError("the manifest is cut: a level is longer than the file")
            levels.append([number for (number,) in _TABLE.iter_unpack(data[position + _COUNT.size : end])])
            position = end
    except struct.error as error:
        raise ValueError("the manifest is cut") from error
    if version != VERSION:
        raise ValueError(f"the manifest has the unknown form {version}")
    return Manifest(next_table, first_log, last_sequence, levels), data[position:]


def load_manifest(store: Path) -> Manifest:
    """Return what the manifest of the store says. Raises OSError, or ValueError for an unknown form."""
    return parse_manifest((store / MANIFESTS / FILE_NAME).read_bytes())[0]


def is_merge_due(store: Path, *, is_open: bool = False, least_bytes: int | None = None) -> bool:
    """Return whether the next opening would stand still while it merges tables. Blocks on the disk.

    Closing an open store adds a table. Less than `least_bytes`, by default MERGE_BYTES, is no reason.
    """
    least_bytes = MERGE_BYTES if least_bytes is None else least_bytes
    try:
        levels = load_manifest(store).levels
        sizes = [sum(_table(store, number).stat().st_size for number in level) for level in levels]
    except (OSError, ValueError):
        return False
    if len(levels[0]) + is_open >= MERGE_TABLES and sum(sizes[:2]) >= least_bytes:
        return True
    return any(size >= LEVEL_BYTES * LEVEL_FACTOR**number for number, size in enumerate(sizes[1:]))


def _table(store: Path, number: int) -> Path:
    return store / TABLES / f"{number:020}.sst"


async def merge(report: Report, store: str, least_bytes: int) -> dict[str, Any]:
    """Merge what is due, as soon as the store is closed. A job of the worker; reports once when it is ready."""
    report({})
    path, seen = Path(store), set[Path]()
    tries = _TRIES
    while (tables := set((path / TABLES).iterdir())) != seen:
        seen = tables
        await close_handle(await open_handle(path, tries))
        tries = UNLOCK_TRIES
        if not is_merge_due(path, least_bytes=least_bytes):
            break
    return {}
