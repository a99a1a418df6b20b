"""Which workflow the user looks at (UI §2)."""

from psygnal import Signal

from core.domain.ids import WorkflowId
from core.stores.base import Store, emit


class ViewedWorkflow(Store):
    """The workflow that the window shows, and whether the user works in that window.

    `viewed_changed` is emitted when another or no workflow is viewed, `window_active_changed` when the user activates
    or leaves the window.
    """

    viewed_changed = Signal()
    window_active_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._viewed: WorkflowId | None = None
        self._is_window_active = False

    @property
    def viewed_workflow_id(self) -> WorkflowId | None:
        """The workflow that the window shows."""
        return self._viewed

    def is_viewed(self, workflow_id: WorkflowId) -> bool:
        """Return whether the window shows the workflow."""
        return workflow_id == self._viewed

    def set_viewed(self, workflow_id: WorkflowId | None) -> None:
        """View another workflow: a pointer moves, nothing is copied."""
        if workflow_id != self._viewed:
            self._viewed = workflow_id
            emit(self.viewed_changed)

    def set_window_active(self, is_active: bool) -> None:
        """Set whether the window is the active window."""
        if is_active != self._is_window_active:
            self._is_window_active = is_active
            emit(self.window_active_changed)

    def is_watched(self, workflow_id: WorkflowId) -> bool:
        """Return whether the user sees the workflow: it is viewed, in the active window."""
        return self._is_window_active and self.is_viewed(workflow_id)
