"""The facts that a run emits, and the envelope they travel in (ENGINE §13).

A fact states what happened, in the past tense. `Event` adds its run, its number in the order of the run and its time.
`to_wire` converts an event to a JSON object; `fact_fields` and `parse_fact` convert facts to fields and back. A type
written by a later version is stored as `UnknownFact`, and every fold ignores it.
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from core.domain.access import Access, Allowance, Place
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
from core.domain.text.json_text import encode
from core.domain.text.masking import masked_text
from core.domain.tool import CallResult, CallStatus, Effect, ToolCall

WireError = dict[str, Any]
AnyFact = TypeVar("AnyFact", bound="Fact")
# In place of a value that is damaged in the store; of a text, its message.
UNREADABLE_VALUE = {"error": {"code": "unreadable", "message": "this value is damaged in the store"}}
# {level, text}; levels are log, info, debug, warn and error.
ConsoleLine = dict[str, str]


# The classes by their type on the wire.
FACTS: dict[str, type["Fact"]] = {}


class Fact(BaseModel):
    """What happened. `type` is the name on the wire; `stored` facts are numbered and written to disk.

    `inner` names the fields that are stored for the next start and not sent out of the process, `long_field` the field
    that may be long.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    type: ClassVar[str]
    stored: ClassVar[bool] = True
    inner: ClassVar[frozenset[str]] = frozenset()
    long_field: ClassVar[str | None] = None

    def __init_subclass__(
        cls,
        *,
        wire: str | None = None,
        stored: bool = True,
        inner: tuple[str, ...] = (),
        long_field: str | None = None,
        **config: Any,
    ) -> None:
        super().__init_subclass__(**config)
        cls.inner |= frozenset(inner)
        if wire is not None:  # None: a base of several facts
            cls.type, cls.stored, cls.long_field = wire, stored, long_field
            FACTS[wire] = cls


class RunCreated(Fact, wire="run_created"):
    """The run exists and waits for a slot.

    `steps` are the step names of its snapshot, in template order; `children` are the steps that run other templates.
    `agent` is the name of the answering agent, `model` that of its language model, if it has one.
    """

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


class RunStarted(Fact, wire="run_started"):
    """The run got a slot. A second start means that it resumed after a crash."""


class RunWaiting(Fact, wire="run_waiting"):
    """Nothing in the run can proceed until the user answers."""


class RunResumed(Fact, wire="run_resumed"):
    """The run no longer waits for the user."""


class RunPaused(Fact, wire="run_paused", stored=False):
    """The store cannot be written, so nothing new starts. Never stored. `number` counts the pauses in this process."""

    reason: str
    number: int = 1


class RunContinued(Fact, wire="run_continued", stored=False):
    """The store can be written again. Never stored. `number` is that of the pause."""

    number: int = 1


class RunFinished(Fact, wire="run_finished"):
    """The run ended. `active_ms` is its active time in all processes."""

    status: RunStatus
    error: WireError | None = None
    active_ms: int = 0


class RootChanged(Fact, wire="root_changed"):
    """The run has another root. Without `root_run_id` it is its own root: it outlives a parent that succeeded (ENGINE
    §12).
    """

    root_run_id: RunId | None = None


class _StepFact(Fact, inner=("active_ms",)):
    """`active_ms` is the active time of the run at this point, so that a crash loses none of it."""

    step: str
    index: int | None = None
    attempt: int = 1
    active_ms: int | None = None


class StepStarted(_StepFact, wire="step_started", inner=("claimed",)):
    """A step began. `total` is the length of the list if the step is a forEach and this is not an iteration.

    `claimed`: the attempt may have an effect. It begins once this is on disk, so a claim without a known end means that
    the effect may have happened.
    """

    total: int | None = None
    claimed: bool | None = None


class StepSkipped(_StepFact, wire="step_skipped"):
    """`when` was false; `value` is the value of its ref."""

    value: Any = None


class StepFinished(_StepFact, wire="step_finished", long_field="output"):
    """A step or iteration ended."""

    status: StepStatus
    output: Any = None
    error: WireError | None = None


class RawResultSaved(_StepFact, wire="step_raw", long_field="raw"):
    """The raw tool result of a step is on disk; its `transformCode` makes the output of it."""

    raw: Any = None


