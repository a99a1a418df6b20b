"""Call the services of the core for the user and show the results in the window."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices

from core.domain.agent import AgentSelection
from core.domain.call_description import CallDescription
from core.domain.ids import RunId, WorkflowId
from core.domain.interruption import Action, Answer, InterruptionKind
from core.domain.template import ValidationMode
from core.services.outcome import Failed, Ok
from core.stores.questions import Question
from desktop.operations import unwrap
from desktop.translation import failure_text
from desktop.window.actions.gated_starts import GatedStart, GatedStarts, is_limit
from desktop.window.actions.toast_actions import ToastActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import OutgoingMessage, StartSource, TemplateStart

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
    """A message was rejected: its workflow, and the text for its composer, empty if the reason is shown above it."""
    template_settled = Signal(object, object)
    """A TemplateStart, and None if it was accepted, else the Failed."""
    answered = Signal(str, object)
    """The id of a request, and None if the answer was accepted, else the Failed."""

    def __init__(self, context: WindowContext, turns_below: Callable[[], int]) -> None:
        super().__init__(context)
        self._turns_below = turns_below
        self.folders_for_new: tuple[str, ...] = ()
        """The folders of the next new workflow."""
        self.toasts = ToastActions(context)
        self.starts = GatedStarts(context)
        self._stopping: set[RunId] = set()

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

        While a turn runs there, the message is queued, or interrupts the turn; behind a turn that the user has stopped
        it is sent next.
        """
        execution = self._stores.background.get_execution(workflow_id) if workflow_id else None
        if workflow_id is not None and execution is not None and execution.is_active:
            # a turn that is being stopped would hold what is queued behind it
            interrupts = message.interrupts or self.is_stopping(workflow_id)
            self._operations.run(self._queue(replace(message, interrupts=interrupts), workflow_id), "queue")
        else:
            selection = None if workflow_id else answering
            self._operations.run(self._send(message, workflow_id, selection), "send")

    async def _queue(self, message: OutgoingMessage, workflow_id: WorkflowId) -> None:
        add = self._core.queue.interject if message.interrupts else self._core.queue.add
        outcome = await add(workflow_id, message.text, message.attached)
        if isinstance(outcome, Ok):
            self.sent.emit(workflow_id, message)
        else:
            self.refuse(workflow_id, outcome)

    async def _send(
        self, message: OutgoingMessage, workflow_id: WorkflowId | None, answering: AgentSelection | None
    ) -> None:
        begin = partial(
            self._core.chat.send,
            message.text,
            workflow_id,
            answering=answering,
            attached=message.attached,
            folders=self.folders_for_new if workflow_id is None else (),
        )

        async def again(queued: bool) -> None:
            await self._send(replace(message, queued=queued), workflow_id, answering)

        start = GatedStart(workflow_id, message.source, again)
        outcome = await self.starts.run(begin, start, queued=message.queued)
        if isinstance(outcome, Failed) and outcome.code == "workflow_busy" and workflow_id is not None:
            await self._queue(message, workflow_id)  # a turn began between the check and the call
        elif isinstance(outcome, Ok):
            if workflow_id is None and self._viewed is None:
                self.begun.emit(outcome.data.workflow_id, message)
                self.show(outcome.data.workflow_id)
            self.sent.emit(workflow_id or "", message)
        else:
            self.refuse(workflow_id, outcome)

    def refuse(self, workflow_id: WorkflowId | None, failed: Failed) -> None:
        """Emit that the message of a workflow was rejected. A reached limit is shown above its composer, with ways
        out.
        """
        self.refused.emit(workflow_id or "", "" if is_limit(failed) else failure_text(failed.code, failed.message))

    def release_composer(self, workflow_id: WorkflowId | None) -> None:
        """Emit that the message of a workflow was neither sent nor rejected and stays a draft."""
        self.refused.emit(workflow_id or "", "")

    # Runs

    def start_template(self, start: TemplateStart) -> None:
        """Start a template."""
        self._operations.run(self._start_template(start), "start a template")

    async def _start_template(self, start: TemplateStart) -> None:
        begin = partial(
            self._core.runs.start,
            start.resolved,
            start.given,
            workflow_id=start.workflow_id,
            allows_input=True,
            prompt=start.prompt,
            answering=start.answering,
            attached=start.attached,
            folders=self.folders_for_new if start.workflow_id is None else (),
        )

        async def again(queued: bool) -> None:
            await self._start_template(replace(start, queued=queued))

        least = start.resolved.template.mode or ValidationMode.AUTO
        gated = GatedStart(start.viewed, start.source, again, least)
        outcome = await self.starts.run(begin, gated, queued=start.queued)
        message = OutgoingMessage(start.prompt, start.attached) if start.prompt is not None else None
        if isinstance(outcome, Ok):
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
        elif not is_limit(outcome):
            self.fail(outcome)

    def sum_up(self, workflow_id: WorkflowId | None) -> None:
        """Summarize the workflow and continue from the summary."""
        if workflow_id is not None:
            self._operations.run(self._sum_up(workflow_id), "sum up")
        else:
            self.fail(Failed("nothing_to_sum_up", "nothing was said yet"))

    async def _sum_up(self, workflow_id: WorkflowId, queued: bool = False) -> None:
        start = GatedStart(workflow_id, StartSource.COMMAND, partial(self._sum_up, workflow_id))
        outcome = await self.starts.run(partial(self._core.summaries.start, workflow_id), start, queued=queued)
        if not is_limit(outcome):
            unwrap(outcome)

    def stop(self, workflow_id: WorkflowId | None) -> None:
        """Cancel the active run of a workflow."""
        execution = self._stores.background.get_execution(workflow_id) if workflow_id else None
        if execution is not None and execution.run is not None and execution.is_active:
            self._stopping.add(execution.run.run_id)  # at once: the next key may send
            self._operations.run(self._stop(execution.run.run_id), "stop")

    async def _stop(self, run_id: RunId) -> None:
        try:
            unwrap(await self._core.runs.cancel(run_id))
        finally:
            self._stopping.discard(run_id)

    def is_stopping(self, workflow_id: WorkflowId | None) -> bool:
        """Return whether the user has stopped the active run of a workflow, which has not ended yet."""
        execution = self._stores.background.get_execution(workflow_id) if workflow_id else None
        return execution is not None and execution.run is not None and execution.run.run_id in self._stopping

    def answer(self, question: Question, answer: Answer, call: CallDescription | None) -> None:
        """Answer this request. What is approved is the `call` that was shown: if its file has changed since, the
        request stays open.
        """
        self._operations.run(
            self._answer(question, answer, call),
            f"answer {question.id}",
            success=lambda _data: self._on_answered(question, answer),
            failure=partial(self.answered.emit, question.id),
        )

    def _on_answered(self, question: Question, answer: Answer) -> None:
        self.answered.emit(question.id, None)
        is_address = question.kind is InterruptionKind.ELICITATION and isinstance(question.asked.options, Mapping)
        if is_address and answer.action is Action.SUBMIT:
            self.open_link(str(question.asked.options["url"]))

    async def _answer(self, question: Question, answer: Answer, call: CallDescription | None) -> Ok[None] | Failed:
        if answer.action is Action.APPROVE and call is not None and await self._core.call_requests.has_changed(call):
            return Failed("file_changed", "the file has changed since the call was shown")
        outcome = await self._core.runs.answer(question.run_id, answer, interruption=question.id)
        return outcome if isinstance(outcome, Failed) else Ok(None)

    def rename(self, workflow_id: WorkflowId, title: str) -> None:
        self._operations.run(self._core.workflows.rename(workflow_id, title), "rename")

    def fail(self, failed: Failed) -> None:
        """Show a failure that belongs to no composer."""
        self._context.session.presenter.fail(failed)
