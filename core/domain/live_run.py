"""The state of a run, folded from its events: the one truth of everything that shows a run.

`fold` is pure in its meaning (same events, same state) and changes the state in place, since one
owner folds. A state that watched a run equals the one rebuilt from its stored events.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.domain import events as facts
from core.domain.events import Event
from core.domain.ids import CallId, MessageId, RunId, TemplateId, WorkflowId
from core.domain.message import Role
from core.domain.run import RunKind, RunStatus
from core.domain.step import StepStatus
from core.domain.tool import CallStatus

ERRORS_KEPT = 20


class TextStream:
    """Text that arrives in pieces: cheap to append to, joined when it is looked at."""

    __slots__ = ("_length", "_pieces")

    def __init__(self, text: str = "") -> None:
        self._pieces = [text] if text else []
        self._length = len(text)

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextStream) and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]  # mutable: equal today is no promise for tomorrow

    def __str__(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def append(self, offset: int, text: str) -> None:
        """Add a piece that begins at `offset`; what is already there is not added again."""
        new = text[max(0, self._length - offset) :] if offset < self._length else text
        if new:
            self._pieces.append(new)
            self._length += len(new)


@dataclass(slots=True)
class Iterations:
    """How far a forEach is, with its first errors (at most 20)."""

    total: int
    completed: int = 0
    failed: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class LiveStep:
    """A step of a running or finished run."""

    name: str
    status: StepStatus = StepStatus.PENDING
    skipped: bool = False
    skipped_value: Any = None
    attempts: int = 0
    attempt_errors: list[dict[str, Any]] = field(default_factory=list)
    output: Any = None
    error: dict[str, Any] | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    iterations: Iterations | None = None
    texts: dict[int | None, TextStream] = field(default_factory=dict)


@dataclass(slots=True)
class LiveCall:
    """A tool call of a running or finished run."""

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


@dataclass(slots=True)
class LiveRun:
    """Everything that happened in a run so far.

    `interrupted_texts` are the pieces that crashes cut off; each stood where its turn went on after it.
    """

    run_id: RunId
    workflow_id: WorkflowId
    kind: RunKind
    workflow_name: str
    message_id: MessageId
    created_at: datetime
    agent: str | None = None
    template_id: TemplateId | None = None
    template_version: int | None = None
    status: RunStatus = RunStatus.ENQUEUED
    error: dict[str, Any] | None = None
    steps: dict[str, LiveStep] = field(default_factory=dict)
    execution_order: list[str] = field(default_factory=list)
    calls: dict[CallId, LiveCall] = field(default_factory=dict)
    prompt: str | None = None
    interrupted_texts: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    tokens_received: int = 0
    started_at: datetime | None = None
    completed_at: datetime | None = None
    active_ms: int = 0
    pause_reason: str | None = None
    seq: int = 0

    @property
    def content(self) -> str:
        """The text that agents have written so far, in template order."""
        texts = (str(text) for step in self.steps.values() for text in step.texts.values())
        return "\n\n".join(text for text in texts if text)

    @property
    def active(self) -> list[str]:
        """Names of the steps in flight."""
        return [step.name for step in self.steps.values() if step.status is StepStatus.RUNNING]

    @property
    def steps_done(self) -> int:
        return sum(step.status.is_final for step in self.steps.values())

    @property
    def total_rounds(self) -> int:
        """Model answers that had calls (AGENTS_AND_TOOLS §3)."""
        return len({(call.step, call.index, call.round) for call in self.calls.values() if call.round is not None})

    @property
    def tool_execution_time_ms(self) -> int:
        return sum(call.duration_ms or 0 for call in self.calls.values())


def replay(events: Iterable[Event]) -> LiveRun | None:
    """The state after a run's events, or None if they do not begin with its creation."""
    run = None
    for event in events:
        run = fold(run, event)
    return run


