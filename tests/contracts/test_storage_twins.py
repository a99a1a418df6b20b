"""The in-memory twin equals the database: the same commits give the same results."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain.events import RunStarted
from core.domain.ids import AuditId, MessageId, RunId, TaskId, TemplateId
from core.domain.messages import MessageState, Role
from core.domain.run import RunStatus, StepStatus
from core.errors import StorageFailed
from core.persistence.surreal import SurrealStorage
from core.ports import (
    AllowFile,
    AppendChunk,
    AppendEvents,
    ChangeRoot,
    ChangeRun,
    ChangeTasks,
    Claim,
    CreateRun,
    DropChunks,
    MarkUnreadable,
    Put,
    PutAudit,
    PutMessage,
    PutSetting,
    PutWorkflow,
    Remove,
    Storage,
    StoredTemplate,
    Write,
)
from tests.contracts.rows import (
    ERROR,
    R2,
    W2,
    R,
    W,
    a_chunk,
    a_claim,
    a_message,
    a_run,
    a_snapshot,
    a_task,
    a_template,
    a_workflow,
    an_entry,
    appended,
    asked,
    at,
    closed,
    finished,
    numbered_events,
    said,
)
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_results

RUNS = [R, R2, RunId("run_0")]
ASKED = ["i1", "i2"]
STORED = [status for status in RunStatus if status is not RunStatus.PAUSED]

runs, workflows, times = st.sampled_from(RUNS), st.sampled_from([W, W2]), st.integers(0, 3)
steps, indexes = st.sampled_from(["a", "b", "a b"]), st.sampled_from([None, 0, 1, 10])
texts = st.sampled_from(["", "x", "text \ud800", "a\x00"])
statuses = st.sampled_from(STORED)
outputs = st.none() | st.sampled_from(["1", '"x"', "null"])
maybe_runs = st.none() | runs


def the_message(
    name: str, made: int, run_id: RunId | None, text: str, role: Role, state: MessageState, **where: Any
) -> Any:
    return a_message(name, made, run_id=run_id, text=text, role=role, state=state, **where)


messages = st.builds(
    the_message,
    st.sampled_from(["m1", "m2", "m3"]),
    times,
    maybe_runs,
    texts,
    st.sampled_from(Role),
    st.sampled_from(MessageState),
    workflow_id=workflows,
)
facts = st.one_of(
    st.just(RunStarted()),
    st.builds(finished, steps, st.sampled_from([None, 1, {"eq": None}]), index=indexes),
    st.builds(said, messages, step=st.none() | steps, index=indexes, interrupted=st.booleans()),
)


@st.composite
def appends(draw: st.DrawFn) -> AppendEvents:
    run_id = draw(runs)
    some = draw(st.lists(facts, max_size=3))
    return AppendEvents(run_id, tuple(numbered_events(*some, first=draw(st.integers(1, 6)), run_id=run_id)))


@st.composite
def creations(draw: st.DrawFn) -> CreateRun:
    outcome = {"output_json": draw(outputs), "error": draw(st.sampled_from([None, ERROR]))}
    message_id = MessageId(draw(st.sampled_from(["m1", "m2"])))
    parent = draw(st.none() | st.none() | runs)
    chain = {"parent": parent, "root": draw(maybe_runs) if parent else None, "depth": draw(times) if parent else 0}
    chain |= {"awaited": draw(st.booleans())}
    crashes = {"unclean_ends": draw(times), "results_then": draw(times)}
    where = {"workflow_id": draw(workflows), "message_id": message_id}
    run = a_run(draw(runs), draw(times), status=draw(statuses), **where, **outcome, **chain, **crashes)
    return CreateRun(run, a_snapshot(input={"made": draw(times)}))


@st.composite
def changes(draw: st.DrawFn) -> ChangeRun:
    return ChangeRun(
        draw(runs),
        frozenset(draw(st.sets(statuses, min_size=1))),
        draw(statuses),
        finished_at=draw(st.none() | st.just(at(5))),
        output_json=draw(outputs),
        error=draw(st.sampled_from([None, ERROR])),
        active_ms=draw(st.none() | times),
        unclean_ends=draw(st.none() | times),
        results_then=draw(st.none() | times),
    )


@st.composite
def task_changes(draw: st.DrawFn) -> ChangeTasks:
    workflow_id = draw(workflows)
    names = st.sampled_from(["t1", "t2"])
    some = draw(st.lists(st.builds(a_task, names, st.just(workflow_id), description=texts), max_size=2))
    removed = draw(st.lists(names.map(TaskId), max_size=2))
    revision, by = draw(st.integers(0, 2)), draw(st.sampled_from(["x", "y"]))
    return ChangeTasks(workflow_id, revision, by, tuple(some), tuple(removed))


writes = st.one_of(
    st.builds(PutWorkflow, st.builds(a_workflow, workflows, times, texts)),
    st.builds(PutMessage, messages),
    st.builds(Put, st.builds(a_template, st.sampled_from(["t1", "t2"]), st.integers(1, 3), texts, texts)),
    st.builds(Remove, st.just(StoredTemplate), st.sampled_from(["t1", "t2"])),
    creations(),
    changes(),
    st.builds(ChangeRoot, runs, maybe_runs),
    st.builds(Claim, runs),
    st.builds(asked, st.sampled_from(ASKED), runs, times, workflow_id=workflows, prompt=texts, seq=times),
    st.builds(closed, st.sampled_from(ASKED), runs),
    appends(),
    st.builds(AppendChunk, st.builds(a_chunk, times, texts, steps, indexes, runs)),
    st.builds(DropChunks, runs, steps, indexes),
    st.builds(MarkUnreadable, runs, texts),
    st.builds(PutSetting, st.sampled_from(["s1", "s2"]), st.sampled_from(["1", "[]", "{"])),
    task_changes(),
    st.builds(AllowFile, runs, st.sampled_from(["/a", "/b \udce9", ""])),
    st.builds(PutAudit, st.builds(an_entry, st.sampled_from(["e1", "e2", "e3"]), times, reason=st.none() | texts)),
)
commits = st.lists(writes, min_size=1, max_size=12)


async def everything(storage: Storage) -> dict[str, Any]:
    """Return everything that can be read, by query."""
    seen: dict[str, Any] = {
        "workflows": await storage.workflows.all(),
        "templates": await storage.templates.all(),
        "settings": dict(await storage.settings.all()),
        "unfinished": await storage.runs.unfinished(),
        "runs": await storage.runs.page(),
        "open": await storage.interruptions.open(),
        "audit": await storage.audit.page(),
        "audit before e2": await storage.audit.page(limit=1, before=AuditId("e2")),
    }
    for workflow_id in (W, W2):
        seen[f"messages {workflow_id}"] = await storage.messages.of_workflow(workflow_id)
        seen[f"tasks {workflow_id}"] = await storage.tasks.of_workflow(workflow_id)
    for status in STORED:
        seen[f"runs {status}"] = await storage.runs.page(status=status)
        seen[f"runs {status} of {W}"] = await storage.runs.page(status=status, workflow_id=W, limit=1)
    for version in (1, None):
        seen[f"template {version}"] = await storage.templates.get(TemplateId("t1"), version)
    for run_id in RUNS:
        seen[f"run {run_id}"] = await storage.runs.get(run_id)
        seen[f"before {run_id}"] = await storage.runs.page(before=run_id)
        seen[f"children {run_id}"] = await storage.runs.children(run_id)
        seen[f"interruptions {run_id}"] = await storage.interruptions.open(run_id)
        seen[f"waiting before {run_id}"] = await storage.runs.page(status=RunStatus.WAITING, before=run_id)
        seen[f"last {run_id}"] = await storage.events.last_seq(run_id)
        seen[f"events {run_id}"] = await storage.events.of_run(run_id)
        seen[f"files {run_id}"] = await storage.allowed_files.of_run(run_id)
        seen[f"chunks {run_id}"] = await storage.chunks.of_run(run_id)
        try:
            seen[f"snapshot {run_id}"] = await storage.snapshots.of_run(run_id)
        except StorageFailed as error:
            seen[f"snapshot {run_id}"] = error.as_dict()
    return seen


async def lost(storage: Storage, batch: list[Write]) -> frozenset[int] | str:
    """Commit, and return the positions of lost writes, or the code of the refusal."""
    try:
        return await storage.commit(batch)
    except StorageFailed as error:
        return error.code


async def live(history: list[list[Write]]) -> None:
    """Apply the commits to both stores, comparing losses and content; then again after reopening the database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store"
        twin, database = InMemoryStorage(), await SurrealStorage.open(path)
        try:
            for batch in history:
                assert await lost(database, batch) == await lost(twin, batch)
            assert await everything(database) == await everything(twin)
            for store in (database, twin):
                await store.delete_workflow(W)
                await store.audit.drop(at(2))
        finally:
            await database.close()
        database = await SurrealStorage.open(path)
        try:
            assert await everything(database) == await everything(twin)
        finally:
            await database.close()


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(commits, min_size=1, max_size=6))
def test_both_stores_answer_alike_whatever_is_written(history: list[list[Write]]) -> None:
    asyncio.run(live(history))


async def test_a_copy_of_the_twin_is_a_store_of_its_own() -> None:
    storage = InMemoryStorage()
    await storage.commit([CreateRun(a_run(), a_snapshot()), *a_claim()])
    copy = storage.copy()
    await storage.commit([appended(numbered_events(finished(), first=2)), PutSetting("a", "1")])
    await copy.commit(a_claim("b", seq=2))
    assert [result.status for result in await stored_results(copy, R)] == [StepStatus.RUNNING] * 2
    assert [result.status for result in await stored_results(storage, R)] == [StepStatus.COMPLETED]
    assert await copy.settings.all() == {}
