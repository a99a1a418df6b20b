"""Backups of the open store."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from core.domain.backup import Backup, BackupReason, StoreReport

OnBackupProgress = Callable[[dict[str, Any]], object]
"""Called with {rows, of}: how many of the rows are done."""


class Backups(Protocol):
    """Writes the whole store, as it is at a single moment, to a file, while runs go on.

    A file appears under its name when it is complete and was read back. Methods raise StorageFailed.
    """

    async def write(
        self, file: Path, reason: BackupReason, created_at: datetime, on_progress: OnBackupProgress | None = None
    ) -> Backup:
        """Write a backup to the file, which is replaced."""

    async def keep(
        self,
        reason: BackupReason,
        created_at: datetime,
        on_progress: OnBackupProgress | None = None,
        *,
        only: bool = False,
    ) -> Backup:
        """Write a backup to the folder of kept backups, and remove the oldest, or with `only` all others."""

    async def kept(self) -> Sequence[Backup]:
        """Return the kept backups that can be read, newest first."""

    async def describe(self, file: Path) -> Backup:
        """Return what the file says of itself, after comparing its checksum. Raises Refused `bad_backup`."""

    async def check(self, on_progress: OnBackupProgress | None = None) -> StoreReport:
        """Read all of the store, as it is at a single moment."""
