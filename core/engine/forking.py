"""A run that begins in the middle of another one: what it takes over (ENGINE §8)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.domain.events import Fact, StepFinished, StepSkipped
from core.domain.ids import RunId
from core.domain.json_text import decode
from core.domain.step import StepResult, StepStatus
from core.domain.template import OnError, ReturnAction, Step
from core.engine.graph import dependency_map


def dependents(steps: Sequence[Step], name: str) -> set[str]:
    """The step and all that wait for it, directly or not."""
    waits_for = dependency_map(steps)
    found = {name}
    while more := {one for one, names in waits_for.items() if one not in found and found & set(names)}:
        found |= more
    return found


def taken_over(steps: Sequence[Step], name: str, results: Iterable[StepResult], run_id: RunId) -> list[StepResult]:
    """The results that a fork from the step `name` begins with, as rows of the new run.

    Those of steps that do not depend on it and have ended: well, skipped, or failed with `onError: continue`. A
    `return` is not taken over, since it would end the new run; rounds of agents are not, as their step has its output.
    """
    again = dependents(steps, name)
    kept = {step.name: step for step in steps if step.name not in again and not isinstance(step.action, ReturnAction)}
    return [
        replace(result, run_id=run_id, active_ms=0)
        for result in results
        if result.key.round is None and (step := kept.get(result.key.step)) is not None and _has_ended(step, result)
    ]


def told(results: Iterable[StepResult]) -> list[Fact]:
    """What is told of the steps that were taken over."""
    facts: list[Fact] = []
    for result in results:
        key = result.key
        if key.is_part:
            continue
        if result.skipped:
            facts.append(StepSkipped(step=key.step))
            continue
        error = result.error.as_dict() if result.error is not None else None
        output = decode(result.output_json or "null")
        facts.append(
            StepFinished(step=key.step, attempt=result.attempt, status=result.status, output=output, error=error)
        )
    return facts


def _has_ended(step: Step, result: StepResult) -> bool:
    if result.status is StepStatus.ERROR:
        return result.key.index is None and step.config.on_error is OnError.CONTINUE
    return result.status is StepStatus.COMPLETED
