"""Preview of a workflow of the sidebar, which does not count as viewing until it is opened (UI §4)."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from core.domain.ids import WorkflowId
from desktop.window.base.context import Controller, WindowContext


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
