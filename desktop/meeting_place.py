"""The socket on which the window of a data folder can be asked to come to the front; no other user can take it.

Standard library only: looked up before the first paint, and before any network module is loaded.
"""

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

_LONGEST_PATH = 100  # a socket's address has room for 104 to 108 bytes


def is_taken(folder: Path) -> bool:
    """Return whether a process may listen there: True where that cannot be seen without connecting."""
    found = address(folder)
    return found is not None and (sys.platform == "win32" or Path(found).exists())


def address(folder: Path) -> str | None:
    """Return where the window of this data folder listens; None where no safe place exists."""
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]
    if sys.platform == "win32":
        return f"metier-{name}"
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for place in (Path(runtime) if runtime else folder, folder, Path(tempfile.gettempdir()) / f"metier-{os.getuid()}"):
        path = place / f"{name}.socket"
        if len(os.fsencode(path)) <= _LONGEST_PATH and _is_ours(place):
            return str(path)
    return None


def _is_ours(place: Path) -> bool:
    """Return whether only this user can create files in the folder, which is made if it is missing."""
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
