"""Writes that nobody waits for: committed in the background, and once more at the end."""

import asyncio
import logging
from collections.abc import Hashable
from typing import Self

from core.errors import StorageFailed
from core.ports import Storage, Write

log = logging.getLogger(__name__)


class LateWrites:
    """An async context manager. A failed commit is repeated with the next write; `name` is what the log calls them."""

    def __init__(self, storage: Storage, name: str) -> None:
        self._storage = storage
        self._name = name
        self._unwritten: dict[Hashable, Write] = {}
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._write_forever(), name=self._name)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._task.cancel()
        if kind is not GeneratorExit:  # an abandoned generator cannot await
            await asyncio.wait([self._task])
            await self._write()

    def add(self, key: Hashable, write: Write) -> None:
        """Commit this soon, in place of what is not yet committed of the same key."""
        self._unwritten[key] = write
        self._changed.set()

    async def _write_forever(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._write()

    async def _write(self) -> None:
        # taken before the commit: what comes meanwhile goes with the next one
        unwritten, self._unwritten = self._unwritten, {}
        try:
            if unwritten:
                await self._storage.commit(list(unwritten.values()))
        except StorageFailed as error:
            log.warning("%s are not written yet: %s", self._name, error.message)
            # the newer state of a key wins
            self._unwritten = {**unwritten, **self._unwritten}
        except asyncio.CancelledError:  # the commit may have been made: again is harmless
            self._unwritten = {**unwritten, **self._unwritten}
            raise
