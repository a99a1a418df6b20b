"""A large store opens quickly, and an unreadable row affects no other."""

import asyncio
from pathlib import Path

from core.app import Folders
from core.domain.ids import RunId, WorkflowId
from core.domain.run import RunStatus
from core.domain.workflow import Workflow
from core.persistence.keys import record_id
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from core.ports import CreateRun, PutWorkflow
from core.services.outcome import Ok
from core.wiring import open_core
from tests.contracts.rows import START, a_run, a_snapshot

FINISHED = 5_000
ODD = RunId("run_odd")


async def test_an_app_opens_on_thousands_of_runs_and_a_large_run_in_an_unknown_state(tmp_path: Path) -> None:
    """The run with the unknown state is shown as unreadable; the others are unchanged, and new runs start, also in its
    workflow.
    """
    folders = Folders.choose(str(tmp_path))
    await fill(folders.store)
    async with asyncio.timeout(10), open_core(folders) as core:
        assert await core.runs.recover() == Ok([])
        listed = await core.workflows.all()
        assert isinstance(listed, Ok)
        assert {row.workflow.id: row.status for row in listed.data.workflows} == {
            WorkflowId("wf_1"): RunStatus.SUCCESS,
            WorkflowId("wf_odd"): RunStatus.ERROR,
        }
        described = await core.runs.describe(ODD)
        assert isinstance(described, Ok)
        assert (described.data["status"], described.data["error"]["code"]) == ("error", "unreadable")
        assert len([run async for run in core.runs.newest(FINISHED + 10)]) == FINISHED + 1
        said = await core.chat.send("say 2 words", WorkflowId("wf_odd"))
        assert isinstance(said, Ok)
        assert (await core.engine.wait(said.data.id)).status is RunStatus.SUCCESS


async def fill(path: Path) -> None:
    storage = await SurrealStorage.open(path)
    workflows = [Workflow(WorkflowId(name), name, "offline", START, START) for name in ("wf_1", "wf_odd")]
    await storage.commit([PutWorkflow(workflow) for workflow in workflows])
    for at in range(0, FINISHED, 200):
        runs = [a_run(RunId(f"run_{n:05}"), n, status=RunStatus.SUCCESS) for n in range(at, at + 200)]
        await storage.commit([CreateRun(run, a_snapshot()) for run in runs])
    odd = a_run(ODD, FINISHED, workflow_id=WorkflowId("wf_odd"))
    await storage.commit([CreateRun(odd, a_snapshot(input={"text": "x" * 20_000_000}))])
    await storage.connection.commit([Statement("UPDATE $argument SET status = 'crashed?'", record_id("run", ODD))])
    await storage.close()
