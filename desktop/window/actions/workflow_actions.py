"""Call the services of the core for the user and show the results in the window."""

import asyncio
from collections.abc import Callable, Hashable
from functools import partial

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices

from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId
from core.domain.interruption import Answer
from core.domain.template import Template, ValidationMode, stricter_mode
from core.services.outcome import Failed, Ok
from core.stores.questions import Question
from desktop.operations import unwrap
from desktop.translation import failure_text
from desktop.window.actions.toast_actions import ToastActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import OutgoingMessage, TemplateStart

FIRST_SCREEN_MESSAGES = 24
"""Enough messages to fill a screen."""
FIRST_PAINT_S = 0.05
"""The time that painting the first screen gets before the rest is loaded."""


class WorkflowActions(Controller):
    """Runs user actions against the services. Each method returns at once; results arrive by signal, store or toast.

    `turns_below` returns the number of turns below the last scroll position of the viewed workflow, so that enough
    messages are loaded to restore it.
    """

    loaded = Signal()
    """The conversation that the user opened is loaded and should be drawn without waiting for a frame."""
    sent = Signal(str, object)
    """A message was accepted: the id of its workflow, "" for a new one, and the OutgoingMessage."""
    begun = Signal(str, object)
    """A message created this workflow, which is viewed next; the OutgoingMessage."""
    refused = Signal(str, str)
    """A message was rejected: its workflow, and the text for its composer, empty if a toast shows the reason."""
    template_settled = Signal(object, object)
    """A TemplateStart, and None if it was accepted, else the Failed."""
    answered = Signal(str, object)
    """The id of a request, and None if the answer was accepted, else the Failed."""

    def __init__(self, context: WindowContext, turns_below: Callable[[], int]) -> None:
        super().__init__(context)
        self._turns_below = turns_below
        self.toasts = ToastActions(context, self.show)

    # Viewing

    def show(self, workflow_id: WorkflowId | None) -> None:
        """View a workflow; None is the empty workflow, which the first message begins."""
        self._stores.background.set_viewed(workflow_id)
        if workflow_id is not None:
            self._operations.run(self._load(), f"load {workflow_id}")

    async def _load(self) -> None:
        """Load the end of the conversation, which is on the screen, and then all of it."""
        view = self._stores.view
        load = view.begin_load()
        if load is None:
            return
        # two steps, because a long conversation takes much longer to read than to look at: the first screen is drawn
        # at once, and the loop is left alone for its paint before the rest is read
        opened = await self._core.workflows.newest(load.workflow_id, FIRST_SCREEN_MESSAGES + self._turns_below())
        if isinstance(opened, Ok) and not opened.data.is_whole:
            view.show(load.workflow_id, opened.data.messages, opened.data.runs, load=load)
            self.loaded.emit()
            await asyncio.sleep(FIRST_PAINT_S)
            opened = await self._core.workflows.open(load.workflow_id, partial(view.is_current, load))
        if isinstance(opened, Ok):
            self._stores.usage.load(load.workflow_id, (*opened.data.runs, *opened.data.below))
            view.show(load.workflow_id, opened.data.messages, opened.data.runs, opened.data.below, load=load)
            self.loaded.emit()
        elif opened.code != "overtaken" and view.is_current(load):  # else another workflow is viewed by now
            self.fail(opened)

    def open_link(self, target: str) -> None:
        """Open a link in the user's browser or mail program."""
        QDesktopServices.openUrl(QUrl(target))

    # Messages

    def send(
        self, message: OutgoingMessage, workflow_id: WorkflowId | None, answering: AgentSelection | None = None
    ) -> None:
        """Send a message to a workflow; None begins a new workflow, with `answering`.

        While a turn runs there, the message is queued, or interrupts the turn.
        """
        execution = self._stores.background.get_execution(workflow_id) if workflow_id else None
        if workflow_id is not None and execution is not None and execution.is_active:
            self._operations.run(self._queue(message, workflow_id), "queue")
        else:
            selection = None if workflow_id else answering
            self._operations.run(self._send(message, workflow_id, selection, queued=False), "send")

    async def _queue(self, message: OutgoingMessage, workflow_id: WorkflowId) -> None:
        add = self._core.queue.interject if message.interrupts else self._core.queue.add
        outcome = await add(workflow_id, message.text, message.attached)
        if isinstance(outcome, Ok):
            self.sent.emit(workflow_id, message)
        else:
            self.refuse(workflow_id, outcome)

    async def _send(
        self,
        message: OutgoingMessage,
        workflow_id: WorkflowId | None,
        answering: AgentSelection | None,
        *,
        queued: bool,
    ) -> None:
        outcome = await self._core.chat.send(
            message.text,
            workflow_id,
            mode=self._core.settings.current.validation_mode,
            gated=True,
            queued=queued,
            answering=answering,
            attached=message.attached,
        )
        origin = _origin_key(workflow_id)
        if isinstance(outcome, Failed) and outcome.code == "workflow_busy" and workflow_id is not None:
            await self._queue(message, workflow_id)  # a turn began between the check and the call
        elif isinstance(outcome, Ok):
            self.toasts.withdraw(origin)
            if workflow_id is None and self._viewed is None:
                self.begun.emit(outcome.data.workflow_id, message)
                self.show(outcome.data.workflow_id)
            self.sent.emit(workflow_id or "", message)
        else:
            self.refuse(workflow_id, outcome)
            if outcome.code == "limit_reached":
                again = partial(self._send, message, workflow_id, answering, queued=True)
                self.toasts.refuse(outcome, again, origin)

    def refuse(self, workflow_id: WorkflowId | None, failed: Failed) -> None:
        """Emit that the message of a workflow was rejected. A reached limit has a toast of its own, with a way out."""
        text = "" if failed.code == "limit_reached" else failure_text(failed.code, failed.message)
        self.refused.emit(workflow_id or "", text)

    def release_composer(self, workflow_id: WorkflowId | None) -> None:
        """Emit that the message of a workflow was neither sent nor rejected and stays a draft."""
        self.refused.emit(workflow_id or "", "")

    # Runs

    def start_template(self, start: TemplateStart) -> None:
        """Start a template."""
        self._operations.run(self._start_template(start), "start a template")

    async def _start_template(self, start: TemplateStart, *, queued: bool = False) -> None:
        outcome = await self._core.runs.start(
            start.resolved,
            start.given,
            mode=self._mode_of(start.resolved.template),
            gated=True,
            queued=queued,
            workflow_id=start.workflow_id,
            allows_input=True,
            prompt=start.prompt,
            answering=start.answering,
            attached=start.attached,
        )
        # a template named in a message is retried from that message, one chosen in the palette by choosing it again
        origin = _origin_key(start.workflow_id) if start.prompt is not None else ("template", start.resolved.id)
        message = OutgoingMessage(start.prompt, start.attached) if start.prompt is not None else None
        if isinstance(outcome, Ok):
            self.toasts.withdraw(origin)
            # the new workflow is shown only where the user still looks at what it was started from
            if start.workflow_id is None and self._viewed == start.viewed:
                if message is not None:
                    self.begun.emit(outcome.data.workflow_id, message)
                self.show(outcome.data.workflow_id)
            self.template_settled.emit(start, None)
            if message is not None:
                self.sent.emit(start.workflow_id or "", message)
            return
        self.template_settled.emit(start, outcome)
        if message is not None:
            self.refuse(start.workflow_id, outcome)
        elif outcome.code != "limit_reached":
            self.fail(outcome)
        if outcome.code == "limit_reached":
            self.toasts.refuse(outcome, partial(self._start_template, start, queued=True), origin)

    def _mode_of(self, template: Template) -> ValidationMode:
        """Return the stricter of the mode in the settings and the mode of the template.

        A template can only add requests for approval, never remove any.
        """
        return stricter_mode(self._core.settings.current.validation_mode, template.mode or ValidationMode.AUTO)

    def sum_up(self, workflow_id: WorkflowId | None) -> None:
        """Summarize the workflow and continue from the summary."""
        if workflow_id is not None:
            self._operations.run(self._sum_up(workflow_id), "sum up")
        else:
            self.fail(Failed("nothing_to_sum_up", "nothing was said yet"))

    async def _sum_up(self, workflow_id: WorkflowId, *, queued: bool = False) -> None:
        mode = self._core.settings.current.validation_mode
        outcome = await self._core.summaries.start(workflow_id, mode=mode, gated=True, queued=queued)
        origin = ("sum up", workflow_id)
        if isinstance(outcome, Failed) and outcome.code == "limit_reached":
            self.toasts.refuse(outcome, partial(self._sum_up, workflow_id, queued=True), origin)
            return
        unwrap(outcome)
        self.toasts.withdraw(origin)

    def stop(self, workflow_id: WorkflowId | None) -> None:
        """Cancel the active run of a workflow."""
        execution = self._stores.background.get_execution(workflow_id) if workflow_id else None
        if execution is not None and execution.run is not None and execution.is_active:
            self._operations.run(self._core.runs.cancel(execution.run.run_id), "stop")

    def answer(self, question: Question, answer: Answer) -> None:
        """Answer this request."""
        self._operations.run(
            self._core.runs.answer(question.run_id, answer, interruption=question.id),
            f"answer {question.id}",
            success=lambda _data: self.answered.emit(question.id, None),
            failure=partial(self.answered.emit, question.id),
        )

    def rename(self, workflow_id: WorkflowId, title: str) -> None:
        self._operations.run(self._core.workflows.rename(workflow_id, title), "rename")

    def fail(self, failed: Failed) -> None:
        """Show a failure that belongs to no composer."""
        self._context.session.presenter.fail(failed)


def _origin_key(workflow_id: WorkflowId | None) -> Hashable:
    """Return the key by which a refusal and its retry are matched; None is the new workflow."""
    return ("said", workflow_id)
