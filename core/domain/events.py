"""The facts that a run tells, and the envelope they travel in (ENGINE §13).

A fact says what happened, in the past tense. `Event` adds whose it is, its place in the order of the
run and its time. `to_wire` turns it into a JSON object; `fact_fields` and `fact_of` turn a fact into one and
back. A type written by a later version is kept as `UnknownFact` and skipped by every fold.
"""

import functools
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from core.domain.ids import (
    CallId,
    InterruptionId,
    MessageId,
    RunId,
    SubAgentId,
    TaskId,
    TemplateId,
    WorkflowId,
)
from core.domain.interruption import Action, InterruptionKind, InterruptionStatus
from core.domain.messages import Role
from core.domain.risk import Risk
from core.domain.run import RunKind, RunStatus, StepStatus
from core.domain.sub_agent import location_of
from core.domain.task import TaskStatus
from core.domain.template import ValidationMode
from core.domain.text.masking import masked_text
from core.domain.tool import CallResult, CallStatus, Effect

WireError = dict[str, Any]
ConsoleLine = dict[str, str]
"""{level, text}; levels are log, info, debug, warn and error."""


class Fact(BaseModel):
    """What happened. `type` is its name on the wire; `stored` facts are numbered and kept."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    type: ClassVar[str]
    stored: ClassVar[bool] = True


class RunCreated(Fact):
    """The run exists and waits for a place. `steps` are the names of its snapshot, in template order; `children` those
    that run other templates. `agent` is the name of who answers, `model` that of the language model, if it is one."""

    type = "run_created"
    kind: RunKind
    title: str
    message_id: MessageId
    steps: list[str]
    children: list[str] = []
    agent: str | None = None
    model: str | None = None
    mode: ValidationMode | None = None
    template_id: TemplateId | None = None
    template_version: int | None = None
    parent_run_id: RunId | None = None
    root_run_id: RunId | None = None


class RunStarted(Fact):
    """The run took a place. A second one means that it goes on after a crash."""

    type = "run_started"


class RunWaiting(Fact):
    """Nothing of the run can go on before a person has answered."""

    type = "run_waiting"


class RunResumed(Fact):
    """A run that waited for a person goes on."""

    type = "run_resumed"


class RunPaused(Fact):
    """The store cannot be written; nothing new starts until it can. Shown, never stored. `number` counts the pauses of
    this life of the run."""

    type = "run_paused"
    stored = False
    reason: str
    number: int = 1


class RunContinued(Fact):
    """The store can be written again. Shown, never stored. `number` is that of the pause."""

    type = "run_continued"
    stored = False
    number: int = 1


class RunFinished(Fact):
    type = "run_finished"
    status: RunStatus
    error: WireError | None = None
    active_ms: int = 0


class RootChanged(Fact):
    """The run is below another root; without one, it is a root of its own: its parent has ended well, and it goes on
    (ENGINE §12)."""

    type = "root_changed"
    root_run_id: RunId | None = None


class _StepFact(Fact):
    step: str
    index: int | None = None
    attempt: int = 1


class StepStarted(_StepFact):
    """`total` is the length of its list where the step is a forEach and this is not an iteration."""

    type = "step_started"
    total: int | None = None


class StepSkipped(_StepFact):
    """`when` was false; `value` is what its ref resolved to."""

    type = "step_skipped"
    value: Any = None


class StepFinished(_StepFact):
    """`output` is kept with the step's result alone and filled in when stored events are read."""

    type = "step_finished"
    status: StepStatus
    output: Any = None
    error: WireError | None = None


class RawResultSaved(_StepFact):
    """What the tool of the step gave is on disk; its `transformCode` makes the output of it. `raw` is kept in a row of
    its own and filled in when stored events are read."""

    type = "step_raw"
    raw: Any = None


class ConsoleWritten(_StepFact):
    """What code of the step wrote to its console, in order, without secrets. `cut`: the rest of what the step wrote is
    lost."""

    type = "console"
    lines: list[ConsoleLine]
    cut: bool | None = None


class IterationsTaken(Fact):
    """A fork has taken over so many iterations of a step. `errors` are the first of those that failed, with `index`."""

    type = "iterations_taken"
    step: str
    completed: int
    failed: int
    errors: list[WireError] = []


