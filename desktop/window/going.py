"""Going from workflow to workflow by keys: by slot, by list, by what was viewed, by who needs somebody."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from core.domain.ids import WorkflowId
from core.wiring import Stores
from desktop.window.navigation import Recent, Visited, neighbour, next_around

_HELD = (Qt.Key.Key_Control, Qt.Key.Key_Meta)


class Going(QObject):
    """`open_workflow` shows one, `open_asking` what it asks; `order` is the list of the sidebar.

    An event filter of the application: letting go of Ctrl ends the walk through the workflows viewed last.
    """

    def __init__(
        self,
        stores: Stores,
        order: Callable[[], Sequence[WorkflowId]],
        open_workflow: Callable[[str], None],
        open_asking: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._stores = stores
        self._order = order
        self._open_workflow = open_workflow
        self._open_asking = open_asking
        self._recent = Recent()
        self._visited = Visited()

    @property
    def viewed_before(self) -> list[WorkflowId]:
        """The one viewed before the present one first, the present one last."""
        return self._recent.others_first()

    def viewed(self, workflow_id: WorkflowId) -> None:
        """Somebody looks at it now."""
        self._recent.viewed(workflow_id)
        self._visited.went_to(workflow_id)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if (
            self._recent.is_walking
            and event.type() == QEvent.Type.KeyRelease
            and isinstance(event, QKeyEvent)
            and event.key() in _HELD
        ):
            self._recent.settle()
        return False

    def to_slot(self, number: int) -> None:
        """To the workflow with that number, if there is one."""
        self._open(self._stores.background.workflow_at(number))

    def beside(self, by: int) -> None:
        """To the next (1) or the one before (-1) in the list."""
        self._open(neighbour(self._order(), self._now, by))

    def through_recent(self, by: int) -> None:
        """Further back (1) among those viewed last; where it ends counts as viewed when the key is let go."""
        if not self._recent.is_walking:
            self._recent.keep(self._is_there)
        self._open(self._recent.step(by))

    def along(self, by: int) -> None:
        """Back (-1) or forward (1) on the way that was taken."""
        self._open(self._visited.step(by, self._is_there))

    def to_asking(self, by: int) -> None:
        """To the next (1) or the one before (-1) that needs somebody, the one that has waited longest first."""
        found = next_around(self._stores.questions.workflows, self._now, by)
        if found is not None:
            self._open_asking(found)

    @property
    def _now(self) -> WorkflowId | None:
        return self._stores.background.viewed_workflow_id

    def _is_there(self, workflow_id: WorkflowId) -> bool:
        listed = self._stores.workflows.get(workflow_id)
        return listed is not None and not listed.workflow.is_archived

    def _open(self, workflow_id: WorkflowId | None) -> None:
        if workflow_id is not None:
            self._open_workflow(workflow_id)
