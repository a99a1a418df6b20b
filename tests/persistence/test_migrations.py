"""Opening a store of an earlier version migrates it, and everything in it is readable."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from core.agents.answers import stored_answers
from core.domain.events import MessageAdded, RunStarted
from core.domain.fold import replay
from core.domain.ids import MessageId, RunId
from core.domain.interruption import Action, Answer
from core.domain.live_run import Iterations
from core.domain.progress import call_results
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus, StepKey, StepResult, StepStatus
from core.domain.sub_agent import SubAgentRecord
from core.errors import StorageFailed
from core.persistence.connection import Connection
from core.persistence.dump import table_names
from core.persistence.keys import key_range
from core.persistence.row_lines import decode_row
from core.persistence.schema import VERSION, version
from core.persistence.surreal import SurrealStorage
from core.ports import ChangeRun, CreateRun
from tests.contracts.rows import (
    START,
    R,
    W,
    a_run,
    a_snapshot,
    appended,
    asked,
    at,
    closed,
    created,
    numbered_events,
)
from tests.persistence.old_stores import (
    BROKEN,
    CHAT,
    LONG,
    MICROSECONDS,
    TEMPLATE,
    WAITING,
    last_rows,
    place,
    write_store,
)
from tests.persistence.processes import run
from tests.support.progress import stored_interruptions, stored_progress, stored_results

NONE: frozenset[int] = frozenset()
COUNT = 450
STATUSES = [RunStatus.SUCCESS, RunStatus.ENQUEUED, RunStatus.RUNNING, RunStatus.WAITING, RunStatus.ERROR]


def first_rows() -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the first release by table: 450 runs, one of them with everything that belongs to a run."""
    runs = [
        {
            "id": f"run_{number:03}",
            "workflow": W,
            "message": f"msg_{number:03}",
            "place": place(number),
            "status": str(STATUSES[number % 5]),
            "active_ms": number,
            "data": '{"kind":"chat","title":"Old"}',
        }
        for number in range(COUNT)
    ]
    runs[0] |= {"started_at": MICROSECONDS, "finished_at": MICROSECONDS}
    error = (
        '{"code":"timeout","message":"slow","failed_step":null,"failed_during":null,"tool_name":null,"parameters":{}}'
    )
    done = {"id": ["run_000", 0, "a", -1, -1], "status": "completed", "output": "1"}
    events = f'[{{"type":"run_started","seq":1,"at":{MICROSECONDS + 1_000_000}}}]'
    return {
        "run": runs,
        "outcome": [{"id": "run_000", "output": '"x"'}, {"id": "run_004", "error": error}],
        "step_result": [{**done, "data": '{"attempt":2,"active_ms":7}'}],
        "event": [{"id": ["run_000", 1], "workflow": W, "last": 1, "data": events}],
    }


def first_run(number: int, **fields: Any) -> Run:
    return Run(
        RunId(f"run_{number:03}"),
        W,
        RunKind.CHAT,
        "Old",
        STATUSES[number % 5],
        MessageId(f"msg_{number:03}"),
        START.replace(microsecond=START.microsecond + number),
        active_ms=number,
        **fields,
    )


async def write_first_version(path: Path) -> None:
    await write_store(path, first_rows(), version=1)


async def test_a_store_of_the_first_version_is_read_as_it_was(tmp_path: Path) -> None:
    await write_first_version(tmp_path / "store")
    storage = await SurrealStorage.open(tmp_path / "store")
    runs = [first_run(number) for number in range(COUNT)]
    runs[0] = first_run(0, started_at=START, finished_at=START)
    runs[4] = first_run(4, error=ErrorInfo("timeout", "slow"))
    whole = first_run(0, started_at=START, finished_at=START, output_json='"x"')
    assert await storage.runs.get(runs[0].id) == whole
    assert (runs[0].parent, runs[0].root, runs[0].depth) == (None, None, 0)
    assert (runs[0].unclean_ends, runs[0].results_then) == (0, 0)
    newest: list[Run] = []
    while page := await storage.runs.page(limit=200, before=newest[-1].id if newest else None):
        newest += page
    assert newest == runs[::-1]
    assert await storage.runs.page(workflow_id=W, limit=7) == newest[:7]
    for status in STATUSES:
        assert await storage.runs.page(status=status, limit=200) == [run for run in newest if run.status is status]
    assert await storage.runs.unfinished() == [run for run in runs if not run.status.is_final]
    assert await storage.runs.children(runs[0].id) == []
    assert await storage.interruptions.open() == []
    done = StepResult(runs[0].id, StepKey("a"), StepStatus.COMPLETED, attempt=2, output_json="1", active_ms=7)
    assert await stored_results(storage, runs[0].id) == [done]
    assert (await storage.events.of_run(runs[0].id))[:1] == numbered_events(RunStarted(), run_id=runs[0].id)
    await storage.close()


