"""Texts and tool calls as the parts of a turn that show them. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.domain.live_run import LiveCall, LiveRun
from core.domain.message import MessageState
from core.stores.activity_items import target_of, waits
from desktop.chat.values import Text, ToolLine


def said_text(text: str, state: MessageState = MessageState.FINAL) -> Iterable[Text]:
    """The text, if there is any to be seen."""
    if text.strip():
        yield Text(text, is_open=state is MessageState.OPEN)


def tool_line(run: LiveRun, call: LiveCall) -> ToolLine:
    error = error_words(call.error)
    target = target_of(call.tool, call.arguments)
    return ToolLine(
        call.id,
        call.tool,
        call.status,
        target,
        call.arguments,
        call.started_at,
        call.duration_ms,
        call.summary,
        error,
        is_waiting=waits(run, call),
    )


def error_words(error: Mapping[str, Any] | None) -> str | None:
    """What an error says, at least its code."""
    return None if error is None else str(error.get("message") or error.get("code") or "")
