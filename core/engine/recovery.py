"""What a dead process left of a run, and what may be done again (ENGINE §10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.domain.events import Event, Fact, StepFinished, ToolEnded, ToolStarted
from core.domain.ids import CallId, RunId
from core.domain.json_text import decode
from core.domain.run import ErrorInfo, Run, Snapshot
from core.domain.step import StepKey, StepResult, StepStatus
from core.domain.template import Step, ToolAction
from core.domain.tool import CallStatus, Effect
from core.engine.dispatch import scope_of
from core.engine.refs import Scope, look_up, resolve, whole_ref
from core.engine.steps import StepRunner, outcome_unknown
from core.errors import RefFailed
from core.ports.storage import PutStepResult, Storage


@dataclass(frozen=True, slots=True)
class Lost:
    """A claim whose effect may have happened: nobody knows."""

    key: StepKey
    tool: str | None
    arguments: Any

    @property
    def error(self) -> ErrorInfo:
        why = outcome_unknown(str(self.key), self.tool, "the app stopped while it was at work")
        return ErrorInfo(why.code, why.message, str(self.key), "tool_execution", self.tool)

    def facts(self) -> list[Fact]:
        """What is told of it: the call, and that its step failed."""
        call_id, error = CallId(str(self.key)), self.error.as_dict()
        step, index = self.key.step, self.key.index
        return [
            ToolStarted(call_id=call_id, tool=self.tool or "", arguments=self.arguments, step=step, index=index),
            ToolEnded(call_id=call_id, status=CallStatus.UNKNOWN, duration_ms=0, error=error),
            StepFinished(step=step, index=index, status=StepStatus.ERROR, error=error),
        ]

    def row(self, run_id: RunId, now: datetime) -> PutStepResult:
        return PutStepResult(StepResult(run_id, self.key, StepStatus.ERROR, error=self.error, finished_at=now))


@dataclass(frozen=True, slots=True)
class Remains:
    """A run as its last process left it: its results, the claims that may begin anew, those that may not."""

    run: Run
    snapshot: Snapshot
    results: Sequence[StepResult]
    events: Sequence[Event]
    released: Sequence[StepKey]
    lost: Sequence[Lost]

    @property
    def last_seq(self) -> int:
        return self.events[-1].seq if self.events else 0


async def examine(run: Run, storage: Storage, steps: StepRunner) -> Remains:
    """Read what is left of an unfinished run. Raises StorageFailed `unreadable` if that is not possible."""
    snapshot = await storage.snapshot(run.id)
    results = await storage.step_results(run.id)
    events = await storage.events(run.id)
    claims = [result for result in results if result.status is StepStatus.RUNNING]
    kept = [result for result in results if result.status is not StepStatus.RUNNING]
    lost = _lost(claims, run, snapshot, kept, steps) if claims else []
    return Remains(run, snapshot, kept, events, [claim.key for claim in claims], lost)


def _lost(
    claims: Sequence[StepResult], run: Run, snapshot: Snapshot, results: Sequence[StepResult], steps: StepRunner
) -> list[Lost]:
    """Those claims that may not begin anew. Their inputs are resolved once more: the same results give the same."""
    wholes = [result for result in results if not result.key.is_part]
    outputs = {result.key.step: decode(result.output_json or "null") for result in wholes}
    absent = frozenset(result.key.step for result in wholes if result.skipped or result.error is not None)
    named = {step.name: step for step in snapshot.template.steps}
    lost = []
    for claim in claims:
        step = named[claim.key.step]
        scope = scope_of(run, snapshot, step, outputs, absent, claim.attempt)
        arguments, effect = _call_of(step, claim.key.index, scope, steps)
        if effect is Effect.ONCE:
            lost.append(Lost(claim.key, _tool(step), arguments))
    return lost


def _call_of(step: Step, index: int | None, scope: Scope, steps: StepRunner) -> tuple[Any, Effect]:
    """What the claimed step was about to do. If that cannot be found out, nobody knows what it may have done."""
    try:
        if step.for_each is not None and index is not None and (ref := whole_ref(step.for_each.ref)) is not None:
            scope = scope.at(index, look_up(ref, scope)[index])
        arguments = resolve(step.input, scope)
    except RefFailed:
        is_harmless = _tool(step) is None or step.config.idempotent
        return None, steps.effect(step, None) if is_harmless else Effect.ONCE
    return arguments, steps.effect(step, arguments)


def _tool(step: Step) -> str | None:
    return step.action.tool_name if isinstance(step.action, ToolAction) else None
