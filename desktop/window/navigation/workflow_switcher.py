"""Going to a workflow: preview, opening, switching, and the way back (UI §4).

A previewed workflow does not count as viewed until it is opened.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from core.domain.ids import WorkflowId
from desktop.shortcuts.command import Method, command
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.options import Option
from desktop.window.base.workflow_strings import state_indicator, state_label
from desktop.window.conversation.centre import Centre
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.navigation.history import RecentWorkflows, VisitHistory, next_in_list, next_in_ring
from desktop.window.navigation.recent_workflows import RecentList, RecentSwitcher


class WorkflowPreview(Controller):
    """Previews workflows with `show`. Moving the focus into `centre` opens the previewed workflow."""

    changed = Signal(bool)
    """Whether a workflow is previewed."""
    opened = Signal(str)
    """The previewed workflow was opened."""

    def __init__(self, context: WindowContext, show: Callable[[WorkflowId | None], None], centre: QWidget) -> None:
        super().__init__(context)
        self._show = show
        self._centre = centre
        self._opened: WorkflowId | None = None
        self._previewed: WorkflowId | None = None
        # any way into the centre counts: click, Tab or a command; Qt reports all of them as a change of focus
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    @property
    def is_on(self) -> bool:
        return self._previewed is not None

    @property
    def opened_workflow(self) -> WorkflowId | None:
        """The workflow that was opened last, regardless of a preview."""
        return self._opened if self.is_on else self._viewed

    def toggle(self, workflow_id: str) -> None:
        """Preview a workflow; a second call ends the preview. Without effect on the opened workflow."""
        target = WorkflowId(workflow_id)
        if target == self._previewed:
            self.end()
        elif target != self._viewed:
            if self._previewed is None:
                self._opened = self._viewed
            self._previewed = target
            self._show(target)
            self.changed.emit(True)

    def end(self) -> None:
        """End the preview and show the opened workflow again."""
        if self.is_on:
            self._previewed = None
            self._show(self._opened)
            self.changed.emit(False)

    def open(self) -> None:
        """Open the previewed workflow."""
        if self._previewed is not None:
            opened, self._previewed = self._previewed, None
            self.opened.emit(opened)
            self.changed.emit(False)

    def on_viewed(self, workflow_id: WorkflowId | None) -> None:
        """End the preview if another workflow is viewed."""
        if self.is_on and workflow_id != self._previewed:
            self._previewed = None
            self.changed.emit(False)

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self.is_on and now is not None and self._centre.isAncestorOf(now):
            self.open()


class WorkflowOpener:
    """Opens workflows in the window. The opened workflow gets the focus."""

    def __init__(
        self,
        context: WindowContext,
        actions: WorkflowActions,
        preview: WorkflowPreview,
        centre: Centre,
        chat: ChatPane,
    ) -> None:
        self._window = context.window
        self._actions = actions
        self._preview = preview
        self._centre = centre
        self._chat = chat

    def open(self, workflow_id: str) -> None:
        """Open a workflow and focus the composer."""
        self._actions.show(WorkflowId(workflow_id))
        self._preview.open()
        self._window.activateWindow()
        self._chat.focus_composer()

    def open_request(self, workflow_id: str) -> None:
        """Open a workflow and focus its request card, if any."""
        self.open(workflow_id)
        self._chat.focus_card()

    @command("workflow.new")
    @command("view.close")
    def open_new(self) -> None:
        """Open the empty workflow that the first message begins."""
        self._centre.begin_new()
        self._actions.show(None)
        self._centre.show_now()
        self._window.activateWindow()
        self._chat.focus_composer()

    def open_chat(self) -> None:
        """Show the chat, with a new workflow if the start page is shown."""
        if not self._centre.is_chat:
            self.open_new()


def _for_each_slot(method: Method) -> Method:
    for number in range(1, 10):
        method = command(f"go.slot.{number}", number)(method)
    return method


class WorkflowSwitcher(Controller):
    """Switches workflows by key: by slot, list order, history, or pending request.

    `order` returns the order of the sidebar; `walk` is an event filter of the application.
    """

    def __init__(
        self, context: WindowContext, order: Callable[[], Sequence[WorkflowId]], opener: WorkflowOpener
    ) -> None:
        super().__init__(context)
        self._order = order
        self._opener = opener
        self._recent = RecentWorkflows()
        self._history = VisitHistory()
        self.recent_list = RecentList(context.theme, context.window)
        self.walk = RecentSwitcher(
            context, self._recent, self.recent_list, self._is_listed, self._recent_options, self._open
        )

    @property
    def viewed_before(self) -> list[WorkflowId]:
        """The workflows by last view, with the current workflow last."""
        return self._recent.others_first()

    def on_viewed(self, workflow_id: WorkflowId) -> None:
        """Record that the workflow is viewed."""
        self.walk.cancel()  # the workflow was reached in another way while the key was held
        self._recent.viewed(workflow_id)
        self._history.append(workflow_id)

    @_for_each_slot
    def open_slot(self, number: int) -> None:
        """Open the workflow in this slot, if any."""
        self._open(self._stores.background.workflow_at(number))

    @command("go.next", 1)
    @command("go.previous", -1)
    def open_neighbour(self, by: int) -> None:
        """Open the next (1) or previous (-1) workflow of the sidebar."""
        self._open(next_in_list(self._order(), self._viewed, by))

    @command("go.back", -1)
    @command("go.forward", 1)
    def step_in_history(self, by: int) -> None:
        """Go back (-1) or forward (1) in the history."""
        self._open(self._history.step(by, self._is_listed))

    @command("go.next_attention", 1)
    @command("go.previous_attention", -1)
    def open_pending(self, by: int) -> None:
        """Open the next (1) or previous (-1) workflow with a pending request, the longest waiting first."""
        workflow_id = next_in_ring(self._stores.questions.workflows, self._viewed, by)
        if workflow_id is not None:
            self._opener.open_request(workflow_id)

    def _is_listed(self, workflow_id: WorkflowId) -> bool:
        listed = self._stores.workflows.get(workflow_id)
        return listed is not None and not listed.workflow.is_archived

    def _recent_options(self, order: Sequence[WorkflowId]) -> list[Option]:
        """Return the rows of the recent list: titles and states."""
        asking = set(self._stores.questions.workflows)
        rows = [(key, row) for key in order if (row := self._stores.workflows.get(key)) is not None]
        return [
            Option(
                row.workflow.title,
                state_label(row.status, is_asking=key in asking),
                None,
                key == self._viewed,
                state_indicator(row.status, is_asking=key in asking),
                row.is_unread,
            )
            for key, row in rows
        ]

    def _open(self, workflow_id: WorkflowId | None) -> None:
        if workflow_id is not None:
            self._opener.open(workflow_id)
