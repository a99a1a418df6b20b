"""The index of memories follows the database, catches up with what it missed, and keeps no deleted word."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from core.domain.ids import MemoryId
from core.domain.memory import Memory, MemoryType
from core.domain.text.search import words_of
from core.errors import SearchFailed
from core.persistence.connection import Connection
from core.persistence.keys import record_id
from core.persistence.schema import MIGRATIONS, migrate
from core.persistence.search.index import FileSearchIndex
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from core.ports import MemoryQuery
from tests.contracts.rows import at

NOW = at(1000)


@asynccontextmanager
async def a_store(tmp_path: Path, index: str = "search.db") -> AsyncIterator[SurrealStorage]:
    storage = await SurrealStorage.open(tmp_path / "store", FileSearchIndex(tmp_path / "cache" / index))
    try:
        yield storage
    finally:
        await storage.close()


async def add(storage: SurrealStorage, name: str, content: str, made: int = 0) -> Memory:
    memory = Memory(MemoryId(name), MemoryType.KNOWLEDGE, None, content, len(content), at(made))
    return await storage.memories.add(memory)


async def found(storage: SurrealStorage, query: str) -> list[str]:
    return [memory.id for memory in await storage.memories.search(MemoryQuery(None, NOW), words_of(query))]


async def test_what_happened_without_the_index_is_caught_up_with(tmp_path: Path) -> None:
    async with a_store(tmp_path) as storage:
        for name in ("stays", "changes", "goes"):
            await add(storage, name, f"apple {name}")
        assert await found(storage, "apple goes") == ["goes"]
    async with a_store(tmp_path, "other.db") as storage:
        await storage.memories.remove(MemoryId("goes"))
        await add(storage, "comes", "apple comes", 1)
        changed = Memory(MemoryId("changes"), MemoryType.KNOWLEDGE, None, "a pear", 6, at(0))
        assert await storage.memories.change(changed)
    async with a_store(tmp_path) as storage:
        assert await found(storage, "apple") == ["comes", "stays"]
        assert await found(storage, "pear") == ["changes"]
        assert await found(storage, "goes") == []


async def test_a_deleted_index_is_rebuilt_by_the_first_search(tmp_path: Path) -> None:
    async with a_store(tmp_path) as storage:
        await add(storage, "m", "x" * 2_000 + " apple")
        assert await found(storage, "apple") == ["m"]
    for file in (tmp_path / "cache").iterdir():
        file.unlink()
    async with a_store(tmp_path) as storage:
        assert await found(storage, "apple") == ["m"]


async def test_a_broken_index_is_rebuilt_by_the_search_that_finds_it(tmp_path: Path) -> None:
    async with a_store(tmp_path) as storage:
        for number in range(50):
            await add(storage, f"m{number}", f"apple {number}", number)
        assert await found(storage, "apple 7") == ["m7"]
        with closing(sqlite3.connect(tmp_path / "cache" / "search.db")) as file:
            file.execute("DELETE FROM memory_words_data WHERE id > 10")
            file.commit()
        assert await found(storage, "apple 7") == ["m7"]


async def test_a_change_that_the_index_cannot_take_is_stored_and_found_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_store(tmp_path) as storage:
        await add(storage, "first", "apple")
        assert await found(storage, "apple") == ["first"]

        async def fail(*_: object) -> None:
            raise SearchFailed("search_unavailable", "the disk is full")

        with monkeypatch.context() as full:
            full.setattr(FileSearchIndex, "put_memories", fail)
            full.setattr(FileSearchIndex, "remove_memories", fail)
            await add(storage, "second", "apple", 1)
            assert await storage.memories.remove(MemoryId("first"))
            with pytest.raises(SearchFailed):
                await found(storage, "apple")
        assert await found(storage, "apple") == ["second"]


@pytest.mark.parametrize("has_searched", [True, False])
async def test_of_a_deleted_memory_no_word_stays_in_the_file(tmp_path: Path, *, has_searched: bool) -> None:
    async with a_store(tmp_path) as storage:
        await add(storage, "m", "xylophonist " * 30)
        await add(storage, "other", "something else")
        assert await found(storage, "xylophonist") == ["m"]
    async with a_store(tmp_path) as storage:
        if has_searched:
            assert await found(storage, "something") == ["other"]
        await storage.memories.remove(MemoryId("m"))
    index = FileSearchIndex(tmp_path / "cache" / "search.db")
    await index.open()
    is_left = True
    while is_left:
        is_left = await index.purge_deleted()
    assert list(await index.memory_versions()) == ["other"]
    await index.close()
    content = b"".join(file.read_bytes() for file in (tmp_path / "cache").iterdir())
    assert b"xylophon" not in content
    assert b"something" in content


async def test_the_memories_of_an_earlier_version_are_indexed(tmp_path: Path) -> None:
    connection = await Connection.open(tmp_path / "store")
    await migrate(connection, [migration for migration in MIGRATIONS if migration.number < 15])
    row = {
        "id": record_id("memory", "old"),
        "scope": "",
        "place": "0",
        "type": "knowledge",
        "expires": 1 << 62,
        "data": '{"head":"Café","length":4}',
    }
    words = {"id": record_id("memory_word", "old"), "scope": "", "place": "0", "words": " cafe "}
    await connection.commit(
        [Statement("INSERT INTO memory $argument", [row]), Statement("INSERT INTO memory_word $argument", [words])]
    )
    await connection.close()
    async with a_store(tmp_path) as storage:
        tables = (await storage.connection.read("INFO FOR DB"))["tables"]
        assert "memory_word" not in tables
        (memory,) = await storage.memories.search(MemoryQuery(None, NOW), ["caf"])
        assert (memory.id, memory.content) == ("old", "Café")
