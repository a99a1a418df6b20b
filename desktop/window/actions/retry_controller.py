"""Retry what failed or was stopped in the viewed workflow: an answer, or a step of a template (UI §4)."""

from functools import partial

from PySide6.QtCore import Signal

from core.domain.ids import MessageId
from core.domain.live_run import LiveRun
from core.domain.messages import Message, Role
from core.domain.run import RunKind, RunStatus, StepStatus
from core.domain.template import ValidationMode
from core.services.outcome import Failed
from desktop.operations import unwrap
from desktop.shortcuts.command import command
from desktop.window.actions.gated_starts import GatedStart, is_limit
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import StartSource

_FAILED_STATUSES = (RunStatus.ERROR, RunStatus.CANCELLED)
_FAILED_STEPS = (StepStatus.ERROR, StepStatus.CANCELLED)


class RetryController(Controller):
    """Retries the last run.

    An answer is requested again with the same message. A template's run is forked at the failed step into a new
    workflow that keeps the results of earlier steps (ENGINE §8).
    """

    resend_requested = Signal(object)
    """This Message is to be sent again, with its attachments, in the viewed workflow."""

    def __init__(self, context: WindowContext, actions: WorkflowActions) -> None:
        super().__init__(context)
        self._actions = actions

    @command("run.start")
    def resend_last(self) -> None:
        """Send the last message of the viewed workflow again, if no run is active there, or it is being stopped."""
        messages = [message for message in self._stores.view.messages if message.role is Role.USER]
        if messages and (not self._is_active or self._actions.is_stopping(self._viewed)):
            self.resend_requested.emit(messages[-1])

    def resend_prompt_of(self, message_id: str) -> None:
        """Send the message again that this message answers, if it answers any."""
        view = self._stores.view
        run = view.run_of(MessageId(message_id))
        prompt_id = run.prompt_id if run is not None else None
        prompt: Message | None = next((message for message in view.messages if message.id == prompt_id), None)
        if prompt is not None:
            self.resend_requested.emit(prompt)

    @command("run.retry")
    def retry(self) -> None:
        """Retry the last run of the viewed workflow, or show that there is nothing to retry."""
        run = self._last_run()
        step = _failed_step(run) if run is not None else None
        if run is not None and run.kind is RunKind.WORKFLOW and step is not None:
            self._operations.run(self._fork(run, step), f"retry {step}")
        elif run is not None and run.prompt_id is not None:
            self.resend_prompt_of(run.message_id)
        else:
            self._actions.fail(Failed("nothing_to_retry", "nothing failed in this workflow"))

    async def _fork(self, run: LiveRun, step: str, queued: bool = False) -> None:
        """Fork the run and view the fork, unless another workflow is viewed by then."""
        viewed = self._viewed
        again = partial(self._fork, run, step)
        start = GatedStart(viewed, StartSource.COMMAND, again, run.mode or ValidationMode.AUTO)
        begin = partial(self._core.runs.fork, run.run_id, step)
        outcome = await self._actions.starts.run(begin, start, queued=queued)
        if is_limit(outcome):
            return
        forked = unwrap(outcome)
        if self._viewed == viewed:
            self._actions.show(forked.workflow_id)

    def _last_run(self) -> LiveRun | None:
        """Return the last run of the viewed workflow if it failed or was stopped and no run is active."""
        if self._is_active:
            return None
        view = self._stores.view
        runs = (view.run_of(message.id) for message in reversed(view.messages))
        last = next((run for run in runs if run is not None), None)
        return last if last is not None and last.status in _FAILED_STATUSES else None

    @property
    def _is_active(self) -> bool:
        execution = self._stores.view.execution
        return execution is not None and execution.is_active


def _failed_step(run: LiveRun) -> str | None:
    """Return the first step that failed or was stopped, in the order of the run."""
    return next((name for name, step in run.steps.items() if step.status in _FAILED_STEPS), None)
