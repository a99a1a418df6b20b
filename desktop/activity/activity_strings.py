"""Strings of the activity's items."""

from PySide6.QtCore import QCoreApplication

from core.stores.activity_items import ActivityItem, ActivityKind, ActivityState
from desktop.translation import agent_display_name, duration, number, tool_summary, tool_verb

translate = QCoreApplication.translate  # under this name, since lupdate looks for calls of `translate`

# Shorter durations are not shown.
MIN_SHOWN_DURATION_S = 1.0


def item_title(item: ActivityItem) -> str:
    """Return `Read notes.txt`, or the name of a step or an agent; for a thought, how it begins."""
    if item.kind is ActivityKind.AGENT:
        return agent_display_name(item.name)
    if item.kind is ActivityKind.REASONING:
        return item.target or _thinking(item)
    if item.kind is not ActivityKind.TOOL:
        return item.name
    verb = tool_verb(item.name, is_open=item.state.is_open, is_done=item.state is ActivityState.DONE)
    return f"{verb} {item.target}".rstrip()


def item_outcome(item: ActivityItem) -> str:
    """Return the second line: the progress, or how the item ended."""
    parts = [_summary_line(item), progress_text(item)]
    if item.duration_s is not None and item.duration_s >= MIN_SHOWN_DURATION_S:
        parts.append(duration(item.duration_s))
    return " · ".join(part for part in parts if part)


def state_text(state: ActivityState) -> str:
    match state:
        case ActivityState.RUNNING:
            return translate("ActivityWords", "Running")
        case ActivityState.WAITING:
            return translate("ActivityWords", "Waiting for you")
        case ActivityState.DONE:
            return translate("ActivityWords", "Done")
        case ActivityState.FAILED:
            return translate("ActivityWords", "Failed")
        case ActivityState.SKIPPED:
            return translate("ActivityWords", "Skipped")
        case ActivityState.CANCELLED:
            return translate("ActivityWords", "Stopped")
        case ActivityState.UNKNOWN:
            return translate("ActivityWords", "Outcome unknown")
        case ActivityState.PENDING:
            return translate("ActivityWords", "To do")
        case ActivityState.BLOCKED:
            return translate("ActivityWords", "Waiting for another task")
        case ActivityState.DELETED:
            return translate("ActivityWords", "Deleted")


def item_state_text(item: ActivityItem) -> str:
    """Return the state, and why a step was skipped."""
    if item.kind is ActivityKind.REASONING:
        return _thinking(item)
    if item.kind is ActivityKind.TASK and item.state is ActivityState.RUNNING:
        return translate("ActivityWords", "In progress")
    if item.reason is not None:
        return translate("ActivityWords", "Skipped: the condition found {value}").format(value=item.reason)
    return state_text(item.state)


def progress_text(item: ActivityItem) -> str:
    """Return the progress of a forEach and the attempt of a step; mostly empty."""
    return " · ".join(part for part in (_progress(item), _attempts(item)) if part)


def _thinking(item: ActivityItem) -> str:
    if item.state is ActivityState.RUNNING:
        return translate("ActivityWords", "Thinking")
    return translate("ActivityWords", "Thought")


def _summary_line(item: ActivityItem) -> str:
    if item.kind is ActivityKind.REASONING:
        return _thinking(item)
    if item.state is ActivityState.DONE and item.summary:
        return tool_summary(item.name, item.summary) if item.kind is ActivityKind.TOOL else item.summary
    if item.summary:
        words = translate("ActivityWords", "{state}: {message}")
        return words.format(state=state_text(item.state), message=item.summary)
    return item_state_text(item)


def _progress(item: ActivityItem) -> str:
    if item.progress is None:
        return ""
    done = item.progress.completed + item.progress.failed
    words = translate("ActivityWords", "{done} of {total}").format(done=number(done), total=number(item.progress.total))
    if item.progress.failed:
        failed = translate("ActivityWords", "{count} failed").format(count=number(item.progress.failed))
        return f"{words}, {failed}"
    return words


def _attempts(item: ActivityItem) -> str:
    if item.attempts < 2:
        return ""
    return translate("ActivityWords", "attempt {number}").format(number=number(item.attempts))
