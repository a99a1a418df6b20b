"""Manifests for salvage: reading one strictly, and making one of the tables that are there."""

from collections.abc import Collection

from core.persistence.manifest import NO_SNAPSHOTS, Manifest, parse_manifest

LEVELS = 6
_LAST_SEQUENCE = 2**48  # beyond every number in a table, which would be hidden otherwise


def decode_manifest(data: bytes) -> Manifest:
    """Return what the file says. Raises ValueError for anything that the engine would not have written."""
    manifest, rest = parse_manifest(data)
    is_plausible = len(manifest.levels) == LEVELS and rest == NO_SNAPSHOTS
    if not is_plausible or any(table >= manifest.next_table for table in manifest.tables):
        raise ValueError("the manifest is damaged")
    return manifest


def manifest_of_tables(tables: Collection[int]) -> Manifest:
    """Return a manifest of all these tables, the youngest first, and of every log."""
    young_first = sorted(tables, reverse=True)
    return Manifest(max(tables, default=0) + 1, 0, _LAST_SEQUENCE, [young_first, *[[] for _ in range(LEVELS - 1)]])