class StepRetry(_StepFact):
    """The attempt failed; the next one begins after `delay_ms`."""

    type = "step_retry"
    delay_ms: int
    error: WireError | None = None


class InterruptionRaised(Fact):
    """A person is asked: the fields of COMMAND_LINE's `interruptions`. (`schema` is a method of pydantic's models.)

    `default_action` is what is done at `expires_at`; None where it waits for ever, or was asked by an older version.
    """

    type = "interruption_raised"
    id: InterruptionId
    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None
    sub_agent_name: str | None = None
    kind: InterruptionKind
    status: InterruptionStatus
    prompt: str | None = None
    input_schema: Any = Field(default=None, alias="schema")
    options: Any = None
    expires_at: str | None = None
    default_action: Action | None = None
    input: Any = None
    outputs: Any = None
    tool: str | None = None
    arguments: Any = None
    risk: Risk | None = None


class InterruptionClosed(Fact):
    type = "interruption_closed"
    id: InterruptionId
    kind: InterruptionKind
    status: InterruptionStatus


class StatePatched(Fact):
    """A person changed an output before anything had read it. `path` is `/step/field…`."""

    type = "state_patched"
    path: str
    old: Any
    new: Any


class TokenReceived(Fact):
    """A piece of streamed text; `offset` counts the characters of its stream before it."""

    type = "token"
    stored = False
    text: str
    message_id: MessageId
    offset: int
    step: str
    index: int | None = None


class ReasoningReceived(Fact):
    """A piece of what a model thinks before it answers; `offset` counts the characters of the thought before it,
    `place` those that the turn had said before the thought. Shown, and kept as a part of a `ThoughtKept`;
    those of sub-agents are shown alone."""

    type = "reasoning"
    stored = False
    text: str
    message_id: MessageId
    offset: int
    place: int = 0
    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None


class ThoughtSaved(Fact):
    """A piece of a thought as it is kept: several of those that were shown. `offset` and `place` as there.

    `elapsed_ms` is how long the thought has taken so far; `is_whole`: it goes on no more. Of a long one its first
    100 000 characters are kept.
    """

    type = "thought"
    text: str
    offset: int
    place: int
    step: str
    index: int | None = None
    elapsed_ms: int
    is_whole: bool = False


class ModelWaited(Fact):
    """Nothing has come from a model for so many seconds, of which there may be `limit_s`. Shown, never stored.

    `reason`: "answer", or "retry" with the number of the attempt to come and what the last one failed of.
    """

    type = "model_waiting"
    stored = False
    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None
    reason: str
    waited_s: float
    limit_s: float
    attempt: int = 1
    message: str | None = None


class AnswerWarned(Fact):
    """Something is to be known about an answer that is whole as far as it goes: `length` and `content_filter`, it was
    cut off; `skipped_data`, parts may be missing; `empty_answer`, nothing was said and nothing called; `unknown_agent`,
    somebody else answers than the step names; `unknown_server`, its agent is limited to one that is not there."""

    type = "warning"
    code: str
    message: str
    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None


class MessageAdded(Fact):
    """A whole message. For an agent's it replaces what was streamed; its text is kept with the message.

    `interrupted`: text that a crash cut off; the turn goes on after it in a message of its own. `attachments` are what
    is known of the texts that go along with a person's (`core.domain.messages.Attachment`).
    """

    type = "message"
    role: Role
    text: str
    message_id: MessageId
    step: str | None = None
    index: int | None = None
    interrupted: bool = False
    attachments: list[dict[str, Any]] | None = None


class ToolStarted(Fact):
    """A call begins. `arguments` are masked. `round` and `offset` (characters of text before it) are those of its
    agent, or of the sub-agent that makes it."""

    type = "tool_start"
    call_id: CallId
    tool: str
    arguments: Any
    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None
    round: int | None = None
    offset: int | None = None


class ToolProgressed(Fact):
    """How far a call has come: `progress` of `total`, where that is known."""

    type = "tool_progress"
    call_id: CallId
    progress: float
    total: float | None = None
    text: str | None = None


class _CallEnd(Fact):
    call_id: CallId
    status: CallStatus
    duration_ms: int
    summary: str | None = None
    error: WireError | None = None

    @classmethod
    def of(cls, call_id: CallId, result: CallResult, status: CallStatus | None = None) -> Self:
        """How the call ended, without secrets; with another `status` than that of the result, if there is one."""
        return cls(
            call_id=call_id,
            status=result.status if status is None else status,
            duration_ms=result.duration_ms,
            summary=masked_text(result.summary) if result.summary else result.summary,
            error=result.error.masked().as_dict() if result.error is not None else None,
        )


class ToolEnded(_CallEnd):
    type = "tool_end"


class ToolEndedLate(_CallEnd):
    """A call that was out of time has come to its end after all. It is told of its attempt, and changes nothing."""

    type = "tool_late"


class ModelAsked(Fact):
    """A model is asked for an answer.

    In a chat: `tokens` is about how much the whole conversation takes of the `room_tokens` that there are for it (None
    where the model has no bounds), with the `fixed_tokens` of what every request has: the system prompt and the tools.
    Of what is over that, the `dropped` oldest messages are not sent: `oldest` is the stored message at which what is
    sent begins, None if none before the turn's own prompt is.
    """

    type = "model_asked"
    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None
    tokens: int | None = None
    fixed_tokens: int | None = None
    room_tokens: int | None = None
    dropped: int = 0
    oldest: MessageId | None = None


class TaskChanged(Fact):
    """A task of the workflow is this now, by a call of `todo`; `deleted`: it was this. Told again after a crash."""

    type = "task_changed"
    id: TaskId
    change: Literal["created", "updated", "completed", "deleted"]
    name: str
    status: TaskStatus
    priority: int
    description: str = ""
    dependencies: list[TaskId] = []
    call_id: CallId | None = None


class UsageReported(Fact):
    """Tokens of one model answer. `cost` is None where the price is not known. `elapsed_ms` is how long the answer
    took from its first sign. `said_tokens` is about how much of it stays in the conversation: not what was thought."""

    type = "usage"
    input_tokens: int
    output_tokens: int
    cost: float | None = None
    elapsed_ms: int | None = None
    said_tokens: int = 0
    sub_agent_id: SubAgentId | None = None


class StepRecorded(Fact):
    """A call has become a step of a recording (ENGINE §11). `input` are its arguments as they were written, refs kept,
    without secrets; `effect` is what such a call leaves behind. `is_preset`: its result was given, it was not run."""

    type = "step_recorded"
    step: str
    tool: str
    input: Any
    effect: Effect = Effect.ONCE
    is_preset: bool = False


class StepPreset(Fact):
    """The result of a step was given: it is not run."""

    type = "step_preset"
    step: str
    output: Any


class RecordingInput(Fact):
    """What `@input` means in a recording from now on."""

    type = "recording_input"
    input: dict[str, Any]


class RecordingSealed(Fact):
    """The recording takes in nothing more: it has become a template, or has ended without one."""

    type = "recording_sealed"
    template_id: TemplateId | None = None


class _SubAgentFact(Fact):
    sub_agent_id: SubAgentId


class SubAgentStarted(_SubAgentFact):
    """An agent at that step has begun a sub-agent by a call, or one that was stopped goes on. `agent` is the stored
    agent that does the task, if it is one; `model` its language model, if it has one. `prompt` is masked."""

    type = "sub_agent_started"
    name: str
    prompt: str
    call_id: CallId
    step: str
    index: int | None = None
    agent: str | None = None
    model: str | None = None


class SubAgentProgress(_SubAgentFact):
    """A piece of what a sub-agent says; `offset` counts the characters of its text before it."""

    type = "sub_agent_progress"
    stored = False
    text: str
    offset: int


class SubAgentText(_SubAgentFact):
    """All that a sub-agent has said, in the place of what was streamed. `interrupted`: text that was cut off; it goes
    on without it."""

    type = "sub_agent_text"
    text: str
    interrupted: bool = False


class SubAgentFinished(_SubAgentFact):
    """How a sub-agent ended, with the tokens of its answers and what they cost, None where that is not known."""

    type = "sub_agent_finished"
    status: StepStatus
    duration_ms: int
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    error: WireError | None = None


