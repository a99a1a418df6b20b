"""Lines for the tool calls and sub-agents of a run. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.domain.ids import CallId, SubAgentId
from core.domain.live_run import LiveCall, LiveRun, LiveSubAgent
from core.domain.messages import MessageState
from core.domain.run import StepStatus
from core.stores.activity_items import is_waiting_for_user, target_of
from desktop.chat.turn_parts import SubAgentLine, Text, ToolCalls, ToolLine


def text_parts(text: str, state: MessageState = MessageState.FINAL) -> Iterable[Text]:
    """Yield the text unless it is blank."""
    if text.strip():
        yield Text(text, is_open=state is MessageState.OPEN)


def tool_line(run: LiveRun, call: LiveCall) -> ToolLine:
    error = error_text(call.error)
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
        is_waiting=is_waiting_for_user(run, call),
    )


def error_text(error: Mapping[str, Any] | None) -> str | None:
    """Return the message of an error, else its code."""
    return None if error is None else str(error.get("message") or error.get("code") or "")


def sub_agents_by_call(run: LiveRun) -> dict[CallId, tuple[SubAgentLine, ...]]:
    """Return the sub-agents of the run, grouped by the call that started them."""
    calls: dict[SubAgentId, list[LiveCall]] = {}
    for call in run.calls.values():
        if call.sub_agent_id is not None:
            calls.setdefault(call.sub_agent_id, []).append(call)
    found: dict[CallId, list[SubAgentLine]] = {}
    for one in run.sub_agents.values():
        is_over = run.status.is_final and not one.status.is_final
        line = _sub_agent_line(run, one, calls.get(one.id, []), is_over=is_over)
        found.setdefault(one.call_id, []).append(line)
    return {call_id: tuple(lines) for call_id, lines in found.items()}


def _sub_agent_line(run: LiveRun, one: LiveSubAgent, calls: Sequence[LiveCall], *, is_over: bool) -> SubAgentLine:
    """Return the line of a sub-agent. `is_over`: its run has ended before it did."""
    return SubAgentLine(
        one.id,
        one.name,
        StepStatus.CANCELLED if is_over else one.status,
        one.prompt,
        one.started_at,
        0.0 if is_over else None if one.duration_ms is None else one.duration_ms / 1000,
        one.input_tokens + one.output_tokens,
        one.agent,
        tuple(_sub_agent_parts(run, str(one.text), calls, is_open=not one.status.is_final)),
        error_text(one.error),
    )


def _sub_agent_parts(
    run: LiveRun, text: str, calls: Sequence[LiveCall], *, is_open: bool
) -> Iterable[Text | ToolCalls]:
    """Yield the text of a sub-agent, with its calls at their offsets."""
    at = 0
    group: list[ToolLine] = []
    for call in sorted(calls, key=lambda one: (len(text) if one.offset is None else one.offset, one.started_at)):
        offset = max(at, min(len(text) if call.offset is None else call.offset, len(text)))
        if group and text[at:offset].strip():
            yield ToolCalls(tuple(group))
            group = []
        yield from text_parts(text[at:offset])
        at = offset
        group.append(tool_line(run, call))
    if group:
        yield ToolCalls(tuple(group))
    yield from text_parts(text[at:], MessageState.OPEN if is_open else MessageState.FINAL)
