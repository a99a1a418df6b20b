"""What must hold for what a run and its steps came to."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from core.domain.events import Event
from core.domain.fold import replay
from core.domain.ids import RunId
from core.domain.messages import MessageState
from core.domain.run import Run, RunStatus, StepResult, StepStatus
from core.domain.text.json_text import decode
from core.domain.tool import CallStatus, Effect, ToolCall
from tests.simulation.people import CANCEL_S
from tests.simulation.reference import Comes, Expected
from tests.simulation.world import World
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_calls

Json = dict[str, Any]


def check_run(scenario: Json, world: World, run: Run, results: dict[str, StepResult], expected: Expected) -> None:
    """The run ended as it may end."""
    name, output = run.title, decode(run.output_json or "null")
    world.tally[f"run: {run.error.code if run.error else run.status}"] += 1
    if run.status is RunStatus.CANCELLED:
        above = _above(world, run)
        failed = any(each.status.is_final and each.status is not RunStatus.SUCCESS for each in above)
        if run.id not in world.cancelled_at and not failed and not (run.awaited and above[0].status.is_final):
            world.blame(f"{name} is cancelled, and nobody cancelled it")
    elif run.error is not None:
        if not _may_fail(scenario, world, run, expected):
            world.blame(f"{name} failed: {run.error}; it may end in {expected.ends}")
    elif expected.ends:
        may_be = [expected.steps[end].output for end in expected.ends if not expected.steps[end].fails]
        if not any(_equal(output, each) for each in may_be):
            world.blame(f"{name} came to {output}; it may end in {expected.ends} with {may_be}")
    elif not _equal(output, expected.output):
        world.blame(f"{name} came to {output}, not to {expected.output}")
    if run.status is RunStatus.SUCCESS and not expected.ends and len(world.templates[name]["steps"]) != _whole(results):
        world.blame(f"{name} succeeded with {_whole(results)} of its steps done")


def _above(world: World, run: Run) -> list[Run]:
    """The runs above, the nearest first."""
    runs = {one.id: one for _, one in world.tables.runs.values()}
    above = [run]
    while (parent := above[-1].parent) is not None:
        above.append(runs[parent])
    return above[1:]


def check_root(scenario: Json, world: World, run: Run, events: Sequence[Event]) -> None:
    """A run that is not awaited is a root of its own once it goes on after its parent's success (ENGINE §12)."""
    above = _above(world, run)
    rebuilt = replay(events)
    if rebuilt is not None and rebuilt.root != run.root:
        world.blame(f"the root of {run.title} is {run.root} on disk, and told to be {rebuilt.root} (ENGINE §12)")
    if run.root is not None and run.root not in [each.id for each in above]:
        world.blame(f"{run.root} is the root of {run.title}, and not above it (ENGINE §12)")
    if not above:
        return
    may_be_root = above[0].status is RunStatus.SUCCESS and not run.awaited
    if run.root is None and not may_be_root:
        world.blame(f"{run.title} is a root, and its parent was {above[0].status} (ENGINE §12)")
    has_one_clock = not scenario["jumps"] and not scenario["lives"]
    if run.root is not None and may_be_root and has_one_clock and not scenario["disk"]["full"]:
        slack = timedelta(milliseconds=8 * max(scenario["disk"]["ms"]) + 20 * scenario["busyMs"])
        if (run.finished_at or run.created_at) > (above[0].finished_at or run.created_at) + slack:
            world.blame(f"{run.title} went on after its parent's success, and is no root (ENGINE §12)")


def check_deadline(scenario: Json, world: World, run: Run, active_s: float) -> None:
    """The limit is kept in active time, whatever the wall clock does (ENGINE §7)."""
    limit_s = world.templates[run.title]["timeoutMs"] / 1000
    slack_s = (8 * max(scenario["disk"]["ms"]) + 20 * scenario["busyMs"]) / 1000
    is_exceeded = run.error is not None and run.error.code == "deadline_exceeded"
    if is_exceeded and active_s < limit_s - slack_s:
        world.blame(f"{run.title} exceeded its {limit_s} s after {active_s:.3f} s (ENGINE §7)")
    if active_s > limit_s + CANCEL_S + slack_s:
        world.blame(f"{run.title} was active for {active_s:.3f} s, it may for {limit_s} s (ENGINE §7)")


async def check_message(world: World, run: Run, storage: InMemoryStorage) -> None:
    """The output of a run is its message, and nothing of what was streamed is left beside it."""
    message = next(each for each in await storage.messages.of_workflow(run.workflow_id) if each.id == run.message_id)
    output = decode(run.output_json or "null")
    text = output if isinstance(output, str) else run.output_json or ""
    if run.parent is None and message.state is MessageState.OPEN:
        world.blame(f"{run.title} has ended, and its message is open")
    elif run.parent is None and message.text != text:
        world.blame(f"{run.title} came to {text}, and its message is {message.text} (ENGINE §4)")
    if run.id not in world.ended and await storage.chunks.of_run(run.id):
        world.blame(f"{run.title} has ended, and pieces of its texts are left (ENGINE §13)")
    open_calls = [call.id for call in await stored_calls(storage, run.id) if call.status is CallStatus.RUNNING]
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


def check_steps(
    world: World, run: Run, results: dict[str, StepResult], expected: Expected, unwritten: set[RunId]
) -> None:
    """Every result is what the step may come to, and none is left open."""
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


def stale_effects(storage: InMemoryStorage, world: World) -> set[tuple[RunId, str]]:
    """Where a dead process was at work on what may not be done twice: steps, and agents that had made such a call."""
    tables, once = storage._tables, world.once
    found = set()
    for run_id in tables.events:
        progress = tables.progress(run_id)
        calls = {(call.step, call.index) for call in progress.calls if _is_lost(call)}
        for key, result in progress.results_by_key.items():
            if result.status is StepStatus.RUNNING and (key.step in once or (key.step, key.index) in calls):
                found.add((run_id, str(key)))
    return found


def _is_lost(call: ToolCall) -> bool:
    return call.effect is Effect.ONCE and call.status in (CallStatus.RUNNING, CallStatus.CANCELLED)
