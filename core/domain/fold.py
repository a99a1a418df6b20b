"""The fold: derives the state of a run from its events.

Its result is a pure function of the events, but it changes the state in place, since each state has a single owner. A
state folded live equals the state rebuilt from stored events.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from core.domain import events as facts
from core.domain.events import Event
from core.domain.fold_turns import TURN_FOLDS, FoldFact, close_thoughts
from core.domain.ids import SubAgentId
from core.domain.live_run import (
    IN_FLIGHT,
    Iterations,
    LiveInterruption,
    LiveRun,
    LiveStep,
)
from core.domain.run import RunStatus, StepStatus
from core.domain.text.json_text import parse_pointer, with_value_at

MAX_ITERATION_ERRORS = 20


def replay(events: Iterable[Event]) -> LiveRun | None:
    """Fold all events of a run. Return its state, or None if the first event is not its creation."""
    run = None
    for event in events:
        run = fold(run, event)
    return run


def fold(run: LiveRun | None, event: Event) -> LiveRun | None:
    """Apply one event and return the state.

    Duplicate and late events, and events of a run whose creation was missed, change nothing.
    """
    if run is None:
        return created_run(event)
    apply(run, event)
    return run


def created_run(event: Event) -> LiveRun | None:
    """Create the run of this event. Return None for other events."""
    fact = event.fact
    if not isinstance(fact, facts.RunCreated):
        return None
    return LiveRun(
        event.run_id,
        event.workflow_id,
        fact.kind,
        fact.title,
        fact.message_id,
        event.at,
        agent=fact.agent,
        model=fact.model,
        mode=fact.mode,
        parent=fact.parent_run_id,
        root=fact.root_run_id,
        template_id=fact.template_id,
        template_version=fact.template_version,
        steps={name: LiveStep(name, has_child=name in fact.children) for name in fact.steps},
        seq=event.seq,
    )


def apply(run: LiveRun, event: Event) -> bool:
    """Apply one event. Return False if it is a duplicate, late or of another run, and changed nothing."""
    # A run publishes its events in the order of their numbers, and an unstored fact carries the number of the last
    # stored fact (ENGINE §13). A lower number is therefore late, such as a text of an abandoned attempt.
    fact = event.fact
    if run.run_id != event.run_id or run.is_released or event.seq < run.seq:
        return False
    fold_fact = _FOLDS.get(type(fact))
    if not fact.stored:
        return bool(fold_fact is not None and fold_fact(run, fact, event.at))
    if event.seq == run.seq:
        return False
    run.seq, run.wait = event.seq, None
    if fold_fact is not None:
        fold_fact(run, fact, event.at)
    return True


def _fold_pause(run: LiveRun, fact: facts.RunPaused | facts.RunContinued, at: datetime) -> bool:
    """Pauses are not part of the numbered order, so their own number identifies duplicates."""
    if run.status.is_final:
        return False
    if isinstance(fact, facts.RunPaused) and fact.number > run.pauses:
        run.paused_from = run.status
        run.status, run.pause_reason, run.paused_at, run.pauses = RunStatus.PAUSED, fact.reason, at, fact.number
        return True
    if isinstance(fact, facts.RunContinued) and run.status is RunStatus.PAUSED and fact.number == run.pauses:
        run.status, run.pause_reason = run.paused_from, None
        return True
    return False


def _fold_started(run: LiveRun, fact: facts.RunStarted, at: datetime) -> None:
    """The run got a slot. After a crash, everything in flight starts again."""
    if run.status.is_final:
        return
    # A second start follows a crash. Steps in flight are pending again, except a forEach, whose finished iterations
    # count. Streamed texts are not cleared, or they would flicker: the writer repeats them from some offset, and the
    # stream drops what follows it. Running calls are removed, since the turn emits each of them again, with the outcome
    # that its ledger row has or will get. Pauses are counted per process.
    run.status, run.pause_reason, run.pauses = RunStatus.RUNNING, None, 0
    run.started_at = run.started_at or at
    close_thoughts(run.thoughts)
    for step in run.steps.values():
        if step.status in IN_FLIGHT:
            if step.iterations is None:
                step.status = StepStatus.PENDING
            for text in step.texts.values():
                text.restart()
    for sub_agent in run.sub_agents.values():
        if not sub_agent.status.is_final:
            sub_agent.text.restart()
    for call_id in run.calls_in_flight:
        del run.calls[call_id]
    run.calls_in_flight.clear()


def _fold_state(run: LiveRun, fact: facts.RunWaiting | facts.RunResumed, at: datetime) -> None:
    if not run.status.is_final:
        run.status = RunStatus.WAITING if isinstance(fact, facts.RunWaiting) else RunStatus.RUNNING


def _fold_finished(run: LiveRun, fact: facts.RunFinished, at: datetime) -> None:
    if not run.status.is_final:
        run.active_ms = fact.active_ms
    run.end(fact.status, fact.error, at)


def _fold_root(run: LiveRun, fact: facts.RootChanged, at: datetime) -> None:
    run.root = fact.root_run_id


def _step(run: LiveRun, name: str) -> LiveStep:
    step = run.steps.get(name)
    if step is None:  # a recording gets its steps one by one; other runs have all of them from the start
        step = run.steps[name] = LiveStep(name)
    return step


def _fold_step_started(run: LiveRun, fact: facts.StepStarted, at: datetime) -> None:
    step = _step(run, fact.step)
    if (text := step.texts.get(fact.index)) is not None:
        text.restart()
    if run.thoughts:
        close_thoughts(thought for thought in run.thoughts if (thought.step, thought.index) == (fact.step, fact.index))
    if fact.index is not None:
        return
    if step.started_at is None:
        step.started_at = at
        run.execution_order.append(step.name)
    step.status, step.attempts = StepStatus.RUNNING, fact.attempt
    step.error = step.finished_at = None
    if fact.total is not None:
        step.iterations = step.iterations or Iterations(fact.total)
        step.iterations.total = fact.total


def _fold_skipped(run: LiveRun, fact: facts.StepSkipped, at: datetime) -> None:
    step = _step(run, fact.step)
    step.status, step.skipped, step.skipped_value = StepStatus.COMPLETED, True, fact.value
    step.finished_at = at


def _fold_step_finished(run: LiveRun, fact: facts.StepFinished, at: datetime) -> None:
    step = _step(run, fact.step)
    if fact.index is not None:  # counted here; the outputs come with the end of the step
        _fold_iteration(step, fact)
        return
    step.status, step.output, step.error, step.finished_at = fact.status, fact.output, fact.error, at
    if fact.error is not None:
        step.attempt_errors.append(fact.error)


def _fold_raw(run: LiveRun, fact: facts.RawResultSaved, at: datetime) -> None:
    if fact.index is None:
        step = _step(run, fact.step)
        step.raw, step.has_raw = fact.raw, True


def _fold_console(run: LiveRun, fact: facts.ConsoleWritten, at: datetime) -> None:
    step = _step(run, fact.step)
    position: dict[str, Any] = {} if fact.index is None else {"index": fact.index}
    if fact.attempt > 1:
        position["attempt"] = fact.attempt
    step.console += [{**line, **position} for line in fact.lines]
    step.is_console_cut = step.is_console_cut or bool(fact.cut)


def _fold_iteration(step: LiveStep, fact: facts.StepFinished) -> None:
    if step.iterations is None:
        return
    if fact.status is StepStatus.COMPLETED:
        step.iterations.completed += 1
    elif fact.status is StepStatus.ERROR:
        step.iterations.failed += 1
        if fact.error is not None and len(step.iterations.errors) < MAX_ITERATION_ERRORS:
            step.iterations.errors.append({"index": fact.index, **fact.error})


def _fold_inherited(run: LiveRun, fact: facts.IterationsTaken, at: datetime) -> None:
    total = fact.completed + fact.failed
    _step(run, fact.step).iterations = Iterations(
        total, fact.completed, fact.failed, fact.errors[:MAX_ITERATION_ERRORS]
    )


def _fold_retry(run: LiveRun, fact: facts.StepRetry, at: datetime) -> None:
    step = _step(run, fact.step)
    if fact.index is None:
        step.status = StepStatus.RETRYING
        if fact.error is not None:
            step.attempt_errors.append(fact.error)


def _fold_raised(run: LiveRun, fact: facts.InterruptionRaised, at: datetime) -> None:
    run.interruptions[fact.id] = LiveInterruption(run.seq, at, fact)
    if fact.sub_agent_id is not None:
        _fold_sub_agent_asking(run, fact.sub_agent_id)
    else:
        _fold_asking(run, fact.step, fact.index, is_asking=True)


def _fold_closed(run: LiveRun, fact: facts.InterruptionClosed, at: datetime) -> None:
    if interruption := run.interruptions.get(fact.id):
        interruption.status, interruption.closed_at = fact.status, at
        if interruption.request.sub_agent_id is not None:
            _fold_sub_agent_asking(run, interruption.request.sub_agent_id)
        else:
            _fold_asking(run, interruption.request.step, interruption.request.index, is_asking=False)


def _fold_asking(run: LiveRun, name: str, index: int | None, *, is_asking: bool) -> None:
    """Show a step as waiting while it asks, whether it has not started yet or is in the middle of its work."""
    step = run.steps.get(name)
    if step is None or index is not None or step.status.is_final:
        return
    if is_asking:
        step.status = StepStatus.WAITING
    else:
        step.status = StepStatus.RUNNING if step.started_at is not None else StepStatus.PENDING


def _fold_sub_agent_asking(run: LiveRun, sub_agent_id: SubAgentId) -> None:
    """Show a sub-agent as waiting while a question of its own is open. Its step stays running: other sub-agents may
    work.
    """
    sub_agent = run.sub_agents.get(sub_agent_id)
    if sub_agent is not None and not sub_agent.status.is_final:
        is_asking = any(interruption.request.sub_agent_id == sub_agent_id for interruption in run.open_interruptions)
        sub_agent.status = StepStatus.WAITING if is_asking else StepStatus.RUNNING


def _fold_patch(run: LiveRun, fact: facts.StatePatched, at: datetime) -> None:
    run.state_log.append(fact)
    name, *parts = parse_pointer(fact.path)
    step = run.steps.get(name)
    if step is not None:
        step.output = with_value_at(step.output, parts, fact.new)


def _fold_preset(run: LiveRun, fact: facts.StepPreset, at: datetime) -> None:
    step = _step(run, fact.step)
    step.status, step.output, step.error, step.finished_at = StepStatus.COMPLETED, fact.output, None, at


# By class rather than with `match`: pydantic models have an abstract base, which makes each `isinstance` slow, and a
# long answer is folded piece by piece.
_FOLDS: Mapping[type[facts.Fact], FoldFact] = {
    facts.RunStarted: _fold_started,
    facts.RunWaiting: _fold_state,
    facts.RunResumed: _fold_state,
    facts.RunPaused: _fold_pause,
    facts.RunContinued: _fold_pause,
    facts.RunFinished: _fold_finished,
    facts.RootChanged: _fold_root,
    facts.StepStarted: _fold_step_started,
    facts.StepSkipped: _fold_skipped,
    facts.StepFinished: _fold_step_finished,
    facts.RawResultSaved: _fold_raw,
    facts.ConsoleWritten: _fold_console,
    facts.IterationsTaken: _fold_inherited,
    facts.StepRetry: _fold_retry,
    facts.StepPreset: _fold_preset,
    facts.InterruptionRaised: _fold_raised,
    facts.InterruptionClosed: _fold_closed,
    facts.StatePatched: _fold_patch,
    **TURN_FOLDS,
}
