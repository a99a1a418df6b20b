"""Rows of the agents' memories, and what the full-text index has of them.

Order keys count backwards, so that the newest come first: the engine reads an index backwards up to fifty times slower
than forwards.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime

from core.domain.ids import MemoryId, WorkflowId
from core.domain.memory import PREVIEW_CHARACTERS, Memory, MemoryType
from core.errors import SearchFailed
from core.persistence import codec
from core.persistence.codec import OrderKeys
from core.persistence.connection import Connection
from core.persistence.keys import record_id, text_key
from core.persistence.repository import PAGE_SIZE, OrderedRepository
from core.persistence.search.index import FileSearchIndex
from core.persistence.search.memories import IndexedMemory, MemoryFilter
from core.persistence.statements import Row, Statement, batched_statements
from core.ports import MemoryQuery, MemoryUsage

NEVER = 1 << 62
_GENERAL_SCOPE = ""
_FIRST = ""
_COMPLEMENT = str.maketrans("0123456789", "9876543210")

_ADD = "INSERT IGNORE INTO memory $argument RETURN VALUE record::id(id)"
_PUT = """INSERT INTO memory $argument ON DUPLICATE KEY UPDATE scope = $input.scope, place = $input.place,
    version = $input.version, type = $input.type, expires = $input.expires, data = $input.data, text = $input.text
    RETURN NONE"""
_WHOLE = "SELECT * FROM ONLY $id WHERE expires > $now"
_HEAD = "id, scope, place, type, expires, data"
_ALIVE = "expires > $now AND ($type = NONE OR type = $type)"
_ORDER_KEY = "SELECT VALUE place FROM ONLY $id"
_BY_IDS = f"SELECT {_HEAD} FROM $ids"
_EXPIRED = "SELECT VALUE record::id(id) FROM memory WHERE expires <= $now LIMIT $limit"
_OF_WORKFLOW = "SELECT VALUE record::id(id) FROM memory WHERE scope = $scope LIMIT $limit"
_ANY = "SELECT VALUE record::id(id) FROM memory LIMIT $limit"
_USAGE = """SELECT count() AS count, math::sum(string::len(data)) + math::sum(string::len(text ?? '')) AS size
    FROM memory GROUP ALL"""
_CHANGE = """UPDATE $argument.memory SET type = $argument.type, expires = $argument.expires, data = $argument.data,
    text = $argument.text, version = $argument.version RETURN AFTER"""
_DELETE = "DELETE $argument RETURN VALUE record::id($before.id)"


# The index holds the memories of a scope in the order of `place`.
_PAGE = """SELECT {head} FROM memory {by_scope} WHERE {scoped} {alive} AND place > $place
    ORDER BY place LIMIT $limit"""
_PAGE_OF_SCOPES = _PAGE.format(
    head=_HEAD, alive=_ALIVE, by_scope="WITH INDEX memory_by_scope", scoped="scope IN $scopes AND"
)
_PAGE_OF_ALL = _PAGE.format(head=_HEAD, alive=_ALIVE, by_scope="WITH INDEX memory_by_place", scoped="")
_VERSIONS = "SELECT id, version FROM $range"
INDEXED_AT_ONCE = 20  # a content has up to 50,000 characters

log = logging.getLogger(__name__)


class MemoryRepository(OrderedRepository):
    """Implements `core.ports.memories.Memories`.

    The database is the truth, and the index follows: each change is written to the database, then to the index. A
    process may die in between, and the index may be deleted or be that of another store, so the first search compares
    the versions of all memories. A removal is always written to the index, so that deleted words do not stay in it.
    """

    def __init__(self, connection: Connection, order_keys: OrderKeys, index: FileSearchIndex) -> None:
        super().__init__(connection, order_keys)
        self._index = index
        self._index_lock = asyncio.Lock()
        self._compared_generation = 0

    async def add(self, memory: Memory) -> Memory:
        if await self.add_all([memory]):
            return memory
        return await self.get(memory.id, memory.created_at) or memory

    async def add_all(self, memories: Iterable[Memory]) -> int:
        """Add the memories in one transaction. Returns how many are new."""
        encoded = [(self._encode(memory), memory.content) for memory in memories]
        statements = batched_statements(_ADD, [row for row, _ in encoded])
        new = {key for keys in await self._connection.commit(statements) for key in keys}
        await self._follow(
            lambda: self._index.put_memories([_indexed(*pair) for pair in encoded if pair[0]["id"] in new])
        )
        return len(new)

    def put(self, memories: Iterable[Memory]) -> list[Statement]:
        """Return statements that create or replace the memories. Call `note_put` once they are written."""
        return batched_statements(_PUT, map(self._encode, memories))

    def note_put(self) -> None:
        """Compare the index with the database before the next search."""
        self._compared_generation = 0

    async def get(self, memory_id: MemoryId, now: datetime) -> Memory | None:
        variables = {"id": record_id("memory", text_key(memory_id)), "now": codec.to_microseconds(now)}
        return codec.decode_if_readable(await self._connection.read(_WHOLE, variables), _decode_memory)

    async def page(self, wanted: MemoryQuery, before: MemoryId | None = None) -> list[Memory]:
        place: str | None = _FIRST
        if before is not None:
            place = await self._connection.read(_ORDER_KEY, {"id": record_id("memory", text_key(before))})
        if place is None:
            return []
        variables = {
            "scopes": [_scope(workflow_id) for workflow_id in wanted.workflows or ()],
            "now": codec.to_microseconds(wanted.now),
            "type": wanted.type,
            "limit": wanted.limit,
            "place": place,
        }
        rows = await self._connection.read(_PAGE_OF_ALL if wanted.workflows is None else _PAGE_OF_SCOPES, variables)
        return list(codec.decode_rows(rows, _decode_memory))

    async def search(self, wanted: MemoryQuery, words: Sequence[str]) -> list[Memory]:
        if not words:
            return []
        scopes = None if wanted.workflows is None else json.dumps([_scope(each) for each in wanted.workflows])
        filter_ = MemoryFilter(scopes, codec.to_microseconds(wanted.now), wanted.type, wanted.limit)
        try:
            await self.update_index()
            ids = await self._index.find_memories(filter_, words)
        except SearchFailed as error:
            if error.code != "search_broken":
                raise
            await self._index.reset()
            await self.update_index()
            ids = await self._index.find_memories(filter_, words)
        rows = await self._connection.read(_BY_IDS, {"ids": [record_id("memory", key) for key in ids]})
        by_id = {row["id"].id: row for row in rows}
        return list(codec.decode_rows((by_id[key] for key in ids if key in by_id), _decode_memory))

    async def update_index(self) -> None:
        async with self._index_lock:
            await self._index.open()
            generation = self._index.generation
            if generation == self._compared_generation:
                return
            indexed = await self._index.memory_versions()
            pages = self._pages_of_table("memory", text=_VERSIONS)
            stored = {row["id"].id: _version(row) async for page in pages for row in page}
            await self._index.remove_memories([key for key in indexed if key not in stored])
            missing = [record_id("memory", key) for key, version in stored.items() if indexed.get(key) != version]
            async for page in self._pages_by_id(missing, rows=INDEXED_AT_ONCE):
                rows = codec.decode_rows(page, lambda row: _indexed(row, _decode_memory(row).content))
                await self._index.put_memories(list(rows))
            self._compared_generation = generation

    async def change(self, memory: Memory) -> bool:
        row = self._encode(memory)
        columns = {column: row[column] for column in ("type", "expires", "data", "text", "version")}
        (changed,) = await self._connection.commit(
            [Statement(_CHANGE, {"memory": record_id("memory", row["id"]), **columns})]
        )
        if changed:
            await self._follow(lambda: self._index.put_memories([_indexed(changed[0], memory.content)]))
        return bool(changed)

    async def usage(self) -> MemoryUsage:
        rows = await self._connection.read(_USAGE)
        return MemoryUsage(rows[0]["count"], rows[0]["size"]) if rows else MemoryUsage(0, 0)

    async def remove_some(self) -> int:
        return await self._delete(await self._connection.read(_ANY, {"limit": PAGE_SIZE}))

    async def remove(self, memory_id: MemoryId) -> bool:
        return await self._delete([text_key(memory_id)]) > 0

    async def purge(self, now: datetime) -> int:
        count = 0
        batch = {"now": codec.to_microseconds(now), "limit": PAGE_SIZE}
        while keys := await self._connection.read(_EXPIRED, batch):
            count += await self._delete(keys)
        return count

    async def forget(self, workflow_id: WorkflowId) -> None:
        """Delete the workflow's memories in batches, so that other commits get a turn."""
        batch = {"scope": text_key(workflow_id), "limit": PAGE_SIZE}
        while keys := await self._connection.read(_OF_WORKFLOW, batch):
            await self._delete(keys)

    async def _delete(self, keys: Sequence[str]) -> int:
        if not keys:
            return 0
        statement = Statement(_DELETE, [record_id("memory", key) for key in keys])
        (deleted,) = await self._connection.commit([statement])
        if deleted and await self._index.exists():
            await self._follow(lambda: self._index.remove_memories(deleted), is_removal=True)
        return len(deleted)

    async def _follow(self, write: Callable[[], Awaitable[None]], *, is_removal: bool = False) -> None:
        """Write a change to the index. A failure is made up for by the next comparison: the change itself is stored.

        Before the first comparison there is nothing to follow, but for removals.
        """
        async with self._index_lock:
            try:
                if is_removal:
                    await self._index.open()
                elif self._compared_generation != self._index.generation or self._compared_generation == 0:
                    return
                await write()
            except SearchFailed as error:
                self._compared_generation = 0
                log.warning("a change of memories is indexed later: %s", error.message)

    def _encode(self, memory: Memory) -> Row:
        is_long = len(memory.content) > PREVIEW_CHARACTERS
        return {
            "id": text_key(memory.id),
            "scope": _scope(memory.workflow_id),
            "place": self._order_keys.next(memory.created_at).translate(_COMPLEMENT),
            "version": self._order_keys.number(),
            "type": memory.type,
            "expires": NEVER if memory.expires_at is None else codec.to_microseconds(memory.expires_at),
            "data": codec.encode_fields(
                head=memory.content[:PREVIEW_CHARACTERS], length=len(memory.content), workflow=memory.workflow_id
            ),
            "text": codec.encode_text(memory.content) if is_long else None,
        }


def _scope(workflow_id: WorkflowId | None) -> str:
    return _GENERAL_SCOPE if workflow_id is None else text_key(workflow_id)


def _version(row: Row) -> int:
    version = row.get("version")
    return version if isinstance(version, int) else 0  # of a row from before there was an index


def _indexed(row: Row, content: str) -> IndexedMemory:
    """Return what is indexed of a row, as it was written or read."""
    key = row["id"] if isinstance(row["id"], str) else row["id"].id
    return IndexedMemory(key, _version(row), row["scope"], row["type"], row["expires"], row["place"], content)


def _decode_memory(row: Row) -> Memory:
    fields = codec.decode_data(row)
    return Memory(
        MemoryId(row["id"].id),
        MemoryType(row["type"]),
        codec.optional(WorkflowId, fields.get("workflow")),
        codec.decode_text(row["text"]) if row.get("text") is not None else fields["head"],
        fields["length"],
        codec.time_of_order_key(row["place"].translate(_COMPLEMENT)),
        None if row["expires"] == NEVER else codec.from_microseconds(row["expires"]),
    )
