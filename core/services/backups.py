"""Backups: each day that the app is open, and at the user's request."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from core.domain.backup import Backup, BackupReason, StoreReport
from core.errors import MetierError, Refused
from core.ports import Backups, Clock
from core.services.outcome import Failed, returns_outcome
from core.services.store_work import StoreWork

INTERVAL = timedelta(hours=24)
PATIENCE = timedelta(hours=2)
"""So long a backup that is due waits for a moment without running steps."""
LOOK_S = 60.0
RETRY = timedelta(hours=1)

T = TypeVar("T")

log = logging.getLogger(__name__)


class BackupService(StoreWork):
    """An async context manager. `changed` is emitted when `state` or the list of kept backups has changed. The failure
    in `state` is that of the last daily backup, until the next succeeds.

    Without `backups`, for a store in memory, all requests fail with `not_available`. `is_busy` returns whether steps
    are running.
    """

    def __init__(self, backups: Backups | None, clock: Clock, is_busy: Callable[[], bool]) -> None:
        super().__init__()
        self._given = backups
        self._clock = clock
        self._is_busy = is_busy

    def start(self) -> None:
        """Begin to make a backup each day; a second call has no effect."""
        if self._given is not None and self._task is None:
            self._begin(self._make_daily(self._given), "daily backup")

    @returns_outcome
    async def kept(self) -> Sequence[Backup]:
        """Return the kept backups that can be read, newest first."""
        return await self._backups.kept()

    @returns_outcome
    async def write(self, file: Path) -> Backup:
        """Write a backup to a file of the user's, which is replaced."""
        return await self._at_work(
            self._backups.write(file, BackupReason.REQUEST, self._clock.now(), self._on_progress)
        )

    @returns_outcome
    async def replace_kept(self) -> Backup:
        """Replace all kept backups by a new backup, so that nothing that was deleted is left in them."""
        return await self._at_work(
            self._backups.keep(BackupReason.REQUEST, self._clock.now(), self._on_progress, only=True)
        )

    @returns_outcome
    async def describe(self, file: Path) -> Backup:
        """Return what the file says of itself, after comparing its checksum. Fails with `bad_backup`."""
        return await self._backups.describe(file)

    @returns_outcome
    async def check(self) -> StoreReport:
        """Read all of the store, and return what cannot be read."""
        return await self._at_work(self._backups.check(self._on_progress))

    @property
    def _backups(self) -> Backups:
        if self._given is None:
            raise Refused("not_available", "a store in memory has no backups")
        return self._given

    async def _at_work(self, work: Awaitable[T]) -> T:
        try:
            return await work
        finally:
            self._set_state(replace(self.state, done=None, total=0))

    async def _make_daily(self, backups: Backups) -> None:
        due_since: datetime | None = None
        while True:
            now = self._clock.now()
            if not await self._is_due(backups, now):
                due_since = None
            else:
                due_since = due_since or now
                if not self._is_busy() or now - due_since >= PATIENCE:
                    await self._make(backups, now)
            await self._clock.sleep(LOOK_S if self.state.failure is None else RETRY.total_seconds())

    async def _is_due(self, backups: Backups, now: datetime) -> bool:
        # a backup from the future was made while the clock was wrong, and says nothing
        return not any(
            timedelta() <= now - backup.created_at < INTERVAL
            for backup in await backups.kept()
            if backup.reason is BackupReason.DAILY
        )

    async def _make(self, backups: Backups, now: datetime) -> None:
        failure = None
        try:
            await self._at_work(backups.keep(BackupReason.DAILY, now, self._on_progress))
        except MetierError as error:
            log.warning("the daily backup failed: %s", error.message)
            failure = Failed.of(error)
        self._set_state(replace(self.state, failure=failure))
