"""The state of a workflow in a word, as lists name it."""

from PySide6.QtCore import QCoreApplication

from core.domain.run import RunStatus

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def state_words(status: RunStatus | None, *, is_asking: bool) -> str:
    """The state of a workflow by its last run, in a word; empty where nothing ran."""
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