def fold(run: LiveRun | None, event: Event) -> LiveRun | None:
    """Take in one event. Duplicate and late ones, and those of a run whose creation was missed, change nothing."""
    fact = event.fact
    if isinstance(fact, facts.RunCreated):
        return run or LiveRun(
            event.run_id,
            event.workflow_id,
            fact.kind,
            fact.title,
            fact.message_id,
            event.at,
            agent=fact.agent,
            template_id=fact.template_id,
            template_version=fact.template_version,
            steps={name: LiveStep(name) for name in fact.steps},
            seq=event.seq,
        )
    if run is None or run.run_id != event.run_id:
        return run
    if fact.stored:
        if event.seq <= run.seq:
            return run
        run.seq = event.seq
    match fact:
        case facts.RunStarted():
            _go_on(run, event)
        case facts.RunPaused():
            if not run.status.is_final:
                run.status, run.pause_reason = RunStatus.PAUSED, fact.reason
        case facts.RunResumed():
            if run.status is RunStatus.PAUSED:
                run.status, run.pause_reason = RunStatus.RUNNING, None
        case facts.RunFinished():
            run.status, run.error, run.active_ms = fact.status, fact.error, fact.active_ms
            run.completed_at, run.pause_reason = event.at, None
        case facts.StepStarted() | facts.StepSkipped() | facts.StepFinished():
            _fold_step(run, fact, event.at)
        case facts.TokenReceived():
            _fold_token(run, fact)
        case facts.MessageAdded():
            _fold_message(run, fact)
        case facts.ToolStarted():
            run.calls[fact.call_id] = LiveCall(
                fact.call_id, fact.tool, fact.arguments, fact.step, fact.index, fact.round, fact.offset, event.at
            )
        case facts.ToolEnded():
            if call := run.calls.get(fact.call_id):
                call.status, call.duration_ms = fact.status, fact.duration_ms
                call.summary, call.error = fact.summary, fact.error
        case facts.UsageReported():
            run.input_tokens += fact.input_tokens
            run.output_tokens += fact.output_tokens
            if fact.cost is not None:
                run.cost = (run.cost or 0.0) + fact.cost
    return run


def _go_on(run: LiveRun, event: Event) -> None:
    """The run took a place. After a crash, what was in flight begins anew; its late text is dropped."""
    run.status = RunStatus.RUNNING
    run.started_at = run.started_at or event.at
    for step in run.steps.values():
        if step.status is StepStatus.RUNNING and step.iterations is None:
            step.status = StepStatus.PENDING
    for call_id in [call.id for call in run.calls.values() if call.status is CallStatus.RUNNING]:
        del run.calls[call_id]


def _fold_step(run: LiveRun, fact: facts.StepStarted | facts.StepSkipped | facts.StepFinished, at: datetime) -> None:
    step = run.steps.setdefault(fact.step, LiveStep(fact.step))
    if fact.index is not None:
        _fold_iteration(step, fact)
        return
    match fact:
        case facts.StepStarted():
            step.status, step.attempts = StepStatus.RUNNING, fact.attempt
            step.started_at = step.started_at or at
            if fact.total is not None and step.iterations is None:
                step.iterations = Iterations(fact.total)
            if step.name not in run.execution_order:
                run.execution_order.append(step.name)
        case facts.StepSkipped():
            step.status, step.skipped, step.skipped_value = StepStatus.COMPLETED, True, fact.value
            step.finished_at = at
        case facts.StepFinished():
            step.status, step.output, step.error = fact.status, fact.output, fact.error
            step.finished_at = at
            if fact.error is not None:
                step.attempt_errors.append(fact.error)


def _fold_iteration(step: LiveStep, fact: facts.StepStarted | facts.StepSkipped | facts.StepFinished) -> None:
    if not isinstance(fact, facts.StepFinished) or step.iterations is None:
        return
    if fact.status is StepStatus.COMPLETED:
        step.iterations.completed += 1
    elif fact.status is StepStatus.ERROR:
        step.iterations.failed += 1
        if fact.error is not None and len(step.iterations.errors) < ERRORS_KEPT:
            step.iterations.errors.append({"index": fact.index, **fact.error})


def _fold_token(run: LiveRun, fact: facts.TokenReceived) -> None:
    step = run.steps.get(fact.step)
    if step is None or run.status.is_final or fact.message_id != run.message_id:
        return
    step.texts.setdefault(fact.index, TextStream()).append(fact.offset, fact.text)
    run.tokens_received += 1


def _fold_message(run: LiveRun, fact: facts.MessageAdded) -> None:
    if fact.role is Role.USER:
        run.prompt = fact.text
    elif fact.interrupted:
        run.interrupted_texts.append(fact.text)
        if fact.step is not None and (step := run.steps.get(fact.step)):
            kept = str(step.texts.get(fact.index, TextStream()))
            step.texts[fact.index] = TextStream(kept.removesuffix(fact.text))
    elif fact.step is not None and (step := run.steps.get(fact.step)):
        step.texts[fact.index] = TextStream(fact.text)
