"""What must hold when a process is gone, and when all is over."""

import random
from collections.abc import Sequence
from dataclasses import fields, replace
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
from core.domain.fold import apply, fold, replay
from core.domain.ids import CallId
from core.domain.interruption import Interruption, InterruptionKind, InterruptionStatus
from core.domain.live_run import LiveRun
from core.domain.run import Run, RunStatus, StepResult, StepStatus
from core.domain.text.json_text import decode
from core.engine.runs.child_runs import call_child_id, step_child_id
from tests.simulation.outcomes import check_deadline, check_message, check_root, check_run, check_steps
from tests.simulation.people import run_id_of
from tests.simulation.process import Process
from tests.simulation.reference import Comes, Known, Reference, Told, behind, ends_run, waits_for
from tests.simulation.watcher import Watcher
from tests.simulation.world import World
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_interruptions, stored_results

Json = dict[str, Any]


async def check_life(world: World, watcher: Watcher, storage: InMemoryStorage) -> None:
    """What the process told of as kept is on disk, and what it told of is what the disk says."""
    for _, run in storage._tables.runs.values():
        stored = {event.seq: event for event in await storage.events.of_run(run.id)}
        if list(stored) != list(range(1, len(stored) + 1)):
            world.blame(f"the events of {run.title} have gaps: {list(stored)} (ENGINE §13)")
        world.left_off.add((run.id, len(stored)))
        for event in watcher.kept.get(run.id, ()):
            if not _is_same(stored.get(event.seq), event):
                world.blame(
                    f"{event.fact.type} {event.seq} was said to be kept, and the disk has {stored.get(event.seq)}"
                )
        for event in watcher.heard.get(run.id, ()):
            if event.fact.stored and event.seq in stored and not _is_same(stored[event.seq], event):
                world.blame(f"{event.fact} {event.seq} was heard, and the disk has {stored[event.seq]}")


def _is_same(stored: Event | None, heard: Event) -> bool:
    """An output that the user has changed since is not what was heard."""
    if stored is None or stored.fact.type != "step_finished":
        return stored == heard
    return replace(stored, fact=heard.fact) == heard and stored.fact.status == heard.fact.status  # type: ignore[attr-defined]


async def check_end(
    scenario: Json, world: World, process: Process, storage: InMemoryStorage, rng: random.Random
) -> None:
    """Every run is what the reference says."""
    watcher = process.watcher
    for left in await storage.runs.unfinished():
        world.blame(f"{left.title} is {left.status}, and no process is left")
    for asked in await storage.interruptions.open():
        world.blame(f"{asked.ask.step} asks for ever after the end of its run: {asked.ask.kind} (ENGINE §5)")
    for given in scenario["runs"]:
        if await storage.runs.get(run_id_of(given)) is None:
            world.blame(f"{given['name']} was started, and is not there")
    for _, row in list(storage._tables.runs.values()):
        run = await storage.runs.get(row.id)
        assert run is not None
        template = world.templates[run.title]
        events = await storage.events.of_run(run.id)
        _check_order(template, world, run, events)
        if run.id not in watcher.unwritten:
            _check_watched(world, watcher.states.get(run.id), watcher.heard.get(run.id, []), events, rng)
        interruptions = await stored_interruptions(storage, run.id)
        for asked in interruptions:
            accepted = process.people.accepted.get(asked.id)
            if accepted is not None and asked.answer != accepted:
                world.blame(f"{accepted} to {asked.ask.step} was taken, and the disk has {asked.answer} (ENGINE §8)")
        results = {str(result.key): result for result in await stored_results(storage, run.id)}
        known = await _known(scenario, run, template, results, interruptions, storage)
        known.cut |= _after_the_end(run, template, events)
        if run.id in world.forks:
            await _check_fork(world, run, template, results, known, storage)
        elif run.parent is None and run.id not in map(run_id_of, scenario["runs"]):
            world.blame(f"nobody asked for another run of {run.title}")
        snapshot = await storage.snapshots.of_run(run.id)
        check_root(scenario, world, run, events)
        expected = Reference(template, dict(snapshot.input), world.meetings, known).expect()
        check_run(scenario, world, run, results, expected)
        if run.id not in watcher.unwritten:
            await check_message(world, run, storage)
        if "timeoutMs" in template and not scenario["lives"] and not scenario["disk"]["full"]:
            check_deadline(scenario, world, run, watcher.active_s.get(run.id, 0.0))
        mine = {name: one for name, one in results.items() if not (one.key.is_part and one.key.step in known.taken)}
        check_steps(world, run, mine, expected, watcher.unwritten)


