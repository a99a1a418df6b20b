"""The trash: deletion of workflows that can be undone for a while (UI §11).

A discarded workflow is marked in the store and hidden from all queries. It is deleted when the offer to undo ends, when
the app closes, or at the next start: because of the mark, neither a crash nor a full disk shows a half-deleted
workflow. A deletion that has begun cannot be undone.
"""

import asyncio
import logging
from typing import Self

from core.bus import Bus, WorkflowChanged, WorkflowDeleted
from core.domain.ids import WorkflowId
from core.domain.run import RunKind
from core.domain.workflow import Workflow
from core.engine.runs.engine import Engine
from core.errors import NotFound, StorageFailed
from core.ports import PAGE_ROWS, Clock, DiscardWorkflow, Storage
from core.services.lookup import require_workflow
from core.services.outcome import returns_outcome

CLOSE_TIMEOUT_S = 2.0

log = logging.getLogger(__name__)


class Trash:
    """An async context manager, inside the engine's. Entering it deletes what a previous process left marked."""

    def __init__(self, engine: Engine, storage: Storage, bus: Bus, clock: Clock) -> None:
        self._engine = engine
        self._storage = storage
        self._bus = bus
        self._clock = clock
        self._discarded: dict[WorkflowId, WorkflowChanged] = {}

    async def __aenter__(self) -> Self:
        try:
            for workflow_id in await self._storage.workflows.discarded():
                await self._delete(workflow_id)
        except StorageFailed as error:
            log.warning("discarded workflows stay until the next start: %s", error.message)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        """Delete the remaining workflows. What takes over 2 s is done at the next start."""
        if kind is GeneratorExit:  # an abandoned generator cannot await
            return
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                for workflow_id in list(self._discarded):
                    await self.delete(workflow_id)
        except TimeoutError:
            log.info("discarded workflows are deleted at the next start")

    @returns_outcome
    async def discard(self, workflow_id: WorkflowId) -> Workflow:
        """Cancel active runs, then hide the workflow until it is deleted. Fails with `not_found`."""
        workflow = await require_workflow(self._storage, workflow_id)
        await self._engine.cancel_workflow(workflow_id)
        # the row shows the newest run again after a restoration
        runs = await self._storage.runs.page(workflow_id=workflow_id, limit=PAGE_ROWS)
        newest = next((run.status for run in runs if run.kind is not RunKind.RECORDING), None)
        await self._storage.commit([DiscardWorkflow(workflow_id, self._clock.now())])
        self._discarded[workflow_id] = WorkflowChanged(workflow, newest)
        self._bus.publish(WorkflowDeleted(workflow_id, can_return=True))
        return workflow

    @returns_outcome
    async def restore(self, workflow_id: WorkflowId) -> Workflow:
        """Undo `discard`: restore everything but the cancelled runs. Fails with `not_found` once the workflow is
        deleted.
        """
        returned = self._discarded.pop(workflow_id, None)
        if returned is None:
            raise NotFound("workflow", workflow_id)
        try:
            await self._storage.commit([DiscardWorkflow(workflow_id, None)])
        # also when cancelled: it stays in the trash, and can still be restored or deleted
        except BaseException:
            self._discarded[workflow_id] = returned
            raise
        self._bus.publish(returned)
        return returned.workflow

    @returns_outcome
    async def delete(self, workflow_id: WorkflowId) -> None:
        """Delete the workflow: the offer to undo has ended. Does nothing if it was restored or is deleted already."""
        if self._discarded.pop(workflow_id, None) is None:
            return
        try:
            await self._delete(workflow_id)
        except StorageFailed as error:
            log.warning("a discarded workflow is deleted at the next start: %s", error.message)

    async def _delete(self, workflow_id: WorkflowId) -> None:
        """Delete the workflow; its mark goes last, so that the next start finds what remains. Raises StorageFailed."""
        await self._engine.cancel_workflow(workflow_id)  # what began while it was marked
        await self._storage.delete_workflow(workflow_id)
        self._bus.publish(WorkflowDeleted(workflow_id))
