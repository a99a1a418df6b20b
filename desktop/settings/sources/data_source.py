"""The data folder, its backups, and what the window does with them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.services.backups import BackupService


@dataclass(frozen=True, slots=True)
class DataSource:
    """`folder` holds everything; `parts` are its parts by purpose: store, backups, copies, search, logs.

    `restore` ends the session, puts the backup in this file in place of the data, and begins a session with it.
    """

    folder: Path
    parts: Mapping[str, Path]
    backups: BackupService
    restore: Callable[[Path], None]
