"""Retry what failed or was stopped in the viewed workflow: an answer, or a step of a template (UI §4)."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from core.app import Core
from core.domain.ids import RunId
from core.domain.live_run import LiveRun
from core.domain.run import RunKind, RunStatus, StepStatus
from core.services.outcome import Failed, Ok
from desktop.aio import Tasks
from desktop.window.actions.workflow_actions import WorkflowActions

_FAILED_STATUSES = (RunStatus.ERROR, RunStatus.CANCELLED)
_FAILED_STEPS = (StepStatus.ERROR, StepStatus.CANCELLED)


class RetryController(QObject):
    """Retries the last run.

    An answer is requested again with the same message. A template's run is forked at the failed step into a new
    workflow that keeps the results of earlier steps (ENGINE §8).
    """

    def __init__(self, core: Core, tasks: Tasks, deeds: WorkflowActions, parent: QObject) -> None:
        super().__init__(parent)
        self._core = core
        self._tasks = tasks
        self._deeds = deeds

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"run.retry": self.retry}

    def retry(self) -> None:
        """Retry the last run of the viewed workflow, or show that there is nothing to retry."""
        run = self._last_run()
        step = _failed_step(run) if run is not None else None
        if run is not None and run.kind is RunKind.WORKFLOW and step is not None:
            self._tasks.spawn(self._fork(run.run_id, step), f"retry {step}")
        elif run is not None and run.prompt_id is not None:
            self._deeds.retry(run.message_id)
        else:
            self._deeds.fail(Failed("nothing_to_retry", "nothing failed in this workflow"))

    def _last_run(self) -> LiveRun | None:
        """Return the last run of the viewed workflow if it failed or was stopped and no run is active."""
        view = self._core.stores.view
        if view.execution is not None and view.execution.is_active:
            return None
        runs = (view.run_of(message.id) for message in reversed(view.messages))
        last = next((run for run in runs if run is not None), None)
        return last if last is not None and last.status in _FAILED_STATUSES else None

    async def _fork(self, run_id: RunId, step: str) -> None:
        answer = await self._core.runs.fork(run_id, step)
        if isinstance(answer, Ok):
            self._deeds.show(answer.data.workflow_id)
        else:
            self._deeds.fail(answer)


def _failed_step(run: LiveRun) -> str | None:
    """Return the first step that failed or was stopped, in the order of the run."""
    return next((name for name, step in run.steps.items() if step.status in _FAILED_STEPS), None)
