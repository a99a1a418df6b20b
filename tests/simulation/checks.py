"""What must hold when a process is gone, and when all is over."""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from core.domain.events import Event, RunFinished, RunStarted, StepFinished, StepSkipped, StepStarted
from core.domain.ids import RunId
from core.domain.json_text import decode
from core.domain.live_run import LiveRun, apply, fold, replay
from core.domain.run import Run, RunStatus
from core.domain.step import StepResult, StepStatus
from core.domain.tool import CallStatus, Effect, ToolCall
from core.persistence.in_memory import MemoryStorage
from tests.simulation.process import run_id_of
from tests.simulation.reference import Comes, Expected, expect, waits_for
from tests.simulation.watcher import Watcher
from tests.simulation.world import World

Json = dict[str, Any]


async def check_life(scenario: Json, world: World, watcher: Watcher, storage: MemoryStorage) -> None:
    """What the process told of as kept is on disk, and what it told of is what the disk says."""
    for run in scenario["runs"]:
        run_id = run_id_of(run)
        stored = {event.seq: event for event in await storage.events(run_id)}
        if list(stored) != list(range(1, len(stored) + 1)):
            world.blame(f"the events of {run['name']} have gaps: {list(stored)} (ENGINE §13)")
        for event in watcher.kept.get(run_id, ()):
            if stored.get(event.seq) != event:
                world.blame(
                    f"{event.fact.type} {event.seq} was told to be kept, and the disk has {stored.get(event.seq)}"
                )
        for event in watcher.heard.get(run_id, ()):
            if event.fact.stored and event.seq in stored and stored[event.seq] != event:
                world.blame(f"{event.fact.type} {event.seq} was heard, and the disk has {stored[event.seq]}")


async def check_end(scenario: Json, world: World, watcher: Watcher, storage: MemoryStorage, rng: random.Random) -> None:
    """Every run is what the reference says."""
    if left := await storage.unfinished_runs():
        world.blame(f"{[run.id for run in left]} are not ended, and no process is left")
    for given in scenario["runs"]:
        run_id = run_id_of(given)
        run = await storage.run(run_id)
        if run is None:
            world.blame(f"{given['name']} was started, and is not there")
            continue
        events = await storage.events(run_id)
        _check_order(given["template"], world, events)
        if run_id not in watcher.unwritten:
            _check_watched(world, watcher.states.get(run_id), watcher.heard.get(run_id, []), events, rng)
        results = {str(result.key): result for result in await storage.step_results(run_id)}
        expected = expect(given["template"], given["input"], world.meetings)
        _check_run(given, world, run, results, expected)
        _check_steps(given, world, run, results, expected, watcher.unwritten)


# Events


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
            case StepStarted(step=name, index=None) | StepSkipped(step=name):
                if is_ended:
                    world.blame(f"{name} starts after the end of its run (ENGINE §5)")
                if missing := waits_for(steps[name], set(steps)) - done:
                    world.blame(f"{name} starts before {missing} (ENGINE §4)")
                if isinstance(event.fact, StepSkipped):
                    done.add(name)
                    continue
                active.add(name)
                if len(active) > template.get("maxParallel", 16):
                    world.blame(f"{active} are in flight at once (ENGINE §4)")
            case StepStarted(step=name):
                if is_ended:
                    world.blame(f"an iteration of {name} starts after the end of its run (ENGINE §5)")
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
    if difference := _difference(_told(state), _told(rebuilt)):
        world.blame(f"who watched differs from who reads: {difference} (ENGINE §13)")
    disturbed: LiveRun | None = None
    for at, event in enumerate(heard):
        disturbed = fold(disturbed, event)
        if rng.random() < 0.2:
            disturbed = fold(disturbed, heard[rng.randint(0, at)])
    if disturbed is not None and (difference := _difference(_told(disturbed), _told(state))):
        world.blame(f"events that came twice changed something: {difference}")
    for event in rng.sample(heard, min(len(heard), 20)):
        if apply(state, event):
            world.blame(f"{event.fact.type} {event.seq} came late, and was taken in")


def _told(state: LiveRun) -> LiveRun:
    """Without what is not stored: pauses, and how many pieces a text came in."""
    return replace(state, tokens_received=0, paused_at=None, resumed_at=None)


def _difference(one: LiveRun, other: LiveRun) -> str:
    if one == other:
        return ""
    names = [name for name in LiveRun.__slots__ if getattr(one, name) != getattr(other, name)]
    return "; ".join(f"{name}: {getattr(one, name)} ≠ {getattr(other, name)}" for name in names)


