"""Run calls of services as tasks, and report their failures in one place.

operations.run(core.workflows.rename(workflow_id, title), "rename")
operations.run(core.slash.targets(), "list titles", success=self._show, failure=self._show_problem)
operations.run(self._archive(workflow_id), "archive")  # several calls; the first failure ends the coroutine

async def _archive(self, workflow_id: WorkflowId) -> None:
    unwrap(await self._core.workflows.archive(workflow_id))
    ...
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from core.services.outcome import Failed, Ok, Outcome

T = TypeVar("T")

OnFailure = Callable[[Failed], object]
StartTask = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]]


class OperationFailed(Exception):
    """A service returned `failed`. Raised by `unwrap`, handled by `Operations.run`."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(f"{failed.code}: {failed.message}")
        self.failed = failed


def unwrap(outcome: Outcome[T]) -> T:
    """Return the data of an outcome. Raises OperationFailed."""
    if isinstance(outcome, Failed):
        raise OperationFailed(outcome)
    return outcome.data


class Operations:
    """Starts operations by `spawn` (`Tasks.spawn`). A failure that no caller handles goes to `report`."""

    def __init__(self, spawn: StartTask, report: OnFailure) -> None:
        self._spawn = spawn
        self._report = report

    def run(
        self,
        work: Awaitable[Ok[T] | Failed | None],
        name: str,
        *,
        success: Callable[[T], object] | None = None,
        failure: OnFailure | None = None,
    ) -> asyncio.Task[None]:
        """Start a call of a service, or a coroutine that unwraps several, and pass on the data or the failure.

        An exception other than OperationFailed is reported by the owner of the tasks. Raises RuntimeError once that
        is closed.
        """
        # a task that is refused, or cancelled before its first step, never awaits `work`: Python would warn about it
        close = work.close if inspect.iscoroutine(work) else lambda: None
        try:
            task = self._spawn(self._perform(work, success, failure or self._report), name)
        except RuntimeError:
            close()
            raise
        task.add_done_callback(lambda _task: close())
        return task

    async def _perform(
        self, work: Awaitable[Ok[T] | Failed | None], success: Callable[[T], object] | None, failure: OnFailure
    ) -> None:
        try:
            outcome = await work
        except OperationFailed as error:
            outcome = error.failed
        if isinstance(outcome, Failed):
            failure(outcome)
        elif outcome is not None and success is not None:
            success(outcome.data)
