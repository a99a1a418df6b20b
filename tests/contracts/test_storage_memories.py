"""Storage and search of memories."""

import random
from datetime import timedelta
from typing import Any

import pytest

from core.domain.ids import MemoryId, WorkflowId
from core.domain.memory import PREVIEW_CHARACTERS, Memory, MemoryType
from core.domain.text.search import words_of
from core.ports import MAX_RANKED, MemoryQuery, Storage, memories
from tests.contracts.rows import W2, W, at
from tests.support.in_memory.storage import InMemoryStorage

NOW = at(1000)


def a_memory(name: str, content: str = "text", made: float = 0, **fields: Any) -> Memory:
    values = {"type": MemoryType.KNOWLEDGE, "workflow_id": None, "length": len(content), **fields}
    return Memory(MemoryId(name), content=content, created_at=at(made), **values)


def wanted(*workflows: WorkflowId | None, **more: Any) -> MemoryQuery:
    return MemoryQuery(workflows or (None,), **{"now": NOW, **more})


async def search_ids(storage: Storage, query: str, *workflows: WorkflowId | None, **more: Any) -> list[str]:
    return [each.id for each in await storage.memories.search(wanted(*workflows, **more), words_of(query))]


async def test_every_field_of_a_memory_comes_back_as_it_was(storage: Storage) -> None:
    long = a_memory("m1", "é\n\x00 🙂 \ud800" * 5000, type=MemoryType.CONTEXT, workflow_id=W, expires_at=at(2000))
    short = a_memory("m2", "", made=1)
    for memory in (long, short):
        assert await storage.memories.add(memory) == memory
        assert await storage.memories.get(memory.id, NOW) == memory
    heads = await storage.memories.page(wanted(W, None))
    assert [head.id for head in heads] == ["m2", "m1"]
    assert (heads[1].content, heads[1].length) == (long.content[:PREVIEW_CHARACTERS], len(long.content))
    assert await storage.memories.get(MemoryId("\ud800"), NOW) is None


async def test_adding_an_existing_memory_changes_nothing(storage: Storage) -> None:
    first = a_memory("m1", "first")
    await storage.memories.add(first)
    assert await storage.memories.add(a_memory("m1", "second")) == first
    assert await search_ids(storage, "first") == ["m1"]
    assert await search_ids(storage, "second") == []
    assert await storage.memories.remove(MemoryId("m1")) is True
    assert await storage.memories.remove(MemoryId("m1")) is False
    assert await search_ids(storage, "first") == []