# Results


def _check_run(given: Json, world: World, run: Run, results: dict[str, StepResult], expected: Expected) -> None:
    name, output = given["name"], decode(run.output_json or "null")
    world.tally[f"run: {run.error.code if run.error else run.status}"] += 1
    failed = run.error.failed_step if run.error is not None else None
    if run.status is RunStatus.CANCELLED:
        if run.id not in world.cancelled_at:
            world.blame(f"{name} is cancelled, and nobody cancelled it")
    elif run.error is not None and run.error.code == "outcome_unknown":
        _check_unknown(world, run.id, failed or "")
    elif run.status is RunStatus.ERROR:
        step = (failed or "").split("[")[0]
        codes = expected.steps[step].fails if step in expected.ends else set()
        if run.error is None or run.error.code not in codes:
            world.blame(f"{name} failed: {run.error}; it may end in {expected.ends}")
    elif expected.ends:
        may_be = [expected.steps[end].output for end in expected.ends if not expected.steps[end].fails]
        if not any(_equal(output, one) for one in may_be):
            world.blame(f"{name} came to {output}; it may end in {expected.ends} with {may_be}")
    elif not _equal(output, expected.output):
        world.blame(f"{name} came to {output}, not to {expected.output}")
    if run.status is RunStatus.SUCCESS and not expected.ends and len(expected.steps) != _whole(results):
        world.blame(f"{name} succeeded with {_whole(results)} of {len(expected.steps)} steps done")


def _check_unknown(world: World, run_id: RunId, step: str) -> None:
    """Only an effect that a dead process left behind may be unknown."""
    if (run_id, step) not in world.unknown:
        world.blame(f"the outcome of {step} is said to be unknown, and it is not (ENGINE §10)")


def _whole(results: dict[str, StepResult]) -> int:
    return sum(not result.key.is_part for result in results.values())


def _check_steps(
    given: Json, world: World, run: Run, results: dict[str, StepResult], expected: Expected, unwritten: set[RunId]
) -> None:
    for name, result in results.items():
        key = result.key
        if key.round is not None:
            continue
        if not result.status.is_final:
            is_left = (
                run.id in unwritten
                or run.id in world.ended
                or (run.error is not None and run.error.code == "outcome_unknown")
            )
            if not is_left:  # by a process that could not write it, or died while it drained, or ended the run at once
                world.blame(f"{name} is {result.status} after the end (ENGINE §10)")
            continue
        if key.step not in expected.steps:
            world.blame(f"{name} was carried out, and cannot be reached")
            continue
        comes = expected.steps[key.step]
        if key.index is not None:
            comes = comes.items[key.index] if comes.items else Comes()
        may_stop = run.status is not RunStatus.SUCCESS or bool(expected.ends)
        if problem := _problem(result, comes, may_stop=may_stop):
            world.blame(f"{name} of {given['name']} {problem}")


def _problem(result: StepResult, comes: Comes, *, may_stop: bool) -> str:
    if result.status is StepStatus.CANCELLED:
        return "" if may_stop else "was cancelled in a run that went well"
    if result.error is not None:
        is_known = result.error.code in comes.fails or result.error.code == "outcome_unknown"
        return "" if is_known else f"failed with {result.error}, not with one of {comes.fails}"
    output = decode(result.output_json or "null")
    if comes.fails:
        return f"came to {output}, and should fail with one of {comes.fails}"
    if result.skipped != comes.skipped:
        return f"was{'' if result.skipped else ' not'} skipped"
    return "" if _equal(output, comes.output) else f"came to {output}, not to {comes.output}"


def _equal(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


def stale_effects(storage: MemoryStorage, world: World, run_ids: Iterable[RunId]) -> set[tuple[RunId, str]]:
    """Where a dead process was at work on what may not be done twice: steps, and agents that had made such a call."""
    tables, once = storage._tables, set(world.once)
    found = set()
    for run_id in run_ids:
        calls = {(call.step, call.index) for call in tables.calls.get(run_id, {}).values() if _is_lost(call)}
        for key, result in tables.results.get(run_id, {}).items():
            if result.status is StepStatus.RUNNING and (key.step in once or (key.step, key.index) in calls):
                found.add((run_id, str(key)))
    return found


def _is_lost(call: ToolCall) -> bool:
    return call.effect is Effect.ONCE and call.status in (CallStatus.RUNNING, CallStatus.CANCELLED)