class ConsoleWritten(_StepFact, wire="console"):
    """Console output of a step's code, in order and masked. `cut`: further output of the step was dropped."""

    lines: list[ConsoleLine]
    cut: bool | None = None


class IterationsTaken(Fact, wire="iterations_taken"):
    """A fork inherited iterations of a step. `errors` are the first failures, with `index`."""

    step: str
    completed: int
    failed: int
    errors: list[WireError] = []


class CheckpointsTaken(Fact, wire="checkpoints_taken", inner=("results", "calls", "interruptions")):
    """A run begins with checkpoints that its other facts do not contain: of a forked run, or of an older store.

    The items are made by `core.domain.checkpoint_items`. A result without an output has the output that is known of it.
    """

    results: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    interruptions: list[dict[str, Any]] = []


class StepRetry(_StepFact, wire="step_retry"):
    """The attempt failed; the next begins after `delay_ms`."""

    delay_ms: int
    error: WireError | None = None


class InterruptionRaised(Fact, wire="interruption_raised", inner=("asked",), long_field="asked"):
    """The user is asked; the fields are those of COMMAND_LINE's `interruptions`.

    `default_action` is applied at `expires_at`; None if there is no time limit, or if an older version asked. `asked`
    has what the user does not see of the request: {attempt, default_action, call_id?, timeout_ms?}, the `input` and
    `arguments` that are masked above, and the `options` with the definition of a tool.
    The Python name `input_schema` avoids `schema`, a method of pydantic models.
    """

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
    asked: dict[str, Any] | None = None


class InterruptionClosed(Fact, wire="interruption_closed", inner=("answer",), long_field="answer"):
    """An interruption was answered, expired or was cancelled. `answer` is {action, value?, reason?}."""

    id: InterruptionId
    kind: InterruptionKind
    status: InterruptionStatus
    answer: dict[str, Any] | None = None


class AccessAllowed(Fact, wire="access_allowed"):
    """The user let the run access a place that it did not start with (AGENTS_AND_TOOLS §5).

    `place` is a folder, a file or an origin, `interruption` the request that was answered. `call_id`: for that call
    alone. A child run and a fork begin with the lasting ones of the run they come from.
    """

    place: str
    access: Access
    by: Literal["person"] = "person"
    call_id: CallId | None = None
    interruption: InterruptionId | None = None

    @property
    def allowance(self) -> Allowance:
        return Allowance(Place(self.place, self.access), self.call_id)


def access_facts(allowances: Iterable[Allowance], interruption: InterruptionId | None = None) -> list[AccessAllowed]:
    """Return the facts of what the user allowed."""
    return [
        AccessAllowed(
            place=allowance.place.name,
            access=allowance.place.access,
            call_id=allowance.call_id,
            interruption=interruption,
        )
        for allowance in allowances
    ]


class StatePatched(Fact, wire="state_patched"):
    """The user changed an output before anything had read it. `path` is `/step/field…`."""

    path: str
    old: Any
    new: Any


class TokenReceived(Fact, wire="token", stored=False):
    """A piece of streamed text; `offset` counts the characters of its stream before it."""

    text: str
    message_id: MessageId
    offset: int
    step: str
    index: int | None = None


class ReasoningReceived(Fact, wire="reasoning", stored=False):
    """A piece of a model's reasoning. Shown at once; stored as part of a `ThoughtSaved`, except for sub-agents.

    `offset` counts the characters of the thought before it, `place` the characters of the turn's text before the
    thought.
    """

    text: str
    message_id: MessageId
    offset: int
    place: int = 0
    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None


class ThoughtSaved(Fact, wire="thought"):
    """A stored piece of a thought, which joins several pieces that were shown. `offset` and `place` as in
    `ReasoningReceived`.

    `elapsed_ms` is the duration of the thought so far; `is_whole`: it is complete. Only the first 100 000 characters of
    a thought are stored.
    """

    text: str
    offset: int
    place: int
    step: str
    index: int | None = None
    elapsed_ms: int
    is_whole: bool = False


class ModelWaited(Fact, wire="model_waiting", stored=False):
    """The model has sent nothing for `waited_s` of at most `limit_s` seconds. Never stored.

    `reason`: "answer", "retry" with the number of the next attempt and the error `message` of the last attempt, or
    "loading" with the words of a server on this machine that is not ready.
    """

    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None
    reason: str
    waited_s: float
    limit_s: float
    attempt: int = 1
    message: str | None = None