async def _known(
    scenario: Json,
    run: Run,
    template: Json,
    results: dict[str, StepResult],
    interruptions: Sequence[Interruption],
    storage: InMemoryStorage,
) -> Known:
    """What time has decided."""
    has_deadline = any("timeoutMs" in each["template"] for each in scenario["runs"])
    has_deadline |= any("timeoutMs" in each for each in scenario["children"])
    known = Known(is_exact=not scenario["lives"] and not has_deadline, has_deadline=has_deadline)
    for asked in sorted(interruptions, key=lambda one: (one.closed_at is None, one.closed_at, one.seq)):
        ask, said = asked.ask, asked.answer
        if said is None or asked.status is InterruptionStatus.CANCELLED:
            continue
        if ask.kind is not InterruptionKind.OUTCOME:
            known.answers[ask.step] = Told(said.action, said.value)
            if ask.kind is InterruptionKind.STATE_EDIT and said.action == "submit":
                known.patches += [(ask.step, each["path"], each["value"]) for each in said.value]
        elif ask.call_id is None:
            key = ask.step if ask.index is None else f"{ask.step}[{ask.index}]"
            known.outcomes[key] = Told(said.action, said.value)
    for name, result in results.items():
        if result.error is not None:
            known.errors[name] = result.error.code
        step = next(each for each in template["steps"] if each["name"] == result.key.step)
        if result.key.round is None:
            call = str(result.key) if result.attempt == 1 else f"{result.key} attempt {result.attempt}"
            is_step = "workflow" in step["action"]
            child = await storage.runs.get(
                step_child_id(run.id, result.key, result.attempt) if is_step else call_child_id(run.id, CallId(call))
            )
            if child is not None:
                known.children[name] = (child.status, decode(child.output_json or "null"))
    return known


async def _check_fork(
    world: World, run: Run, template: Json, results: dict[str, StepResult], known: Known, storage: InMemoryStorage
) -> None:
    """A fork takes over the results of all steps that do not depend on where it begins, and runs none of them."""
    source, name = world.forks[run.id]
    again = behind(template, name)
    steps = {step["name"]: step for step in template["steps"]}
    for before in await stored_results(storage, source):
        key, step = before.key, steps[before.key.step]
        if key.round is not None or key.step in again or "return" in step["action"]:
            continue
        fails = {before.error.code} if before.error is not None else set()
        if key.index is None and fails and ends_run(step, Comes(fails=fails)):
            if results.get(key.step) == replace(before, run_id=run.id, active_ms=0):
                world.blame(f"a fork takes over the failure of {key.step}, and ends with it (ENGINE §8)")
        elif before.status is StepStatus.COMPLETED or (fails and key.index is None):
            known.taken[str(key)] = Comes(decode(before.output_json or "null"), before.skipped, fails)
            places = [
                visit.place for visit in world.visits if (visit.place.run, visit.place.step) == (run.id, key.step)
            ]
            if any(key.index in (None, place.index) for place in places):
                world.blame(f"{key} runs again in a fork from {name} (ENGINE §8)")
            if str(key) not in results:
                world.blame(f"{key} is not taken over by a fork from {name} (ENGINE §8)")


def _after_the_end(run: Run, template: Json, events: Sequence[Event]) -> set[str]:
    """What came to its end after that of its run was decided: it was not tried again, and the user was not asked."""
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


def _check_order(template: Json, world: World, run: Run, events: Sequence[Event]) -> None:
    """Each step begins after what it waits for, and nothing begins after the end."""
    steps = {step["name"]: step for step in template["steps"]}
    done: set[str] = set()
    active: set[str] = set()
    is_begun = is_ended = False
    for event in events:
        if (run.id, event.seq - 1) in world.left_off:  # what was in flight went with its process
            active.clear()
        match event.fact:
            case RunStarted():
                is_begun = True
            case StepSkipped(step=name) if not is_begun:  # taken over by a fork, with all that it waits for
                done.add(name)
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
    for step in rebuilt.steps.values():
        counted = step.iterations and step.iterations.completed + step.iterations.failed
        if step.iterations and step.status is StepStatus.COMPLETED and counted != step.iterations.total:
            world.blame(f"{counted} of {step.iterations.total} iterations of {step.name} are counted (ENGINE §13)")
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
    names = [field.name for field in fields(LiveRun) if field.compare and _is_stored(field.name)]
    differing = [name for name in names if getattr(one, name) != getattr(other, name)]
    return "; ".join(f"{name}: {getattr(one, name)} ≠ {getattr(other, name)}" for name in differing)
