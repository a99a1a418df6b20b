"""The engine's manifest, which lists the tables of a store: reading it, and writing another for salvage.

Big-endian: version u16, next table u64, first log u64, last sequence number u64, levels u8, then for each level a count
u32 and the tables u64, and the snapshots u32. It has no checksum. The format belongs to the pinned version of the
engine; a test compares it with what that writes.
"""

import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass

VERSION, LEVELS = 1, 6
_HEADER, _COUNT, _TABLE = struct.Struct(">HQQQB"), struct.Struct(">I"), struct.Struct(">Q")
_LAST_SEQUENCE = 2**48  # beyond every number in a table, which would be hidden otherwise


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
        return Manifest(self.next_table, self.first_log, self.last_sequence, levels)

    def encode(self) -> bytes:
        """Return the bytes of the file."""
        header = _HEADER.pack(VERSION, self.next_table, self.first_log, self.last_sequence, len(self.levels))
        levels = (_COUNT.pack(len(level)) + b"".join(map(_TABLE.pack, level)) for level in self.levels)
        return b"".join([header, *levels, _COUNT.pack(0)])


def decode_manifest(data: bytes) -> Manifest:
    """Return what the file says. Raises ValueError for anything that the engine would not have written."""
    try:
        version, next_table, first_log, last_sequence, count = _HEADER.unpack_from(data)
        position, levels = _HEADER.size, []
        for _ in range(count):
            (length,) = _COUNT.unpack_from(data, position)
            position += _COUNT.size
            if length > (len(data) - position) // _TABLE.size:
                raise ValueError("a level is longer than the file")
            levels.append([_TABLE.unpack_from(data, position + n * _TABLE.size)[0] for n in range(length)])
            position += length * _TABLE.size
        (snapshots,) = _COUNT.unpack_from(data, position)
    except struct.error as error:
        raise ValueError("the manifest is cut") from error
    manifest = Manifest(next_table, first_log, last_sequence, levels)
    is_plausible = version == VERSION and count == LEVELS and not snapshots and position + _COUNT.size == len(data)
    if not is_plausible or any(table >= next_table for table in manifest.tables):
        raise ValueError("the manifest is damaged")
    return manifest


def manifest_of_tables(tables: Collection[int]) -> Manifest:
    """Return a manifest of all these tables, the youngest first, and of every log."""
    young_first = sorted(tables, reverse=True)
    return Manifest(max(tables, default=0) + 1, 0, _LAST_SEQUENCE, [young_first, *[[] for _ in range(LEVELS - 1)]])
