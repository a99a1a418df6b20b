"""What a workflow is called, and its state in a word and as a sign."""

from PySide6.QtCore import QCoreApplication

from core.app import Stores
from core.domain.run import RunStatus
from desktop.widgets import Indicator

translate = QCoreApplication.translate  # lupdate finds texts by this name


_INDICATORS = {
    None: Indicator.IDLE,
    RunStatus.ENQUEUED: Indicator.QUEUED,
    RunStatus.RUNNING: Indicator.RUNNING,
    RunStatus.WAITING: Indicator.WAITING,
    RunStatus.PAUSED: Indicator.PAUSED,
    RunStatus.SUCCESS: Indicator.SUCCESS,
    RunStatus.ERROR: Indicator.ERROR,
    RunStatus.CANCELLED: Indicator.CANCELLED,
}


def state_indicator(status: RunStatus | None, *, is_asking: bool) -> Indicator:
    """Return the sign of the state of a workflow, as `state_label` names it."""
    return Indicator.WAITING if is_asking else _INDICATORS[status]


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
