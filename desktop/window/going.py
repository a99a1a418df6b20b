"""Going from workflow to workflow by keys: by slot, by list, by what was viewed, by who needs somebody."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.ids import WorkflowId
from core.wiring import Stores
from desktop.theme.theme import Theme
from desktop.window.navigation import Recent, Visited, neighbour, next_around
from desktop.window.offers import Offer
from desktop.window.opening import Opening
from desktop.window.recent_list import RecentList
from desktop.window.recent_walk import RecentWalk
from desktop.window.state_words import state_words


class Going(QObject):
    """`order` is the list of the sidebar; `walk` is an event filter of the application."""

    def __init__(
        self,
        stores: Stores,
        order: Callable[[], Sequence[WorkflowId]],
        opening: Opening,
        theme: Theme,
        window: QWidget,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._stores = stores
        self._order = order
        self._opening = opening
        self._recent = Recent()
        self._visited = Visited()
        self.recent_list = RecentList(theme, window)
        self.walk = RecentWalk(
            window, self._recent, self.recent_list, self._is_there, self._described, self._open, self
        )

    @property
    def viewed_before(self) -> list[WorkflowId]:
        """The one viewed before the present one first, the present one last."""
        return self._recent.others_first()

    def viewed(self, workflow_id: WorkflowId) -> None:
        """Somebody looks at it now."""
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
        """To the workflow with that number, if there is one."""
        self._open(self._stores.background.workflow_at(number))

    def beside(self, by: int) -> None:
        """To the next (1) or the one before (-1) in the list."""
        self._open(neighbour(self._order(), self._now, by))

    def along(self, by: int) -> None:
        """Back (-1) or forward (1) on the way that was taken."""
        self._open(self._visited.step(by, self._is_there))

    def to_asking(self, by: int) -> None:
        """To the next (1) or the one before (-1) that needs somebody, the one that has waited longest first."""
        found = next_around(self._stores.questions.workflows, self._now, by)
        if found is not None:
            self._opening.open_asking(found)

    @property
    def _now(self) -> WorkflowId | None:
        return self._stores.background.viewed_workflow_id

    def _is_there(self, workflow_id: WorkflowId) -> bool:
        listed = self._stores.workflows.get(workflow_id)
        return listed is not None and not listed.workflow.is_archived

    def _described(self, order: Sequence[WorkflowId]) -> list[Offer]:
        """The list of those viewed last: their names, and which needs somebody or runs."""
        asking = set(self._stores.questions.workflows)
        found = [(one, self._stores.workflows.get(one)) for one in order]
        return [
            Offer(row.workflow.title, state_words(row.status, is_asking=one in asking), None, one == self._now)
            for one, row in found
            if row is not None
        ]

    def _open(self, workflow_id: WorkflowId | None) -> None:
        if workflow_id is not None:
            self._opening.open(workflow_id)
