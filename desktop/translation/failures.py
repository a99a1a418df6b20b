"""What a failure says to a person, by its code (UI §10). The details of the core are for those who ask for them."""

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def failure_words(code: str, message: str) -> str:
    """A sentence for the screen. A code without words of its own is told in the core's `message`, in English."""
    words = {
        "unexpected": translate(
            "Failures", "Something went wrong that should not have. What runs goes on; the log has the details."
        ),
        "workflow_busy": translate("Failures", "This workflow is still at work. It has to end first."),
        "not_found": translate("Failures", "It is not there any more."),
        "in_use": translate("Failures", "Metier is open already with this data folder. Close the other window first."),
        "store_doubtful": translate(
            "Failures", "The data was written by another version of Metier. Nothing was changed."
        ),
        "storage_not_writable": translate("Failures", "The data folder cannot be written. Nothing was lost."),
        "storage_full": translate("Failures", "The disk is full. Make room, and it goes on."),
        "key_missing": translate(
            "Failures", "There is no key for this provider. Put one in at Settings, Models, or choose another model."
        ),
        "storage_failed": translate("Failures", "The data could not be read or written."),
    }
    return words.get(code, message)


def run_failure_words(code: str, during: str | None) -> str | None:
    """Why a run ended, in a sentence: by its code, else by what it was doing (`ErrorInfo.failed_during`)."""
    match code, during:
        case "outcome_unknown", _:
            return translate("Failures", "Nobody knows whether the last action happened")
        case "round_limit" | "too_many_calls" | "repeated_call", _:
            return translate("Failures", "The agent was stopped: it kept calling tools")
        case "timeout" | "deadline_exceeded" | "no_progress", _:
            return translate("Failures", "It took too long")
        case "rejected", _:
            return translate("Failures", "It was not allowed to go on")
        case _, "model":
            return translate("Failures", "The model’s answer failed")
        case _, "tool_execution":
            return translate("Failures", "A tool failed")
        case _, "code":
            return translate("Failures", "The code of a step failed")
        case _, "storage":
            return translate("Failures", "It could not be written down")
        case _:
            return None
