"""What the data folder holds, by purpose."""

import os
from collections.abc import Mapping
from pathlib import Path


def folder_bytes(folders: Mapping[str, Path]) -> dict[str, int]:
    """Return the size of each of these files or folders, 0 if it is missing. Blocks on the disk."""
    return {name: _bytes_of(path) for name, path in folders.items()}


def _bytes_of(path: Path) -> int:
    total = 0
    for folder, _, names in os.walk(path) if path.is_dir() else [(str(path.parent), [], [path.name])]:
        for name in names:
            try:
                total += Path(folder, name).lstat().st_size
            except OSError:  # it has just been removed, or belongs to another user
                continue
    return total
