"""Strings for calls, steps and failures."""

from PySide6.QtCore import QCoreApplication

from core.domain.run import StepStatus
from core.domain.text.hidden import reveal
from core.domain.tool import CallStatus
from desktop.chat.turn_parts import Activity, Failure, Phase, StepLine, ToolLine
from desktop.translation import call_in_flight, run_failure_advice, run_failure_text, tool_summary

translate = QCoreApplication.translate  # under this name, since lupdate looks for calls of `translate`


def call_result(line: ToolLine) -> str:
    """Return the result of a call, without its duration."""
    match line.status:
        case CallStatus.RUNNING:
            return ""
        case CallStatus.COMPLETED:
            return tool_summary(line.tool, line.summary or "")
        case CallStatus.ERROR:
            return translate("ChatWords", "Failed")
        case CallStatus.SKIPPED:
            return translate("ChatWords", "Skipped")
        case CallStatus.CANCELLED:
            return translate("ChatWords", "Stopped")
        case CallStatus.UNKNOWN:
            return translate("ChatWords", "Outcome unknown")


def step_state(line: StepLine) -> str:
    """Return the state of a step, without its duration."""
    return translate("ChatWords", "Skipped") if line.is_skipped else status_text(line.status)


def status_text(status: StepStatus) -> str:
    """Return the state of a step or a sub-agent."""
    match status:
        case StepStatus.PENDING:
            return translate("ChatWords", "Pending")
        case StepStatus.RUNNING:
            return translate("ChatWords", "Running")
        case StepStatus.WAITING:
            return translate("ChatWords", "Waiting for you")
        case StepStatus.RETRYING:
            return translate("ChatWords", "Retrying")
        case StepStatus.COMPLETED:
            return translate("ChatWords", "Done")
        case StepStatus.ERROR:
            return translate("ChatWords", "Failed")
        case StepStatus.CANCELLED:
            return translate("ChatWords", "Stopped")


def activity_text(activity: Activity, *, is_long: bool) -> str:
    """Return what a run does while it produces no text; after a long time, what it waits for."""
    match activity.phase:
        case Phase.QUEUED if is_long:
            return translate("ChatWords", "Waiting for another workflow to finish")
        case Phase.QUEUED:
            return translate("ChatWords", "Queued")
        case Phase.THINKING if is_long:
            return translate("ChatWords", "Waiting for the model’s answer")
        case Phase.THINKING:
            return translate("ChatWords", "Thinking")
        case Phase.CALLING:
            return call_in_flight(activity.tool or "", reveal(activity.target))
        case Phase.WAITING:
            return translate("ChatWords", "Waiting for you")
        case Phase.PAUSED:
            return translate("ChatWords", "Paused: the storage cannot be written")
        case Phase.LOADING:
            return translate("ChatWords", "Waiting for the server: {0}").format(activity.target)
        case Phase.RETRYING:
            return translate("ChatWords", "Trying again: {0}").format(activity.target)


def failure_title(failure: Failure) -> str:
    """Return what failed, in a sentence."""
    title = run_failure_text(failure.code, failure.during, failure.details, failure.at)
    return title or translate("ChatWords", "The run failed")


def failure_advice(failure: Failure) -> str:
    """Return what the user can do about it, or an empty string."""
    return run_failure_advice(failure.code, failure.during, failure.details)
