"""Rows that a request names and that must exist."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from core.domain.ids import RunId, WorkflowId, new_id
from core.domain.run import Run
from core.domain.workflow import Workflow
from core.errors import NotFound, StorageFailed
from core.ports import Clock, Storage


async def require_workflow(storage: Storage, workflow_id: WorkflowId) -> Workflow:
    """Return the workflow. Raises NotFound."""
    workflow = await storage.workflows.get(workflow_id)
    if workflow is None:
        raise NotFound("workflow", workflow_id)
    return workflow


async def require_run(storage: Storage, run_id: RunId) -> Run:
    """Return the run. Raises NotFound."""
    run = await storage.runs.get(run_id)
    if run is None:
        raise NotFound("run", run_id)
    return run


def new_workflow(title: str, agent: str, clock: Clock, folders: Sequence[str] = ()) -> Workflow:
    """Return a workflow that the first run in it will store."""
    now = clock.now()
    return Workflow(WorkflowId(new_id("wf")), title, agent, now, now, folders=tuple(folders))


@contextmanager
def ignore_unreadable() -> Iterator[None]:
    """Suppress the error of a run whose rows cannot be read: what needs them goes on without."""
    try:
        yield
    except StorageFailed as error:
        if error.code != "unreadable":
            raise
