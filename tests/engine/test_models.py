"""The model that a run was started with answers all that comes of it."""

from typing import Any

from core.domain.ids import RunId
from core.domain.model import ModelChoice
from tests.engine.test_children import calls, store
from tests.support.world import World, a_step, a_world

MODEL = ModelChoice(base_url="http://127.0.0.1:1/v1", model="m")


async def model_of(world: World, run_id: Any) -> ModelChoice | None:
    return (await world.storage.snapshots.of_run(RunId(run_id))).model


async def test_a_run_and_its_children_have_the_model_that_it_was_started_with() -> None:
    async with a_world() as world:
        await store(world, "Inner", a_step("i"))
        await store(world, "Child", calls("c", "Inner"))
        told = await world.run(calls("c", "Child"), model=MODEL)
        (child,) = await world.storage.runs.children(told["run_id"])
        (grandchild,) = await world.storage.runs.children(child.id)
        assert [await model_of(world, each) for each in (told["run_id"], child.id, grandchild.id)] == [MODEL] * 3


async def test_a_fork_has_the_model_of_its_source() -> None:
    async with a_world() as world:
        told = await world.run(a_step("s"), model=MODEL)
        again = await world.core.engine.fork(told["run_id"], "s")
        assert await model_of(world, again.id) == MODEL