async def test_a_store_that_was_brought_up_goes_on(tmp_path: Path) -> None:
    await write_first_version(tmp_path / "store")
    storage = await SurrealStorage.open(tmp_path / "store")
    old, child = RunId("run_002"), RunId("run_child")
    below = a_run(child, 1, parent=old, root=old, depth=1)
    recovery = ChangeRun(old, frozenset({RunStatus.RUNNING}), RunStatus.ENQUEUED, unclean_ends=1, results_then=3)
    assert await storage.commit([recovery, CreateRun(below, a_snapshot()), created(made=2)]) == frozenset()
    assert await storage.commit([asked(run_id=child)]) == frozenset()
    for _ in range(2):
        assert [run.id for run in await storage.runs.page(limit=2)] == [R, "run_449"]
        assert old in [run.id for run in await storage.runs.page(status=RunStatus.WAITING, limit=200)]
        assert await storage.runs.children(old) == [below]
        found = await storage.runs.get(old)
        assert found is not None
        assert (found.status, found.unclean_ends, found.results_then) == (RunStatus.ENQUEUED, 1, 3)
        await storage.close()
        storage = await SurrealStorage.open(tmp_path / "store")
    assert await storage.commit([closed(run_id=child)]) == frozenset()
    assert old not in [run.id for run in await storage.runs.page(status=RunStatus.WAITING, limit=200)]
    await storage.delete_workflow(W)
    assert await storage.runs.page() == await storage.runs.unfinished() == []
    await storage.close()


async def test_what_runs_had_in_rows_of_their_own_are_facts(tmp_path: Path) -> None:
    await write_store(tmp_path / "store", last_rows())
    storage = await SurrealStorage.open(tmp_path / "store")
    results = {str(result.key): result for result in await stored_results(storage, TEMPLATE)}
    assert {name: (result.status, result.output_json) for name, result in results.items()} == {
        "each": ("completed", f'["{LONG}",null]'),
        "each[0]": ("completed", f'"{LONG}"'),
        "each[1]": ("error", None),
        "late": ("completed", '"own"'),
        "off": ("completed", "null"),
        "tool": ("completed", "2"),
        "tool raw": ("completed", '{"raw":1}'),
    }
    slow = ErrorInfo("timeout", "slow", parameters={"n": 1})
    assert (results["late"].attempt, results["late"].attempt_errors) == (2, (slow,))
    assert (results["off"].skipped, results["each[1]"].error) == (True, ErrorInfo("x", "y"))
    live = replay(await storage.events.of_run(TEMPLATE))
    assert live is not None
    assert (live.status, live.steps["each"].output, live.steps["tool"].raw) == ("success", [LONG, None], {"raw": 1})
    assert live.steps["late"].output == "own"
    assert live.steps["each"].iterations == Iterations(2, 1, 1, [{"index": 1, "code": "x", "message": "y"}])
    whole = await storage.runs.get(TEMPLATE)
    assert whole is not None
    assert whole.output_json == f'"{LONG}"'
    await storage.close()


async def test_a_turn_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    """Its claim, its answers, its calls and its sub-agents are known, each with what its row had."""
    await write_store(tmp_path / "store", last_rows())
    storage = await SurrealStorage.open(tmp_path / "store")
    progress = await stored_progress(storage, CHAT)
    results = {str(result.key): result for result in progress.results}
    assert {name: result.status for name, result in results.items()} == {
        "chat": "running",
        "chat round 1": "completed",
        "chat.1.1/1": "running",
    }
    assert (results["chat"].started_at, results["chat"].active_ms) == (START, 7)
    assert [answer.text for answer in stored_answers(progress.results)] == ["so"]
    record = SubAgentRecord.from_json(results["chat.1.1/1"].output_json)
    assert (record.name, record.input_tokens, record.output_tokens) == ("N", 3, 4)
    assert [(call.id, call.status, call.arguments_json, call.result_json) for call in progress.calls] == [
        ("chat.1.1", "completed", '{"x":1}', f'"{LONG}"'),
        ("chat.1.2", "running", "{}", None),
    ]
    assert {call.effect for call in progress.calls} == {"once"}
    events = await storage.events.of_run(CHAT)
    assert call_results(events) == {"chat.1.1": f'"{LONG}"'}
    assert [event.fact.text for event in events if isinstance(event.fact, MessageAdded)] == ["what?"]
    assert [event.seq for event in events] == [*range(1, len(events) + 1)]
    await storage.close()


async def test_interruptions_of_an_earlier_version_stay_open_and_answered(tmp_path: Path) -> None:
    await write_store(tmp_path / "store", last_rows())
    storage = await SurrealStorage.open(tmp_path / "store")
    answered, waiting = await stored_interruptions(storage, WAITING)
    assert (answered.status, answered.answer, answered.ask.input) == (
        "approved",
        Answer(Action.APPROVE, "run"),
        LONG,
    )
    assert (answered.created_at, answered.closed_at) == (START, at(1))
    assert (waiting.status, waiting.ask.options, waiting.seq) == ("awaiting-answer", [1, {"x": None}], 5)
    assert (waiting.ask.timeout_ms, waiting.expires_at) == (5, START)
    assert await storage.interruptions.open() == [waiting]
    (retrying,) = await stored_results(storage, WAITING)
    assert (retrying.status, retrying.attempt, len(retrying.attempt_errors)) == ("retrying", 2, 1)
    assert [run.id for run in await storage.runs.page(status=RunStatus.WAITING)] == [WAITING]
    await storage.close()


