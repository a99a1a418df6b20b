"""What a failure says to a person, by its code (UI §10). The details of the core are for those who ask for them."""

from PySide6.QtCore import QCoreApplication


def failure_words(code: str, message: str) -> str:
    """A sentence for the screen. A code without words of its own is told in the core's `message`, in English."""
    words = {
        "unexpected": QCoreApplication.translate(
            "Failures", "Something went wrong that should not have. What runs goes on; the log has the details."
        ),
        "workflow_busy": QCoreApplication.translate("Failures", "This workflow is still at work. It has to end first."),
        "not_found": QCoreApplication.translate("Failures", "It is not there any more."),
        "in_use": QCoreApplication.translate(
            "Failures", "Metier is open already with this data folder. Close the other window first."
        ),
        "store_doubtful": QCoreApplication.translate(
            "Failures", "The data was written by another version of Metier. Nothing was changed."
        ),
        "storage_not_writable": QCoreApplication.translate(
            "Failures", "The data folder cannot be written. Nothing was lost."
        ),
        "storage_full": QCoreApplication.translate("Failures", "The disk is full. Make room, and it goes on."),
        "storage_failed": QCoreApplication.translate("Failures", "The data could not be read or written."),
    }
    return words.get(code, message)