class AnswerWarned(Fact, wire="warning"):
    """A warning about a finished answer.

    `length` and `content_filter`: it was cut off, with `calls` if it had any: the model makes them again.
    `skipped_data`: parts may be missing. `empty_answer`: no text and no call. `unknown_agent`: another agent
    answers than the step names. `unknown_server`: its agent is limited to a server that does not exist.
    `without_tools`, `fewer_tools` {sent, of, left_out}, `without_part` {part}: the model takes something that was
    chosen not, so it was left out; once for a model.
    """

    code: str
    message: str
    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None
    details: dict[str, Any] | None = None


class MessageAdded(Fact, wire="message"):
    """A complete message. An agent's message replaces its streamed text; the text is stored in the message row.

    `interrupted`: text that a crash cut off; the turn continues after it in another message. `attachments` is the
    metadata of the attached texts (`core.domain.messages.Attachment`).
    """

    role: Role
    text: str
    message_id: MessageId
    step: str | None = None
    index: int | None = None
    interrupted: bool = False
    attachments: list[dict[str, Any]] | None = None


class AnswerSaved(Fact, wire="answer", inner=("content",), long_field="content"):
    """A model's answer ended, whole (`completed`) or cut off; `running`: it is asked for again.

    `content` is `core.agents.answers.ModelAnswer` as JSON, masked. A resumed turn continues after its whole answers.
    """

    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None
    round: int
    status: StepStatus
    content: dict[str, Any] | None = None


class ToolStarted(Fact, wire="tool_start", inner=("position", "effect", "sameness"), long_field="arguments"):
    """A call began. `arguments` are masked. `round` and `offset` (characters of text before it) count within its agent
    or sub-agent.

    Calls of agents have an `effect`, their `position` in the round, and the digest of the model's own arguments
    (`core.domain.tool.ToolCall`).
    """

    call_id: CallId
    tool: str
    arguments: Any
    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None
    round: int | None = None
    offset: int | None = None
    position: int | None = None
    effect: Effect | None = None
    sameness: str | None = None


class ToolProgressed(Fact, wire="tool_progress"):
    """The progress of a call: `progress` of `total`, if that is known."""

    call_id: CallId
    progress: float
    total: float | None = None
    text: str | None = None


class CommandOutput(Fact, wire="command_output", stored=False):
    """The last lines of what a running command has written so far, masked, and the size of it all."""

    call_id: CallId
    text: str
    bytes: int


class _CallEnd(Fact):
    call_id: CallId
    status: CallStatus
    duration_ms: int
    summary: str | None = None
    error: WireError | None = None

    @classmethod
    def of(cls, call_id: CallId, result: CallResult, status: CallStatus | None = None) -> Self:
        """Build the fact for a result, masked, with `status` in place of the result's own if given."""
        return cls(
            call_id=call_id,
            status=result.status if status is None else status,
            duration_ms=result.duration_ms,
            summary=masked_text(result.summary) if result.summary else result.summary,
            error=result.error.masked().as_dict() if result.error is not None else None,
        )


class ToolEnded(_CallEnd, wire="tool_end", inner=("result",), long_field="result"):
    """A call ended. `result` is the masked result of an agent's call."""

    result: Any = None


def interrupted_call(call: ToolCall) -> ToolEnded:
    """Return the end of a call that was interrupted and will not be resumed."""
    status = CallStatus.UNKNOWN if call.effect is Effect.ONCE else CallStatus.CANCELLED
    return ToolEnded(call_id=call.id, status=status, duration_ms=0)


class ToolEndedLate(_CallEnd, wire="tool_late"):
    """A call ended after its time limit. It belongs to an attempt that has failed already, and changes nothing."""


class ModelAsked(Fact, wire="model_asked"):
    """A model was asked for an answer.

    In a chat, `tokens` estimates the whole conversation, of which `room_tokens` may be sent (None: no limit), and
    `fixed_tokens` the part of every request: the system prompt and the tools. The `dropped` oldest messages are left
    out to fit; `oldest` is the stored message at which the sent part begins, None if that is the turn's own prompt.
    """

    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None
    tokens: int | None = None
    fixed_tokens: int | None = None
    room_tokens: int | None = None
    dropped: int = 0
    oldest: MessageId | None = None


class TaskChanged(Fact, wire="task_changed"):
    """A call of `todo` changed a task of the workflow. The fields are the new state; for `deleted`, the last state.

    Emitted again after a crash.
    """

    id: TaskId
    change: Literal["created", "updated", "completed", "deleted"]
    name: str
    status: TaskStatus
    priority: int
    description: str = ""
    dependencies: list[TaskId] = []
    call_id: CallId | None = None


class FileChanged(Fact, wire="file_changed"):
    """A call changed a file. `before` and `after` name copies of its content, which are kept in the data folder; None
    where there was no file, or it was too large. `added` and `removed` count lines, None where it is no text. `mode`
    are the permissions that it had. Masked as arguments are.
    """

    call_id: CallId
    change: Literal["created", "written", "moved", "deleted"]
    path: str
    destination: str | None = None
    before: str | None = None
    after: str | None = None
    added: int | None = None
    removed: int | None = None
    mode: int | None = None


class UsageReported(Fact, wire="usage"):
    """The tokens of one model answer. `cost` is None if the price is unknown.

    Of the input, `cached_tokens` were read from the provider's cache, and `cache_write_tokens` written to it.
    `elapsed_ms` is the time from the first piece of the answer. `said_tokens` estimates the part that stays in the
    conversation, without reasoning.
    """

    input_tokens: int
    output_tokens: int
    cost: float | None = None
    elapsed_ms: int | None = None
    said_tokens: int = 0
    sub_agent_id: SubAgentId | None = None
    cached_tokens: int = 0
    cache_write_tokens: int = 0


class StepRecorded(Fact, wire="step_recorded"):
    """A call became a step of a recording (ENGINE §11).

    `input` are its masked arguments as written, with refs; `effect` is the effect of such a call. `is_preset`: the
    result was given instead of running the call.
    """

    step: str
    tool: str
    input: Any
    effect: Effect = Effect.ONCE
    is_preset: bool = False


class StepPreset(Fact, wire="step_preset", long_field="output"):
    """The result of a step was given; the step does not run."""

    step: str
    output: Any


class RecordingInput(Fact, wire="recording_input"):
    """The value of `@input` in a recording from now on."""

    input: dict[str, Any]


class RecordingSealed(Fact, wire="recording_sealed"):
    """The recording accepts no more steps: it became a template, or its run ended."""

    template_id: TemplateId | None = None


class _SubAgentFact(Fact):
    sub_agent_id: SubAgentId


class SubAgentStarted(_SubAgentFact, wire="sub_agent_started", inner=("profile", "choice")):
    """A call started a sub-agent, or a stopped sub-agent resumed.

    `agent` is the name of the stored agent that works on the task, if any; `model` its language model. `prompt` is
    masked. `profile` and `choice` are that agent and its model at the start, as JSON values.
    """

    name: str
    prompt: str
    call_id: CallId
    step: str
    index: int | None = None
    agent: str | None = None
    model: str | None = None
    profile: dict[str, Any] | None = None
    choice: dict[str, Any] | None = None


class SubAgentProgress(_SubAgentFact, wire="sub_agent_progress", stored=False):
    """A piece of a sub-agent's text; `offset` counts the characters before it."""

    text: str
    offset: int


class SubAgentText(_SubAgentFact, wire="sub_agent_text"):
    """The whole text of a sub-agent, which replaces its streamed text. `interrupted`: text that was cut off and
    discarded.
    """

    text: str
    interrupted: bool = False


class SubAgentFinished(_SubAgentFact, wire="sub_agent_finished", inner=("answer",), long_field="answer"):
    """A sub-agent ended. The tokens and the cost (None if unknown) are the sums of its answers.

    `answer` is its last text, for the agent that started it.
    """

    status: StepStatus
    duration_ms: int
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    error: WireError | None = None
    answer: str | None = None


class UnknownFact(Fact):
    """A fact of a later version, stored unchanged and ignored."""

    type = "unknown"
    name: str
    data: dict[str, Any]


