"""The state of a run, folded from its events (`core.domain.fold`): the only source for all views of a run."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.domain import events as facts
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
from core.domain.interruption import InterruptionStatus
from core.domain.messages import Attachment
from core.domain.run import RunKind, RunStatus, StepStatus
from core.domain.template import ValidationMode
from core.domain.text.stream import TextStream
from core.domain.tool import CallStatus

MAX_THOUGHTS = 100
MAX_THOUGHT_CHARACTERS = 100_000
MIN_RATE_MS = 100

IN_FLIGHT = frozenset({StepStatus.RUNNING, StepStatus.RETRYING})


@dataclass(slots=True)
class Iterations:
    """The progress of a forEach, with its first errors (at most 20).

    `total` is the length of the list. In a fork, until the list is known, it counts the inherited iterations.
    """

    total: int
    completed: int = 0
    failed: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class LiveStep:
    """A step of a running or finished run.

    `has_child`: it runs another template. `raw` is the tool's result before `transformCode`, if `has_raw`. `console` is
    the output of its code, in order: {level, text}, with the `index` of an iteration, and `attempt` after the first.
    """

    name: str
    status: StepStatus = StepStatus.PENDING
    skipped: bool = False
    skipped_value: Any = None
    attempts: int = 0
    attempt_errors: list[dict[str, Any]] = field(default_factory=list)
    output: Any = None
    raw: Any = None
    has_raw: bool = False
    console: list[dict[str, Any]] = field(default_factory=list)
    is_console_cut: bool = False
    error: dict[str, Any] | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    iterations: Iterations | None = None
    texts: dict[int | None, TextStream] = field(default_factory=dict)
    has_child: bool = False


@dataclass(slots=True)
class LiveCall:
    """A tool call of a running or finished run.

    `progress` is the last report of its progress; `late` is its end after the time limit. `output` are the last
    lines of a running command. `offset` is a position in the text of the agent or sub-agent that made it.
    """

    id: CallId
    tool: str
    arguments: Any
    step: str
    index: int | None
    round: int | None
    offset: int | None
    started_at: datetime
    status: CallStatus = CallStatus.RUNNING
    duration_ms: int | None = None
    summary: str | None = None
    error: dict[str, Any] | None = None
    progress: facts.ToolProgressed | None = None
    late: facts.ToolEndedLate | None = None
    sub_agent_id: SubAgentId | None = None
    output: str = ""
    pictures: tuple[Attachment, ...] = ()

    @property
    def is_running(self) -> bool:
        return self.status is CallStatus.RUNNING


@dataclass(slots=True)
class LiveSubAgent:
    """A sub-agent of a running or finished run, started by the call `call_id` in that step.

    `agent` is the name of the stored agent that works on its task, if any. `cost` is None if unknown.
    """

    id: SubAgentId
    name: str
    prompt: str
    call_id: CallId
    step: str
    index: int | None
    started_at: datetime
    agent: str | None = None
    model: str | None = None
    status: StepStatus = StepStatus.RUNNING
    text: TextStream = field(default_factory=TextStream)
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    duration_ms: int | None = None
    error: dict[str, Any] | None = None


@dataclass(slots=True)
class StreamRate:
    """The rate of an incoming answer: its pieces so far, and the times of the first and the last piece."""

    pieces: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None

    def count(self, at: datetime) -> None:
        """Count a piece."""
        self.first_at = self.first_at or at
        self.last_at = at
        self.pieces += 1

    @property
    def pieces_per_second(self) -> float | None:
        """The rate; None while there is too little to measure."""
        if self.first_at is None or self.last_at is None:
            return None
        return tokens_per_second(self.pieces - 1, (self.last_at - self.first_at).total_seconds() * 1000)


def tokens_per_second(tokens: int, elapsed_ms: float) -> float | None:
    """Compute tokens per second; None if the time is too short to measure."""
    return tokens * 1000 / elapsed_ms if tokens > 0 and elapsed_ms >= MIN_RATE_MS else None


@dataclass(slots=True)
class LiveThought:
    """A thought of the model, after `offset` characters of its turn.

    Long thoughts hold only their first MAX_THOUGHT_CHARACTERS; `length` counts all. `is_open`: it continues.
    """

    step: str
    index: int | None
    offset: int
    started_at: datetime
    elapsed_ms: int = 0
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    is_open: bool = True

    @property
    def text(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def beginning(self, characters: int) -> str:
        """Return the first characters, at a cost independent of the length of the thought."""
        length = 0
        for number, piece in enumerate(self.pieces):
            length += len(piece)
            if length >= characters:
                return "".join(self.pieces[: number + 1])[:characters]
        return self.text


@dataclass(slots=True)
class LiveTask:
    """The last state of a task of the workflow in this run, and when the run first and last changed it."""

    fact: facts.TaskChanged
    first_at: datetime
    last_at: datetime


@dataclass(slots=True)
class LiveInterruption:
    """An open or closed interruption of the run."""

    seq: int
    created_at: datetime
    request: facts.InterruptionRaised
    status: InterruptionStatus = field(init=False)
    closed_at: datetime | None = None

    def __post_init__(self) -> None:
        self.status = self.request.status


@dataclass(slots=True)
class LiveRun:
    """Everything that happened in a run so far.

    `calls` and the tokens include those of its sub-agents; `calls_in_flight` are those that have not ended. `message`
    is the run's message if it was emitted as a whole: a template's output. `interrupted_texts` are pieces that crashes
    cut off; each was followed by the rest of its turn. `warnings` concern answers: {code, message, step}. `thoughts`
    are the last MAX_THOUGHTS; comparisons ignore them, since a thought is stored a little later than it is shown.

    `reported_answers` counts the answers with reported usage, `unpriced_answers` those with unknown cost.
    `tokens_per_second` is the rate of the last reported answer, `rate` that of the incoming answer. These two,
    `wait` is what the run waits for before the model answers, which is never stored.
    `last_request` and `last_answer_tokens` concern the run's own conversation, not its sub-agents.
    """

    run_id: RunId
    workflow_id: WorkflowId
    kind: RunKind
    workflow_name: str
    message_id: MessageId
    created_at: datetime
    agent: str | None = None
    model: str | None = None
    mode: ValidationMode | None = None
    parent: RunId | None = None
    root: RunId | None = None
    template_id: TemplateId | None = None
    template_version: int | None = None
    status: RunStatus = RunStatus.ENQUEUED
    error: dict[str, Any] | None = None
    steps: dict[str, LiveStep] = field(default_factory=dict)
    execution_order: list[str] = field(default_factory=list)
    calls: dict[CallId, LiveCall] = field(default_factory=dict)
    calls_in_flight: dict[CallId, LiveCall] = field(default_factory=dict)
    sub_agents: dict[SubAgentId, LiveSubAgent] = field(default_factory=dict)
    interruptions: dict[InterruptionId, LiveInterruption] = field(default_factory=dict)
    state_log: list[facts.StatePatched] = field(default_factory=list)
    tasks: dict[TaskId, LiveTask] = field(default_factory=dict)
    file_changes: list[facts.FileChanged] = field(default_factory=list)
    prompt: str | None = None
    prompt_id: MessageId | None = None
    prompt_attachments: tuple[Attachment, ...] = ()
    message: str | None = None
    interrupted_texts: list[str] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)
    thoughts: list[LiveThought] = field(default_factory=list, compare=False)
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    model_requests: int = 0
    reported_answers: int = 0
    unpriced_answers: int = 0
    last_request: facts.ModelAsked | None = None
    wait: facts.ModelWaited | None = field(default=None, compare=False)
    waiting_since: datetime | None = field(default=None, compare=False)
    last_answer_tokens: int = 0
    tokens_per_second: float | None = None
    rate: StreamRate = field(default_factory=StreamRate, compare=False)
    tokens_received: int = 0
    started_at: datetime | None = None
    completed_at: datetime | None = None
    active_ms: int = 0
    paused_at: datetime | None = None
    paused_from: RunStatus = RunStatus.RUNNING
    pauses: int = 0
    pause_reason: str | None = None
    is_released: bool = False
    seq: int = 0

    @property
    def content(self) -> str:
        """The run's message if it was emitted as a whole, else the text of its agents so far, in template order."""
        texts = (str(text) for step in self.steps.values() for text in step.texts.values())
        return self.message or "\n\n".join(text for text in texts if text)

    @property
    def active(self) -> list[str]:
        """The names of the steps in flight."""
        return [step.name for step in self.steps.values() if step.status in IN_FLIGHT]

    @property
    def open_interruptions(self) -> list[LiveInterruption]:
        """The interruptions that wait for an answer, in the order of requests."""
        return [interruption for interruption in self.interruptions.values() if interruption.status.is_open]

    @property
    def steps_done(self) -> int:
        return sum(step.status.is_final for step in self.steps.values())

    @property
    def total_rounds(self) -> int:
        """The number of model answers that had calls (AGENTS_AND_TOOLS §3)."""
        rounds = [call for call in self.calls.values() if call.round is not None]
        return len({(call.step, call.index, call.sub_agent_id, call.round) for call in rounds})

    @property
    def tool_execution_time_ms(self) -> int:
        return sum(call.duration_ms or 0 for call in self.calls.values())

    def elapsed_s(self, now: datetime) -> float:
        """Compute the seconds from the start (or from the creation, before the start) to the end, or to `now`."""
        return max(0.0, ((self.completed_at or now) - (self.started_at or self.created_at)).total_seconds())

    def end(self, status: RunStatus, error: dict[str, Any] | None, at: datetime) -> None:
        """Finish the run; calls and sub-agents in flight count as cancelled. Without effect on a finished run."""
        if not self.status.is_final:
            self.status, self.error, self.completed_at, self.pause_reason = status, error, at, None
            for thought in self.thoughts:
                thought.is_open = False
            self.cancel_calls()

    def cancel_calls(self) -> None:
        """Mark the calls and sub-agents that were in flight as cancelled."""
        for call in self.calls_in_flight.values():
            call.status = CallStatus.CANCELLED
        self.calls_in_flight.clear()
        for sub_agent in self.sub_agents.values():
            if not sub_agent.status.is_final:
                sub_agent.status = StepStatus.CANCELLED

    def release(self) -> None:
        """Free everything that no list row shows: texts, calls and outputs. The run ignores further events."""
        self.is_released = True
        self.prompt = self.message = None
        self.prompt_attachments = ()
        self.interrupted_texts.clear()
        self.warnings.clear()
        self.thoughts = []
        self.calls.clear()
        self.calls_in_flight.clear()
        self.sub_agents.clear()
        self.interruptions.clear()
        self.state_log.clear()
        self.tasks.clear()
        self.file_changes.clear()
        for step in self.steps.values():
            step.output = step.raw = step.skipped_value = None
            step.attempt_errors.clear()
            step.console.clear()
            step.texts.clear()
