"""What tools, steps and failures are called on the screen."""

from PySide6.QtCore import QCoreApplication

from core.domain.step import StepStatus
from core.domain.tool import CallStatus
from desktop.chat.values import Activity, Failure, Phase, StepLine, ToolLine
from desktop.theme.icon_names import Icon

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_ICONS = {
    "calculator": Icon.CALCULATOR,
    "wait": Icon.TIMER,
    "read_file": Icon.FILE_TEXT,
    "write_file": Icon.FILE_PEN_LINE,
    "list_files": Icon.FOLDER,
    "run_code": Icon.TERMINAL,
}


def tool_icon(tool: str) -> Icon:
    return _ICONS.get(tool, Icon.WRENCH)


def tool_done(tool: str) -> str:
    """What a call did, in a word or two; of a tool that we do not know, its name."""
    match tool:
        case "calculator":
            return translate("ChatWords", "Calculated")
        case "wait":
            return translate("ChatWords", "Waited")
        case "read_file":
            return translate("ChatWords", "Read")
        case "write_file":
            return translate("ChatWords", "Wrote")
        case "list_files":
            return translate("ChatWords", "Listed")
        case "run_code":
            return translate("ChatWords", "Ran code")
        case _:
            return tool


def tool_doing(tool: str) -> str:
    """What a call is doing."""
    match tool:
        case "calculator":
            return translate("ChatWords", "Calculating")
        case "wait":
            return translate("ChatWords", "Waiting")
        case "read_file":
            return translate("ChatWords", "Reading")
        case "write_file":
            return translate("ChatWords", "Writing")
        case "list_files":
            return translate("ChatWords", "Listing")
        case "run_code":
            return translate("ChatWords", "Running code")
        case _:
            return translate("ChatWords", "Running {tool}").format(tool=tool)


def call_result(line: ToolLine) -> str:
    """What came out of a call, without its duration."""
    match line.status:
        case CallStatus.RUNNING:
            return ""
        case CallStatus.COMPLETED:
            return line.summary or ""
        case CallStatus.ERROR:
            return translate("ChatWords", "Failed")
        case CallStatus.SKIPPED:
            return translate("ChatWords", "Skipped")
        case CallStatus.CANCELLED:
            return translate("ChatWords", "Stopped")
        case CallStatus.UNKNOWN:
            return translate("ChatWords", "Outcome unknown")


def step_state(line: StepLine) -> str:
    """The state of a step in words, without its duration."""
    if line.is_skipped:
        return translate("ChatWords", "Skipped")
    match line.status:
        case StepStatus.PENDING:
            return translate("ChatWords", "Pending")
        case StepStatus.RUNNING:
            return translate("ChatWords", "Running")
        case StepStatus.COMPLETED:
            return translate("ChatWords", "Done")
        case StepStatus.ERROR:
            return translate("ChatWords", "Failed")
        case StepStatus.CANCELLED:
            return translate("ChatWords", "Stopped")


def activity_words(activity: Activity, *, is_long: bool) -> str:
    """What a run does while it says nothing; after a long time, what it waits for."""
    match activity.phase:
        case Phase.QUEUED:
            return translate("ChatWords", "Queued")
        case Phase.THINKING if is_long:
            return translate("ChatWords", "Waiting for the model’s answer")
        case Phase.THINKING:
            return translate("ChatWords", "Thinking")
        case Phase.CALLING:
            return tool_doing(activity.tool or "")
        case Phase.WAITING:
            return translate("ChatWords", "Waiting for you")
        case Phase.PAUSED:
            return translate("ChatWords", "Paused: the storage cannot be written")


def failure_title(failure: Failure) -> str:
    """What failed, in a sentence."""
    match failure.code, failure.during:
        case "outcome_unknown", _:
            return translate("ChatWords", "Nobody knows whether the last action happened")
        case "round_limit" | "too_many_calls" | "repeated_call", _:
            return translate("ChatWords", "The agent was stopped: it kept calling tools")
        case "timeout" | "deadline_exceeded" | "no_progress", _:
            return translate("ChatWords", "It took too long")
        case "rejected", _:
            return translate("ChatWords", "It was not allowed to go on")
        case _, "model":
            return translate("ChatWords", "The model’s answer failed")
        case _, "tool_execution":
            return translate("ChatWords", "A tool failed")
        case _, "code":
            return translate("ChatWords", "The code of a step failed")
        case _, "storage":
            return translate("ChatWords", "It could not be written down")
        case _:
            return translate("ChatWords", "The run failed")
