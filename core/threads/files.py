"""Atomic replacement of files. Blocks on the disk: call it in a thread."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def replace_private(path: Path, data: bytes) -> None:
    """Replace the file atomically with `data`, readable by its owner only.

    Raises OSError; then the previous file remains.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:  # noqa: PTH123  # an open descriptor, with its mode
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise
