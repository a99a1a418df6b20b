"""Derive the turns of the transcript from stored messages and the live states of their runs.

Pure, and called for every frame of a streaming answer: `TurnCache` derives again only the turns of runs that have not
ended.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from core.domain.ids import MessageId
from core.domain.live_run import LiveCall, LiveRun, LiveStep, LiveThought
from core.domain.messages import Message, MessageState, Role
from core.domain.model import is_retryable
from core.domain.run import SUMMARY_TEMPLATE, RunKind, RunStatus
from core.domain.tool import CallStatus
from desktop.chat.run_lines import error_text, sub_agents_by_call, text_parts, tool_line
from desktop.chat.turn_parts import (
    Activity,
    AttachedText,
    Boundary,
    CutOff,
    Failure,
    Output,
    Part,
    Phase,
    Progress,
    StepLine,
    Steps,
    SubAgentLine,
    SubAgents,
    Text,
    Thought,
    ToolCalls,
    ToolLine,
    Turn,
)

_PHASES = {RunStatus.ENQUEUED: Phase.QUEUED, RunStatus.WAITING: Phase.WAITING, RunStatus.PAUSED: Phase.PAUSED}
MAX_STEP_CALLS = 20
ANSWER_WARNINGS = frozenset(
    {"length", "content_filter", "skipped_data", "empty_answer", "unknown_agent", "unknown_server"}
)
"""What there are words for."""


class TurnCache:
    """Derives the turns of one conversation after the other, and reuses the turns of runs that have ended."""

    def __init__(self) -> None:
        self._known: dict[MessageId, tuple[Message, LiveRun | None, Sequence[str], Turn]] = {}

    def of(
        self,
        messages: Sequence[Message],
        run_of: Callable[[MessageId], LiveRun | None],
        texts_of: Callable[[MessageId], Sequence[str]] = lambda message_id: (),
    ) -> list[Turn]:
        """Return the turns of the conversation, as `derive_turns` does; a cached turn is the same object as before.
        `texts_of` returns the attached texts of a message, as far as they have been loaded.
        """
        before, self._known = self._known, {}

        def derived(message: Message, run: LiveRun | None) -> Turn:
            texts = texts_of(message.id) if message.attachments else ()
            if run is not None and not run.status.is_final:
                return derive_turn(message, run, texts)
            known = before.get(message.id)
            if known is None or known[1] is not run or (known[0], known[2]) != (message, texts):
                known = message, run, texts, derive_turn(message, run, texts)
            self._known[message.id] = known
            return known[3]

        return derive_turns(messages, run_of, derived)


def derive_turns(
    messages: Sequence[Message],
    run_of: Callable[[MessageId], LiveRun | None],
    derived: Callable[[Message, LiveRun | None], Turn] | None = None,
) -> list[Turn]:
    """Return the turns of the conversation, oldest first. `derived` makes a turn, as `derive_turn` does.

    Text that a crash interrupted stands before the turn that continued it: it is taken from the run if the run has it,
    else from its own message, never from both.
    """
    runs = {message.id: run for message in messages if (run := run_of(message.id)) is not None}
    told_by_run = {run.run_id for run in runs.values() if run.interrupted_texts}
    shown = []
    for message in messages:
        run = runs.get(message.id)
        if run is None and message.state is MessageState.INTERRUPTED and message.run_id in told_by_run:
            continue
        shown.append((derived or derive_turn)(message, run))
    edges = context_boundaries(messages, runs)
    return [replace(turn, boundary=edges[turn.id]) if turn.id in edges else turn for turn in shown] if edges else shown


def derive_turn(message: Message, run: LiveRun | None, texts: Sequence[str] = ()) -> Turn:
    """Return a message as a turn. `run` is the run that is shown in it, if it is loaded; `texts` are the attached
    texts.
    """
    author: str | None = None
    model: str | None = None
    is_answer = False
    if run is None or message.role is not Role.ASSISTANT:
        parts: list[Part] = [
            *text_parts(message.text, message.state),
            *_attached_parts(message, texts),
            *_cut_off_parts(message, None),
        ]
    else:
        parts = list(_run_parts(message, run))
        is_template = run.kind is not RunKind.CHAT and not is_summary(run)
        author = run.workflow_name if is_template else run.agent
        model = None if is_template else run.model
        is_answer = run.prompt_id is not None
    at = message.created_at
    return Turn(message.id, message.role, author, at, message.state, tuple(parts), model, is_answer=is_answer)


def _attached_parts(message: Message, texts: Sequence[str]) -> Iterable[AttachedText]:
    for at, one in enumerate(message.attachments):
        yield AttachedText(one.name, one.size, texts[at] if at < len(texts) else None)


def _run_parts(message: Message, run: LiveRun) -> Iterable[Part]:
    for text in run.interrupted_texts:
        yield from text_parts(text)
        yield CutOff(is_stopped=False)
    said: list[Part] = []
    if is_summary(run):
        said.extend(_summary_parts(message, run))
    else:
        said.extend(_chat_parts(message, run) if run.kind is RunKind.CHAT else _template_parts(message, run))
    yield from said
    yield from _cut_off_parts(message, run)
    yield from _warning_parts(run)
    if (activity := _activity(run, said)) is not None:
        yield activity
    if run.error is not None:
        yield _failure(run)


def _cut_off_parts(message: Message, run: LiveRun | None) -> Iterable[CutOff]:
    if message.role is Role.ASSISTANT and message.state is MessageState.INTERRUPTED:
        is_stopped = run is not None and run.status is RunStatus.CANCELLED
        yield CutOff(is_stopped, can_retry=is_stopped and run is not None and run.prompt_id is not None)


def _warning_parts(run: LiveRun) -> Iterable[CutOff]:
    """Yield the warnings about the run's answers, each code once. Warnings of sub-agents concern no text that is shown
    here.
    """
    own = [warning for warning in run.warnings if warning.get("sub_agent_id") is None]
    for code in dict.fromkeys(str(warning["code"]) for warning in own):
        if code in ANSWER_WARNINGS:
            yield CutOff(is_stopped=False, warning=code)


def _chat_parts(message: Message, run: LiveRun) -> Iterable[Part]:
    """Yield text, thoughts and calls in order. A call stands at its offset in the text, or at the end without an
    offset; a call that started sub-agents is replaced by them.
    """
    text, at = message.text, 0
    begun = sub_agents_by_call(run)
    group: list[ToolLine] = []
    for place, _, entry in _ordered_entries(run, len(text)):
        offset = max(at, min(place, len(text)))
        if group and (text[at:offset].strip() or isinstance(entry, LiveThought)):
            yield ToolCalls(tuple(group))
            group = []
        yield from text_parts(text[at:offset])
        at = offset
        if isinstance(entry, LiveThought):
            yield _thought_part(entry)
        elif entry.id in begun:
            if group:
                yield ToolCalls(tuple(group))
                group = []
            yield SubAgents(begun[entry.id])
        else:
            group.append(tool_line(run, entry))
    if group:
        yield ToolCalls(tuple(group))
    yield from text_parts(text[at:], message.state)


def _ordered_entries(run: LiveRun, end: int) -> list[tuple[int, datetime, LiveCall | LiveThought]]:
    """Return calls and thoughts by offset; at equal offsets, by start time."""
    own = [call for call in run.calls.values() if call.sub_agent_id is None]
    calls = [(end if one.offset is None else one.offset, one.started_at, one) for one in own]
    thoughts = [(one.offset, one.started_at, one) for one in run.thoughts]
    return sorted([*calls, *thoughts], key=lambda placed: placed[:2])


def _thought_part(thought: LiveThought) -> Thought:
    return Thought(thought.text, None if thought.is_open else thought.elapsed_ms / 1000)


def _template_parts(message: Message, run: LiveRun) -> Iterable[Part]:
    calls: dict[str, list[LiveCall]] = {}
    begun = sub_agents_by_call(run)
    for call in run.calls.values():
        if call.sub_agent_id is None and call.id not in begun:
            calls.setdefault(call.step, []).append(call)
    below: dict[str, list[SubAgentLine]] = {}
    for lines in begun.values():
        for line in lines:
            below.setdefault(run.sub_agents[line.id].step, []).append(line)
    steps = [_step_line(run, step, calls.get(step.name, []), below.get(step.name, ())) for step in run.steps.values()]
    yield Steps(run.status, tuple(steps))
    if run.status is RunStatus.SUCCESS and message.text.strip():
        yield Output(message.text)


def _summary_parts(message: Message, run: LiveRun) -> Iterable[Part]:
    """Yield the summary when it is complete; before that, the last text that the run is writing: notes of a part, or
    the summary.
    """
    if run.status is RunStatus.SUCCESS:
        yield from text_parts(message.text)
        return
    texts = [str(text) for step in run.steps.values() for text in step.texts.values()]
    if texts:
        yield from text_parts(texts[-1], message.state)


def _step_line(run: LiveRun, step: LiveStep, calls: Sequence[LiveCall], sub_agents: Sequence[SubAgentLine]) -> StepLine:
    iterations = step.iterations
    shown = calls[-MAX_STEP_CALLS:]
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
        "\n\n".join(text for text in map(str, [*step.texts.values()][-MAX_STEP_CALLS:]) if text),
        error_text(step.error),
        tuple(tool_line(run, call) for call in shown),
        len(calls) - len(shown),
        tuple(sub_agents),
    )


def _elapsed_s(started_at: datetime | None, finished_at: datetime | None) -> float | None:
    if started_at is None or finished_at is None:
        return None
    return max(0.0, (finished_at - started_at).total_seconds())


def _activity(run: LiveRun, said: Sequence[Part]) -> Activity | None:
    """Return what the run is doing, or None if it has ended or the last part already shows it."""
    if run.status.is_final:
        return None
    began = run.started_at or run.created_at
    if run.status is not RunStatus.RUNNING:
        return Activity(_PHASES[run.status], run.paused_at or began if run.status is RunStatus.PAUSED else began)
    if run.kind is not RunKind.CHAT and not is_summary(run):
        return None
    own = [call for call in run.calls.values() if call.sub_agent_id is None]
    calling = [call for call in own if call.status is CallStatus.RUNNING]
    if calling:
        return Activity(Phase.CALLING, calling[-1].started_at, calling[-1].tool)
    if said and isinstance(said[-1], Text):
        return None
    if said and isinstance(said[-1], Thought) and said[-1].seconds is None:
        return None
    return Activity(Phase.THINKING, max((call.started_at for call in own), default=began))


def _may_succeed_again(error: Mapping[str, Any]) -> bool:
    """Return whether a retry can succeed."""
    return error.get("failed_during") != "model" or is_retryable(str(error.get("code")), error.get("status"))


def _failure(run: LiveRun) -> Failure:
    """Return the failure part. The step is given for templates only: the single step of a chat turn has no name that a
    user knows.
    """
    error = run.error or {}
    known = {"code", "message", "failed_step", "failed_during", "tool_name"}
    return Failure(
        str(error.get("code", "")),
        str(error.get("message", "")),
        error.get("failed_step") if run.kind is not RunKind.CHAT else None,
        error.get("failed_during"),
        error.get("tool_name"),
        {key: value for key, value in error.items() if key not in known},
        can_retry=run.prompt_id is not None and _may_succeed_again(error),
        can_edit=run.prompt_id is not None,
        at=run.completed_at,
    )


def context_boundaries(messages: Sequence[Message], runs: Mapping[MessageId, LiveRun]) -> dict[MessageId, Boundary]:
    """Return by message where the model's context begins: at the newest summary, and at the first message that the last
    request still had room for.
    """
    edges: dict[MessageId, Boundary] = {}
    is_found = False
    for message in reversed(messages):
        run = runs.get(message.id)
        if run is None or run.message_id != message.id:
            continue
        if is_summary(run):
            if run.status is RunStatus.SUCCESS and message.text:
                edges[message.id] = Boundary.SUMMARY
                break
        elif run.kind is RunKind.CHAT and run.last_request is not None and not is_found:
            is_found = True
            first = run.last_request.oldest or run.prompt_id
            if run.last_request.dropped and first is not None:
                edges[first] = Boundary.ROOM
    return edges


def is_summary(run: LiveRun) -> bool:
    """Return whether the run writes a summary of the conversation."""
    return run.template_id == SUMMARY_TEMPLATE
