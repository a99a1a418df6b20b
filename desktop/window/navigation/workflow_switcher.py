"""Open workflows, and switch between them by key."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.app import Stores
from core.domain.ids import WorkflowId
from desktop.theme.theme import Theme
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.options import Option
from desktop.window.base.workflow_strings import state_label
from desktop.window.conversation.centre import Centre
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.navigation.history import RecentWorkflows, VisitHistory, next_in_list, next_in_ring
from desktop.window.navigation.preview import WorkflowPreview
from desktop.window.navigation.recent_workflows import RecentList, RecentSwitcher


class WorkflowOpener:
    """Opens workflows in the window. The opened workflow gets the focus."""

    def __init__(
        self, deeds: WorkflowActions, peeking: WorkflowPreview, centre: Centre, chat: ChatPane, window: QWidget
    ) -> None:
        self._deeds = deeds
        self._peeking = peeking
        self._centre = centre
        self._chat = chat
        self._window = window

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {"workflow.new": self.open_new, "view.close": self.open_new}

    def open(self, workflow_id: str) -> None:
        """Open a workflow and focus the composer."""
        self._deeds.show(WorkflowId(workflow_id))
        self._peeking.open()
        self._window.activateWindow()
        self._chat.focus_composer()

    def open_asking(self, workflow_id: str) -> None:
        """Open a workflow and focus its request card, if any."""
        self.open(workflow_id)
        self._chat.focus_card()

    def open_new(self) -> None:
        """Open the empty workflow that the first message begins."""
        self._centre.begin_new()
        self._deeds.show(None)
        self._centre.show_now()
        self._chat.focus_composer()

    def open_chat(self) -> None:
        """Show the chat, with a new workflow if the start page is shown."""
        if not self._centre.is_chat:
            self.open_new()


class WorkflowSwitcher(QObject):
    """Switches workflows by key: by slot, list order, history, or pending request.

    `order` returns the order of the sidebar; `walk` is an event filter of the application.
    """

    def __init__(
        self,
        stores: Stores,
        order: Callable[[], Sequence[WorkflowId]],
        opening: WorkflowOpener,
        theme: Theme,
        window: QWidget,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._stores = stores
        self._order = order
        self._opening = opening
        self._recent = RecentWorkflows()
        self._visited = VisitHistory()
        self.recent_list = RecentList(theme, window)
        self.walk = RecentSwitcher(
            window, self._recent, self.recent_list, self._is_there, self._described, self._open, self
        )

    @property
    def viewed_before(self) -> list[WorkflowId]:
        """The workflows by last view, with the current workflow last."""
        return self._recent.others_first()

    def viewed(self, workflow_id: WorkflowId) -> None:
        """Record that the workflow is viewed."""
        self.walk.cancel()  # whoever goes elsewhere goes through no list
        self._recent.viewed(workflow_id)
        self._visited.went_to(workflow_id)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {
            "go.next_attention": partial(self.to_asking, 1),
            "go.previous_attention": partial(self.to_asking, -1),
            "go.recent": partial(self.walk.step, 1),
            "go.recent_back": partial(self.walk.step, -1),
            "go.next": partial(self.beside, 1),
            "go.previous": partial(self.beside, -1),
            "go.back": partial(self.along, -1),
            "go.forward": partial(self.along, 1),
            **{f"go.slot.{number}": partial(self.to_slot, number) for number in range(1, 10)},
        }

    def to_slot(self, number: int) -> None:
        """Open the workflow in this slot, if any."""
        self._open(self._stores.background.workflow_at(number))

    def beside(self, by: int) -> None:
        """Open the next (1) or previous (-1) workflow of the sidebar."""
        self._open(next_in_list(self._order(), self._now, by))

    def along(self, by: int) -> None:
        """Go back (-1) or forward (1) in the history."""
        self._open(self._visited.step(by, self._is_there))

    def to_asking(self, by: int) -> None:
        """Open the next (1) or previous (-1) workflow with a pending request, the longest waiting first."""
        found = next_in_ring(self._stores.questions.workflows, self._now, by)
        if found is not None:
            self._opening.open_asking(found)

    @property
    def _now(self) -> WorkflowId | None:
        return self._stores.background.viewed_workflow_id

    def _is_there(self, workflow_id: WorkflowId) -> bool:
        listed = self._stores.workflows.get(workflow_id)
        return listed is not None and not listed.workflow.is_archived

    def _described(self, order: Sequence[WorkflowId]) -> list[Option]:
        """Return the rows of the recent list: titles and states."""
        asking = set(self._stores.questions.workflows)
        found = [(one, self._stores.workflows.get(one)) for one in order]
        return [
            Option(row.workflow.title, state_label(row.status, is_asking=one in asking), None, one == self._now)
            for one, row in found
            if row is not None
        ]

    def _open(self, workflow_id: WorkflowId | None) -> None:
        if workflow_id is not None:
            self._opening.open(workflow_id)
