"""Forks: what a run that begins in the middle of another run reuses (ENGINE §8)."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from core.domain.checkpoint_items import taken_results
from core.domain.events import (
    CheckpointsTaken,
    Fact,
    IterationsTaken,
    RawResultSaved,
    StepFinished,
    StepSkipped,
    with_text,
)
from core.domain.fold import MAX_ITERATION_ERRORS
from core.domain.grants import folders_in, origins_in
from core.domain.ids import RunId, WorkflowId, new_id
from core.domain.input_schema import named_places
from core.domain.run import Run, Snapshot, StepResult, StepStatus
from core.domain.template import ReturnAction, Step, ValidationMode, stricter_mode
from core.domain.text.json_text import decode
from core.domain.workflow import Workflow
from core.engine.plan.graph import dependents
from core.engine.plan.outcomes import failure_event
from core.engine.plan.planner import StepDone
from core.engine.runs.start_request import StartRequest


def reused_results(steps: Sequence[Step], name: str, results: Sequence[StepResult], run_id: RunId) -> list[StepResult]:
    """Return the results that a fork from the step `name` reuses, as results of the new run.

    Reused are results of steps that do not depend on `name` and have completed, were skipped, or failed with `onError:
    continue`; of an unfinished list, the completed iterations; and the raw results that belong to these. A call that
    had begun and whose end is unknown is reused as interrupted work: the user is asked about its effect, it is not
    repeated. A `return` is not reused, since it would end the new run; agent rounds are not, since their step has its
    output.
    """
    repeated = dependents(steps, name)
    reused = {
        step.name: step for step in steps if step.name not in repeated and not isinstance(step.action, ReturnAction)
    }
    candidates = [result for result in results if result.key.step in reused and result.key.round is None]
    whole_steps = [
        result
        for result in candidates
        if result.key.index is None and _allows_continuing(reused[result.key.step], result)
    ]
    done = {result.key.step for result in whole_steps}
    iterations = [
        result for result in candidates if result.key.index is not None and _is_reused_iteration(result, done)
    ]
    uncertain = [
        _as_interrupted(result)
        for result in candidates
        if result.key.step not in done and _is_uncertain_call(reused, result)
    ]
    keys = {result.key for result in (*iterations, *whole_steps, *uncertain)}
    raws = [result for result in results if result.key.is_raw and result.key.of_call in keys]
    return [replace(result, run_id=run_id, active_ms=0) for result in (*raws, *iterations, *whole_steps, *uncertain)]


def reused_facts(results: Sequence[StepResult]) -> list[Fact]:
    """Return the facts about the reused steps and iterations: for observers, then the rest."""
    iterations: dict[str, list[StepResult]] = {}
    ended = [result for result in results if result.status.is_final]
    for result in ended:
        if result.key.index is not None and not result.key.is_raw:
            iterations.setdefault(result.key.step, []).append(result)
    whole_steps = [result for result in ended if result.key.index is None]
    facts = [
        *(_reused_iterations(step, of_step) for step, of_step in iterations.items()),
        *map(_result_fact, whole_steps),
    ]
    if results:
        facts.append(CheckpointsTaken(results=taken_results(results, [result.key for result in whole_steps])))
    return facts


def _reused_iterations(step: str, iterations: Sequence[StepResult]) -> IterationsTaken:
    errors = [
        {"index": iteration.key.index, **iteration.error.as_dict()}
        for iteration in iterations
        if iteration.error is not None
    ]
    return IterationsTaken(
        step=step, completed=len(iterations) - len(errors), failed=len(errors), errors=errors[:MAX_ITERATION_ERRORS]
    )


def _result_fact(result: StepResult) -> Fact:
    step = result.key.step
    if result.key.is_raw:
        raw_json = result.output_json or "null"
        return with_text(RawResultSaved(step=step, attempt=result.attempt, raw=decode(raw_json)), raw_json)
    if result.skipped:
        return StepSkipped(step=step)
    output_json = result.output_json or "null"
    fact = StepFinished(
        step=step,
        attempt=result.attempt,
        status=result.status,
        output=decode(output_json),
        error=result.error.as_dict() if result.error is not None else None,
    )
    return with_text(fact, output_json)


def _allows_continuing(step: Step, result: StepResult) -> bool:
    """Return whether a run continues after this result of a whole step."""
    if result.error is None:
        return result.status is StepStatus.COMPLETED
    return isinstance(failure_event(step, result.key, result.error), StepDone)


def _is_reused_iteration(result: StepResult, done: Container[str]) -> bool:
    """Return whether an iteration is reused; `done` are the steps that are reused as a whole."""
    is_failed = result.status is StepStatus.ERROR
    return result.status is StepStatus.COMPLETED or (is_failed and result.key.step in done)


def _is_uncertain_call(steps: Mapping[str, Step], result: StepResult) -> bool:
    """Return whether a tool call had begun and its end is unknown: interrupted by a crash or a cancel during an
    attempt.
    """
    is_at_work = len(result.attempt_errors) < result.attempt
    is_cut_off = result.status in (StepStatus.RUNNING, StepStatus.CANCELLED) and is_at_work
    is_unknown = result.error is not None and result.error.code == "outcome_unknown"
    return steps[result.key.step].tool_name is not None and (is_cut_off or is_unknown)


def _as_interrupted(result: StepResult) -> StepResult:
    return replace(result, status=StepStatus.RUNNING, error=None, finished_at=None)


def fork_request(
    source: Run,
    snapshot: Snapshot,
    new_input: Mapping[str, Any] | None,
    now: datetime,
    *,
    folders: tuple[str, ...] = (),
    mode: ValidationMode | None = None,
    gated: bool = False,
    queued: bool = False,
) -> StartRequest:
    """Return a request to run `source` again in a workflow of its own, with `new_input` if given.

    It may access what `source` could, and the `folders` of the workflow of `source` as they are now. Its mode is the
    stricter of `mode` and that of `source`, so that a fork never asks less than the run it repeats.
    """
    agent = snapshot.agent or ""
    workflow = Workflow(WorkflowId(new_id("wf")), source.title, agent, now, now, folders=folders)
    if snapshot.gated:  # its folders were those of the workflow, and what the user gave as input
        allow = [*named_places(snapshot.template.input_schema, snapshot.input), *origins_in(snapshot.allow)]
    else:
        known = set(folders_in(folders))
        allow = [place for place in snapshot.allow if known.isdisjoint(folders_in([place]))]
    return StartRequest(
        workflow,
        snapshot.template,
        snapshot.input if new_input is None else new_input,
        source.kind,
        mode=snapshot.mode if mode is None else stricter_mode(snapshot.mode, mode),
        gated=gated,
        queued=queued,
        allow=(*folders, *allow),
        base=snapshot.base,
        script=snapshot.script,
        model=snapshot.model,
        profile=snapshot.profile,
        cast=snapshot.cast,
        template_id=source.template_id,
        template_version=source.template_version,
        in_new_workflow=True,
    )
