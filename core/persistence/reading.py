"""Reading a store that cannot be written: on a full disk, in a read-only folder.

The engine writes when it opens a store. So a copy of it is opened, in the system's temporary folder; commits fail as
long as the store cannot be opened itself, and then go on there.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from core.errors import StorageFailed
from core.persistence.connection import Connection
from core.persistence.engine_handle import close_handle, open_handle
from core.persistence.open_store import LIMITS, OpenStore
from core.persistence.probe import copied_store
from core.persistence.statements import Statement

log = logging.getLogger(__name__)

NOT_WRITABLE = ("storage_full", "storage_not_writable")

Reopen = Callable[[], Awaitable[Connection]]


class ReadingConnection(Connection):
    """A connection to a copy of a store that cannot be opened, until `reopen` succeeds for a commit.

    `code` is the failure that keeps the store from being opened.
    """

    def __init__(self, copy: OpenStore, copies: AsyncExitStack, reopen: Reopen, code: str) -> None:
        super().__init__(copy)
        self.code = code
        self._copies = copies
        self._reopen = reopen
        self._opening = asyncio.Lock()
        self._opened: Connection | None = None

    async def read(self, text: str, variables: Mapping[str, Any] | None = None) -> Any:
        if self._opened is not None:
            return await self._opened.read(text, variables)
        return await super().read(text, variables)

    async def commit(self, statements: Sequence[Statement]) -> list[Any]:
        """Open the store itself, then commit there. Raises StorageFailed as long as it cannot be opened."""
        return await (await self._written()).commit(statements)

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Path]:
        async with (await self._written()).held() as path:
            yield path

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()
        with suppress(StorageFailed):
            await close_handle(self._store.handle)
        await self._copies.aclose()

    async def _written(self) -> Connection:
        async with self._opening:
            if self._opened is None:
                self._opened = await self._reopen()
                log.info("the store can be written again")
            return self._opened


async def open_for_reading(store: Path, reopen: Reopen, code: str) -> ReadingConnection:
    """Open a copy of the store for reading. Raises StorageFailed if that is not possible either."""
    copies = AsyncExitStack()
    try:
        folder = await copies.enter_async_context(copied_store(store))
        copy = OpenStore(folder, None, LIMITS.close_s)
        copy.handle = await open_handle(folder, tries=1)
    except BaseException:
        await copies.aclose()
        raise
    return ReadingConnection(copy, copies, reopen, code)
