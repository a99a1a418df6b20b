"""The usage of workflows: tokens, cost, context size, speed of the answer (UI §5).

Counted from the live states of runs, viewed or not. It is held for workflows that are active, recently finished or
viewed; the rest is loaded with each view, by the same fold of stored events.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psygnal import Signal

from core.bus import Bus, WorkflowDeleted
from core.domain.events import (
    Event,
    Fact,
    ModelAsked,
    ReasoningReceived,
    RootChanged,
    RunCreated,
    RunFinished,
    TokenReceived,
    UsageReported,
)
from core.domain.ids import RunId, WorkflowId
from core.domain.live_run import LiveRun
from core.domain.run import SUMMARY_TEMPLATE, RunKind, RunStatus
from core.domain.tokens import estimate_tokens
from core.ports import Clock
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.base import Store, emit

SPEED_INTERVAL_S = 0.5
"""How often the speed of an answer is told anew while it comes in."""


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens in and out, and dollars. Of those in, `cached_tokens` came from the provider's cache. `cost` is None if
    unknown. `is_less`: some answers were not counted, so that the true numbers are higher; `is_cheaper`: the same of
    the cost.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    is_less: bool = False
    is_cheaper: bool = False
    answers: int = 0
    cached_tokens: int = 0

    @property
    def is_known(self) -> bool:
        """Whether anything was counted."""
        return self.answers > 0


@dataclass(frozen=True, slots=True)
class WorkflowUsage:
    """The usage of a workflow: of its newest turn with its child runs, and in total.

    `context_tokens` is about how much of the model's window the conversation fills, None if unknown. `is_cut`: its
    oldest messages are no longer sent. `fixed_tokens` is the share of the system prompt and the tools.
    """

    turn: TokenUsage = TokenUsage()
    total: TokenUsage = TokenUsage()
    context_tokens: int | None = None
    is_cut: bool = False
    tokens_a_second: float | None = None
    fixed_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class _RunUsage:
    """The usage of a run, from its last known state."""

    run_id: RunId
    root: RunId
    created_at: datetime
    seq: int
    counted: int
    uncounted: int
    unpriced: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost: float | None
    context_tokens: int | None
    fixed_tokens: int | None
    is_cut: bool
    tokens_a_second: float | None


class Usage(Store):
    """`changed(workflow_id)` is emitted when the usage of a workflow may have changed."""

    changed = Signal(WorkflowId)

    def __init__(self, bus: Bus, background: BackgroundWorkflows, clock: Clock) -> None:
        super().__init__()
        self._background = background
        self._clock = clock
        self._runs: dict[WorkflowId, dict[RunId, _RunUsage]] = {}
        self._emitted_at: dict[RunId, float] = {}
        self._viewed: WorkflowId | None = background.viewed_workflow_id
        self._totals: dict[WorkflowId, WorkflowUsage] = {}
        self._connect(background.changed, self._on_changed)
        self._connect(background.viewed_changed, self._on_viewed)
        self._subscribe(bus, Event, self._on_event, _STREAM_FACTS | _USAGE_FACTS)
        self._subscribe(bus, WorkflowDeleted, self._on_deleted)

    def load(self, workflow_id: WorkflowId, runs: Iterable[LiveRun]) -> None:
        """Add stored runs of a workflow. Later live states are newer and win."""
        known = self._runs.setdefault(workflow_id, {})
        for run in runs:
            before = known.get(run.run_id)
            if (before is None or before.seq < run.seq) and not _is_negligible(run):
                known[run.run_id] = _run_usage(run)
        self._totals.pop(workflow_id, None)
        emit(self.changed, workflow_id)

    def get(self, workflow_id: WorkflowId | None) -> WorkflowUsage:
        """Return the usage of a workflow; empty if it is unknown."""
        known = self._runs.get(workflow_id) if workflow_id is not None else None
        if workflow_id is None or not known:
            return WorkflowUsage()
        if (usage := self._totals.get(workflow_id)) is None:
            usage = self._totals[workflow_id] = _workflow_usage(known)
        return usage

    def _on_event(self, event: Event) -> None:
        run = self._background.live_run(event.run_id)
        # a streamed event only changes the speed, which is emitted twice a second
        if run is None or run.is_released or (type(event.fact) in _STREAM_FACTS and not self._is_due(run)):
            return
        known = self._runs.setdefault(run.workflow_id, {})
        if _is_negligible(run):
            known.pop(run.run_id, None)
        else:
            known[run.run_id] = _run_usage(run)
        self._totals.pop(run.workflow_id, None)
        if run.status.is_final:
            self._emitted_at.pop(run.run_id, None)
        emit(self.changed, run.workflow_id)

    def _is_due(self, run: LiveRun) -> bool:
        """Return whether the speed of a streaming answer must be updated."""
        now = self._clock.monotonic()
        if run.status.is_final or now - self._emitted_at.setdefault(run.run_id, now) < SPEED_INTERVAL_S:
            return False
        self._emitted_at[run.run_id] = now
        return True

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        self._forget(message.workflow_id)

    def _on_viewed(self) -> None:
        previous, self._viewed = self._viewed, self._background.viewed_workflow_id
        if previous is not None:
            self._on_changed(previous)

    def _on_changed(self, workflow_id: WorkflowId) -> None:
        """Drop the usage of a workflow that is neither active, recently finished nor viewed."""
        if workflow_id != self._viewed and self._background.get_execution(workflow_id) is None:
            self._forget(workflow_id)

    def _forget(self, workflow_id: WorkflowId) -> None:
        self._totals.pop(workflow_id, None)
        for run_id in self._runs.pop(workflow_id, {}):
            self._emitted_at.pop(run_id, None)


def _workflow_usage(known: Mapping[RunId, _RunUsage]) -> WorkflowUsage:
    runs = sorted(known.values(), key=lambda run: (run.created_at, run.run_id))
    roots = [run for run in runs if run.root == run.run_id]
    newest = roots[-1].run_id if roots else runs[-1].root
    turn = [run for run in runs if newest in (run.root, run.run_id)]
    context = next((run for run in reversed(runs) if run.context_tokens is not None), None)
    tokens = context.context_tokens if context is not None else None
    # a summary counts without the system prompt and the tools, which are sent with it
    if context is not None and tokens is not None and context.fixed_tokens is None:  # a summary, told with the rest
        tokens += next((run.fixed_tokens for run in reversed(runs) if run.fixed_tokens is not None), 0)
    speeds = [run.tokens_a_second for run in reversed(turn) if run.tokens_a_second is not None]
    return WorkflowUsage(
        _token_usage(turn),
        _token_usage(runs),
        tokens,
        context.is_cut if context is not None else False,
        speeds[0] if speeds else None,
        next((run.fixed_tokens for run in reversed(runs) if run.fixed_tokens is not None), None),
    )


def _is_negligible(run: LiveRun) -> bool:
    """Return whether a child run has ended without asking a model: there may be thousands."""
    return run.parent is not None and run.status.is_final and not run.model_requests


def _run_usage(run: LiveRun) -> _RunUsage:
    is_summary = run.template_id == SUMMARY_TEMPLATE
    request = run.last_request if run.kind is RunKind.CHAT else None
    tokens: int | None = None
    if request is not None and request.tokens is not None:
        tokens = request.tokens + run.last_answer_tokens
    elif is_summary and run.status is RunStatus.SUCCESS:
        tokens = estimate_tokens(run.content)
    pace = run.rate.pieces_per_second if run.model_requests > run.reported_answers else None
    return _RunUsage(
        run.run_id,
        run.root or run.run_id,
        run.created_at,
        run.seq,
        run.reported_answers,
        _uncounted_answers(run),
        run.unpriced_answers,
        run.input_tokens,
        run.output_tokens,
        run.cached_tokens,
        run.cost,
        tokens,
        request.fixed_tokens if request is not None else None,
        request is not None and request.dropped > 0,
        pace if pace is not None else run.tokens_per_second,
    )


def _token_usage(runs: list[_RunUsage]) -> TokenUsage:
    """Return the sum of these runs. A streaming answer counts when it is complete."""
    costs = [run.cost for run in runs if run.cost is not None]
    uncounted = sum(run.uncounted for run in runs)
    is_unpriced = any(run.unpriced for run in runs)
    return TokenUsage(
        sum(run.input_tokens for run in runs),
        sum(run.output_tokens for run in runs),
        sum(costs) if costs else None,
        is_less=uncounted > 0,
        is_cheaper=is_unpriced or (uncounted > 0 and sum(costs) > 0),
        answers=sum(run.counted for run in runs),
        cached_tokens=sum(run.cached_tokens for run in runs),
    )


def _uncounted_answers(run: LiveRun) -> int:
    """Return the number of answers without token counts. A refused request has no answer, even that of a sub-agent."""
    if run.model is None or not run.status.is_final:
        return 0
    errors = [run.error, *(sub_agent.error for sub_agent in run.sub_agents.values())]
    return max(0, run.model_requests - run.reported_answers - sum(map(_is_unanswered, errors)))


def _is_unanswered(error: Mapping[str, Any] | None) -> bool:
    """Return whether it is the error of a request that got no answer."""
    return error is not None and (isinstance(error.get("status"), int) or error.get("code") in _UNANSWERED_CODES)


_UNANSWERED_CODES = frozenset({"key_missing", "key_refused", "key_unusable", "connection_failed"})
_STREAM_FACTS: frozenset[type[Fact]] = frozenset({TokenReceived, ReasoningReceived})
_USAGE_FACTS: frozenset[type[Fact]] = frozenset({RunCreated, RootChanged, ModelAsked, UsageReported, RunFinished})
