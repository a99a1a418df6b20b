"""At the limit: why a start of the viewed workflow was refused, and the ways out (UI §7)."""

from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.stores.execution import Execution
from desktop.settings.parts.setting_strings import auto_mode_warning
from desktop.toasts.toast_strings import limit_sentences
from desktop.window.actions.gated_starts import GatedStart
from desktop.window.actions.mode_actions import ModeActions
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import StartSource
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.conversation.limit_strip import ReachedLimit

_TITLE_CHARACTERS = 40


class LimitController(Controller):
    """Shows the refused start of the viewed workflow, for as long as the limit holds and its text or form is there."""

    def __init__(self, context: WindowContext, actions: WorkflowActions, mode: ModeActions, chat: ChatPane) -> None:
        super().__init__(context)
        self._actions = actions
        self._starts = actions.starts
        self._mode = mode
        self._chat = chat
        strip = chat.footer.limit
        strip.queue_requested.connect(self._queue)
        strip.auto_requested.connect(self._switch)
        strip.show_requested.connect(self._show_running)
        strip.dismissed.connect(self._dismiss)
        self._starts.changed.connect(self.show_now)
        for signal in (chat.composer.edited, chat.inputs.opened, chat.inputs.closed):
            signal.connect(self.show_now)
        signals = (context.stores.background.changed, context.core.settings.changed)
        context.frames.bind(chat, signals, self._on_changed)

    def show_now(self) -> None:
        """Show the limit that holds for the viewed workflow, if any."""
        start = self._start
        self._chat.footer.show_limit(self._describe(start) if start is not None else None)

    @property
    def _start(self) -> GatedStart | None:
        start = self._starts.refused(self._viewed)
        source = start.source if start is not None else None
        if (source is StartSource.FORM) != self._chat.inputs.is_open:
            return None
        return None if source is StartSource.COMPOSER and self._chat.composer.is_empty else start

    def _describe(self, start: GatedStart) -> ReachedLimit:
        mode, settings = self._starts.mode_of(start), self._core.settings.current
        sentences = [*limit_sentences(mode, settings.max_workflows(mode))]
        working = self._working()
        if len(working) == 1:
            name = " ".join(working[0].workflow_name.split())
            name = name if len(name) <= _TITLE_CHARACTERS else f"{name[: _TITLE_CHARACTERS - 1]}…"
            sentences.append(self.tr("“{workflow}” is running.").format(workflow=name))
        can_switch = mode is not ValidationMode.AUTO and start.least is ValidationMode.AUTO
        warning = auto_mode_warning(settings.max_workflows(ValidationMode.AUTO)) if can_switch else ""
        return ReachedLimit(" ".join(sentences), warning)

    def _working(self) -> list[Execution]:
        """Return the workflows that count: those that only wait for the user do not."""
        running = self._stores.background.running_workflows
        return [execution for execution in running if execution.status is not RunStatus.WAITING]

    def _queue(self) -> None:
        if (start := self._start) is not None:
            self._repeat(start, queued=True)

    def _switch(self) -> None:
        self._operations.run(self._switch_and_start(), "automatic mode")

    async def _switch_and_start(self) -> None:
        start, viewed = self._start, self._viewed
        await self._mode.set_auto("mode_is_auto")
        if start is not None and viewed == self._viewed:
            self._repeat(start, queued=False)

    def _repeat(self, start: GatedStart, *, queued: bool) -> None:
        """Make the start once more, with what stands in the composer or the form by now."""
        match start.source:
            case StartSource.COMPOSER:
                self._chat.composer.submit(queued=queued)
            case StartSource.FORM:
                self._chat.inputs.submit(queued=queued)
            case StartSource.COMMAND:
                self._operations.run(start.again(queued), "start again")

    def _show_running(self) -> None:
        if working := self._working():
            self._actions.show(working[0].workflow_id)

    def _dismiss(self) -> None:
        self._starts.forget(self._viewed)

    def _on_changed(self) -> None:
        before = self._start
        self._starts.forget_admitted()
        self.show_now()
        if before is not None and before.source is StartSource.COMPOSER and self._start is None:
            self._chat.composer.show_note(self.tr("A workflow can start now: send it again."))
