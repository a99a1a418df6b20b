"""What must hold when a process is gone, and when all is over."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.domain.events import (
    Event,
    InterruptionRaised,
    RunFinished,
    RunStarted,
    StepFinished,
    StepSkipped,
    StepStarted,
)
from core.domain.ids import RunId
from core.domain.interruption import Interruption, InterruptionKind, InterruptionStatus
from core.domain.json_text import decode
from core.domain.live_run import LiveRun, apply, fold, replay
from core.domain.message import MessageState
from core.domain.run import Run, RunStatus
from core.domain.step import StepResult, StepStatus
from core.domain.tool import CallStatus, Effect, ToolCall
from core.engine.children import child_id
from core.persistence.in_memory import MemoryStorage
from tests.simulation.people import CANCEL_S, run_id_of
from tests.simulation.process import Process
from tests.simulation.reference import Comes, Expected, Known, Reference, Told, ends_run, waits_for
from tests.simulation.watcher import Watcher
from tests.simulation.world import World

Json = dict[str, Any]


async def check_life(world: World, watcher: Watcher, storage: MemoryStorage) -> None:
    """What the process told of as kept is on disk, and what it told of is what the disk says."""
    for _, run in storage._tables.runs.values():
        stored = {event.seq: event for event in await storage.events(run.id)}
        if list(stored) != list(range(1, len(stored) + 1)):
            world.blame(f"the events of {run.title} have gaps: {list(stored)} (ENGINE §13)")
        for event in watcher.kept.get(run.id, ()):
            if not _is_same(stored.get(event.seq), event):
                world.blame(
                    f"{event.fact.type} {event.seq} was said to be kept, and the disk has {stored.get(event.seq)}"
                )
        for event in watcher.heard.get(run.id, ()):
            if event.fact.stored and event.seq in stored and not _is_same(stored[event.seq], event):
                world.blame(f"{event.fact} {event.seq} was heard, and the disk has {stored[event.seq]}")


def _is_same(stored: Event | None, heard: Event) -> bool:
    """An output that a person has changed since is not what was heard."""
    if stored is None or stored.fact.type != "step_finished":
        return stored == heard
    return replace(stored, fact=heard.fact) == heard and stored.fact.status == heard.fact.status  # type: ignore[attr-defined]


async def check_end(scenario: Json, world: World, process: Process, storage: MemoryStorage, rng: random.Random) -> None:
    """Every run is what the reference says."""
    watcher = process.watcher
    for left in await storage.unfinished_runs():
        world.blame(f"{left.title} is {left.status}, and no process is left")
    for asked in await storage.open_interruptions():
        world.blame(f"{asked.ask.step} asks for ever after the end of its run: {asked.ask.kind} (ENGINE §5)")
    for given in scenario["runs"]:
        if await storage.run(run_id_of(given)) is None:
            world.blame(f"{given['name']} was started, and is not there")
    for _, row in list(storage._tables.runs.values()):
        run = await storage.run(row.id)
        assert run is not None
        template = world.templates[run.title]
        events = await storage.events(run.id)
        _check_order(template, world, events)
        if run.id not in watcher.unwritten:
            _check_watched(world, watcher.states.get(run.id), watcher.heard.get(run.id, []), events, rng)
        interruptions = await storage.interruptions(run.id)
        for asked in interruptions:
            accepted = process.people.accepted.get(asked.id)
            if accepted is not None and asked.answer != accepted:
                world.blame(f"{accepted} to {asked.ask.step} was taken, and the disk has {asked.answer} (ENGINE §8)")
        results = {str(result.key): result for result in await storage.step_results(run.id)}
        known = await _known(scenario, run, template, results, interruptions, storage)
        known.cut |= _after_the_end(run, template, events)
        snapshot = await storage.snapshot(run.id)
        expected = Reference(template, dict(snapshot.input), world.meetings, known).expect()
        _check_run(scenario, world, run, results, expected)
        if run.id not in watcher.unwritten:
            await _check_message(world, run, storage)
        if "timeoutMs" in template and not scenario["lives"] and not scenario["disk"]["full"]:
            _check_deadline(scenario, world, run, watcher.active_s.get(run.id, 0.0))
        _check_steps(world, run, results, expected, watcher.unwritten)


async def _known(
    scenario: Json,
    run: Run,
    template: Json,
    results: dict[str, StepResult],
    interruptions: Sequence[Interruption],
    storage: MemoryStorage,
) -> Known:
    """What time has decided."""
    has_deadline = any("timeoutMs" in one["template"] for one in scenario["runs"])
    has_deadline |= any("timeoutMs" in one for one in scenario["children"])
    known = Known(is_exact=not scenario["lives"] and not has_deadline, has_deadline=has_deadline)
    for asked in sorted(interruptions, key=lambda one: (one.closed_at is None, one.closed_at, one.seq)):
        ask, said = asked.ask, asked.answer
        if said is None or asked.status is InterruptionStatus.CANCELLED:
            continue
        if ask.kind is not InterruptionKind.OUTCOME:
            known.answers[ask.step] = Told(said.action, said.value)
            if ask.kind is InterruptionKind.STATE_EDIT and said.action == "submit":
                known.patches += [(ask.step, one["path"], one["value"]) for one in said.value]
        elif ask.call_id is None:
            key = ask.step if ask.index is None else f"{ask.step}[{ask.index}]"
            known.outcomes[key] = Told(said.action, said.value)
    for name, result in results.items():
        if result.error is not None:
            known.errors[name] = result.error.code
        step = next(one for one in template["steps"] if one["name"] == result.key.step)
        if "workflow" in step["action"] and result.key.round is None:
            child = await storage.run(child_id(run.id, result.key, result.attempt))
            if child is not None:
                known.children[name] = (child.status, decode(child.output_json or "null"))
    return known


# Events


def _after_the_end(run: Run, template: Json, events: Sequence[Event]) -> set[str]:
    """What came to its end after that of its run was decided: it was not tried again, and nobody was asked."""
    steps = {step["name"]: step for step in template["steps"]}
    is_over = run.status is RunStatus.CANCELLED or (run.error is not None and run.error.failed_step is None)
    late = set()
    for event in events:
        if not isinstance(event.fact, StepFinished):
            continue
        fact = event.fact
        if is_over:
            late.add(fact.step if fact.index is None else f"{fact.step}[{fact.index}]")
        elif fact.index is None:
            fails = {str(fact.error["code"])} if fact.error is not None else set()
            is_over = fact.status is not StepStatus.CANCELLED and ends_run(steps[fact.step], Comes(fails=fails))
        else:
            is_over = fact.error is not None and fact.error["code"] == "outcome_unknown"
    return late


def _check_order(template: Json, world: World, events: Sequence[Event]) -> None:
    """Each step begins after what it waits for, and nothing begins after the end."""
    steps = {step["name"]: step for step in template["steps"]}
    done: set[str] = set()
    active: set[str] = set()
    is_ended = False
    for event in events:
        match event.fact:
            case RunStarted():
                active.clear()
            case RunFinished():
                if is_ended:
                    world.blame("a run ended twice (ENGINE §7)")
                is_ended = True
            case StepStarted(step=name, attempt=attempt) if is_ended:
                how = "starts" if attempt == 1 else "is tried again"
                world.blame(f"{name} {how} after the end of its run (ENGINE §5)")
            case InterruptionRaised(step=name) if is_ended:
                world.blame(f"{name} asks after the end of its run (ENGINE §5)")
            case StepSkipped(step=name) if is_ended:
                world.blame(f"{name} is skipped after the end of its run (ENGINE §5)")
            case StepStarted(step=name, index=None) | StepSkipped(step=name):
                if missing := waits_for(steps[name], set(steps)) - done:
                    world.blame(f"{name} starts before {missing} (ENGINE §4)")
                if isinstance(event.fact, StepSkipped):
                    done.add(name)
                    continue
                active.add(name)
                if len(active) > template.get("maxParallel", 16):
                    world.blame(f"{active} are in flight at once (ENGINE §4)")
            case StepFinished(step=name, index=None):
                active.discard(name)
                done.add(name)
            case _:
                pass


def _check_watched(
    world: World, state: LiveRun | None, heard: Sequence[Event], events: Sequence[Event], rng: random.Random
) -> None:
    """A rebuilt state equals the one that watched; what comes again, late or in disorder changes nothing."""
    rebuilt = replay(events)
    if rebuilt is None:
        world.blame("a run has no beginning")
        return
    if state is None:  # it had ended before this process began
        return
    if difference := _difference(state, rebuilt):
        world.blame(f"who watched differs from who reads: {difference} (ENGINE §13)")
    disturbed: LiveRun | None = None
    for at, event in enumerate(heard):
        disturbed = fold(disturbed, event)
        if rng.random() < 0.2:
            disturbed = fold(disturbed, heard[rng.randint(0, at)])
    if disturbed is not None and (difference := _difference(disturbed, state)):
        world.blame(f"events that came twice changed something: {difference}")
    for event in rng.sample(heard, min(len(heard), 20)):
        if apply(state, event):
            world.blame(f"{event.fact.type} {event.seq} came late, and was taken in")


def _is_stored(name: str) -> bool:
    """Pauses are not, nor how many pieces a text came in."""
    return not name.startswith(("pause", "resumed_at", "tokens_received"))


def _difference(one: LiveRun, other: LiveRun) -> str:
    names = [name for name in LiveRun.__slots__ if _is_stored(name)]
    differing = [name for name in names if getattr(one, name) != getattr(other, name)]
    return "; ".join(f"{name}: {getattr(one, name)} ≠ {getattr(other, name)}" for name in differing)


# Results


def _check_run(scenario: Json, world: World, run: Run, results: dict[str, StepResult], expected: Expected) -> None:
    name, output = run.title, decode(run.output_json or "null")
    world.tally[f"run: {run.error.code if run.error else run.status}"] += 1
    if run.status is RunStatus.CANCELLED:
        above = [one for _, one in world.tables.runs.values() if one.id in (run.parent, run.root)]
        if run.id not in world.cancelled_at and not any(one.status.is_final for one in above):
            world.blame(f"{name} is cancelled, and nobody cancelled it")
    elif run.error is not None:
        if not _may_fail(scenario, world, run, expected):
            world.blame(f"{name} failed: {run.error}; it may end in {expected.ends}")
    elif expected.ends:
        may_be = [expected.steps[end].output for end in expected.ends if not expected.steps[end].fails]
        if not any(_equal(output, one) for one in may_be):
            world.blame(f"{name} came to {output}; it may end in {expected.ends} with {may_be}")
    elif not _equal(output, expected.output):
        world.blame(f"{name} came to {output}, not to {expected.output}")
    if run.status is RunStatus.SUCCESS and not expected.ends and len(world.templates[name]["steps"]) != _whole(results):
        world.blame(f"{name} succeeded with {_whole(results)} of its steps done")


def _check_deadline(scenario: Json, world: World, run: Run, active_s: float) -> None:
    """The limit is kept in active time, whatever the wall clock does (ENGINE §7)."""
    limit_s = world.templates[run.title]["timeoutMs"] / 1000
    slack_s = (8 * max(scenario["disk"]["ms"]) + 20 * scenario["busyMs"]) / 1000
    is_exceeded = run.error is not None and run.error.code == "deadline_exceeded"
    if is_exceeded and active_s < limit_s - slack_s:
        world.blame(f"{run.title} exceeded its {limit_s} s after {active_s:.3f} s (ENGINE §7)")
    if active_s > limit_s + CANCEL_S + slack_s:
        world.blame(f"{run.title} was active for {active_s:.3f} s, it may for {limit_s} s (ENGINE §7)")


async def _check_message(world: World, run: Run, storage: MemoryStorage) -> None:
    """The output of a run is its message, and nothing of what was streamed is left beside it."""
    message = next(one for one in await storage.messages(run.workflow_id) if one.id == run.message_id)
    output = decode(run.output_json or "null")
    text = output if isinstance(output, str) else run.output_json or ""
    if run.parent is None and message.state is MessageState.OPEN:
        world.blame(f"{run.title} has ended, and its message is open")
    elif run.parent is None and message.text != text:
        world.blame(f"{run.title} came to {text}, and its message is {message.text} (ENGINE §4)")
    if run.id not in world.ended and await storage.chunks(run.id):
        world.blame(f"{run.title} has ended, and pieces of its texts are left (ENGINE §13)")
    open_calls = [call.id for call in await storage.tool_calls(run.id) if call.status is CallStatus.RUNNING]
    if run.id not in world.ended and open_calls:
        world.blame(f"{run.title} has ended, and {open_calls} are running (ENGINE §7)")


def _may_fail(scenario: Json, world: World, run: Run, expected: Expected) -> bool:
    """Whether the run may end with this error."""
    assert run.error is not None
    template = world.templates[run.title]
    match run.error.code:
        case "deadline_exceeded":
            return bool("timeoutMs" in template and run.active_ms >= template["timeoutMs"] - 1)
        case "recovery_exhausted":
            return [life["end"] for life in scenario["lives"]].count("crash") >= 3
        case "no_progress":
            return any(met.get("hangs") == 99 for met in world.meetings.values())
        case _:
            step = (run.error.failed_step or "").split("[")[0]
            return step in expected.ends and run.error.code in expected.steps[step].fails


def _whole(results: dict[str, StepResult]) -> int:
    return sum(not result.key.is_part for result in results.values())


def _check_steps(
    world: World, run: Run, results: dict[str, StepResult], expected: Expected, unwritten: set[RunId]
) -> None:
    for name, result in results.items():
        key = result.key
        if key.round is not None:
            continue
        if not result.status.is_final:
            is_exhausted = run.error is not None and run.error.code == "recovery_exhausted"
            is_left = run.id in unwritten or run.id in world.ended or is_exhausted
            if not is_left:  # by a process that could not write it, or died while it drained, or that gave up
                world.blame(f"{name} is {result.status} after the end (ENGINE §10)")
            continue
        is_known = (run.id, name) not in world.unknown and "hangs" not in world.met(key.step)
        if is_known and result.error is not None and result.error.code == "outcome_unknown":
            world.blame(f"the outcome of {name} is said to be unknown, and it is not (ENGINE §10)")
        may_stop = run.status is not RunStatus.SUCCESS or bool(expected.ends)
        if result.status is StepStatus.CANCELLED:
            if not may_stop:
                world.blame(f"{name} was cancelled in a run that went well")
            continue
        items = expected.items.get(key.step, [])
        comes = expected.steps.get(key.step) if key.index is None else items[key.index] if items else None
        if comes is None:
            world.blame(f"{name} was carried out, and cannot be reached")
            continue
        attempts = world.step(key.step).get("config", {}).get("maxAttempts", 1)
        if result.error is not None and may_stop and result.attempt < attempts:
            continue  # its run was over before it could be tried again
        if problem := _problem(result, comes):
            world.blame(f"{name} of {run.title} {problem}")


def _problem(result: StepResult, comes: Comes) -> str:
    if result.error is not None:
        is_known = result.error.code in comes.fails
        return "" if is_known else f"failed with {result.error}, not with one of {comes.fails}"
    output = decode(result.output_json or "null")
    if comes.fails:
        return f"came to {output}, and should fail with one of {comes.fails}"
    if result.skipped != comes.skipped:
        return f"was{'' if result.skipped else ' not'} skipped"
    return "" if _equal(output, comes.output) else f"came to {output}, not to {comes.output}"


def _equal(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


def stale_effects(storage: MemoryStorage, world: World) -> set[tuple[RunId, str]]:
    """Where a dead process was at work on what may not be done twice: steps, and agents that had made such a call."""
    tables, once = storage._tables, world.once
    found = set()
    for run_id, results in tables.results.items():
        calls = {(call.step, call.index) for call in tables.calls.get(run_id, {}).values() if _is_lost(call)}
        for key, result in results.items():
            if result.status is StepStatus.RUNNING and (key.step in once or (key.step, key.index) in calls):
                found.add((run_id, str(key)))
    return found


def _is_lost(call: ToolCall) -> bool:
    return call.effect is Effect.ONCE and call.status in (CallStatus.RUNNING, CallStatus.CANCELLED)
