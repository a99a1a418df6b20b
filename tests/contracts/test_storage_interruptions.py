"""Interruptions: raised once, closed once, stored whole, and found from the root of their run."""

from dataclasses import fields, replace
from typing import Any

import pytest

from core.domain.ids import CallId, MessageId, RunId
from core.domain.interruption import (
    OPEN_STATUS,
    Action,
    InterruptionKind,
    InterruptionRequest,
)
from core.domain.risk import Risk
from core.domain.run import Run, RunStatus
from core.ports import ChangeRoot, CreateRun, MarkUnreadable, PutWorkflow, RaiseInterruption, Storage
from tests.contracts.conftest import Store
from tests.contracts.rows import (
    R2,
    W2,
    R,
    W,
    a_run,
    a_snapshot,
    a_workflow,
    an_interruption,
    asked,
    at,
    closed,
    ended,
)

NONE: frozenset[int] = frozenset()
CHILD, GRANDCHILD = RunId("run_child"), RunId("run_grandchild")
MANY = 450


async def stored(storage: Storage, *runs: Run) -> None:
    await storage.commit([CreateRun(run, a_snapshot()) for run in runs])


async def waiting(storage: Storage, **where: Any) -> list[RunId]:
    return [run.id for run in await storage.runs.page(status=RunStatus.WAITING, **where)]


async def test_an_interruption_keeps_all_its_fields(storage: Storage) -> None:
    value = {"": [None, {"eq": None}], "big": 10**30, "text": "lone \ud800"}
    values: dict[str, Any] = {
        "kind": InterruptionKind.TOOL_APPROVAL,
        "step": "b",
        "index": 3,
        "attempt": 2,
        "prompt": "a\x00b \ud800",
        "schema": {"type": "object"},
        "options": [value],
        "input": value,
        "outputs": {"a": value},
        "tool": "echo",
        "arguments": value,
        "risk": Risk.HIGH,
        "call_id": CallId("call_1"),
        "timeout_ms": 5,
        "default_action": Action.APPROVE,
        "sub_agent_name": "Helper",
    }
    assert set(values) == {field.name for field in fields(InterruptionRequest) if field.compare}
    whole = an_interruption(seq=7, workflow_id=W2, expires_at=at(6), **values)
    assert await storage.commit([RaiseInterruption(whole)]) == NONE
    assert await storage.interruptions.open(R) == [whole]
    assert await storage.interruptions.open() == [whole]
    assert await storage.interruptions.open(R2) == []


@pytest.mark.parametrize("kind", InterruptionKind)
async def test_every_kind_is_open_until_it_is_closed(storage: Storage, kind: InterruptionKind) -> None:
    raised = an_interruption(kind=kind)
    assert raised.status is OPEN_STATUS[kind]
    await storage.commit([RaiseInterruption(raised)])
    assert await storage.interruptions.open() == [raised]
    for _ in range(2):  # a commit may be repeated
        assert await storage.commit([closed()]) == NONE
    assert await storage.interruptions.open() == []


async def test_what_is_raised_and_closed_in_a_commit_is_closed(storage: Storage) -> None:
    assert await storage.commit([closed(), asked(), asked("int_2")]) == NONE
    assert await storage.interruptions.open() == [an_interruption("int_2")]


async def test_interruptions_are_ordered_by_sequence_and_open_interruptions_by_age(storage: Storage) -> None:
    raised = [an_interruption(f"int_{9 - n}", seq=n, made=-n) for n in range(3)]
    other = an_interruption("int_0", R2, made=-1.5)
    await storage.commit([RaiseInterruption(each) for each in [raised[1], raised[2], raised[0], other]])
    assert await storage.interruptions.open(R) == raised
    assert await storage.interruptions.open() == [raised[2], other, raised[1], raised[0]]


async def test_hundreds_can_be_raised_and_closed_together(storage: Storage) -> None:
    raised = [an_interruption(f"int_{n:03}", index=n, seq=n, made=n) for n in range(MANY)]
    assert await storage.commit([RaiseInterruption(each) for each in raised]) == NONE
    assert await storage.interruptions.open(R) == await storage.interruptions.open() == raised
    closing = [closed(each.id) for each in raised[::2]]
    assert await storage.commit([*closing, *closing]) == NONE
    assert await storage.interruptions.open() == raised[1::2]


