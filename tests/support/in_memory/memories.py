"""Memories in memory, matched and ranked as the index does."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from core.domain.ids import MemoryId
from core.domain.memory import PREVIEW_CHARACTERS, Memory
from core.domain.text.search import words_of
from core.ports import MAX_RANKED, MemoryQuery, MemoryUsage
from tests.support.in_memory.tables import OrderKey, Tables

K1, B = 1.2, 0.75
ROWS = 200
_Row = tuple[OrderKey, Memory]


class InMemoryMemories:
    """Implements `core.ports.memories.Memories`."""

    def __init__(self, tables: Callable[[], Tables]) -> None:
        self._tables = tables

    async def add(self, memory: Memory) -> Memory:
        return self._tables().remember(memory)

    async def get(self, memory_id: MemoryId, now: datetime) -> Memory | None:
        row = self._tables().memories.get(memory_id)
        return row[1] if row is not None and row[1].is_alive(now) else None

    async def page(self, wanted: MemoryQuery, before: MemoryId | None = None) -> list[Memory]:
        rows = self._found(wanted)
        if before is not None:
            end = self._tables().memories.get(before)
            rows = [row for row in rows if end is not None and row[0] < end[0]]
        return [_with_head(row) for row in rows[: wanted.limit]]

    async def search(self, wanted: MemoryQuery, words: Sequence[str]) -> list[Memory]:
        if not words:
            return []
        known = {memory.id: words_of(memory.content) for _, memory in self._tables().memories.values()}
        matches = [row for row in self._found(wanted) if all(_occurrences(word, known[row[1].id]) for word in words)]
        if matches and len(matches) <= MAX_RANKED:
            scores = _Bm25(list(known.values()))
            matches.sort(key=lambda row: (round(scores.of(known[row[1].id], words), 3), row[0]), reverse=True)
        return [_with_head(row) for row in matches[: wanted.limit]]

    async def update_index(self) -> None:
        """Search what is there: there is no index."""

    async def change(self, memory: Memory) -> bool:
        rows = self._tables().memories
        if memory.id not in rows:
            return False
        place, before = rows[memory.id]
        rows[memory.id] = place, replace(memory, created_at=before.created_at)
        return True

    async def usage(self) -> MemoryUsage:
        contents = [memory.content for _, memory in self._tables().memories.values()]
        return MemoryUsage(len(contents), sum(map(len, contents)))

    async def remove_some(self) -> int:
        rows = self._tables().memories
        batch = list(islice(rows, ROWS))
        for memory_id in batch:
            del rows[memory_id]
        return len(batch)

    async def remove(self, memory_id: MemoryId) -> bool:
        return self._tables().memories.pop(memory_id, None) is not None

    async def purge(self, now: datetime) -> int:
        rows = self._tables().memories
        expired = [memory_id for memory_id, (_, memory) in rows.items() if not memory.is_alive(now)]
        for memory_id in expired:
            del rows[memory_id]
        return len(expired)

    def _found(self, wanted: MemoryQuery) -> list[_Row]:
        """Return the matching rows, newest first."""
        return sorted(
            (
                row
                for row in self._tables().memories.values()
                if (wanted.workflows is None or row[1].workflow_id in wanted.workflows)
                and row[1].is_alive(wanted.now)
                and wanted.type in (None, row[1].type)
            ),
            key=lambda row: row[0],
            reverse=True,
        )


class _Bm25:
    """BM25 over the words, as in the index. Words that most texts have score 0."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._texts = texts
        self._average = sum(map(len, texts)) / len(texts)

    def of(self, text: Sequence[str], query: Sequence[str]) -> float:
        return sum(self._of_word(word, text) for word in query)

    def _of_word(self, word: str, text: Sequence[str]) -> float:
        holding = sum(1 for other in self._texts if _occurrences(word, other))
        rarity = math.log((len(self._texts) - holding + 0.5) / (holding + 0.5))
        times = _occurrences(word, text)
        weight = times + K1 * (1 - B + B * len(text) / self._average)
        return max(0.0, rarity) * times * (K1 + 1) / weight


def _occurrences(word: str, text: Sequence[str]) -> int:
    return sum(other.startswith(word) for other in text)


def _with_head(row: _Row) -> Memory:
    return replace(row[1], content=row[1].content[:PREVIEW_CHARACTERS])
