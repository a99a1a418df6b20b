"""Memories in the index: their words, and the fields that filter and order what is found. Runs in a thread."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.text.search import words_of
from core.persistence.search.index_file import DIRTY
from core.ports import MAX_RANKED
from core.threads.pieces import Pieces

_MATCHING = """
FROM memory_words CROSS JOIN memory ON memory.number = memory_words.rowid
WHERE memory_words MATCH :match AND expires > :now AND (:type IS NULL OR type = :type)
AND (:scopes IS NULL OR scope IN (SELECT value FROM json_each(:scopes)))
"""
_COUNT = f"SELECT count(*) FROM (SELECT 1 {_MATCHING} LIMIT {MAX_RANKED + 1})"
_RANK = f"SELECT id, bm25(memory_words), place {_MATCHING}"
_NEWEST = f"SELECT id {_MATCHING} ORDER BY place LIMIT :limit"


@dataclass(frozen=True, slots=True)
class IndexedMemory:
    """A memory as it is indexed: `version` changes with it, and `place` sorts the newest first."""

    id: str
    version: int
    scope: str
    type: str
    expires: int
    place: str
    content: str


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What a search may find. `scopes`: a JSON list, None for all; `now`: of the same unit as `expires`."""

    scopes: str | None
    now: int
    type: str | None
    limit: int


def memory_versions(connection: sqlite3.Connection) -> Pieces[dict[str, int]]:
    """Return the versions of all indexed memories by id."""
    yield
    return dict(connection.execute("SELECT id, version FROM memory"))


def put_memories(writer: sqlite3.Connection, memories: Sequence[IndexedMemory]) -> Pieces[None]:
    """Add the memories, or replace what is indexed of them."""
    for memory in memories:
        _remove(writer, memory.id)
        fields = (memory.id, memory.version, memory.scope, memory.type, memory.expires, memory.place)
        inserted = writer.execute(
            "INSERT INTO memory (id, version, scope, type, expires, place) VALUES (?, ?, ?, ?, ?, ?)", fields
        )
        words = " ".join(words_of(memory.content))
        writer.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (inserted.lastrowid, words))
        yield


def remove_memories(writer: sqlite3.Connection, ids: Sequence[str]) -> Pieces[None]:
    """Remove memories from all results. `purge_deleted` then purges their words from the file."""
    for memory_id in ids:
        _remove(writer, memory_id)
        yield


def _remove(writer: sqlite3.Connection, memory_id: str) -> None:
    row = writer.execute("SELECT number FROM memory WHERE id = ?", (memory_id,)).fetchone()
    if row is not None:
        writer.execute("DELETE FROM memory_words WHERE rowid = ?", row)
        writer.execute("DELETE FROM memory WHERE number = ?", row)
        writer.execute(f"PRAGMA application_id = {DIRTY}")


# Ranking a match takes far longer than finding it, so the matches are counted first. Where there are too many to rank,
# the words say little, and the newest are the better answer.
def find_memories(reader: sqlite3.Connection, wanted: MemoryFilter, words: Sequence[str]) -> Pieces[list[str]]:
    """Return the ids of memories in which every word begins a word: by relevance, then newest first."""
    match = " AND ".join(f'"{word}" *' for word in words)
    given = {"match": match, "now": wanted.now, "type": wanted.type, "scopes": wanted.scopes}
    (count,) = reader.execute(_COUNT, given).fetchone()
    yield
    if count > MAX_RANKED:
        return [memory_id for (memory_id,) in reader.execute(_NEWEST, {**given, "limit": wanted.limit})]
    ranked = sorted((round(score, 3), place, memory_id) for memory_id, score, place in reader.execute(_RANK, given))
    return [memory_id for _, _, memory_id in ranked[: wanted.limit]]
