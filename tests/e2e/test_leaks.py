"""What is over is gone: many runs and views leave nothing behind, as exact counts (memory: `tests.bench leak`)."""

import asyncio
from pathlib import Path

import pytest

from core.app import Folders
from core.persistence.surreal import SurrealStorage
from core.wiring import open_core, run_core
from tests.support.held import ROWS, held
from tests.support.mixed_runs import MixedRuns, Person

RUNS, VIEWS = 200, 100


@pytest.mark.async_timeout(240)
async def test_runs_and_views_leave_rows_of_the_list_and_nothing_else(tmp_path: Path) -> None:
    storage = await SurrealStorage.open(tmp_path / "data" / "store")
    async with run_core(storage) as core:
        mixed, person = MixedRuns(core, tmp_path), Person(core, seed=1)
        await mixed.begin()
        await mixed.run(60)
        await person.look(mixed, 20)
        await mixed.rest()
        await mixed.delete_all()
        before, listed = await mixed.rest(), len(mixed.workflows)

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(mixed.run(RUNS))
            tasks.create_task(person.look(mixed, VIEWS))
        after = await mixed.rest()
        assert after.grown(before) == dict.fromkeys(sorted(ROWS), len(mixed.workflows) - listed)

        await mixed.delete_all()
        assert (await mixed.rest()).grown(before) == {}
        person.close()
    await storage.close()


@pytest.mark.async_timeout(240)
async def test_a_core_that_was_left_is_gone_with_all_that_it_held(tmp_path: Path) -> None:
    async def live() -> None:
        async with open_core(Folders.choose(str(tmp_path / "data"))) as core:
            mixed = MixedRuns(core, tmp_path)
            await mixed.begin()
            await mixed.run(20)

    await live()
    before = held()
    for _ in range(3):
        await live()
    assert held().grown(before) == {}