async def test_a_run_that_could_not_be_read_keeps_its_rows(tmp_path: Path) -> None:
    await write_store(tmp_path / "store", last_rows())
    storage = await SurrealStorage.open(tmp_path / "store")
    with pytest.raises(StorageFailed) as failed:
        await storage.events.of_run(BROKEN)
    assert failed.value.code == "unreadable"
    rows = await storage.connection.read("SELECT VALUE data FROM $range", {"range": key_range("long_value", BROKEN)})
    assert [decode_row(line)[1]["data"] for line in rows] == ['[{"type":"run_st', '{"attempt":1,"active_ms":7}']
    await storage.close()


async def test_everything_else_of_an_earlier_version_is_as_it_was(tmp_path: Path) -> None:
    await write_store(tmp_path / "store", last_rows())
    for _ in range(2):
        storage = await SurrealStorage.open(tmp_path / "store")
        assert [workflow.title for workflow in await storage.workflows.all()] == ["T"]
        assert [message.text for message in await storage.messages.of_workflow(W)] == ["what?", LONG]
        assert await storage.settings.all() == {"a": 1}
        assert [run.id for run in await storage.runs.page()] == [BROKEN, WAITING, CHAT, TEMPLATE]
        assert await storage.commit([appended(numbered_events(RunStarted(), run_id=R), R)] if _ == 0 else []) == NONE
        await storage.close()
    connection = await Connection.open(tmp_path / "store")
    assert await version(connection) == VERSION
    tables = await table_names(connection)
    assert not {"event", "step_result", "tool_call", "interruption_ask", "memory_word"} & {*tables}
    await connection.close()


# Kills itself before the change of a file or folder, or before the commit, number `at`; 0 never does.
MORTAL = """
at, passed = int(sys.argv[2]), []

def point(name):
    passed.append(name)
    if len(passed) == at:
        os.kill(os.getpid(), signal.SIGKILL)

def hook(event, arguments):
    if event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir"):
        point(event)

async def main():
    from core.persistence.connection import Connection
    commit = Connection.commit

    async def mortal(self, statements):
        point("commit")
        return await commit(self, statements)

    Connection.commit = mortal
    sys.addaudithook(hook)
    storage = await SurrealStorage.open(STORE)
    say(*passed)
    await storage.close()
"""


EVERY = int(os.environ.get("METIER_MIGRATION_POINTS", "45"))  # of commits; three times as many others; 1: all


@pytest.mark.async_timeout(1200)
async def test_a_migration_that_is_killed_at_any_write_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    """Also when the second opening is killed, which the third completes. What is there is the same either way."""
    original = tmp_path / "original"
    await write_store(original, last_rows())

    def copied(name: str) -> Path:
        store = tmp_path / name / "store"
        shutil.copytree(original, store)
        return store

    points = run(MORTAL, copied("all"), 0)[0].split()
    expected = await content(tmp_path / "all" / "store")
    assert points.count("commit") > 20
    assert points.count("os.rename") > 4
    for number, kind in enumerate(points, 1):
        if number % (EVERY if kind == "commit" else max(1, EVERY // 3)):
            continue
        store = copied(f"{number}")
        run(MORTAL, store, number, code=-signal.SIGKILL)
        if number % 2 and kind != "commit":
            run(MORTAL, store, number // 2, code=None)  # not killed if the first opening had come that far
        assert await content(store) == expected, (number, kind)
        assert {path.name for path in store.parent.iterdir()} <= {"store", "store.watch", "store.lock"}
        shutil.rmtree(store.parent)


async def content(store: Path) -> list[Any]:
    """Open the store, and return all that it has of its runs."""
    storage = await SurrealStorage.open(store)
    found: list[Any] = [await storage.runs.page(), await storage.interruptions.open(), await storage.settings.all()]
    found += [await storage.messages.of_workflow(W)]
    for run_id in (TEMPLATE, CHAT, WAITING):
        found += [await storage.events.of_run(run_id)]
    await storage.close()
    return found


async def test_no_unused_index_is_left(tmp_path: Path) -> None:
    await write_first_version(tmp_path / "store")
    await (await SurrealStorage.open(tmp_path / "store")).close()
    connection = await Connection.open(tmp_path / "store")
    assert await version(connection) == VERSION
    indexes = {
        table: set((await connection.read(f"INFO FOR TABLE {table}"))["indexes"]) for table in ("run", "message")
    }
    assert indexes["run"] == {"run_by_root", "run_by_parent", "run_by_workflow", "run_by_status", "run_by_message"}
    assert indexes["message"] == {"message_by_workflow"}
    interruption = (await connection.read("INFO FOR TABLE interruption"))["indexes"]
    assert set(interruption) == {"interruption_by_place"}
    await connection.close()
