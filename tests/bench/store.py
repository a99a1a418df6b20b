"""Searching 10 000 memories, beside a plain listing of as many (at most 50 ms)."""

import random
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.domain.ids import MemoryId, WorkflowId
from core.domain.memory import Memory, MemoryType
from core.domain.text.search import words_of
from core.persistence.surreal import SurrealStorage
from core.ports import MemoryQuery
from tests.bench.measure import contest, report

MEMORIES, BATCH, ROUNDS = 10_000, 100, 15
START = datetime(2026, 1, 1, tzinfo=UTC)
WORKFLOWS = (None, WorkflowId("wf_1"), WorkflowId("wf_2"))
QUERIES = {
    "rare word": "rare7",
    "two words": "some3 few1",
    "beginning": "som",
    "word of all": "common",
    "no word": "absent",
}


def _memory(number: int, rng: random.Random) -> Memory:
    """40 words: one that all have, one of 1000 a tenth of which begin alike, and others."""
    words = ["common", f"rare{number % 1000}", f"some{number % 10}", f"few{number % 100}"]
    words += [f"{rng.choice('bcdfgklmnprstv')}{rng.randrange(5000)}" for _ in range(36)]
    content = " ".join(words)
    where = WORKFLOWS[number % 3]
    at = START + timedelta(seconds=number)
    return Memory(MemoryId(f"mem_{number}"), MemoryType.KNOWLEDGE, where, content, len(content), at)


async def main() -> None:
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        storage = await SurrealStorage.open(Path(folder) / "store")
        try:
            for first in range(0, MEMORIES, BATCH):
                await storage.memories.add_all(_memory(number, rng) for number in range(first, first + BATCH))
            for where, wanted in (
                ("", MemoryQuery(WORKFLOWS[:2], START)),
                (" of all workflows", MemoryQuery(None, START)),
            ):
                await _search(storage, where, wanted)
        finally:
            await storage.close()


async def _search(storage: SurrealStorage, where: str, wanted: MemoryQuery) -> None:
    async def listing() -> None:
        assert len(await storage.memories.page(wanted)) == wanted.limit

    for name, query in QUERIES.items():
        words = words_of(query)

        async def searching(words: list[str] = words) -> None:
            await storage.memories.search(wanted, words)

        found = await contest(ROUNDS, searching, {f"listing{where}": listing})
        report("store", f"search of {MEMORIES} memories{where}, {name}", found)
