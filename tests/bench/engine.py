"""The engine beside its bare floor (graphlib and asyncio, no storage), and beside as many bare commits.

A chain of 100 pure steps, chains of effects, a fan of 200, 20 runs of 6 steps at once, a list of 10 000 items
with its peak memory; questions and answers; a ragged DAG; what coming back costs, and how the store grows. Each run
is the real engine on a real store in a temporary folder.

`python -m tests.bench engine --before CHECKOUT` measures the core of another checkout too, such as a worktree of the
commit before, in turn with this one and in processes of their own.
"""

import argparse
import asyncio
import graphlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.app import Core, tune_gc
from core.domain.ids import RunId
from core.domain.template import Template
from core.persistence.surreal import SurrealStorage
from core.ports import CreateRun
from core.wiring import run_core
from tests.bench import engine_scenes, large, people, recovery
from tests.bench.engine_scenes import (
    ITEMS,
    RUNS,
    bare_commits,
    chain,
    each,
    fan,
    finish,
    note,
    note_tool,
    set_step,
    template,
    wait,
)
from tests.bench.measure import contest, line, report

BENCH = "engine"
ROUNDS = 7
FEW_ITEMS = 200
PEAK_MB = 110


class CountingStorage:
    """Keeps the commits of the storage it stands before."""

    def __init__(self, storage: SurrealStorage) -> None:
        self._storage = storage
        self.commits: list[Any] = []

    async def commit(self, writes: Any) -> Any:
        self.commits.append(writes)
        return await self._storage.commit(writes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)


