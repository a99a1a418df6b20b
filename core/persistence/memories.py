"""Rows of the agents' memories, with the database's full-text index.

Order keys count backwards, so that the newest come first: the engine reads an index backwards up to fifty times slower
than forwards.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from core.domain.ids import MemoryId, WorkflowId
from core.domain.memory import PREVIEW_CHARACTERS, Memory, MemoryType
from core.domain.text.search import words_of
from core.persistence import codec
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.keys import record_id, text_key
from core.persistence.pages import PAGE_SIZE
from core.persistence.statements import Row, Statement
from core.ports.memories import MAX_RANKED, MemoryQuery, MemoryUsage

NEVER = 1 << 62
_GENERAL_SCOPE = ""
_FIRST = ""
_COMPLEMENT = str.maketrans("0123456789", "9876543210")

_ADD = """{
    LET $to = $argument;
    LET $new = (INSERT IGNORE INTO memory $to.memory RETURN VALUE id);
    IF $new { INSERT INTO memory_word $to.words RETURN NONE };
    $new
}"""
_WHOLE = "SELECT * FROM ONLY $id WHERE expires > $now"
_HEAD = "id, scope, place, type, expires, data"
_ALIVE = "expires > $now AND ($type = NONE OR type = $type)"
_MATCHING = f"scope IN $scopes AND {_ALIVE}"
_PAGE = f"""SELECT {_HEAD} FROM memory WITH INDEX memory_by_scope
    WHERE {_MATCHING} AND place > $place ORDER BY place LIMIT $limit"""
_PAGE_OF_ALL = f"SELECT {_HEAD} FROM memory WHERE {_ALIVE} AND place > $place ORDER BY place LIMIT $limit"
_ORDER_KEY = "SELECT VALUE place FROM ONLY $id"
_COUNTED = f"SELECT VALUE id FROM memory_word WHERE words @@ $query AND {_MATCHING} LIMIT $limit"
_RANKED = f"""SELECT id, place, math::fixed(search::score(1), 3) AS score FROM memory_word
    WHERE words @1@ $query AND {_MATCHING} LIMIT $limit"""
_NEWEST = f"""SELECT VALUE id FROM memory_word WITH INDEX memory_word_by_scope
    WHERE {_MATCHING} AND $beginnings.all(|$one| string::contains(words, $one)) ORDER BY place LIMIT $limit"""
_COUNTED_OF_ALL = f"SELECT VALUE id FROM memory_word WHERE words @@ $query AND {_ALIVE} LIMIT $limit"
_RANKED_OF_ALL = f"""SELECT id, place, math::fixed(search::score(1), 3) AS score FROM memory_word
    WHERE words @1@ $query AND {_ALIVE} LIMIT $limit"""
_NEWEST_OF_ALL = f"""SELECT VALUE id FROM memory_word
    WHERE {_ALIVE} AND $beginnings.all(|$one| string::contains(words, $one)) ORDER BY place LIMIT $limit"""
_BY_IDS = f"SELECT {_HEAD} FROM $ids"
_EXPIRED = "SELECT VALUE record::id(id) FROM memory WHERE expires <= $now LIMIT $limit"
_OF_WORKFLOW = "SELECT VALUE record::id(id) FROM memory WHERE scope = $scope LIMIT $limit"
_ANY = "SELECT VALUE record::id(id) FROM memory LIMIT $limit"
_USAGE = """SELECT count() AS count, math::sum(string::len(data)) + math::sum(string::len(text ?? '')) AS size
    FROM memory GROUP ALL"""
_CHANGE = """{
    LET $to = $argument;
    LET $changed = (UPDATE $to.memory SET type = $to.type, expires = $to.expires, data = $to.data, text = $to.text
        RETURN VALUE id);
    IF $changed {
        UPDATE $to.word SET type = $to.type, expires = $to.expires, words = $to.words RETURN NONE
    };
    $changed
}"""
_DELETE = "DELETE $argument RETURN BEFORE.id"


class MemoryRepository:
    """Implements `core.ports.memories.Memories`."""

    def __init__(self, connection: Connection, order_keys: codec.OrderKeys) -> None:
        self._connection = connection
        self._order_keys = order_keys

    async def add(self, memory: Memory) -> Memory:
        if await self.add_all([memory]):
            return memory
        found = await self.get(memory.id, memory.created_at)
        return memory if found is None else found

    async def add_all(self, memories: Iterable[Memory]) -> int:
        """Add the memories in one transaction. Returns how many are new."""
        statements = [
            Statement(_ADD, _encode_memory(one, self._order_keys.next(one.created_at).translate(_COMPLEMENT)))
            for one in memories
        ]
        return sum(bool(new) for new in await self._connection.commit(statements))

    async def get(self, memory_id: MemoryId, now: datetime) -> Memory | None:
        given = {"id": record_id("memory", text_key(memory_id)), "now": codec.to_microseconds(now)}
        row = await self._connection.read(_WHOLE, given)
        try:
            return _decode_memory(row) if row else None
        except codec.DECODE_ERRORS:
            return None

    async def page(self, wanted: MemoryQuery, before: MemoryId | None = None) -> list[Memory]:
        place: str | None = _FIRST
        if before is not None:
            place = await self._connection.read(_ORDER_KEY, {"id": record_id("memory", text_key(before))})
        if place is None:
            return []
        given = {**_query_variables(wanted), "place": place}
        page = _PAGE if wanted.workflows is not None else _PAGE_OF_ALL
        return list(codec.decode_rows(await self._connection.read(page, given), _decode_memory))

    async def search(self, wanted: MemoryQuery, words: Sequence[str]) -> list[Memory]:
        if not words:
            return []
        given = _query_variables(wanted)
        is_of_some = wanted.workflows is not None
        counted, ranking, newest = (
            (_COUNTED, _RANKED, _NEWEST) if is_of_some else (_COUNTED_OF_ALL, _RANKED_OF_ALL, _NEWEST_OF_ALL)
        )
        matching = {**given, "query": " ".join(words), "limit": MAX_RANKED + 1}
        count = len(await self._connection.read(counted, matching))  # to rank takes far longer than to find
        if count > MAX_RANKED:
            ids = await self._connection.read(newest, {**given, "beginnings": [f" {word}" for word in words]})
        else:
            ranked = await self._connection.read(ranking, matching) if count else []
            ranked.sort(key=lambda row: (-row["score"], row["place"]))
            ids = [row["id"] for row in ranked[: wanted.limit]]
        rows = await self._connection.read(_BY_IDS, {"ids": [record_id("memory", one.id) for one in ids]})
        by_id = {row["id"].id: row for row in rows}
        return list(codec.decode_rows((by_id[one.id] for one in ids if one.id in by_id), _decode_memory))

    async def change(self, memory: Memory) -> bool:
        key = text_key(memory.id)
        rows = _encode_memory(memory, _FIRST)
        kept, words = rows["memory"], rows["words"]
        given = {
            "memory": record_id("memory", key),
            "word": record_id("memory_word", key),
            "words": words["words"],
            **{name: kept[name] for name in ("type", "expires", "data", "text")},
        }
        (changed,) = await self._connection.commit([Statement(_CHANGE, given)])
        return bool(changed)

    async def room(self) -> MemoryUsage:
        rows = await self._connection.read(_USAGE)
        return MemoryUsage(rows[0]["count"], rows[0]["size"]) if rows else MemoryUsage(0, 0)

    async def remove_some(self) -> int:
        return await self._delete(await self._connection.read(_ANY, {"limit": PAGE_SIZE}))

    async def remove(self, memory_id: MemoryId) -> bool:
        return await self._delete([text_key(memory_id)]) > 0

    async def purge(self, now: datetime) -> int:
        count = 0
        some = {"now": codec.to_microseconds(now), "limit": PAGE_SIZE}
        while keys := await self._connection.read(_EXPIRED, some):
            count += await self._delete(keys)
        return count

    async def forget(self, workflow_id: WorkflowId) -> None:
        """Delete the workflow's memories in batches, so that other commits get a turn."""
        some = {"scope": text_key(workflow_id), "limit": PAGE_SIZE}
        while keys := await self._connection.read(_OF_WORKFLOW, some):
            await self._delete(keys)

    async def _delete(self, keys: Sequence[str]) -> int:
        if not keys:
            return 0
        words: list[RecordID] = [record_id("memory_word", key) for key in keys]
        found = await self._connection.commit(
            [Statement(_DELETE, [record_id("memory", key) for key in keys]), Statement(_DELETE, words)]
        )
        return len(found[0])


def _query_variables(wanted: MemoryQuery) -> dict[str, Any]:
    return {
        "scopes": [_GENERAL_SCOPE if one is None else text_key(one) for one in wanted.workflows or ()],
        "now": codec.to_microseconds(wanted.now),
        "type": wanted.type,
        "limit": wanted.limit,
    }


def _encode_memory(memory: Memory, place: str) -> Row:
    shared = {
        "id": text_key(memory.id),
        "scope": _GENERAL_SCOPE if memory.workflow_id is None else text_key(memory.workflow_id),
        "place": place,
        "type": memory.type,
        "expires": NEVER if memory.expires_at is None else codec.to_microseconds(memory.expires_at),
    }
    is_long = len(memory.content) > PREVIEW_CHARACTERS
    told = codec.encode_fields(
        head=memory.content[:PREVIEW_CHARACTERS], length=len(memory.content), workflow=memory.workflow_id
    )
    words = f" {' '.join(words_of(memory.content))} "
    return {
        "memory": {**shared, "data": told, "text": codec.encode_text(memory.content) if is_long else None},
        "words": {**shared, "words": words},
    }


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
