"""How far a run got, folded from its facts: what a start after a crash needs to know (ENGINE §10).

The facts are the only record of results, claims, calls and interruptions. This fold keeps them as the checkpoints,
ledger rows and interruptions that the engine continues from; `core.domain.fold` makes of the same facts what the user
sees.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from core.domain import events as facts
from core.domain.access import Allowance
from core.domain.checkpoint_items import answer_of, call_of, error_of, interruption_of, result_of
from core.domain.events import Event, is_damaged, value_text
from core.domain.ids import CallId, InterruptionId, RunId, SubAgentId
from core.domain.interruption import Action, Interruption, InterruptionRequest
from core.domain.run import ErrorInfo, StepKey, StepResult, StepStatus
from core.domain.sub_agent import SubAgentRecord
from core.domain.text.json_text import decode, encode, parse_pointer, with_value_at
from core.domain.tool import CallStatus, ToolCall
from core.errors import StorageFailed

_WITHOUT_RESULT = frozenset({CallStatus.RUNNING, CallStatus.CANCELLED, CallStatus.UNKNOWN})


@dataclass(slots=True)
class RunProgress:
    """The checkpoints, calls of agents and interruptions of a run, each as it was last, and the allowances of the
    user. `last_seq` is 0 without facts.

    A call is as its ledger has it: also a call that was interrupted, and that the user no longer sees.
    """

    run_id: RunId
    last_seq: int = 0
    results_by_key: dict[StepKey, StepResult] = field(default_factory=dict)
    calls_by_id: dict[CallId, ToolCall] = field(default_factory=dict)
    interruptions_by_id: dict[InterruptionId, Interruption] = field(default_factory=dict)
    sub_agents: dict[SubAgentId, SubAgentRecord] = field(default_factory=dict)
    allowances: list[Allowance] = field(default_factory=list)

    @property
    def results(self) -> list[StepResult]:
        """The results: of whole steps, then of iterations, rounds and raw results."""
        for sub_agent_id, record in self.sub_agents.items():
            key = StepKey(sub_agent_id)
            self.results_by_key[key] = replace(self.results_by_key[key], output_json=record.as_json())
        return sorted(self.results_by_key.values(), key=_by_checkpoint)

    @property
    def calls(self) -> list[ToolCall]:
        """The calls by round and position."""
        return sorted(self.calls_by_id.values(), key=_by_call)

    @property
    def interruptions(self) -> list[Interruption]:
        """The interruptions in the order of asking."""
        return list(self.interruptions_by_id.values())

    def add(self, event: Event) -> None:
        """Apply an event. Raises StorageFailed `unreadable` if it needs a value that is damaged."""
        self.last_seq = event.seq
        fold = _FOLDS.get(type(event.fact))
        if fold is None:
            return
        if is_damaged(event.fact):
            raise unreadable(self.run_id, f"a value of event {event.seq}")
        try:
            fold(self, event.fact, event)
        except (KeyError, TypeError, ValueError) as error:
            raise unreadable(self.run_id, f"event {event.seq}") from error

    def put(self, key: StepKey, status: StepStatus, **fields: Any) -> None:
        """Replace the result of that key."""
        self.results_by_key[key] = StepResult(self.run_id, key, status, **fields)

    def errors_of(self, key: StepKey) -> tuple[ErrorInfo, ...]:
        """Return the errors of the attempts before the current attempt."""
        result = self.results_by_key.get(key)
        return () if result is None else result.attempt_errors


def unreadable(run_id: RunId, what: str) -> StorageFailed:
    """Return the failure of reading `what` of a run."""
    return StorageFailed("unreadable", f"{what} of run {run_id} cannot be read", run_id=run_id)


def progress_of(run_id: RunId, events: Iterable[Event]) -> RunProgress:
    """Fold all events of a run. Raises StorageFailed `unreadable`."""
    progress = RunProgress(run_id)
    for event in events:
        progress.add(event)
    return progress


def _by_checkpoint(result: StepResult) -> tuple[bool, str, int, int]:
    key = result.key
    return key.is_part, key.step, _number(key.index), _number(key.round)


def _by_call(call: ToolCall) -> tuple[int, int, str, int, str]:
    return call.round, call.position, call.step, _number(call.index), call.id


def _number(value: int | None) -> int:
    return -1 if value is None else value


def call_results(events: Iterable[Event]) -> dict[CallId, str]:
    """Return the results of the agents' calls, as JSON text, without unreadable results."""
    results: dict[CallId, str] = {}
    for event in events:
        fact = event.fact
        if isinstance(fact, facts.ToolEnded) and fact.result is not None and not is_damaged(fact):
            results[fact.call_id] = value_text(fact)
        elif isinstance(fact, facts.CheckpointsTaken) and not is_damaged(fact):
            results |= {CallId(call["id"]): call["result_json"] for call in fact.calls if "result_json" in call}
    return results