class UnknownFact(Fact):
    """A fact of a later version: kept as it is, and skipped."""

    type = "unknown"
    name: str
    data: dict[str, Any]


FACTS: dict[str, type[Fact]] = {
    fact.type: fact
    for fact in (
        RunCreated,
        RunStarted,
        RunWaiting,
        RunResumed,
        RunPaused,
        RunContinued,
        RunFinished,
        RootChanged,
        StepStarted,
        StepSkipped,
        StepFinished,
        RawResultSaved,
        ConsoleWritten,
        IterationsTaken,
        StepRetry,
        InterruptionRaised,
        InterruptionClosed,
        StatePatched,
        TokenReceived,
        ReasoningReceived,
        ThoughtSaved,
        ModelAsked,
        ModelWaited,
        AnswerWarned,
        MessageAdded,
        ToolStarted,
        ToolProgressed,
        ToolEnded,
        ToolEndedLate,
        TaskChanged,
        UsageReported,
        StepRecorded,
        StepPreset,
        RecordingInput,
        RecordingSealed,
        SubAgentStarted,
        SubAgentProgress,
        SubAgentText,
        SubAgentFinished,
    )
}


def stream_fact(message_id: MessageId, step: str, index: int | None, offset: int, text: str) -> Fact:
    """The fact that tells a piece of text: of the run's message, or, where `step` is the id of one, of a
    sub-agent's."""
    if (sub_agent_id := location_of(step).sub_agent_id) is not None:
        return SubAgentProgress(sub_agent_id=sub_agent_id, text=text, offset=offset)
    return TokenReceived(text=text, message_id=message_id, offset=offset, step=step, index=index)


@dataclass(frozen=True, slots=True)
class Event:
    """A fact of one run. `seq` numbers the stored facts of a run from 1 without gaps; others carry the last one."""

    run_id: RunId
    workflow_id: WorkflowId
    seq: int
    at: datetime
    fact: Fact


@dataclass(frozen=True, slots=True)
class EventsPersisted:
    """These events of one run are on disk now; whoever passes them out of the process waits for this."""

    events: tuple[Event, ...]


def to_wire(event: Event) -> dict[str, Any]:
    """The JSON object of an event; fields that are None and have None as default are left out."""
    return {
        "type": fact_name(event.fact),
        "run_id": event.run_id,
        "workflow_id": event.workflow_id,
        "seq": event.seq,
        "at": iso_time(event.at),
        **fact_fields(event.fact),
    }


def iso_time(at: datetime) -> str:
    """ISO 8601, UTC, milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


_ENVELOPE = frozenset({"type", "run_id", "workflow_id", "seq", "at"})
_ALWAYS = frozenset({"value", "arguments", "raw"})


def fact_name(fact: Fact) -> str:
    """Its `type` on the wire."""
    return fact.name if isinstance(fact, UnknownFact) else fact.type


def parse_fact(name: str, fields: dict[str, Any]) -> Fact:
    """The fact of that name; what is no field of it is left out. Raises ValueError (pydantic's) if it is none."""
    known = FACTS.get(name)
    if known is not None:
        return known.model_validate(fields)
    return UnknownFact(name=name, data={key: value for key, value in fields.items() if key not in _ENVELOPE})


def fact_fields(fact: Fact) -> dict[str, Any]:
    """The fields of a fact as they stand on the wire."""
    if isinstance(fact, UnknownFact):
        return fact.data
    kept = {}
    for name, told_as, is_told_always in _told_fields(type(fact)):
        value = getattr(fact, name)
        if value is not None or is_told_always:
            kept[told_as] = value
    if isinstance(fact, StepFinished) and fact.status is StepStatus.COMPLETED:
        kept["output"] = fact.output
    return kept


@functools.cache
def _told_fields(kind: type[Fact]) -> tuple[tuple[str, str, bool], ...]:
    """The fields of a class of facts, their names on the wire, and whether each is told even where it is None."""
    fields = kind.model_fields.items()
    return tuple((name, field.alias or name, field.is_required() or name in _ALWAYS) for name, field in fields)
