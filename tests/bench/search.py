"""Searching 10,000 memories (at most 50 ms, beside a plain listing of as many), then 200 MB of text: first hits (at
most 300 ms), the longest pause of the loop meanwhile, the size of the index, and what indexing does to commits.
METIER_BENCH_MB is another size of the text."""

import asyncio
import itertools
import os
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.domain.ids import MemoryId, MessageId, RunId, WorkflowId
from core.domain.memory import Memory, MemoryType
from core.domain.messages import Message, Role
from core.domain.text.search import parse_query, words_of
from core.persistence.search.index import FileSearchIndex
from core.persistence.surreal import SurrealStorage
from core.ports import HitKind, MemoryQuery, PutMessage, RunDocuments, SearchDocument
from tests.bench.measure import contest, line, report

MEGABYTES = int(os.environ.get("METIER_BENCH_MB", "200"))
WORDS, WORKFLOWS, ROUNDS, COMMITS = 20_000, 1_000, 9, 20
LENGTHS = (30, 200, 1_000, 3_000)
START = datetime(2026, 1, 1, tzinfo=UTC)
MEMORIES, BATCH, MEMORY_ROUNDS = 10_000, 100, 15
OWNERS = (None, WorkflowId("wf_1"), WorkflowId("wf_2"))
MEMORY_QUERIES = {
    "rare word": "rare7",
    "two words": "some3 few1",
    "beginning": "som",
    "word of all": "common",
    "no word": "absent",
}


@dataclass(slots=True)
class Pause:
    """The longest time that the loop left somebody waiting who wanted to go on after a millisecond, in seconds."""

    longest: float = 0.0


@asynccontextmanager
async def watched() -> AsyncIterator[Pause]:
    pause = Pause()

    async def watch() -> None:
        while True:
            asked = time.perf_counter()
            await asyncio.sleep(0.001)
            pause.longest = max(pause.longest, time.perf_counter() - asked - 0.001)

    watching = asyncio.create_task(watch())
    try:
        yield pause
    finally:
        watching.cancel()


class Texts:
    """Words as often as those of a language: the second half as often as the first, and so on."""

    def __init__(self) -> None:
        self._rng = random.Random(1)
        letters = "etaoinshrdlu"
        self.words = ["".join(self._rng.choices(letters, k=self._rng.randint(2, 9))) for _ in range(WORDS)]
        self._weights = list(itertools.accumulate(1 / (number + 1) for number in range(WORDS)))

    def next(self) -> str:
        return " ".join(self._rng.choices(self.words, cum_weights=self._weights, k=self._rng.choice(LENGTHS)))


def run_of(number: int, text: str) -> RunDocuments:
    said = SearchDocument(HitKind.ASSISTANT, MessageId(f"msg_{number}"), START + timedelta(seconds=number), text)
    return RunDocuments(RunId(f"run_{number}"), "success", [said])


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        await memories(Path(folder) / "memories")
    with tempfile.TemporaryDirectory() as folder:
        index = FileSearchIndex(Path(folder) / "index" / "search.db")
        await index.open()
        try:
            texts = Texts()
            await build(index, texts)
            size = sum(file.stat().st_size for file in (Path(folder) / "index").iterdir())
            line("search", "size of the index per MB of text", size / 1e6 / MEGABYTES, "MB", 1)
            await search(index, texts)
            await commits(index, texts, Path(folder) / "store")
        finally:
            await index.close()


async def build(index: FileSearchIndex, texts: Texts) -> None:
    """Without the time that making the texts takes."""
    size, number, seconds = 0, 0, 0.0
    longest = 0.0
    while size < MEGABYTES * 1_000_000:
        number += 1
        text = texts.next() + (" zeppelin" if number == 77 else "")
        size += len(text)
        async with watched() as pause:
            began = time.perf_counter()
            await index.put_runs(WorkflowId(f"wf_{number % WORKFLOWS}"), [run_of(number, text)])
            seconds += time.perf_counter() - began
        longest = max(longest, pause.longest)
    line("search", "indexing a MB of text", seconds / MEGABYTES, "s", number)
    line("search", "longest pause of the loop while indexing", longest * 1e3, "ms", number)


