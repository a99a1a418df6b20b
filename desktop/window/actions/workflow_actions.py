"""Call the services of the core for the user and show the results in the window."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from core.app import Core
from core.domain.agent import AgentSelection
from core.domain.ids import MessageId, WorkflowId
from core.domain.interruption import Answer
from core.domain.messages import AttachedText, Role
from core.domain.template import Template, ValidationMode
from core.domain.toast import ToastId, ToastType
from core.ports.templates import ResolvedTemplate
from core.services.outcome import Failed, Ok, Outcome
from core.stores.questions import Question
from desktop.aio import Tasks
from desktop.translation.failure_strings import failure_words
from desktop.translation.template_strings import demo_texts
from desktop.window.base.context import ErrorPresenter
from desktop.window.base.outgoing import OutgoingMessage

FIRST_SCREEN_MESSAGES = 24
"""So many messages fill a screen, and some more."""
FIRST_PAINT_S = 0.05
"""Until then they are painted, and nothing else takes the loop's time."""

_MODES_BY_STRICTNESS = (ValidationMode.AUTO, ValidationMode.SELECTIVE, ValidationMode.MANUAL)

AsyncAction = Callable[[], Coroutine[Any, Any, None]]
"""What a button of a toast does."""


@dataclass(frozen=True, slots=True)
class TemplateStart:
    """A request to start a template in a workflow, or in a new one where `workflow_id` is None.

    `prompt` is the message that named the template, if any. `viewed` is the workflow on the screen at the time of the
    request: a new workflow takes its place only if it is still viewed.
    """

    found: ResolvedTemplate
    given: Mapping[str, Any]
    workflow_id: WorkflowId | None
    prompt: str | None
    answering: AgentSelection | None
    viewed: WorkflowId | None
    attached: tuple[AttachedText, ...] = ()

    def is_same(self, other: "TemplateStart") -> bool:
        """Return whether both start the same template from the same message, whatever the input."""
        return self.found is other.found and (self.workflow_id, self.prompt) == (other.workflow_id, other.prompt)