def interruptions_of(run_id: RunId, events: Iterable[Event]) -> list[Interruption]:
    """Return the interruptions of a run in the order of asking, without unreadable ones."""
    asking = (facts.InterruptionRaised, facts.InterruptionClosed, facts.CheckpointsTaken)
    readable = (event for event in events if isinstance(event.fact, asking) and not is_damaged(event.fact))
    return progress_of(run_id, readable).interruptions


# Steps


def _fold_started(progress: RunProgress, fact: facts.StepStarted, event: Event) -> None:
    if fact.claimed:
        key = StepKey(fact.step, fact.index)
        progress.put(
            key,
            StepStatus.RUNNING,
            attempt=fact.attempt,
            started_at=event.at,
            active_ms=fact.active_ms or 0,
            attempt_errors=progress.errors_of(key),
        )


def _fold_retry(progress: RunProgress, fact: facts.StepRetry, event: Event) -> None:
    key = StepKey(fact.step, fact.index)
    error = () if fact.error is None else (ErrorInfo.from_dict(fact.error),)
    progress.put(
        key,
        StepStatus.RETRYING,
        attempt=fact.attempt,
        finished_at=event.at,
        active_ms=fact.active_ms or 0,
        attempt_errors=(*progress.errors_of(key), *error),
    )


def _fold_finished(progress: RunProgress, fact: facts.StepFinished, event: Event) -> None:
    key = StepKey(fact.step, fact.index)
    attempt = fact.attempt
    # the end of a cancelled step does not repeat which attempt it was
    if fact.status is StepStatus.CANCELLED and (known := progress.results_by_key.get(key)) is not None:
        attempt = known.attempt
    progress.put(
        key,
        fact.status,
        attempt=attempt,
        output_json=value_text(fact) if fact.status is StepStatus.COMPLETED else None,
        error=error_of(fact.error),
        finished_at=event.at,
        active_ms=fact.active_ms or 0,
        attempt_errors=progress.errors_of(key),
    )


def _fold_skipped(progress: RunProgress, fact: facts.StepSkipped, event: Event) -> None:
    fields = {"output_json": "null", "skipped": True, "finished_at": event.at, "active_ms": fact.active_ms or 0}
    progress.put(StepKey(fact.step), StepStatus.COMPLETED, **fields)


def _fold_raw(progress: RunProgress, fact: facts.RawResultSaved, event: Event) -> None:
    key = StepKey(fact.step, fact.index).of_raw
    fields = {"output_json": value_text(fact), "finished_at": event.at, "active_ms": fact.active_ms or 0}
    progress.put(key, StepStatus.COMPLETED, attempt=fact.attempt, **fields)


def _fold_preset(progress: RunProgress, fact: facts.StepPreset, event: Event) -> None:
    progress.put(StepKey(fact.step), StepStatus.COMPLETED, output_json=value_text(fact), finished_at=event.at)


def _fold_patch(progress: RunProgress, fact: facts.StatePatched, event: Event) -> None:
    name, *parts = parse_pointer(fact.path)
    if (known := progress.results_by_key.get(StepKey(name))) is not None:
        output = with_value_at(decode(known.output_json or "null"), parts, fact.new)
        progress.results_by_key[known.key] = replace(known, output_json=encode(output), finished_at=event.at)


# Agents


def _fold_answer(progress: RunProgress, fact: facts.AnswerSaved, event: Event) -> None:
    key = StepKey(fact.sub_agent_id or fact.step, None if fact.sub_agent_id else fact.index, fact.round)
    progress.put(key, fact.status, output_json=value_text(fact), finished_at=event.at)


def _fold_call(progress: RunProgress, fact: facts.ToolStarted, event: Event) -> None:
    if fact.effect is None:  # a step's own call: the claim of the step stands for it
        return
    progress.calls_by_id[fact.call_id] = ToolCall(
        id=fact.call_id,
        run_id=progress.run_id,
        step=fact.sub_agent_id or fact.step,
        index=None if fact.sub_agent_id else fact.index,
        round=fact.round or 0,
        position=fact.position or 0,
        tool=fact.tool,
        status=CallStatus.RUNNING,
        arguments_json=value_text(fact),
        effect=fact.effect,
        started_at=event.at,
        sameness=fact.sameness,
    )


def _fold_result(progress: RunProgress, fact: facts.ToolEnded, event: Event) -> None:
    if (call := progress.calls_by_id.get(fact.call_id)) is not None:
        has_result = fact.error is None and fact.status not in _WITHOUT_RESULT
        progress.calls_by_id[call.id] = replace(
            call,
            status=fact.status,
            result_json=value_text(fact) if has_result else None,
            error=error_of(fact.error),
            finished_at=event.at,
            duration_ms=fact.duration_ms,
        )


