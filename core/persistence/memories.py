"""Rows of the agents' memories, with the database's full-text index.

Order keys count backwards, so that the newest come first: the engine reads an index backwards up to fifty times slower
than forwards.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from core.domain.ids import MemoryId, WorkflowId
from core.domain.memory import PREVIEW_CHARACTERS, Memory, MemoryType
from core.domain.text.search import words_of
from core.persistence import codec
from core.persistence.keys import record_id, text_key
from core.persistence.repository import PAGE_SIZE, OrderedRepository
from core.persistence.statements import Row, Statement
from core.ports import MAX_RANKED, MemoryQuery, MemoryUsage

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
_ORDER_KEY = "SELECT VALUE place FROM ONLY $id"
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


class _Searches(NamedTuple):
    """The queries that read several memories."""

    page: str
    matching: str
    rank: str
    newest: str


def _searches(filter_: str, by_scope: str, words_by_scope: str) -> _Searches:
    return _Searches(
        f"SELECT {_HEAD} FROM memory {by_scope} WHERE {filter_} AND place > $place ORDER BY place LIMIT $limit",
        f"SELECT VALUE id FROM memory_word WHERE words @@ $query AND {filter_} LIMIT $limit",
        f"""SELECT id, place, math::fixed(search::score(1), 3) AS score FROM memory_word
            WHERE words @1@ $query AND {filter_} LIMIT $limit""",
        f"""SELECT VALUE id FROM memory_word {words_by_scope}
            WHERE {filter_} AND $prefixes.all(|$prefix| string::contains(words, $prefix))
            ORDER BY place LIMIT $limit""",
    )


# The indexes hold the memories of a scope in the order of `place`.
_OF_SCOPES = _searches(
    f"scope IN $scopes AND {_ALIVE}", "WITH INDEX memory_by_scope", "WITH INDEX memory_word_by_scope"
)
_OF_ALL = _searches(_ALIVE, "", "")


class MemoryRepository(OrderedRepository):
    """Implements `core.ports.memories.Memories`."""

    async def add(self, memory: Memory) -> Memory:
        if await self.add_all([memory]):
            return memory
        return await self.get(memory.id, memory.created_at) or memory

    async def add_all(self, memories: Iterable[Memory]) -> int:
        """Add the memories in one transaction. Returns how many are new."""
        statements = [
            Statement(_ADD, _encode_memory(memory, self._order_keys.next(memory.created_at).translate(_COMPLEMENT)))
            for memory in memories
        ]
        return sum(bool(new) for new in await self._connection.commit(statements))

    async def get(self, memory_id: MemoryId, now: datetime) -> Memory | None:
        variables = {"id": record_id("memory", text_key(memory_id)), "now": codec.to_microseconds(now)}
        return codec.decode_if_readable(await self._connection.read(_WHOLE, variables), _decode_memory)

    async def page(self, wanted: MemoryQuery, before: MemoryId | None = None) -> list[Memory]:
        place: str | None = _FIRST
        if before is not None:
            place = await self._connection.read(_ORDER_KEY, {"id": record_id("memory", text_key(before))})
        if place is None:
            return []
        searches, variables = _searches_of(wanted)
        rows = await self._connection.read(searches.page, {**variables, "place": place})
        return list(codec.decode_rows(rows, _decode_memory))

    # Ranking a match takes far longer than finding it, so the matches are counted first. Where there are too many to
    # rank, the words say little, and the newest are the better answer.
    async def search(self, wanted: MemoryQuery, words: Sequence[str]) -> list[Memory]:
        if not words:
            return []
        searches, variables = _searches_of(wanted)
        matching = {**variables, "query": " ".join(words), "limit": MAX_RANKED + 1}
        count = len(await self._connection.read(searches.matching, matching))
        if count > MAX_RANKED:
            prefixes = [f" {word}" for word in words]
            ids = await self._connection.read(searches.newest, {**variables, "prefixes": prefixes})
        else:
            ranked = await self._connection.read(searches.rank, matching) if count else []
            ranked.sort(key=lambda row: (-row["score"], row["place"]))
            ids = [row["id"] for row in ranked[: wanted.limit]]
        rows = await self._connection.read(_BY_IDS, {"ids": [record_id("memory", word.id) for word in ids]})
        by_id = {row["id"].id: row for row in rows}
        return list(codec.decode_rows((by_id[word.id] for word in ids if word.id in by_id), _decode_memory))

    async def change(self, memory: Memory) -> bool:
        key, rows = text_key(memory.id), _encode_memory(memory, _FIRST)
        argument = {
            "memory": record_id("memory", key),
            "word": record_id("memory_word", key),
            "words": rows["words"]["words"],
            **{column: rows["memory"][column] for column in ("type", "expires", "data", "text")},
        }
        (changed,) = await self._connection.commit([Statement(_CHANGE, argument)])
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
        tables = ("memory", "memory_word")
        deleted, _ = await self._connection.commit(
            [Statement(_DELETE, [record_id(table, key) for key in keys]) for table in tables]
        )
        return len(deleted)


def _searches_of(wanted: MemoryQuery) -> tuple[_Searches, dict[str, Any]]:
    """Return the queries of the filter, and its variables."""
    variables = {
        "scopes": [_GENERAL_SCOPE if scope is None else text_key(scope) for scope in wanted.workflows or ()],
        "now": codec.to_microseconds(wanted.now),
        "type": wanted.type,
        "limit": wanted.limit,
    }
    return _OF_ALL if wanted.workflows is None else _OF_SCOPES, variables


def _encode_memory(memory: Memory, place: str) -> Row:
    shared = {
        "id": text_key(memory.id),
        "scope": _GENERAL_SCOPE if memory.workflow_id is None else text_key(memory.workflow_id),
        "place": place,
        "type": memory.type,
        "expires": NEVER if memory.expires_at is None else codec.to_microseconds(memory.expires_at),
    }
    is_long = len(memory.content) > PREVIEW_CHARACTERS
    data = codec.encode_fields(
        head=memory.content[:PREVIEW_CHARACTERS], length=len(memory.content), workflow=memory.workflow_id
    )
    words = f" {' '.join(words_of(memory.content))} "
    return {
        "memory": {**shared, "data": data, "text": codec.encode_text(memory.content) if is_long else None},
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
