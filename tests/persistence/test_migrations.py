"""Opening a store of an earlier version migrates it, and everything in it is readable."""

from pathlib import Path
from typing import Any

from core.domain.events import RunStarted
from core.domain.ids import MessageId, RunId
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus, StepKey, StepResult, StepStatus
from core.persistence.connection import Connection
from core.persistence.schema import MIGRATIONS, VERSION, migrate, version
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from core.ports import ChangeRun, CreateRun
from tests.contracts.rows import START, R, W, a_run, a_snapshot, asked, at, closed, created, numbered_events

COUNT = 450
STATUSES = [RunStatus.SUCCESS, RunStatus.ENQUEUED, RunStatus.RUNNING, RunStatus.WAITING, RunStatus.ERROR]
MICROSECONDS = 1767323045678901  # START


def place(number: int) -> str:
    return f"{MICROSECONDS + number:017d} {number:020d}"


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
    connection = await Connection.open(path)
    await migrate(connection, MIGRATIONS[:1])
    for table, rows in first_rows().items():
        await connection.commit([Statement(f"INSERT INTO {table} $argument RETURN NONE", rows)])
    await connection.close()


async def test_a_store_of_the_first_version_is_read_as_it_was(tmp_path: Path) -> None:
    await write_first_version(tmp_path)
    storage = await SurrealStorage.open(tmp_path)
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
    assert await storage.interruptions.open() == await storage.interruptions.of_run(runs[0].id) == []
    done = StepResult(runs[0].id, StepKey("a"), StepStatus.COMPLETED, attempt=2, output_json="1", active_ms=7)
    assert await storage.step_results.of_run(runs[0].id) == [done]
    assert await storage.events.of_run(runs[0].id) == numbered_events(RunStarted(), run_id=runs[0].id)
    await storage.close()


async def test_a_store_that_was_brought_up_goes_on(tmp_path: Path) -> None:
    await write_first_version(tmp_path)
    storage = await SurrealStorage.open(tmp_path)
    old, child = RunId("run_002"), RunId("run_child")
    below = a_run(child, 1, parent=old, root=old, depth=1)
    recovery = ChangeRun(old, frozenset({RunStatus.RUNNING}), RunStatus.ENQUEUED, unclean_ends=1, results_then=3)
    assert await storage.commit([recovery, CreateRun(below, a_snapshot()), created(made=2)]) == frozenset()
    assert await storage.commit([asked(run_id=child)]) == frozenset()
    for _ in range(2):
        assert [run.id for run in await storage.runs.page(limit=2)] == [R, "run_449"]
        assert old in [run.id for run in await storage.runs.page(status=RunStatus.WAITING, limit=200)]
        assert await storage.runs.children(old) == [below]
        run = await storage.runs.get(old)
        assert run is not None
        assert (run.status, run.unclean_ends, run.results_then) == (RunStatus.ENQUEUED, 1, 3)
        await storage.close()
        storage = await SurrealStorage.open(tmp_path)
    assert await storage.commit([closed(run_id=child, closed_at=at(1))]) == frozenset()
    assert old not in [run.id for run in await storage.runs.page(status=RunStatus.WAITING, limit=200)]
    await storage.delete_workflow(W)
    assert await storage.runs.page() == await storage.runs.unfinished() == []
    await storage.close()


async def test_no_unused_index_is_left(tmp_path: Path) -> None:
    await write_first_version(tmp_path)
    connection = await Connection.open(tmp_path)
    await migrate(connection)
    assert await version(connection) == VERSION
    indexes = {
        table: set((await connection.read(f"INFO FOR TABLE {table}"))["indexes"]) for table in ("run", "message")
    }
    assert indexes["run"] == {"run_by_root", "run_by_parent", "run_by_workflow", "run_by_status", "run_by_message"}
    assert indexes["message"] == {"message_by_workflow"}
    await connection.close()
