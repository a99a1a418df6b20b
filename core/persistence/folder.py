"""The folder of the embedded database: private to its owner, with a write-ahead log."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import StorageFailed
from core.threads.files import make_private_folder, restrict_to_owner

MIB = 1024 * 1024
# The engine's folders in that of the store. The log has what is not in the tables yet; a clean close leaves none.
TABLES, VALUES, MANIFESTS, LOG = "sstables", "vlog", "manifest", "wal"


@contextmanager
def private_files() -> Iterator[None]:
    """Create files for their owner only. The umask is process-wide, so the body must not await."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def refuse_misread_path(path: Path) -> None:
    """Raise StorageFailed for a path that the engine misreads."""
    if "?" in str(path):  # the engine takes the rest as options, and opens another folder
        raise StorageFailed("storage_not_writable", f"the data folder's path has a question mark: {path}")


def prepare_folder(path: Path) -> None:
    """Create the folder and its parents, and make it private. Raises OSError and StorageFailed."""
    refuse_misread_path(path)
    make_private_folder(path)
    make_private(path)


def make_private(path: Path) -> None:
    """Remove the permissions of group and others, except from files that another user owns."""
    if os.name != "posix":
        return
    for folder, _, names in os.walk(path):
        for entry in [Path(folder), *(Path(folder, name) for name in names)]:
            restrict_to_owner(entry)


def wal_bytes(path: Path) -> int:
    """Return the size of the log: 0 after a clean close."""
    total = 0
    for segment in (path / LOG).glob("*"):
        try:
            total += segment.stat().st_size
        except FileNotFoundError:
            continue
    return total


def check_free_space(path: Path) -> None:
    """Raise OSError if a file slightly larger than the log cannot be written. Blocks on the disk."""
    # Reopening writes the content of the log into the tables, which takes as much space again.
    trial = path / "room"
    try:
        with trial.open("wb", buffering=0) as file:
            for _ in range(wal_bytes(path) // MIB + 1):
                written = file.write(bytes(MIB))
                if written < MIB:  # a short write raises nothing; writing the rest raises the reason
                    file.write(bytes(MIB - written))
            os.fsync(file.fileno())
    finally:
        trial.unlink(missing_ok=True)