async def test_a_root_is_found_as_waiting_by_its_own_open_interruption(storage: Storage) -> None:
    await stored(storage, a_run(), a_run(R2, 1), a_run(RunId("run_3"), 2, status=RunStatus.WAITING))
    await storage.commit([asked(), asked("int_2")])
    assert await waiting(storage) == ["run_3", R]
    assert [run.id for run in await storage.runs.page(status=RunStatus.RUNNING)] == [R2, R]
    assert [run.status for run in await storage.runs.page(status=RunStatus.WAITING)] == ["waiting", "running"]
    await storage.commit([closed()])
    assert await waiting(storage) == ["run_3", R]
    await storage.commit([closed("int_2")])
    assert await waiting(storage) == ["run_3"]


async def test_a_root_is_found_as_waiting_by_what_runs_below_it(storage: Storage) -> None:
    child, grandchild = a_run(CHILD, 1, parent=R, root=R, depth=1), a_run(GRANDCHILD, 2, parent=CHILD, root=R, depth=2)
    await stored(storage, a_run(), child, grandchild, a_run(R2, 3, status=RunStatus.WAITING))
    await storage.commit([ended(output_json="1"), asked(run_id=GRANDCHILD)])
    assert await storage.runs.page(status=RunStatus.WAITING) == [
        a_run(R2, 3, status=RunStatus.WAITING),
        a_run(status=RunStatus.SUCCESS, finished_at=at(9)),
    ]
    await storage.commit([closed(run_id=GRANDCHILD)])
    assert await waiting(storage) == [R2]


async def test_waiting_runs_come_page_by_page_and_each_once(storage: Storage) -> None:
    status = [RunStatus.WAITING, RunStatus.RUNNING, RunStatus.SUCCESS]
    runs = [a_run(RunId(f"run_{n:03}"), n, status=status[n % 3], workflow_id=W if n % 2 else W2) for n in range(MANY)]
    await stored(storage, *runs)
    asking = [run for n, run in enumerate(runs) if n % 4 == 0]
    await storage.commit([asked(run_id=run.id) for run in asking])
    await storage.commit([asked("int_2", run_id=run.id) for run in asking])
    expected = [run.id for run in reversed(runs) if run.status is RunStatus.WAITING or run in asking]
    for limit in (7, 200):
        ids: list[RunId] = []
        while page := await waiting(storage, limit=limit, before=ids[-1] if ids else None):
            assert len(page) <= limit
            ids += page
        assert ids == expected
    own = [run.id for run in runs if run.workflow_id == W]
    assert await waiting(storage, workflow_id=W, limit=200) == [run_id for run_id in expected if run_id in own]


async def test_what_cannot_be_read_is_not_found_as_waiting(store: Store) -> None:
    storage = store.port
    await stored(storage, a_run(), a_run(R2, 1), a_run(CHILD, 2))
    await storage.commit([asked(run_id=run_id) for run_id in (R, R2, CHILD, RunId("gone"))])
    await store.spoil("row", R)
    await storage.commit([MarkUnreadable(R2, "why")])
    assert await waiting(storage) == [CHILD]
    assert [run.id for run in await storage.runs.page(status=RunStatus.ERROR)] == [R2]


async def test_broken_interruptions_break_no_listing(store: Store) -> None:
    await store.port.commit([asked(), asked(run_id=R2)])
    await store.spoil("interruptions", R)
    assert await store.port.interruptions.open(R) == []
    assert await store.port.interruptions.open() == [an_interruption(run_id=R2)]


