"""Storage of tasks, whose changes depend on the revision that they were based on."""

from core.domain.ids import TaskId
from core.domain.task import TaskList, TaskStatus
from core.ports import ChangeTasks, PutWorkflow, Storage
from tests.contracts.rows import W2, W, a_task, a_workflow, at

FULL = a_task(
    description="é\n\x00 🙂 \ud800",
    priority=5,
    status=TaskStatus.COMPLETED,
    dependencies=(TaskId("task_2"),),
    completed_at=at(3),
)


async def test_every_field_of_a_task_comes_back_as_it_was(storage: Storage) -> None:
    assert await storage.tasks.of_workflow(W) == TaskList({})
    other = a_task("task_2")
    assert await storage.commit([ChangeTasks(W, 0, "x", put=(FULL, other))]) == frozenset()
    assert await storage.tasks.of_workflow(W) == TaskList.of([FULL, other], 1, "x")
    assert await storage.tasks.of_workflow(W2) == TaskList({})


async def test_a_change_of_another_revision_is_lost_and_a_repeated_change_is_not(storage: Storage) -> None:
    change = ChangeTasks(W, 0, "x", put=(FULL,))
    await storage.commit([change])
    assert await storage.commit([change]) == frozenset()
    stale = ChangeTasks(W, 0, "y", put=(a_task("task_2"),), removed=(FULL.id,))
    assert await storage.commit([PutWorkflow(a_workflow()), stale]) == {1}
    assert await storage.tasks.of_workflow(W) == TaskList.of([FULL], 1, "x")
    await storage.commit([ChangeTasks(W, 1, "y", removed=(FULL.id, TaskId("none")))])
    assert await storage.tasks.of_workflow(W) == TaskList.of([], 2, "y")


async def test_tasks_go_with_their_workflow(storage: Storage) -> None:
    await storage.commit([ChangeTasks(W, 0, "x", put=(FULL,)), ChangeTasks(W2, 0, "x", put=(a_task("t", W2),))])
    await storage.delete_workflow(W)
    assert await storage.tasks.of_workflow(W) == TaskList({})
    assert len((await storage.tasks.of_workflow(W2)).tasks) == 1