def stream_fact(message_id: MessageId, step: str, index: int | None, offset: int, text: str) -> Fact:
    """Build the fact for a piece of streamed text.

    The text belongs to the run's message or, if `step` is the id of a sub-agent, to that sub-agent.
    """
    if (sub_agent_id := location_of(step).sub_agent_id) is not None:
        return SubAgentProgress(sub_agent_id=sub_agent_id, text=text, offset=offset)
    return TokenReceived(text=text, message_id=message_id, offset=offset, step=step, index=index)


@dataclass(frozen=True, slots=True)
class Event:
    """A fact of a run. `seq` numbers the stored facts of the run from 1 without gaps; other facts carry the last
    number.
    """

    run_id: RunId
    workflow_id: WorkflowId
    seq: int
    at: datetime
    fact: Fact


@dataclass(frozen=True, slots=True)
class EventsPersisted:
    """These events of a run are on disk. Code that sends events out of the process waits for this."""

    events: tuple[Event, ...]


def to_wire(event: Event) -> dict[str, Any]:
    """Convert an event to a JSON object. Fields that are None, and None by default, are omitted."""
    return {
        "type": fact_name(event.fact),
        "run_id": event.run_id,
        "workflow_id": event.workflow_id,
        "seq": event.seq,
        "at": iso_time(event.at),
        **fact_fields(event.fact),
    }


def iso_time(at: datetime) -> str:
    """Format a time as ISO 8601, UTC, with milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


_ENVELOPE = frozenset({"type", "run_id", "workflow_id", "seq", "at"})
_ALWAYS = frozenset({"value", "arguments", "raw"})


def fact_name(fact: Fact) -> str:
    """Return the `type` of the fact on the wire."""
    return fact.name if isinstance(fact, UnknownFact) else fact.type


def parse_fact(name: str, fields: dict[str, Any]) -> Fact:
    """Parse a fact of that type. Unknown fields are ignored. Raises ValueError (pydantic's) for invalid fields."""
    fact_class = FACTS.get(name)
    if fact_class is not None:
        return fact_class.model_validate(fields)
    return UnknownFact(name=name, data={key: value for key, value in fields.items() if key not in _ENVELOPE})


def fact_fields(fact: Fact, *, with_inner: bool = False) -> dict[str, Any]:
    """Convert a fact to its fields on the wire, or, `with_inner`, to its stored fields."""
    if isinstance(fact, UnknownFact):
        return fact.data
    fields = {}
    for name, wire_name, is_always_written in _wire_fields(type(fact), with_inner):
        value = getattr(fact, name)
        if value is not None or is_always_written:
            fields[wire_name] = value
    # null is a valid output of a completed step; absent means that there is none.
    if isinstance(fact, StepFinished) and fact.status is StepStatus.COMPLETED:
        fields["output"] = fact.output
    return fields


@functools.cache
def _wire_fields(kind: type[Fact], with_inner: bool) -> tuple[tuple[str, str, bool], ...]:
    """List the fields of a fact class: name, name on the wire, and whether it is written even if None."""
    fields = [(name, field) for name, field in kind.model_fields.items() if with_inner or name not in kind.inner]
    return tuple((name, field.alias or name, field.is_required() or name in _ALWAYS) for name, field in fields)


_TEXT = "json text"


def with_text(fact: AnyFact, text: str) -> AnyFact:
    """Attach the JSON text of the fact's `long_field`, so that it is not encoded again. Returns the fact."""
    # beside the fields, like a cached property: it is no part of comparisons
    fact.__dict__[_TEXT] = text
    return fact


def attached_text(fact: Fact) -> str | None:
    """Return the attached JSON text of the fact's `long_field`."""
    text: str | None = fact.__dict__.get(_TEXT)
    return text


def value_text(fact: Fact) -> str:
    """Return the JSON text of the fact's `long_field`. Raises StepFailed `not_json`."""
    text = attached_text(fact)
    return encode(getattr(fact, fact.long_field)) if text is None and fact.long_field is not None else text or "null"


_DAMAGE = "damaged"


def with_damage(fact: AnyFact) -> AnyFact:
    """Mark that a value of the fact could not be read: it is UNREADABLE_VALUE. Returns the fact."""
    fact.__dict__[_DAMAGE] = True
    return fact


def is_damaged(fact: Fact) -> bool:
    """Return whether a value of the fact could not be read."""
    return _DAMAGE in fact.__dict__