async def test_deleting_a_workflow_takes_its_child_runs_and_all_interruptions(storage: Storage) -> None:
    await storage.commit([PutWorkflow(a_workflow()), PutWorkflow(a_workflow(W2))])
    await stored(storage, a_run(), a_run(CHILD, 1, parent=R, root=R, depth=1), a_run(R2, 2, workflow_id=W2))
    raised = [asked(f"int_{n}", run_id=CHILD, input="x") for n in range(MANY)]
    other = an_interruption(run_id=R2, workflow_id=W2)
    await storage.commit([*raised, asked(), closed(), closed("int_7", CHILD), RaiseInterruption(other)])
    await storage.delete_workflow(W)
    assert await storage.runs.children(R) == []
    assert await storage.runs.get(CHILD) is None
    for run_id in (R, CHILD):
        assert await storage.interruptions.open(run_id) == []
    assert await storage.interruptions.open() == await storage.interruptions.open(R2) == [other]
    assert [run.id for run in await storage.runs.page()] == [R2]
    # Nothing of them is left that another of the same id would be shown with.
    assert await storage.commit([asked("int_7", CHILD, input="y")]) == NONE
    assert await storage.interruptions.open(CHILD) == [an_interruption("int_7", CHILD, input="y")]


async def test_runs_that_a_run_began_are_its_children_and_in_no_listing(storage: Storage) -> None:
    child = a_run(CHILD, 2, parent=R, root=R, depth=1, status=RunStatus.WAITING)
    first = a_run(RunId("run_first"), 1, parent=R, root=R, depth=1)
    grandchild = a_run(GRANDCHILD, 3, parent=CHILD, root=R, depth=2, status=RunStatus.ENQUEUED)
    await stored(storage, a_run(), child, first, grandchild)
    await storage.commit([ended(first.id, output_json="1")])
    shown = replace(first, status=RunStatus.SUCCESS, finished_at=at(9))
    assert await storage.runs.children(R) == [shown, child]
    assert await storage.runs.children(CHILD) == [grandchild]
    assert await storage.runs.children(GRANDCHILD) == []
    assert await storage.runs.get(GRANDCHILD) == grandchild
    assert [run.id for run in await storage.runs.unfinished()] == [R, CHILD, GRANDCHILD]
    for where in ({}, {"workflow_id": W}, {"workflow_id": W, "status": RunStatus.RUNNING}):
        assert await storage.runs.page(**where) == [a_run()]
    for status in (RunStatus.WAITING, RunStatus.ENQUEUED, RunStatus.SUCCESS):
        assert await storage.runs.page(status=status) == []
    await storage.commit([MarkUnreadable(CHILD, "why")])
    assert await storage.runs.page(status=RunStatus.ERROR) == []
    assert [run.status for run in await storage.runs.children(R)] == [RunStatus.SUCCESS, RunStatus.ERROR]


async def test_a_child_without_a_root_is_listed_with_what_is_below_it(storage: Storage) -> None:
    child = a_run(CHILD, 2, parent=R, root=R, depth=1)
    grandchild = a_run(GRANDCHILD, 3, parent=CHILD, root=R, depth=2)
    await stored(storage, a_run(message_id=MessageId("m")), replace(child, message_id=MessageId("m")), grandchild)
    await storage.commit([ended(), asked(run_id=GRANDCHILD)])
    assert await waiting(storage) == [R]
    for _ in range(2):  # a commit may be repeated
        moves = [ChangeRoot(CHILD, None), ChangeRoot(GRANDCHILD, CHILD), ChangeRoot(RunId("gone"), None)]
        assert await storage.commit(moves) == NONE
    assert await waiting(storage) == [CHILD]
    assert [run.id for run in await storage.runs.page()] == [CHILD, R]
    assert [run.id for run in await storage.runs.page(status=RunStatus.RUNNING, workflow_id=W)] == [CHILD]
    assert await storage.runs.get(CHILD) == replace(child, message_id=MessageId("m"), root=None)
    assert await storage.runs.get(GRANDCHILD) == replace(grandchild, root=CHILD)
    assert [run.id for run in await storage.runs.children(R)] == [CHILD]  # that it was begun so stays
    assert await storage.runs.get(RunId("gone")) is None


async def test_many_children_come_oldest_first(storage: Storage) -> None:
    children = [a_run(RunId(f"run_{n * 7 % MANY:03}"), n // 3, parent=R, root=R, depth=1) for n in range(MANY)]
    await stored(storage, *children)
    assert await storage.runs.children(R) == children