def _fold_sub_agent(progress: RunProgress, fact: facts.SubAgentStarted, event: Event) -> None:
    if fact.sub_agent_id not in progress.sub_agents:  # otherwise it was stopped, and resumes
        progress.sub_agents[fact.sub_agent_id] = SubAgentRecord(fact.name, fact.profile, fact.choice)
    progress.put(StepKey(fact.sub_agent_id), StepStatus.RUNNING, started_at=event.at)


def _fold_usage(progress: RunProgress, fact: facts.UsageReported, event: Event) -> None:
    if fact.sub_agent_id is not None and (record := progress.sub_agents.get(fact.sub_agent_id)) is not None:
        used = record.with_usage(fact.input_tokens, fact.output_tokens, fact.cost)
        progress.sub_agents[fact.sub_agent_id] = used


def _fold_sub_agent_end(progress: RunProgress, fact: facts.SubAgentFinished, event: Event) -> None:
    key = StepKey(fact.sub_agent_id)
    if (record := progress.sub_agents.get(fact.sub_agent_id)) is not None:
        progress.sub_agents[fact.sub_agent_id] = replace(record, text=fact.answer or "")
        progress.results_by_key[key] = replace(
            progress.results_by_key[key], status=fact.status, error=error_of(fact.error), finished_at=event.at
        )


# Interruptions


def _fold_raised(progress: RunProgress, fact: facts.InterruptionRaised, event: Event) -> None:
    if fact.asked is None:  # of an older store: its interruptions come in `CheckpointsTaken`
        return
    hidden = fact.asked
    ask = InterruptionRequest(
        fact.kind,
        fact.sub_agent_id or fact.step,
        None if fact.sub_agent_id else fact.index,
        hidden["attempt"],
        fact.prompt,
        fact.input_schema,
        hidden.get("options", fact.options),
        hidden.get("input", fact.input),
        fact.outputs,
        fact.tool,
        hidden.get("arguments", fact.arguments),
        fact.risk,
        CallId(hidden["call_id"]) if "call_id" in hidden else None,
        hidden.get("timeout_ms"),
        Action(hidden["default_action"]),
        fact.sub_agent_name,
    )
    limit = None if ask.timeout_ms is None else event.at + timedelta(milliseconds=ask.timeout_ms)
    progress.interruptions_by_id[fact.id] = Interruption(
        fact.id, event.run_id, event.workflow_id, ask, fact.status, event.seq, event.at, limit
    )


def _fold_closed(progress: RunProgress, fact: facts.InterruptionClosed, event: Event) -> None:
    if (raised := progress.interruptions_by_id.get(fact.id)) is not None:
        answer = None if fact.answer is None else answer_of(fact.answer)
        progress.interruptions_by_id[fact.id] = raised.closed(fact.status, answer, event.at)


def _fold_allowed(progress: RunProgress, fact: facts.AccessAllowed, event: Event) -> None:
    progress.allowances.append(fact.allowance)


# Checkpoints that are taken over


def _fold_taken(progress: RunProgress, fact: facts.CheckpointsTaken, event: Event) -> None:
    for item in fact.results:
        _take_result(progress, item)
    for item in fact.calls:
        call = call_of(progress.run_id, item)
        progress.calls_by_id[call.id] = call
    for item in fact.interruptions:
        taken = interruption_of(event.run_id, event.workflow_id, item)
        progress.interruptions_by_id[taken.id] = taken


def _take_result(progress: RunProgress, item: Mapping[str, Any]) -> None:
    result = result_of(progress.run_id, item)
    key, known = result.key, progress.results_by_key.get(result.key)
    if result.output_json is None and result.status is StepStatus.COMPLETED and known is not None:
        result = replace(result, output_json=known.output_json)
    progress.results_by_key[key] = result
    if SubAgentId(key.step) in progress.sub_agents and key == StepKey(key.step):
        progress.sub_agents[SubAgentId(key.step)] = SubAgentRecord.from_json(result.output_json)


_FOLDS: Mapping[type[facts.Fact], Callable[[RunProgress, Any, Event], None]] = {
    facts.StepStarted: _fold_started,
    facts.StepRetry: _fold_retry,
    facts.StepFinished: _fold_finished,
    facts.StepSkipped: _fold_skipped,
    facts.RawResultSaved: _fold_raw,
    facts.StepPreset: _fold_preset,
    facts.StatePatched: _fold_patch,
    facts.AnswerSaved: _fold_answer,
    facts.ToolStarted: _fold_call,
    facts.ToolEnded: _fold_result,
    facts.SubAgentStarted: _fold_sub_agent,
    facts.UsageReported: _fold_usage,
    facts.SubAgentFinished: _fold_sub_agent_end,
    facts.InterruptionRaised: _fold_raised,
    facts.InterruptionClosed: _fold_closed,
    facts.AccessAllowed: _fold_allowed,
    facts.CheckpointsTaken: _fold_taken,
}
