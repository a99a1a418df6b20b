"""Implements `core.ports.upkeep`: sizes, the note of what was deleted, and the rebuild of the open store."""

import asyncio
import shutil
from datetime import datetime
from typing import Any

from core.errors import StorageFailed
from core.persistence.connection import UPKEEP_ROW, Connection
from core.persistence.folder import MIB
from core.persistence.keys import record_id
from core.persistence.rebuild import OnProgress, live_bytes, rebuild
from core.persistence.statements import Statement
from core.ports import UpkeepNote
from core.threads.files import total_bytes

SPARE_BYTES = 64 * MIB
_PUT = "UPSERT $argument.id MERGE $argument.note RETURN NONE"


class StoreUpkeep:
    """The upkeep of an open store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def note(self) -> UpkeepNote:
        row = await self._connection.read("SELECT * FROM ONLY $id", {"id": record_id(*UPKEEP_ROW)}) or {}
        at = row.get("rebuilt_at")
        return UpkeepNote(
            bool(row.get("has_deleted")), datetime.fromisoformat(at) if at else None, row.get("rebuilt_bytes") or 0
        )

    async def stored_bytes(self) -> int:
        return await asyncio.to_thread(total_bytes, self._connection.path)

    async def live_bytes(self) -> int:
        return await live_bytes(self._connection)

    async def rebuild(self, now: datetime, on_progress: OnProgress) -> None:
        stored = await self.stored_bytes()
        free = (await asyncio.to_thread(shutil.disk_usage, self._connection.path)).free
        if free < stored + SPARE_BYTES:
            raise StorageFailed("storage_full", "the disk has no room to rebuild the store")
        self._connection.forget_deletions()  # those from now on are repeated in the new store, and noted again
        await self._put({"has_deleted": False})
        try:
            await rebuild(self._connection, on_progress)
        except BaseException:
            await asyncio.shield(self._put({"has_deleted": True}))
            raise
        await self._put({"rebuilt_at": now.isoformat(), "rebuilt_bytes": await self.stored_bytes()})

    async def _put(self, note: dict[str, Any]) -> None:
        await self._connection.commit([Statement(_PUT, {"id": record_id(*UPKEEP_ROW), "note": note})])
