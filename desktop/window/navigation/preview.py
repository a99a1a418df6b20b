"""Preview of a workflow of the sidebar, which does not count as viewing until it is opened (UI §4)."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from core.domain.ids import WorkflowId
from core.stores.background_workflows import BackgroundWorkflows


class WorkflowPreview(QObject):
    """Previews workflows with `show`. Moving the focus into `centre` opens the previewed workflow."""

    changed = Signal(bool)
    """Whether something is peeked at."""
    opened = Signal(str)
    """What was peeked at is viewed for good."""

    def __init__(
        self,
        background: BackgroundWorkflows,
        show: Callable[[WorkflowId | None], None],
        centre: QWidget,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._show = show
        self._centre = centre
        self._before: WorkflowId | None = None
        self._peeked: WorkflowId | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    @property
    def is_on(self) -> bool:
        return self._peeked is not None

    @property
    def viewed_for_good(self) -> WorkflowId | None:
        """The workflow that was opened last, regardless of a preview."""
        return self._before if self.is_on else self._background.viewed_workflow_id

    def peek(self, workflow_id: str) -> None:
        """Preview a workflow; a second call ends the preview. Without effect on the opened workflow."""
        wanted = WorkflowId(workflow_id)
        if wanted == self._peeked:
            self.leave()
        elif wanted != self._background.viewed_workflow_id:
            if self._peeked is None:
                self._before = self._background.viewed_workflow_id
            self._peeked = wanted
            self._show(wanted)
            self.changed.emit(True)

    def leave(self) -> None:
        """End the preview and show the opened workflow again."""
        if self.is_on:
            self._peeked = None
            self._show(self._before)
            self.changed.emit(False)

    def open(self) -> None:
        """Open the previewed workflow."""
        if self._peeked is not None:
            opened, self._peeked = self._peeked, None
            self.opened.emit(opened)
            self.changed.emit(False)

    def viewed(self, workflow_id: WorkflowId | None) -> None:
        """End the preview if another workflow is viewed."""
        if self.is_on and workflow_id != self._peeked:
            self._peeked = None
            self.changed.emit(False)

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self.is_on and now is not None and self._centre.isAncestorOf(now):
            self.open()
