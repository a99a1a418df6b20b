"""What the data folder holds, by purpose."""

from collections.abc import Mapping
from pathlib import Path

from core.threads.files import total_bytes


def folder_bytes(folders: Mapping[str, Path]) -> dict[str, int]:
    """Return the size of each of these files or folders, 0 if it is missing. Blocks on the disk."""
    return {name: total_bytes(path) for name, path in folders.items()}