class WorkflowActions(QObject):
    """Runs user actions against the services. Each method returns at once; results arrive by signal, store or toast.

    `turns_below` returns the number of turns below the last scroll position of the viewed workflow, so that enough
    messages are loaded to restore it.
    """

    loaded = Signal()
    """The conversation that a person asked for is there: they wait to see it."""
    sent = Signal(str, object)
    """A message was taken: the workflow that it was said in, "" for a new one, and the Outgoing."""
    begun = Signal(str, object)
    """A message has begun that workflow, which is looked at next; the Outgoing."""
    refused = Signal(str, str)
    """A message was not taken: the workflow, and the words for its composer, empty where a toast says it."""
    template_settled = Signal(object, object)
    """What became of a TemplateStart: None where it was taken, else the Failed."""
    say_requested = Signal(object)
    """This message, with what went along, is to be sent again in the viewed workflow, as if it was written there."""
    answered = Signal(str, object)
    """What became of an answer: the id of the request, and None where it was taken, else the Failed."""
    demo_changed = Signal(bool)
    """Whether there is a demo to be removed."""

    def __init__(
        self, core: Core, tasks: Tasks, presenter: ErrorPresenter, turns_below: Callable[[], int], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._turns_below = turns_below
        self._core = core
        self._tasks = tasks
        self._presenter = presenter
        self._again: dict[ToastId, AsyncAction] = {}
        self._refused: dict[Hashable, ToastId] = {}

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {"demo.start": self.start_demo, "demo.remove": self.remove_demo}

    # Looking

    def show(self, workflow_id: WorkflowId | None) -> None:
        """View a workflow, or the empty one that the first message begins (None)."""
        self._core.stores.background.set_viewed(workflow_id)
        if workflow_id is not None:
            self._spawn(self._load(), f"load {workflow_id}")

    async def _load(self) -> None:
        """Load the end of the conversation, which is on the screen, and then all of it."""
        view = self._core.stores.view
        load = view.begin_load()
        if load is None:
            return
        opened = await self._core.workflows.newest(load.workflow_id, FIRST_SCREEN_MESSAGES + self._turns_below())
        if isinstance(opened, Ok) and not opened.data.is_whole:
            view.show(load.workflow_id, opened.data.messages, opened.data.runs, load=load)
            self.loaded.emit()
            await asyncio.sleep(FIRST_PAINT_S)
            opened = await self._core.workflows.opened(load.workflow_id, partial(view.awaits, load))
        if isinstance(opened, Ok):
            self._core.stores.usage.load(load.workflow_id, (*opened.data.runs, *opened.data.below))
            view.show(load.workflow_id, opened.data.messages, opened.data.runs, opened.data.below, load=load)
            self.loaded.emit()
        elif opened.code != "overtaken" and view.awaits(load):
            self._presenter.fail(opened)

    # Running

    def send(
        self, said: OutgoingMessage, workflow_id: WorkflowId | None, answering: AgentSelection | None = None
    ) -> None:
        """Send a message to a workflow; None begins a new one that uses `answering`.

        While a turn runs there, the message is queued, or interrupts the turn.
        """
        execution = self._core.stores.background.get_execution(workflow_id) if workflow_id else None
        if workflow_id is not None and execution is not None and execution.is_active:
            self._spawn(self._queue(said, workflow_id), "queue")
        else:
            self._spawn(self._send(said, workflow_id, None if workflow_id else answering, queued=False), "send")

    async def _queue(self, said: OutgoingMessage, workflow_id: WorkflowId) -> None:
        add = self._core.queue.interject if said.interrupts else self._core.queue.add
        answer = await add(workflow_id, said.text, said.attached)
        if isinstance(answer, Ok):
            self.sent.emit(workflow_id, said)
        else:
            self.refused.emit(workflow_id, failure_words(answer.code, answer.message))

    async def _send(
        self, said: OutgoingMessage, workflow_id: WorkflowId | None, answering: AgentSelection | None, *, queued: bool
    ) -> None:
        mode = self._core.settings.current.validation_mode
        answer = await self._core.chat.send(
            said.text,
            workflow_id,
            mode=mode,
            gated=True,
            queued=queued,
            answering=answering,
            attached=said.attached,
        )
        if isinstance(answer, Failed) and answer.code == "workflow_busy" and workflow_id is not None:
            await self._queue(said, workflow_id)  # a turn began meanwhile
        elif isinstance(answer, Ok):
            self._withdraw(_origin_key(workflow_id))
            if workflow_id is None and self._core.stores.background.viewed_workflow_id is None:
                self.begun.emit(answer.data.workflow_id, said)
                self.show(answer.data.workflow_id)
            self.sent.emit(workflow_id or "", said)
        elif answer.code == "limit_reached":
            self.refused.emit(workflow_id or "", "")
            again = partial(self._send, said, workflow_id, answering, queued=True)
            self._refuse(answer, again, _origin_key(workflow_id))
        else:
            self.refused.emit(workflow_id or "", failure_words(answer.code, answer.message))

    def start_template(self, start: TemplateStart) -> None:
        """Start a template."""
        self._spawn(self._start_template(start), "start a template")

    async def _start_template(self, start: TemplateStart, *, queued: bool = False) -> None:
        answer = await self._core.runs.start(
            start.found,
            start.given,
            mode=self._mode_of(start.found.template),
            gated=True,
            queued=queued,
            workflow_id=start.workflow_id,
            prompt=start.prompt,
            answering=start.answering,
            attached=start.attached,
        )
        place = _origin_key(start.workflow_id) if start.prompt is not None else ("template", start.found.id)
        if isinstance(answer, Ok):
            self._withdraw(place)
            if start.workflow_id is None and self._core.stores.background.viewed_workflow_id == start.viewed:
                if start.prompt is not None:
                    self.begun.emit(answer.data.workflow_id, OutgoingMessage(start.prompt, start.attached))
                self.show(answer.data.workflow_id)
            self.template_settled.emit(start, None)
            if start.prompt is not None:
                self.sent.emit(start.workflow_id or "", OutgoingMessage(start.prompt, start.attached))
            return
        self.template_settled.emit(start, answer)
        words = "" if answer.code == "limit_reached" else failure_words(answer.code, answer.message)
        if start.prompt is not None:
            self.refused.emit(start.workflow_id or "", words)
        elif words:
            self._presenter.fail(answer)
        if answer.code == "limit_reached":
            self._refuse(answer, partial(self._start_template, start, queued=True), place)

    def _mode_of(self, template: Template) -> ValidationMode:
        """Return the stricter of the mode in the settings and the mode of the template.

        A template can only add requests for approval, never remove any.
        """
        modes = (self._core.settings.current.validation_mode, template.mode or ValidationMode.AUTO)
        return max(modes, key=_MODES_BY_STRICTNESS.index)

    def fail(self, failed: Failed) -> None:
        """Show a failure that belongs to no composer."""
        self._presenter.fail(failed)

    def _refuse(self, failed: Failed, again: AsyncAction, place: Hashable) -> None:
        """Show a toast with the limit that was reached and an action that queues the start (UI §7)."""
        toasts = self._core.stores.toasts
        toast_id = toasts.add(ToastType.WARNING, "limit_reached", parameters=failed.details.items())
        self._refused = {one: told for one, told in self._refused.items() if told in self._again and told != toast_id}
        self._refused[place] = toast_id
        self.offer(toast_id, again)

    def _withdraw(self, place: Hashable) -> None:
        """Remove the refusal of an earlier start from the same origin, so that its action cannot start it twice."""
        if (toast_id := self._refused.pop(place, None)) is not None and self._again.pop(toast_id, None) is not None:
            self._core.stores.toasts.withdraw(toast_id)

    def offer(self, toast_id: ToastId, again: AsyncAction) -> None:
        """Register the action of a toast for as long as the toast exists."""
        toasts = self._core.stores.toasts
        standing = {toast.id for toast in (*toasts.visible, *toasts.waiting)}
        self._again = {one: what for one, what in self._again.items() if one in standing}
        self._again[toast_id] = again

    def toast_action(self, action: str, toast_id: str) -> None:
        """Run the action of a toast: *Queue it* or *Show* of a refusal, *Undo* of a change."""
        if action in ("queue", "undo") and (again := self._again.pop(ToastId(toast_id), None)) is not None:
            self._spawn(again(), action)
        elif action == "show":
            running = self._core.stores.background.running_workflows
            if running:
                self.show(running[0].workflow_id)
        self._core.stores.toasts.dismiss(ToastId(toast_id))

    def sum_up(self, workflow_id: WorkflowId | None) -> None:
        """Summarize the workflow and continue from the summary."""
        if workflow_id is not None:
            self._spawn(self._sum_up(workflow_id), "sum up")
        else:
            self._presenter.fail(Failed("nothing_to_sum_up", "nothing was said yet"))

    async def _sum_up(self, workflow_id: WorkflowId, *, queued: bool = False) -> None:
        mode = self._core.settings.current.validation_mode
        answer = await self._core.summaries.begin(workflow_id, mode=mode, gated=True, queued=queued)
        if isinstance(answer, Failed) and answer.code == "limit_reached":
            self._refuse(answer, partial(self._sum_up, workflow_id, queued=True), ("sum up", workflow_id))
        elif isinstance(answer, Failed):
            self._presenter.fail(answer)
        else:
            self._withdraw(("sum up", workflow_id))

    def stop(self, workflow_id: WorkflowId | None) -> None:
        """Cancel the active run of a workflow."""
        execution = self._core.stores.background.get_execution(workflow_id) if workflow_id else None
        if execution is not None and execution.run is not None and execution.is_active:
            self._spawn(self._answer(self._core.runs.cancel(execution.run.run_id)), "stop")

    def again(self) -> None:
        """Send the last message of the viewed workflow again, if no run is active there."""
        view = self._core.stores.view
        said = [one for one in view.messages if one.role is Role.USER]
        if said and not (view.execution is not None and view.execution.is_active):
            self.say_requested.emit(said[-1])

    def retry(self, message_id: str) -> None:
        """Send the message again that this message answers, if it answers any."""
        view = self._core.stores.view
        run = view.run_of(MessageId(message_id))
        asked = next((one for one in view.messages if run is not None and one.id == run.prompt_id), None)
        if asked is not None:
            self.say_requested.emit(asked)

    def answer(self, question: Question, answer: Answer) -> None:
        """Answer this request."""
        self._spawn(self._answer_question(question, answer), f"answer {question.id}")

    async def _answer_question(self, question: Question, answer: Answer) -> None:
        outcome = await self._core.runs.answer(question.run_id, answer, interruption=question.id)
        self.answered.emit(question.id, outcome if isinstance(outcome, Failed) else None)

    # Keeping

    def rename(self, workflow_id: WorkflowId, title: str) -> None:
        self._spawn(self._answer(self._core.workflows.rename(workflow_id, title)), "rename")

    # Mode

    def set_mode(self, mode: ValidationMode) -> None:
        """Set the validation mode of future runs. A change to automatic mode shows a toast with *Undo* (UI §8)."""
        if mode is ValidationMode.AUTO:
            self._spawn(self._choose_auto(), "automatic mode")
        else:
            self._spawn(self._set_mode(mode), f"{mode} mode")

    async def _choose_auto(self) -> None:
        await self._set_auto("mode_is_auto", is_for_demo=False)

    async def _set_auto(self, code: str, *, is_for_demo: bool) -> bool:
        """Return whether automatic mode is set. A toast with *Undo* reports the change; the demo remembers the previous
        mode.
        """
        before = self._core.settings.current.validation_mode
        if before is ValidationMode.AUTO:
            return True
        by_demo = {"mode_before_demo": before} if is_for_demo else {}
        changed = await self._core.settings.change(validation_mode=ValidationMode.AUTO, **by_demo)
        if isinstance(changed, Failed):
            self._presenter.fail(changed)
            return False
        told = self._core.stores.toasts.add(ToastType.INFO, code, parameters=[("before", before.value)])
        self.offer(told, partial(self._set_mode, before))
        return True

    async def _set_mode(self, mode: ValidationMode) -> None:
        await self._answer(self._core.settings.change(validation_mode=mode))

    # Demo

    def look_for_demo(self) -> None:
        """Emit whether demo workflows exist."""
        self._spawn(self._look_for_demo(), "look for the demo")

    async def _look_for_demo(self) -> None:
        self.demo_changed.emit(bool(await self._core.demo.workflows()))

    def start_demo(self) -> None:
        self._spawn(self._start_demo(), "demo")

    async def _start_demo(self) -> None:
        if not await self._set_auto("mode_set_to_auto", is_for_demo=True):
            return
        begun = await self._core.demo.start(demo_texts())
        for answer in begun:
            if isinstance(answer, Failed):
                self._presenter.fail(answer)
        first = next((answer.data.workflow_id for answer in begun if isinstance(answer, Ok)), None)
        if first is not None:
            self.show(first)
        await self._look_for_demo()

    def remove_demo(self) -> None:
        self._spawn(self._remove_demo(), "remove the demo")

    async def _remove_demo(self) -> None:
        if self._core.stores.background.viewed_workflow_id in await self._core.demo.workflows():
            self.show(None)
        await self._answer(self._core.demo.remove())
        before = self._core.settings.current.mode_before_demo
        if before is not None and not await self._core.demo.workflows():
            await self._set_mode(before)
        await self._look_for_demo()

    # Elsewhere

    def open_link(self, target: str) -> None:
        """Open a link in the user's browser or mail program."""
        QDesktopServices.openUrl(QUrl(target))

    async def _answer(self, answering: Awaitable[Outcome[Any]]) -> None:
        answer = await answering
        if isinstance(answer, Failed):
            self._presenter.fail(answer)

    def _spawn(self, coroutine: Coroutine[Any, Any, None], name: str) -> None:
        self._tasks.spawn(coroutine, name)


def _origin_key(workflow_id: WorkflowId | None) -> Hashable:
    """Return the key by which a refusal and its retry are matched; None is the new workflow."""
    return ("said", workflow_id)
