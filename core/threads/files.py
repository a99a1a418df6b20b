"""Files that are replaced in one step. It blocks on the disk: to be called in a thread."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def replace_private(path: Path, data: bytes) -> None:
    """Put `data` in the place of the file, whole or not at all, for its owner alone. Raises OSError: the former file
    stands then."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:  # noqa: PTH123  # it is open already, with its mode
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise
