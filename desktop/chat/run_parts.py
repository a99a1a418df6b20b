"""The parts of a turn that show what its run has produced: texts, thoughts, calls, sub-agents and steps. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from core.domain.ids import CallId, SubAgentId
from core.domain.live_run import LiveCall, LiveRun, LiveStep, LiveSubAgent, LiveThought
from core.domain.messages import Message, MessageState
from core.domain.run import SUMMARY_TEMPLATE, RunKind, RunStatus, StepStatus
from core.stores.activity_items import is_waiting_for_user, target_of
from desktop.chat.turn_parts import (
    Output,
    Part,
    Picture,
    Progress,
    StepLine,
    Steps,
    SubAgentLine,
    SubAgents,
    Text,
    Thought,
    ToolCalls,
    ToolLine,
)

MAX_STEP_CALLS = 20


def is_summary(run: LiveRun) -> bool:
    """Return whether the run writes a summary of the conversation."""
    return run.template_id == SUMMARY_TEMPLATE


def output_parts(message: Message, run: LiveRun) -> Iterable[Part]:
    """Yield what the run has produced so far."""
    if is_summary(run):
        return _summary_parts(message, run)
    return _chat_parts(message, run) if run.kind is RunKind.CHAT else _template_parts(message, run)


def text_parts(text: str, state: MessageState = MessageState.FINAL) -> Iterable[Text]:
    """Yield the text unless it is blank."""
    if text.strip():
        yield Text(text, is_open=state is MessageState.OPEN)


def _chat_parts(message: Message, run: LiveRun) -> Iterable[Part]:
    calls = [call for call in run.calls.values() if call.sub_agent_id is None]
    return _interleave(run, message.text, [*calls, *run.thoughts], message.state, _sub_agents_by_call(run))


def _template_parts(message: Message, run: LiveRun) -> Iterable[Part]:
    by_call = _sub_agents_by_call(run)
    calls: dict[str, list[LiveCall]] = {}
    for call in run.calls.values():
        if call.sub_agent_id is None and call.id not in by_call:
            calls.setdefault(call.step, []).append(call)
    sub_agents: dict[str, list[SubAgentLine]] = {}
    for lines in by_call.values():
        for line in lines:
            sub_agents.setdefault(run.sub_agents[line.id].step, []).append(line)
    steps = run.steps.values()
    yield Steps(
        run.status,
        tuple(_step_line(run, step, calls.get(step.name, []), sub_agents.get(step.name, ())) for step in steps),
    )
    if run.status is RunStatus.SUCCESS and message.text.strip():
        yield Output(message.text)


def _summary_parts(message: Message, run: LiveRun) -> Iterable[Text]:
    """Yield the summary when it is complete; before that, the last text that the run is writing: notes of a part, or
    the summary.
    """
    texts = [str(text) for step in run.steps.values() for text in step.texts.values()]
    if run.status is RunStatus.SUCCESS:
        yield from text_parts(message.text)
    elif texts:
        yield from text_parts(texts[-1], message.state)


def _interleave(
    run: LiveRun,
    text: str,
    entries: Iterable[LiveCall | LiveThought],
    state: MessageState,
    by_call: Mapping[CallId, tuple[SubAgentLine, ...]],
) -> Iterable[Text | Thought | ToolCalls | SubAgents]:
    """Yield the text with calls and thoughts at their offsets, by start time where offsets are equal. Calls without an
    offset stand at the end; a call that started sub-agents is replaced by them.
    """

    def offset_of(entry: LiveCall | LiveThought) -> int:
        return len(text) if entry.offset is None else entry.offset

    at = 0
    group: list[ToolLine] = []
    for entry in sorted(entries, key=lambda entry: (offset_of(entry), entry.started_at)):
        # an offset may be beyond the text that has arrived, and never goes back
        offset = max(at, min(offset_of(entry), len(text)))
        is_grouped = isinstance(entry, LiveCall) and entry.id not in by_call
        if group and (text[at:offset].strip() or not is_grouped):
            yield ToolCalls(tuple(group))
            group = []
        yield from text_parts(text[at:offset])
        at = offset
        if isinstance(entry, LiveThought):
            yield Thought(entry.text, None if entry.is_open else entry.elapsed_ms / 1000)
        elif is_grouped:
            group.append(_tool_line(run, entry))
        else:
            yield SubAgents(by_call[entry.id])
    if group:
        yield ToolCalls(tuple(group))
    yield from text_parts(text[at:], state)


def _sub_agents_by_call(run: LiveRun) -> dict[CallId, tuple[SubAgentLine, ...]]:
    calls: dict[SubAgentId, list[LiveCall]] = {}
    for call in run.calls.values():
        if call.sub_agent_id is not None:
            calls.setdefault(call.sub_agent_id, []).append(call)
    by_call: dict[CallId, tuple[SubAgentLine, ...]] = {}
    for agent in run.sub_agents.values():
        line = _sub_agent_line(run, agent, calls.get(agent.id, []))
        by_call[agent.call_id] = (*by_call.get(agent.call_id, ()), line)
    return by_call


def _sub_agent_line(run: LiveRun, agent: LiveSubAgent, calls: Sequence[LiveCall]) -> SubAgentLine:
    # a run that ended took the sub-agents along that had not ended by themselves
    is_abandoned = run.status.is_final and not agent.status.is_final
    elapsed_s = None if agent.duration_ms is None else agent.duration_ms / 1000
    state = MessageState.FINAL if agent.status.is_final else MessageState.OPEN
    parts = _interleave(run, str(agent.text), calls, state, {})
    return SubAgentLine(
        agent.id,
        agent.name,
        StepStatus.CANCELLED if is_abandoned else agent.status,
        agent.prompt,
        agent.started_at,
        0.0 if is_abandoned else elapsed_s,
        agent.input_tokens + agent.output_tokens,
        agent.agent,
        tuple(part for part in parts if isinstance(part, Text | ToolCalls)),
        error_text(agent.error),
    )


def _step_line(run: LiveRun, step: LiveStep, calls: Sequence[LiveCall], sub_agents: Iterable[SubAgentLine]) -> StepLine:
    iterations = step.iterations
    # a step may make thousands of calls, each of which would be a widget
    shown = calls[-MAX_STEP_CALLS:]
    texts = map(str, [*step.texts.values()][-MAX_STEP_CALLS:])
    return StepLine(
        step.name,
        step.status,
        step.skipped,
        step.skipped_value,
        step.started_at,
        _elapsed_s(step.started_at, step.finished_at),
        step.attempts,
        Progress(iterations.completed, iterations.failed, iterations.total) if iterations else None,
        step.output,
        "\n\n".join(filter(None, texts)),
        error_text(step.error),
        tuple(_tool_line(run, call) for call in shown),
        len(calls) - len(shown),
        tuple(sub_agents),
    )


def _tool_line(run: LiveRun, call: LiveCall) -> ToolLine:
    return ToolLine(
        call.id,
        call.tool,
        call.status,
        target_of(call.tool, call.arguments),
        call.arguments,
        call.started_at,
        call.duration_ms,
        call.summary,
        error_text(call.error),
        is_waiting=is_waiting_for_user(run, call),
        pictures=tuple(map(Picture.of, call.pictures)),
    )


def error_text(error: Mapping[str, Any] | None) -> str | None:
    """Return the message of an error, else its code; None without an error."""
    return None if error is None else str(error.get("message") or error.get("code") or "")


def _elapsed_s(started_at: datetime | None, finished_at: datetime | None) -> float | None:
    if started_at is None or finished_at is None:
        return None
    return max(0.0, (finished_at - started_at).total_seconds())
