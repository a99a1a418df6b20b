"""The folder of the embedded database: private to its owner, and what its files tell."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import StorageFailed

MIB = 1024 * 1024
WAL_FOLDER = "wal"  # the engine's log of what is not in its tables yet; a clean close leaves none


@contextmanager
def private_files() -> Iterator[None]:
    """What is made inside is for its owner alone. Nothing may be awaited inside: the mask is the process's."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def prepare_folder(path: Path) -> None:
    """Make the folder and its parents. Raises StorageFailed for a path that the engine would misread, or OSError."""
    if "?" in str(path):  # the engine takes the rest for options, and opens another folder
        raise StorageFailed("storage_not_writable", f"the data folder's path has a question mark: {path}")
    with private_files():
        path.mkdir(parents=True, exist_ok=True)
    make_private(path)


def make_private(path: Path) -> None:
    """Take the folder and all in it from everybody but its owner. What belongs to somebody else is left alone."""
    if os.name != "posix":
        return
    for folder, _, names in os.walk(path):
        for entry in [Path(folder), *(Path(folder, name) for name in names)]:
            _restrict_to_owner(entry)


def wal_bytes(path: Path) -> int:
    """How much the log holds: after a clean close nothing."""
    total = 0
    for segment in (path / WAL_FOLDER).glob("*"):
        try:
            total += segment.stat().st_size
        except FileNotFoundError:
            continue
    return total


def check_free_space(path: Path) -> None:
    """Raise OSError where a file as long as the log and a little more cannot be written. Blocks on the disk."""
    trial = path / "room"
    try:
        with trial.open("wb", buffering=0) as file:
            for _ in range(wal_bytes(path) // MIB + 1):
                written = file.write(bytes(MIB))
                if written < MIB:  # the rest would fail, and says why
                    file.write(bytes(MIB - written))
            os.fsync(file.fileno())
    finally:
        trial.unlink(missing_ok=True)


def _restrict_to_owner(entry: Path) -> None:
    try:
        mode = entry.stat().st_mode
        if mode & 0o077:
            entry.chmod(mode & 0o7700)
    except (FileNotFoundError, PermissionError):  # the engine removes files as it goes
        return
