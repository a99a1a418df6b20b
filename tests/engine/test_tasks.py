"""`todo` in runs: what is told, what is kept, and a crash right after a task was made."""

from collections.abc import Sequence
from typing import Any

from core.domain.events import TaskChanged, to_wire
from core.domain.fold import replay
from core.domain.template import ValidationMode
from core.ports import ChangeTasks, Write
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import World, a_world, tool_step


class Snapping(InMemoryStorage):
    """Keeps what a crash would leave right after a change of tasks was committed."""

    left: InMemoryStorage | None = None

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        lost = await super().commit(writes)
        if any(isinstance(write, ChangeTasks) for write in writes) and self.left is None:
            self.left = InMemoryStorage(self._tables.copy())
        return lost


def changes(world: World) -> list[TaskChanged]:
    return [event.fact for event in world.events if isinstance(event.fact, TaskChanged)]


STEPS = (
    {**tool_step("make", "todo"), "input": {"action": "create", "name": "Write it", "priority": 2}},
    tool_step("done", "todo", action="complete", id="@make.task.id"),
)


async def test_tasks_are_emitted_and_stored_and_the_user_is_not_asked() -> None:
    async with a_world() as world:
        run = await world.run(*STEPS, mode=ValidationMode.MANUAL)
        assert run["status"] == "success", run
        told = changes(world)
        assert [(each.change, each.status) for each in told] == [("created", "pending"), ("completed", "completed")]
        wire = next(to_wire(event) for event in world.events if event.fact is told[0])
        assert (wire["type"], wire["name"], wire["call_id"]) == ("task_changed", "Write it", "make")
        assert [event.seq for event in await world.storage.events.of_run(run["run_id"])][-1] == world.events[-1].seq
        kept = replay(await world.storage.events.of_run(run["run_id"]))
        assert kept is not None
        assert [task.fact for task in kept.tasks.values()] == [told[1]]


async def test_a_crash_between_a_task_and_its_result_makes_no_second_task() -> None:
    storage = Snapping()
    async with a_world(storage) as world:
        run = await world.run(*STEPS)
    assert storage.left is not None
    async with a_world(storage.left) as world:
        assert await world.core.engine.recover() == [run["run_id"]]
        described: Any = await world.settled(run["run_id"])
        assert described["status"] == "success", described
        tasks = await storage.left.tasks.of_workflow(run["workflow_id"])
        assert [(task.name, task.status) for task in tasks.tasks.values()] == [("Write it", "completed")]
        assert [change.change for change in changes(world)] == ["created", "completed"]
