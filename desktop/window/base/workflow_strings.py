"""What a workflow is called, and its state in a word."""

from PySide6.QtCore import QCoreApplication

from core.app import Stores
from core.domain.run import RunStatus

translate = QCoreApplication.translate  # lupdate finds texts by this name


def viewed_title(stores: Stores) -> str:
    """Return the title of the viewed workflow by the list, else by its run; empty if unknown."""
    view = stores.view
    listed = stores.workflows.get(view.workflow_id) if view.workflow_id is not None else None
    if listed is not None:
        return listed.workflow.title
    return view.execution.workflow_name if view.execution is not None else ""


def state_label(status: RunStatus | None, *, is_asking: bool) -> str:
    """Return the state of a workflow by its last run, in a word; empty without a run."""
    if is_asking:
        return translate("Palette", "needs you")
    match status:
        case None:
            return ""
        case RunStatus.ENQUEUED:
            return translate("Palette", "queued")
        case RunStatus.RUNNING:
            return translate("Palette", "running")
        case RunStatus.WAITING:
            return translate("Palette", "waiting")
        case RunStatus.PAUSED:
            return translate("Palette", "paused")
        case RunStatus.SUCCESS:
            return translate("Palette", "completed")
        case RunStatus.ERROR:
            return translate("Palette", "failed")
        case RunStatus.CANCELLED:
            return translate("Palette", "stopped")
