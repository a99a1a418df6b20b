"""What is left after 2 000 runs and 1 000 views opened and closed, beside what there was before.

Runs of every kind on a real store, twenty at a time, while a person looks at them. Warmed up before, so that nothing
that is bounded counts. Ends with an error where anything but the rows of the list has grown, or memory
without the database by 5 MB.
"""

import asyncio
import logging
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any, NamedTuple

from core.persistence.surreal import SurrealStorage
from core.wiring import run_core
from tests.bench.measure import line
from tests.support.held import ROWS, Held, resident_bytes
from tests.support.mixed_runs import MixedRuns, Person

BENCH = "leak"
WARM_UP, RUNS, VIEWS, TRACED = 1000, 2000, 1000, 500
PIECE = 500
MOST_BYTES = 5_000_000


class Memory(NamedTuple):
    """Resident bytes of the process. The database's engine keeps what was written since it was opened, so what the
    product itself holds shows only while it is closed."""

    whole: int
    without_database: int


class InterruptedStorage:
    """A store that can be closed below a core that goes on."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def open(self) -> None:
        self._storage = await SurrealStorage.open(self._path)

    async def close(self) -> None:
        await self._storage.close()

    async def memory(self) -> Memory:
        """To be called when nothing is at work."""
        whole = resident_bytes()
        await self.close()
        without_database = resident_bytes()
        await self.open()
        return Memory(whole, without_database)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)


async def main() -> None:
    logging.disable(logging.WARNING)  # steps that fail on purpose
    with tempfile.TemporaryDirectory() as folder:
        storage = InterruptedStorage(Path(folder) / "data" / "store")
        await storage.open()
        async with run_core(storage) as core:
            mixed, person = MixedRuns(core, Path(folder)), Person(core, seed=1)
            await mixed.begin()
            await run_and_look(mixed, person, WARM_UP)
            memory_before = await storage.memory()
            before, listed = await mixed.rest(), len(mixed.workflows)

            after = await run_and_look(mixed, person, RUNS)
            runs = len(mixed.workflows) - listed
            memory_after = await storage.memory()

            problems = tell_counts(before, after, runs)
            tell_memory(memory_before, memory_after, runs)
            await tell_kept(mixed, person)
            person.close()
        await storage.close()
    grown = memory_after.without_database - memory_before.without_database
    if grown > MOST_BYTES:
        problems.append(f"memory has grown by {grown / 1e6:.1f} MB")
    if problems:
        sys.exit("\n".join(problems))


async def run_and_look(mixed: MixedRuns, person: Person, runs: int) -> Held:
    """What is held at the end. Eleven minutes pass after every five hundred runs."""
    for at in range(0, runs, PIECE):
        piece = min(PIECE, runs - at)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(mixed.run(piece))
            tasks.create_task(person.look(mixed, piece * VIEWS // RUNS))
        await mixed.rest()
    return await mixed.rest()


def tell_counts(before: Held, after: Held, runs: int) -> list[str]:
    for name, count in after.numbers.items():
        was = before.numbers[name]
        line(
            BENCH, "held in the end", count, name, runs, compared_to=f"before: {was}", ratio=count / was if was else 1.0
        )
    grown = {name: by for name, by in after.grown(before).items() if name not in ROWS}
    line(BENCH, "more than before, beside the rows of the list", sum(grown.values()), "objects", runs)
    return [f"{name} {by:+}" for name, by in grown.items()]


def tell_memory(before: Memory, after: Memory, runs: int) -> None:
    was, now = before.without_database, after.without_database
    told = f"before: {was / 1e6:.1f} MB"
    line(
        BENCH, "memory without the database, grown by", (now - was) / 1e6, "MB", runs, compared_to=told, ratio=now / was
    )
    line(BENCH, "held by the database until it is closed, a run", (after.whole - now) / runs, "B", runs)


async def tell_kept(mixed: MixedRuns, person: Person) -> None:
    """What Python keeps of a run for good: its row in the list."""
    tracemalloc.start()
    await run_and_look(mixed, person, TRACED)  # what is bounded is made anew, and traced from now on
    begun, listed = tracemalloc.get_traced_memory()[0], len(mixed.workflows)
    await run_and_look(mixed, person, TRACED)
    kept, runs = tracemalloc.get_traced_memory()[0] - begun, len(mixed.workflows) - listed
    tracemalloc.stop()
    line(BENCH, "kept for the list, a run", kept / runs, "B", runs)