@asynccontextmanager
async def a_core() -> AsyncIterator[tuple[Core, CountingStorage, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        storage = await SurrealStorage.open(Path(folder) / "data" / "store")
        counting = CountingStorage(storage)
        async with run_core(counting, more_tools=[large.text_tool(), note_tool()]) as core:
            tune_gc()
            yield core, counting, Path(folder)
        await storage.close()


async def floor(template: Template, body: Callable[[str], Awaitable[None]] | None = None) -> None:
    """The same order by the standard library: a task a step, nothing kept."""

    async def step(name: str) -> str:
        if body is not None:
            await body(name)
        return name

    sorter = graphlib.TopologicalSorter({step.name: step.depends_on for step in template.steps})
    sorter.prepare()
    flying: set[asyncio.Task[str]] = set()
    while sorter.is_active():
        flying |= {asyncio.create_task(step(name)) for name in sorter.get_ready()}
        done, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            sorter.done(task.result())


def of_other_runs(commits: Sequence[Any], number: int) -> list[list[Any]]:
    """Return the commits with other ids of runs: the store refuses events that it has."""

    def renamed(run_id: RunId) -> RunId:
        return RunId(f"{run_id}_{number}")

    def copied(write: Any) -> Any:
        if isinstance(write, CreateRun):
            return replace(write, run=replace(write.run, id=renamed(write.run.id)))
        return replace(write, run_id=renamed(write.run_id)) if hasattr(write, "run_id") else write

    return [[copied(write) for write in writes] for writes in commits]


async def again(storage: CountingStorage, commits: Sequence[Any]) -> None:
    """What the database takes for the same rows, one commit after the other, without an engine."""
    for writes in commits:
        await storage._storage.commit(writes)


async def measure(
    name: str,
    core: Core,
    storage: CountingStorage,
    work: Callable[[], Awaitable[None]],
    bare: Any,
    per: int,
    *,
    aim: float | None = None,
    aim_ratio: float | None = None,
) -> None:
    """Measure beside the floor, as many tiny commits, and its own commits alone. `aim` is in us; `aim_ratio` is how
    many times as long as the tiny commits it may take.
    """
    storage.commits.clear()
    await work()
    commits = list(storage.commits)
    copies = iter([of_other_runs(commits, number) for number in range(ROUNDS + 1)])
    tiny = f"{len(commits)} commits of a setting"
    others = {
        "floor": bare,
        tiny: lambda: bare_commits(storage._storage, len(commits)),
        "its commits, made once more": lambda: again(storage, next(copies)),
    }
    aim_ratios = {} if aim_ratio is None else {tiny: aim_ratio}
    report(BENCH, name, await contest(ROUNDS, work, others), unit="us", per=per, aim=aim, aim_ratios=aim_ratios)


async def main(arguments: Sequence[str]) -> None:
    options = argparse.ArgumentParser(prog="tests.bench engine")
    options.add_argument("--before", type=Path, metavar="CHECKOUT", help="measure the core of this checkout beside")
    before = options.parse_args(arguments).before
    if before is not None:
        beside_before(before.resolve())
    measure_items()  # before the rest: a process inherits the peak of the one that starts it
    async with a_core() as (core, storage, folder):
        hundred = chain(100)
        await measure(
            "chain of 100 set, a step",
            core,
            storage,
            lambda: finish(core, hundred),
            lambda: floor(hundred),
            100,
            aim=120,
        )
        wide = fan(200)
        await measure(
            "1-200-1 set, a step", core, storage, lambda: finish(core, wide), lambda: floor(wide), 202, aim=95
        )
        await measure_effects(core, storage, folder)
        await measure_runs(core, storage)
        await people.approvals(BENCH, core, lambda: bare_commits(storage._storage, 1))
        await people.ragged(BENCH, core)
        large.tell(BENCH, await large.stalls(measure_large(core)))
    await recovery.growth(BENCH)
    await recovery.recover_many(BENCH)
    recovery.kill_and_restart(BENCH)


async def measure_effects(core: Core, storage: CountingStorage, folder: Path) -> None:
    """An effect that takes no time, so that all that is measured is ours; and one that is a file."""

    def append(name: str, *after: str) -> dict[str, Any]:
        arguments = {"path": "log.txt", "content": f"{name}\n", "append": True}
        return {"name": name, "action": {"toolName": "write_file"}, "input": arguments, "dependsOn": list(after)}

    hundred, twenty = chain(100, note), chain(20, append)
    file = folder / "floor.txt"

    async def bare(name: str) -> None:
        await asyncio.to_thread(_append, file, name)

    await measure(
        "chain of 100 effects, a step",
        core,
        storage,
        lambda: finish(core, hundred),
        lambda: floor(hundred),
        100,
        aim_ratio=1.5,
    )
    await measure(
        "chain of 20 write_file append, a step",
        core,
        storage,
        lambda: finish(core, twenty, {}, str(folder)),
        lambda: floor(twenty, bare),
        20,
    )


def _append(file: Path, name: str) -> None:
    with file.open("a") as out:
        out.write(f"{name}\n")
        out.flush()
        os.fsync(out.fileno())


async def measure_runs(core: Core, storage: CountingStorage) -> None:
    """20 runs of 6 steps of 5 ms: the wait is a tool, so each step is a task and a result."""

    six = chain(6, wait)

    async def work() -> None:
        await asyncio.gather(*(finish(core, six) for _ in range(RUNS)))

    async def bare() -> None:
        await asyncio.gather(*(floor(six, lambda name: asyncio.sleep(0.005)) for _ in range(RUNS)))

    await measure("20 runs x 6 steps of 5 ms, all", core, storage, work, bare, 1, aim=70_000)


async def measure_large(core: Core) -> None:
    await asyncio.gather(*(finish(core, large.template()) for _ in range(large.RUNS)))


def beside_before(before: Path) -> None:
    """Measure each scene here and there in turn; a line for the wall clock and one for the time of the process."""
    here = Path(__file__).parents[2]
    for name, (_, per) in engine_scenes.scenes(None).items():
        turns = [
            [engine_scenes.in_checkout(checkout, name, engine_scenes.ROUNDS) for checkout in (here, before)]
            for _ in range(engine_scenes.TURNS)
        ]
        for which, clock in enumerate(("wall clock", "processor")):
            mine, theirs = ([turn[side][which] / per * 1e6 for turn in turns] for side in (0, 1))
            line(
                BENCH,
                f"{name}, {clock}",
                statistics.median(mine),
                "us",
                engine_scenes.TURNS * engine_scenes.ROUNDS,
                compared_to=f"before: {statistics.median(theirs):.4g} us",
                ratio=statistics.median(one / other for one, other in zip(mine, theirs, strict=True)),
            )


def measure_items() -> None:
    """In processes of their own, so that the peak memory is that of one list."""
    for name in ("items", "peak"):
        told = subprocess.run(
            [sys.executable, "-c", f"import asyncio, tests.bench.engine as e; asyncio.run(e.{name}())"],
            check=True,
            capture_output=True,
            text=True,
        )
        sys.stdout.write(told.stdout)


async def items() -> None:
    async with a_core() as (core, storage, _folder):
        many, few = ({"items": list(range(count))} for count in (ITEMS, FEW_ITEMS))
        bare = template([set_step(f"s{n}") for n in range(ITEMS)])

        async def lists_of_few() -> None:
            for _ in range(ITEMS // FEW_ITEMS):
                await finish(core, each(), few)

        others: dict[str, Callable[[], Awaitable[None]]]
        await finish(core, each(), many)
        commits = len(storage.commits)
        others = {
            "floor": lambda: floor(bare),
            f"in lists of {FEW_ITEMS}": lists_of_few,
            f"{commits} commits of a setting": lambda: bare_commits(storage._storage, commits),
        }
        told = await contest(1, lambda: finish(core, each(), many), others)
        report(BENCH, f"{ITEMS} forEach items, an item", told, unit="us", per=ITEMS, aim=89)


async def peak() -> None:
    async with a_core() as (core, _, _folder):
        before = _peak_mb()
        await finish(core, each(), {"items": list(range(ITEMS))})
        after = _peak_mb()
        told = f"before: {before:.0f} MB"
        line(
            BENCH,
            f"peak memory with {ITEMS} items",
            after,
            "MB",
            1,
            compared_to=told,
            ratio=after / before,
            aim=PEAK_MB,
        )


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
