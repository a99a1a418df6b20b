"""`todo`: tasks, what their dependencies allow, and calls that are repeated or concurrent."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.domain.events import TaskChanged
from core.domain.ids import WorkflowId
from core.domain.risk import Risk
from core.domain.tool import CallStatus, Effect
from core.errors import StorageFailed
from core.persistence.surreal import SurrealStorage
from tests.support.in_memory.storage import InMemoryStorage
from tests.tools.rig import Builtins, error_of

pytestmark = pytest.mark.real_time  # the database answers from a thread of its own


async def made(tools: Builtins, name: str, *needs: str, **more: Any) -> str:
    """Return the id of a new task that depends on these."""
    value = await tools.value(
        "todo", action="create", name=name, **({"dependencies": list(needs)} if needs else {}), **more
    )
    return str(value["task"]["id"])


async def test_a_task_comes_back_as_it_was_made_and_changed() -> None:
    tools = Builtins()
    task_id = await made(tools, "  Écrire le rapport ", description="in French", priority=1)
    first = (await tools.value("todo", action="get", id=task_id))["task"]
    assert first | {"created_at": 0, "updated_at": 0} == {
        "id": task_id,
        "name": "Écrire le rapport",
        "description": "in French",
        "priority": 1,
        "status": "pending",
        "dependencies": [],
        "waits_for": [],
        "created_at": 0,
        "updated_at": 0,
        "completed_at": None,
    }
    changed = await tools.value("todo", action="update", id=task_id, status="in_progress", priority=5, name="Report")
    assert (changed["task"]["status"], changed["task"]["priority"]) == ("in_progress", 5)
    done = (await tools.value("todo", action="complete", id=task_id))["task"]
    assert done["status"] == "completed"
    assert done["completed_at"] is not None
    again = (await tools.value("todo", action="update", id=task_id, status="pending"))["task"]
    assert (again["status"], again["completed_at"]) == ("pending", None)
    assert (await tools.value("todo", action="delete", id=task_id))["deleted"] is True
    assert (await tools.failure("todo", action="get", id=task_id))[0] == "not_found"


async def test_a_list_has_the_most_urgent_first_and_counts_all() -> None:
    tools = Builtins()
    for name, priority in (("b", 3), ("c", 5), ("a", 1), ("b2", 3)):
        await made(tools, name, priority=priority)
    listed = await tools.value("todo", action="list")
    assert [task["name"] for task in listed["tasks"]] == ["a", "b", "b2", "c"]
    done = await tools.value("todo", action="list", status="completed")
    assert done == {"tasks": [], "counts": {"pending": 4, "in_progress": 0, "completed": 0, "blocked": 0}}


async def test_a_task_is_blocked_until_what_it_depends_on_is_completed() -> None:
    tools = Builtins()
    first = await made(tools, "first")
    second = await made(tools, "second", first)
    third = await made(tools, "third", second)
    for how in ({"action": "update", "status": "in_progress"}, {"action": "complete"}):
        code, message = await tools.failure("todo", id=second, **how)
        assert code == "blocked"
        assert f"'first' ({first}, pending)" in message
    blocked = await tools.value("todo", action="list", status="blocked")
    assert [(task["id"], task["waits_for"]) for task in blocked["tasks"]] == [(second, [first]), (third, [second])]
    tools.facts.clear()
    assert (await tools.value("todo", action="complete", id=first))["unblocked"] == [second]
    changes = [(fact.name, fact.change, fact.status) for fact in tools.facts if isinstance(fact, TaskChanged)]
    assert changes == [("first", "completed", "completed"), ("second", "updated", "pending")]
    await tools.value("todo", action="complete", id=second)
    code, message = await tools.failure("todo", action="update", id=first, status="pending")
    assert code == "blocked"
    assert "must stay completed: 'second'" in message


async def test_what_others_depend_on_stays_and_nothing_goes_in_a_circle() -> None:
    tools = Builtins()
    a = await made(tools, "a")
    b = await made(tools, "b", a)
    c = await made(tools, "c", b)
    code, message = await tools.failure("todo", action="delete", id=a)
    assert (code, f"'b' ({b}, pending)" in message) == ("in_use", True)
    code, message = await tools.failure("todo", action="update", id=a, dependencies=[c])
    assert code == "invalid_arguments"
    assert message == f"dependencies: they would be circular: 'a' ({a}) → 'c' ({c}) → 'b' ({b}) → 'a' ({a})"
    assert (await tools.failure("todo", action="update", id=a, dependencies=[a]))[1].endswith("depend on itself")
    assert (await tools.failure("todo", action="create", name="d", dependencies=["x"]))[1].endswith("no task 'x'")
    await tools.value("todo", action="update", id=b, dependencies=[])
    await tools.value("todo", action="delete", id=a)


async def test_tasks_are_those_of_the_workflow() -> None:
    tools = Builtins()
    task_id = await made(tools, "mine")
    tools.context = replace(tools.context, workflow_id=WorkflowId("wf_2"))
    assert (await tools.value("todo", action="list"))["tasks"] == []
    assert (await tools.failure("todo", action="update", id=task_id, name="x"))[0] == "not_found"
    assert (await tools.failure("todo", action="create", name="x", dependencies=[task_id]))[0] == "invalid_arguments"


WRONG = [
    ({}, "action"),
    ({"action": "destroy"}, "destroy"),
    ({"action": ["list"]}, "list"),
    ({"action": None}, "None"),
    ({"action": "create"}, "create needs name"),
    ({"action": "create", "name": ""}, "name"),
    ({"action": "create", "name": " \n"}, "name is blank"),
    ({"action": "create", "name": "x" * 129}, "name"),
    ({"action": "create", "name": 3}, "name"),
    ({"action": "create", "name": "x", "status": "completed"}, "create does not take status; it takes name,"),
    ({"action": "create", "name": "x", "priority": 0}, "priority"),
    ({"action": "create", "name": "x", "priority": 6}, "priority"),
    ({"action": "create", "name": "x", "priority": 1.5}, "priority"),
    ({"action": "create", "name": "x", "description": "y" * 1001}, "description"),
    ({"action": "create", "name": "x", "dependencies": "y"}, "dependencies"),
    ({"action": "create", "name": "x", "dependencies": [1]}, "dependencies"),
    ({"action": "create", "name": "x", "dependencies": ["a", "a"]}, "dependencies"),
    ({"action": "create", "name": "x", "dependencies": [str(n) for n in range(51)]}, "dependencies"),
    ({"action": "update", "id": "x"}, "update needs at least one of name, status, description, priority"),
    ({"action": "update", "id": "x", "status": "done"}, "status"),
    ({"action": "complete"}, "complete needs id"),
    ({"action": "get", "id": ""}, "id"),
    ({"action": "get", "id": "x" * 101}, "id"),
    ({"action": "list", "id": "x"}, "list does not take id; it takes status"),
    ({"action": "list", "status": "open"}, "open"),
    ({"action": "delete", "id": "x", "extra": 1}, "extra"),
]


@pytest.mark.parametrize(("arguments", "reason"), WRONG, ids=[str(number) for number in range(len(WRONG))])
async def test_invalid_arguments_are_reported_and_change_nothing(arguments: Any, reason: str) -> None:
    tools = Builtins()
    code, message = error_of(await tools.runner.call("todo", arguments, tools.context, default_timeout_s=10))
    assert code == "invalid_arguments"
    assert reason in message
    assert await tools.storage.tasks.of_workflow(
        tools.context.workflow_id
    ) == await InMemoryStorage().tasks.of_workflow(WorkflowId("none"))


async def test_the_same_call_made_again_makes_no_second_task_and_returns_the_first() -> None:
    tools = Builtins()
    first = await tools.again("agent.1.1", "todo", action="create", name="once")
    await tools.value("todo", action="update", id=first.value["task"]["id"], name="renamed")
    again = await tools.again("agent.1.1", "todo", action="create", name="once")
    assert again.value["task"]["id"] == first.value["task"]["id"]
    assert again.value["task"]["name"] == "renamed"
    assert [fact.name for fact in tools.facts if isinstance(fact, TaskChanged)] == ["once", "renamed", "renamed"]
    gone = {"action": "delete", "id": first.value["task"]["id"]}
    assert (await tools.again("agent.2.1", "todo", **gone)).value["deleted"] is True
    assert (await tools.again("agent.2.1", "todo", **gone)).value == {"deleted": True, "task": None}
    assert error_of(await tools.again("agent.3.1", "todo", **gone))[0] == "not_found"


@pytest.mark.parametrize("kind", ["embedded", "in_memory"])
async def test_calls_at_once_all_have_their_effect_and_make_no_circle(kind: str, tmp_path: Path) -> None:
    storage = InMemoryStorage() if kind == "in_memory" else await SurrealStorage.open(tmp_path / "store")
    tools = Builtins(storage=storage)
    ids = await asyncio.gather(*(made(tools, f"task {number}") for number in range(8)))
    assert len((await tools.value("todo", action="list"))["tasks"]) == 8
    circle = [tools.call("todo", action="update", id=one, dependencies=[ids[at - 1]]) for at, one in enumerate(ids)]
    results = await asyncio.gather(*circle)
    failed = [result for result in results if result.status is CallStatus.ERROR]
    assert len(failed) == 1
    assert "circular" in error_of(failed[0])[1]
    await storage.close()


class Full(InMemoryStorage):
    async def commit(self, writes: Any) -> frozenset[int]:
        raise StorageFailed("storage_full", "the disk is full")


async def test_a_full_disk_is_an_error_of_its_own() -> None:
    assert await Builtins(storage=Full()).failure("todo", action="create", name="x") == (
        "storage_full",
        "the disk is full",
    )


async def test_there_is_an_end_to_tasks() -> None:
    tools = Builtins()
    for number in range(500):
        await made(tools, str(number))
    assert (await tools.failure("todo", action="create", name="x"))[0] == "too_many"


async def test_a_secret_is_not_kept() -> None:
    tools = Builtins()
    await made(tools, "use sk-abcdefghijklmnop1234")
    assert "sk-abc" not in str(await tools.value("todo", action="list"))


def test_reading_leaves_nothing_and_deleting_is_dangerous() -> None:
    tool = Builtins().tools["todo"]
    assert {tool.effect({"action": one}) for one in ("get", "list")} == {Effect.NONE}
    assert {tool.effect({"action": one}) for one in ("create", "update", "complete", "delete", ["x"], None)} == {
        Effect.IDEMPOTENT
    }
    assert [tool.risk({"action": one}) for one in ("list", "create", "delete")] == [Risk.LOW, Risk.MEDIUM, Risk.HIGH]