async def test_pages_are_newest_first_of_the_workflows_and_type_wanted(storage: Storage) -> None:
    for number in range(6):
        kind = MemoryType.DECISION if number % 2 else MemoryType.KNOWLEDGE
        await storage.memories.add(
            a_memory(f"m{number}", made=number // 2, type=kind, workflow_id=W if number < 3 else None)
        )
    await storage.memories.add(a_memory("other", workflow_id=W2))
    pages = storage.memories.page

    async def ids(which: MemoryQuery, before: str | None = None) -> list[str]:
        return [page.id for page in await pages(which, MemoryId(before) if before else None)]

    assert await ids(wanted(W, None)) == ["m5", "m4", "m3", "m2", "m1", "m0"]
    assert await ids(wanted(W, None, limit=2), "m4") == ["m3", "m2"]
    assert await ids(wanted(W)) == ["m2", "m1", "m0"]
    assert await ids(wanted(None, type=MemoryType.DECISION)) == ["m5", "m3"]
    assert await ids(wanted(W, None), "none") == []


async def test_what_has_expired_is_found_nowhere_and_then_purged(storage: Storage) -> None:
    expired = a_memory("gone", "apple", expires_at=NOW)
    stays = a_memory("stays", "apple", expires_at=NOW + timedelta(microseconds=1))
    for memory in (expired, stays, a_memory("for ever", "apple", made=-1)):
        await storage.memories.add(memory)
    assert await storage.memories.get(expired.id, NOW) is None
    assert await search_ids(storage, "apple") == ["stays", "for ever"]
    assert [memory.id for memory in await storage.memories.page(wanted())] == ["stays", "for ever"]
    assert await storage.memories.purge(NOW) == 1
    assert await storage.memories.get(expired.id, at(0)) is None
    assert await search_ids(storage, "apple", now=at(0)) == ["stays", "for ever"]
    assert await storage.memories.purge(NOW) == 0


async def test_memories_are_deleted_with_their_workflow_and_general_memories_stay(storage: Storage) -> None:
    for number in range(3):
        await storage.memories.add(a_memory(f"m{number}", "apple", workflow_id=(W, W2, None)[number]))
    await storage.delete_workflow(W)
    assert await storage.memories.get(MemoryId("m0"), NOW) is None
    assert sorted(await search_ids(storage, "apple", W, W2, None)) == ["m1", "m2"]


TEXTS = {
    "meeting": "Les réunions ont lieu à l'école, le mardi après-midi. Œuvre naïve, ça va ?",
    "theme": "The user prefers dark themes, and short answers (x86-64).",
    "tokyo": "東京タワー is in Tokyo; Straße und Füße, ИВАН Иванович, 42 ﬁnds",
    "long": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk",
}
FINDS = {
    "ecole": ["meeting"],
    "ÉCOLE réun": ["meeting"],
    "REUNIONS mardi": ["meeting"],
    "l'école": ["meeting"],
    "oeuvre naive CA": ["meeting"],
    "apres midi": ["meeting"],
    "them dark": ["theme"],
    "x86": ["theme"],
    "64": ["theme"],
    "京東": ["tokyo"],
    "strasse fusse": ["tokyo"],
    "иван": ["tokyo"],
    "finds 4": ["tokyo"],
    "donaudampf": ["long"],
    "Donaudampfschifffahrtselektrizitäten": ["long"],
    "hemes": [],
    "dark mardi": [],
    "nothing": [],
    "": [],
    "!!! '": [],
    "$query OR 1=1": [],
}


async def test_words_are_found_by_their_beginnings_without_case_and_accents(storage: Storage) -> None:
    for name, content in TEXTS.items():
        await storage.memories.add(a_memory(name, content))
    assert {query: await search_ids(storage, query) for query in FINDS} == FINDS


async def test_the_rarer_word_and_the_shorter_text_come_first_and_then_the_newer(storage: Storage) -> None:
    contents = {
        "often": "apple pear " + "plum cherry fig date " * 3,
        "short": "apple",
        "newer": "apple",
        "long": "apple " + " ".join(f"word{number}" for number in range(60)),
    }
    for number, (name, content) in enumerate(contents.items()):
        await storage.memories.add(a_memory(name, content, made=number))
    for number in range(8):
        await storage.memories.add(a_memory(f"x{number}", f"nothing of this kind {number}"))
    assert await search_ids(storage, "apple") == ["newer", "short", "often", "long"]
    assert await search_ids(storage, "apple", limit=1) == ["newer"]


async def test_of_words_that_very_many_hold_the_newest_are_given(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_RANKED == memories.MAX_RANKED
    for number in range(MAX_RANKED + 10):
        await storage.memories.add(a_memory(f"m{number:03}", "common " + "x " * (number % 3), made=number))
    await storage.memories.add(a_memory("rare", "common rare", made=-5))
    assert await search_ids(storage, "common", limit=3) == [
        f"m{MAX_RANKED + 9}",
        f"m{MAX_RANKED + 8}",
        f"m{MAX_RANKED + 7}",
    ]
    assert await search_ids(storage, "common rare") == ["rare"]


@pytest.mark.parametrize("seed", range(2))
async def test_the_twin_finds_and_ranks_as_the_database(storage: Storage, seed: int) -> None:
    rng, twin = random.Random(seed), InMemoryStorage()
    vocabulary = [a + b for a in ("ba", "be", "cafe", "x", "dor") for b in ("", "l", "lo", "nard", "2")]
    for number in range(60):
        content = " ".join(rng.choice(vocabulary) for _ in range(rng.randint(1, 25)))
        for store in (storage, twin):
            await store.memories.add(a_memory(f"m{number}", content, made=number))
    for number in rng.sample(range(60), 10):
        for store in (storage, twin):
            await store.memories.remove(MemoryId(f"m{number}"))
    for _ in range(40):
        query = " ".join(rng.choice(vocabulary)[: rng.randint(1, 6)] for _ in range(rng.randint(1, 3)))
        assert await search_ids(storage, query, limit=100) == await search_ids(twin, query, limit=100), query


async def test_all_of_them_are_listed_searched_and_counted(storage: Storage) -> None:
    everywhere = MemoryQuery(None, NOW)
    assert (await storage.memories.usage()).count == 0
    for at_, (name, workflow) in enumerate((("m0", W), ("m1", None), ("m2", W2), ("m3", W))):
        kind = MemoryType.DECISION if name == "m3" else MemoryType.KNOWLEDGE
        await storage.memories.add(a_memory(name, f"apple {name}", at_, workflow_id=workflow, type=kind))
    await storage.memories.add(a_memory("gone", "apple", expires_at=NOW))
    assert [memory.id for memory in await storage.memories.page(everywhere)] == ["m3", "m2", "m1", "m0"]
    assert [memory.id for memory in await storage.memories.page(everywhere, MemoryId("m2"))] == ["m1", "m0"]
    assert [memory.id for memory in await storage.memories.page(MemoryQuery(None, NOW, MemoryType.DECISION))] == ["m3"]
    memories = await storage.memories.search(everywhere, words_of("apple M1"))
    assert [each.id for each in memories] == ["m1"]
    assert len(await storage.memories.search(everywhere, words_of("app"))) == 4
    room = await storage.memories.usage()
    assert (room.count, room.size >= 5 * len("apple")) == (5, True)
    assert await storage.memories.remove_some() == 5
    assert await storage.memories.remove_some() == 0
    assert await storage.memories.search(everywhere, words_of("apple")) == []


async def test_a_memory_is_changed_where_it_stands(storage: Storage) -> None:
    for number in range(3):
        await storage.memories.add(a_memory(f"m{number}", f"old {number}", number, workflow_id=W))
    long = "new é\x00\ud800 " * 300
    changed = a_memory("m1", long, 99, workflow_id=W, type=MemoryType.CONTEXT, expires_at=at(2000))
    assert await storage.memories.change(changed) is True
    whole = await storage.memories.get(MemoryId("m1"), NOW)
    assert whole is not None
    assert (whole.content, whole.length, whole.type, whole.expires_at) == (
        long,
        len(long),
        MemoryType.CONTEXT,
        at(2000),
    )
    assert (whole.workflow_id, whole.created_at) == (W, at(1))
    heads = await storage.memories.page(wanted(W))
    assert [(head.id, len(head.content)) for head in heads] == [("m2", 5), ("m1", PREVIEW_CHARACTERS), ("m0", 5)]
    assert await search_ids(storage, "new", W) == ["m1"]
    assert await search_ids(storage, "old", W) == ["m2", "m0"]
    assert await storage.memories.change(a_memory("m1", "short", workflow_id=W)) is True
    whole = await storage.memories.get(MemoryId("m1"), NOW)
    assert whole is not None
    assert (whole.content, whole.expires_at) == ("short", None)
    assert await storage.memories.change(a_memory("none")) is False
    assert await storage.memories.get(MemoryId("none"), NOW) is None
