"""Where the window of a data folder can be asked to come to the front: a socket that no other user can take.

Standard library alone: looked for before the first paint, and before anything of the network is loaded.
"""

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

_LONGEST_PATH = 100  # a socket's address has room for 104 to 108 bytes


def is_taken(folder: Path) -> bool:
    """Whether somebody may listen there: where it cannot be seen, it has to be tried."""
    found = address(folder)
    return found is not None and (sys.platform == "win32" or Path(found).exists())


def address(folder: Path) -> str | None:
    """Where the window of this data folder listens: a place that no other user can take; None where there is none."""
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
    """Whether nobody else can put a file there; a folder that is missing is made."""
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
