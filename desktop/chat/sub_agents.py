"""The sub-agents of a run, with what they said and called. Pure."""

from collections.abc import Iterable, Sequence

from core.domain.ids import CallId, SubAgentId
from core.domain.live_run import LiveCall, LiveRun, LiveSubAgent
from core.domain.message import MessageState
from core.domain.step import StepStatus
from desktop.chat.lines import error_words, said_text, tool_line
from desktop.chat.values import SubAgentLine, Text, ToolLine, Tools


def begun_by_call(run: LiveRun) -> dict[CallId, tuple[SubAgentLine, ...]]:
    """The sub-agents of the run, by the calls that began them."""
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
    """`is_over`: its run has ended, and took it along."""
    return SubAgentLine(
        one.id,
        one.name,
        StepStatus.CANCELLED if is_over else one.status,
        one.prompt,
        one.started_at,
        0.0 if is_over else None if one.duration_ms is None else one.duration_ms / 1000,
        one.input_tokens + one.output_tokens,
        one.agent,
        tuple(_spoken(run, str(one.text), calls, is_open=not one.status.is_final)),
        error_words(one.error),
    )


def _spoken(run: LiveRun, text: str, calls: Sequence[LiveCall], *, is_open: bool) -> Iterable[Text | Tools]:
    """What a sub-agent said, with its calls where they stand."""
    at = 0
    group: list[ToolLine] = []
    for call in sorted(calls, key=lambda one: (len(text) if one.offset is None else one.offset, one.started_at)):
        offset = max(at, min(len(text) if call.offset is None else call.offset, len(text)))
        if group and text[at:offset].strip():
            yield Tools(tuple(group))
            group = []
        yield from said_text(text[at:offset])
        at = offset
        group.append(tool_line(run, call))
    if group:
        yield Tools(tuple(group))
    yield from said_text(text[at:], MessageState.OPEN if is_open else MessageState.FINAL)
