"""The icons of items, and the colours of what they say. No state is told by colour alone."""

from core.stores.activity_items import ActivityItem, ActivityKind, ActivityState
from desktop.theme.icon_names import Icon
from desktop.theme.tokens import ColorName
from desktop.theme.tool_icons import tool_icon

_STATES: dict[ActivityState, tuple[Icon, ColorName]] = {
    ActivityState.WAITING: (Icon.MESSAGE_CIRCLE_QUESTION_MARK, "sign_warn"),
    ActivityState.DONE: (Icon.CIRCLE_CHECK, "sign_ok"),
    ActivityState.FAILED: (Icon.CIRCLE_X, "sign_error"),
    ActivityState.SKIPPED: (Icon.SKIP_FORWARD, "sign_idle"),
    ActivityState.CANCELLED: (Icon.CIRCLE_STOP, "sign_idle"),
    ActivityState.UNKNOWN: (Icon.CIRCLE_QUESTION_MARK, "sign_warn"),
    ActivityState.RUNNING: (Icon.CIRCLE_DOT, "sign_ok"),
    ActivityState.PENDING: (Icon.CIRCLE, "sign_idle"),
    ActivityState.BLOCKED: (Icon.CLOCK, "sign_idle"),
    ActivityState.DELETED: (Icon.TRASH_2, "sign_idle"),
}

_TOLD = (ActivityState.WAITING, ActivityState.FAILED)

_WORDS: dict[ActivityState, ColorName] = {ActivityState.FAILED: "error", ActivityState.UNKNOWN: "warn"}


def sign(item: ActivityItem) -> tuple[Icon, ColorName]:
    """What a tool is while all went well, and how it ended where it did not, or that a person is asked; how a step
    ended; how a task stands; an agent."""
    if item.kind in (ActivityKind.STEP, ActivityKind.TASK) or item.state in _TOLD:
        return _STATES.get(item.state, (Icon.CIRCLE, "sign_idle"))
    if item.kind is ActivityKind.AGENT:
        return Icon.BOT, "accent"
    if item.kind is ActivityKind.REASONING:
        return Icon.BRAIN, "muted"
    return tool_icon(item.name), "muted"


def outcome_color(item: ActivityItem) -> ColorName:
    return _WORDS.get(item.state, "muted")
