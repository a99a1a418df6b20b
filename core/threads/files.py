"""Files and folders that only their owner can read, whatever the umask, and atomic replacement.

Blocks on the disk: call it in a thread. Standard library only, since the window's state is read before the first paint.
"""

import errno
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path


def make_private_folder(path: Path) -> None:
    """Create the folder and its missing parents for their owner alone. Existing folders keep their mode. Raises
    OSError.
    """
    # One by one: `parents=True` gives the parents the mode of the umask.
    missing = []
    for folder in (path, *path.parents):
        if folder.exists():
            break
        missing.append(folder)
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)


def restrict_to_owner(path: Path) -> None:
    """Remove the permissions of group and others from a file or a folder. One that has vanished, or that another user
    owns, is left alone.
    """
    if os.name != "posix":
        return
    with suppress(FileNotFoundError, PermissionError):
        mode = path.stat().st_mode
        if mode & 0o077:
            path.chmod(mode & 0o7700)


def private_opener(path: str, flags: int) -> int:
    """Open a file for `open(…, opener=…)`. A file, new or not, is its owner's alone."""
    descriptor = os.open(path, flags, 0o600)
    restrict_to_owner(Path(path))
    return descriptor


def replace_private(path: Path, data: bytes) -> None:
    """Replace the file atomically with `data`, readable by its owner only.

    Raises OSError; then the previous file remains.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb", opener=private_opener) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise


def total_bytes(path: Path) -> int:
    """Return the size of the file, or of all files in the folder; 0 if it is missing."""
    total = 0
    for folder, _, names in os.walk(path) if path.is_dir() else [(str(path.parent), [], [path.name])]:
        for name in names:
            with suppress(OSError):  # it has just been removed, or belongs to another user
                total += Path(folder, name).lstat().st_size
    return total


def sync_folder(folder: Path) -> None:
    """Make the names in the folder durable, where the system can: after a file was created or renamed. Raises
    OSError.
    """
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rename_exclusively(name: str, folder: int, new_name: str, new_folder: int) -> bool:
    """Rename an entry of an open folder to one of another, in a single step, unless something has the new name. Return
    False, and do nothing, if the system or the file system has no such step. Raises OSError, also FileExistsError.
    """
    # The standard library cannot; imported here, since few need it.
    import ctypes

    function, flag = {"linux": ("renameat2", 1), "darwin": ("renameatx_np", 4)}.get(sys.platform, ("", 0))
    rename = getattr(ctypes.CDLL(None, use_errno=True), function, None) if function else None
    if rename is None:
        return False
    if rename(folder, os.fsencode(name), new_folder, os.fsencode(new_name), flag) == 0:
        return True
    error = ctypes.get_errno()
    if error in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(error, os.strerror(error))