async def search(index: FileSearchIndex, texts: Texts) -> None:
    common = texts.words
    queries = {
        "one hit": "zeppelin",
        "beginning of a word": "zepp",
        "the commonest word": f'"{common[0]}"',
        "two common words": f'"{common[2]}" "{common[3]}"',
        "a phrase": f'"{common[0]} {common[1]}"',
        "two letters that many words begin with": "te",
        "no hit": "absent",
    }
    for name, query in queries.items():
        terms, took = parse_query(query), []
        async with watched() as pause:
            for _ in range(ROUNDS):
                began = time.perf_counter()
                await index.find(terms)
                took.append((time.perf_counter() - began) * 1e3)
        line("search", f"first hits, {name}", statistics.median(took), "ms", ROUNDS)
        line("search", f"longest pause of the loop, {name}", pause.longest * 1e3, "ms", ROUNDS)


async def commits(index: FileSearchIndex, texts: Texts, path: Path) -> None:
    """Messages kept in the store, with and without somebody who indexes all the time."""
    storage = await SurrealStorage.open(path)
    numbers = itertools.count(10_000_000)

    async def keep() -> None:
        for _ in range(COMMITS):
            number = next(numbers)
            said = Message(MessageId(f"msg_{number}"), WorkflowId("wf_0"), Role.USER, "a text", START)
            await storage.commit([PutMessage(said)])

    async def index_on() -> None:
        text = texts.next()
        while True:
            await index.put_runs(WorkflowId("wf_0"), [run_of(next(numbers), text)])

    async def keep_beside() -> None:
        indexing = asyncio.create_task(index_on())
        try:
            await keep()
        finally:
            indexing.cancel()
            await asyncio.wait([indexing])

    try:
        report(
            "search", "a commit while texts are indexed", await contest(5, keep_beside, {"alone": keep}), per=COMMITS
        )
    finally:
        await storage.close()


async def memories(folder: Path) -> None:
    """Searches in two scopes and in all, and the first search after the index was lost."""
    rng = random.Random(1)
    storage = await SurrealStorage.open(folder / "store", FileSearchIndex(folder / "search.db"))
    try:
        for first in range(0, MEMORIES, BATCH):
            await storage.memories.add_all(_memory(number, rng) for number in range(first, first + BATCH))
        began = time.perf_counter()
        async with watched() as pause:
            await storage.memories.update_index()
        line("search", f"indexing {MEMORIES} memories", time.perf_counter() - began, "s", 1)
        line("search", "longest pause of the loop meanwhile", pause.longest * 1e3, "ms", 1)
        await search_memories(storage, "", MemoryQuery(OWNERS[:2], START))
        await search_memories(storage, " of all workflows", MemoryQuery(None, START))
    finally:
        await storage.close()


async def search_memories(storage: SurrealStorage, where: str, wanted: MemoryQuery) -> None:
    async def listing() -> None:
        assert len(await storage.memories.page(wanted)) == wanted.limit

    for name, query in MEMORY_QUERIES.items():
        words = words_of(query)

        async def searching(words: list[str] = words) -> None:
            await storage.memories.search(wanted, words)

        found = await contest(MEMORY_ROUNDS, searching, {f"listing{where}": listing})
        report("search", f"search of {MEMORIES} memories{where}, {name}", found)


def _memory(number: int, rng: random.Random) -> Memory:
    """40 words: one that all have, one of 1000 a tenth of which begin alike, and others."""
    words = ["common", f"rare{number % 1000}", f"some{number % 10}", f"few{number % 100}"]
    words += [f"{rng.choice('bcdfgklmnprstv')}{rng.randrange(5000)}" for _ in range(36)]
    content = " ".join(words)
    at = START + timedelta(seconds=number)
    return Memory(MemoryId(f"mem_{number}"), MemoryType.KNOWLEDGE, OWNERS[number % 3], content, len(content), at)
