"""After a crash: what is done stays done, what can be done again is, and what is unknown is named.

A crash is a copy of what was committed, opened by a second engine.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from core.domain.events import RunFinished, StepFinished
from core.domain.ids import RunId
from core.domain.messages import MessageState
from core.domain.run import Run, RunKind, RunStatus, StepStatus
from core.domain.tool import CallStatus
from core.ports import ChangeRun
from tests.support.clock import FakeClock
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import append_facts, claimed, stored_calls, stored_results
from tests.support.world import World, a_step, a_world, tool_step


async def crashed(*steps: dict[str, Any], **options: Any) -> tuple[InMemoryStorage, RunId, World]:
    """The store of a process that died while `hold` or `hang` was at work."""
    async with a_world() as world:
        run = await world.start(*steps, **options)
        await asyncio.sleep(0.15)
        assert isinstance(world.storage, InMemoryStorage)
        copy = world.storage.copy()
        world.tools.release.set()
        await world.core.engine.cancel(run.id)
    return copy, run.id, world


async def recovered(storage: InMemoryStorage, run_id: RunId) -> tuple[World, dict[str, Any]]:
    async with a_world(storage) as world:
        world.tools.release.set()
        await world.core.engine.recover()
        await world.core.engine.wait(run_id)
        return world, await world.describe(run_id)


async def test_a_finished_step_never_runs_twice() -> None:
    storage, run_id, _ = await crashed(tool_step("n", "note", text=1), tool_step("h", "hold", "n"), a_step("z", "h"))
    world, run = await recovered(storage, run_id)
    assert run["status"] == "success"
    assert world.tools.notes == []


async def test_pure_work_in_flight_begins_anew() -> None:
    storage, run_id, _ = await crashed(tool_step("h", "hold"), tool_step("n", "note", "h", text=1))
    world, run = await recovered(storage, run_id)
    assert run["status"] == "success"
    assert world.tools.notes == [1]


async def test_an_effect_of_unknown_outcome_fails_where_the_template_says_so() -> None:
    step = {**tool_step("x", "hang", text=1), "config": {"onUnknown": "fail"}}
    storage, run_id, before = await crashed(step, a_step("after", "x"))
    assert before.tools.notes == [1]
    world, run = await recovered(storage, run_id)
    assert run["status"] == "error"
    assert run["error"]["code"] == "outcome_unknown"
    assert run["error"]["failed_step"] == "x"
    assert run["tool_calls"][0]["status"] == "unknown"
    assert world.tools.notes == []
    assert await storage.runs.unfinished() == []


async def test_an_effect_that_may_be_repeated_is() -> None:
    storage, run_id, _ = await crashed(tool_step("h", "hold"), tool_step("m", "mark", "h", text=1))
    await append_facts(storage, run_id, claimed("m"))
    world, run = await recovered(storage, run_id)
    assert run["status"] == "success"
    assert world.tools.notes == [1]


@pytest.mark.parametrize(("append", "status"), [(True, "waiting"), (False, "success")])
async def test_what_a_claimed_call_was_about_to_do_is_found_out_from_all_that_refs_can_see(
    append: bool, status: str, tmp_path: Path
) -> None:
    """An append is not made twice, although its text is known from the run alone; a whole file may be."""
    path, text = str(tmp_path / "log.txt"), "@ctx.started_at @ctx.run_id @ctx.step"
    step = tool_step("w", "write_file", "h", path=path, content=text, append=append)
    storage, run_id, _ = await crashed(tool_step("h", "hold"), step, allow=(str(tmp_path),))
    await append_facts(storage, run_id, claimed("w"))
    _, run = await recovered(storage, run_id)
    assert run["status"] == status
    if append:
        assert run["interruptions"][0]["status"] == "awaiting-outcome"
        assert run["tool_calls"][-1]["args"]["content"].endswith(f"Z {run_id} w")
        (tmp_path / "log.txt").unlink(missing_ok=True)


async def test_a_template_may_call_an_effect_repeatable() -> None:
    step = {**tool_step("x", "note", "h", text=1), "config": {"idempotent": True}}
    storage, run_id, _ = await crashed(tool_step("h", "hold"), step)
    await append_facts(storage, run_id, claimed("x"))
    world, run = await recovered(storage, run_id)
    assert run["status"] == "success"
    assert world.tools.notes == [1]


async def test_a_stale_claim_is_released_once_and_a_second_start_finds_nothing() -> None:
    """The process died between the claim and the tool (crash-03)."""
    storage, run_id, _ = await crashed(tool_step("h", "hold"), tool_step("m", "mark", "h", text=1))
    await append_facts(storage, run_id, claimed("m"))
    _, run = await recovered(storage, run_id)
    assert run["status"] == "success"
    async with a_world(storage) as world:
        assert await world.core.engine.recover() == []
        assert world.tools.notes == []


async def test_a_run_that_had_ended_stays_as_it_was() -> None:
    """Killed after the last commit and before anyone was told (crash-02)."""
    async with a_world() as world:
        run = await world.run(tool_step("n", "note"))
        storage = world.storage
        before = await storage.runs.get(run["run_id"])
    async with a_world(storage) as world:
        assert await world.core.engine.recover() == []
        after = await storage.runs.get(run["run_id"])
        assert after == before
        assert after is not None
        assert after.finished_at is not None
        assert after.started_at is not None
        assert after.finished_at >= after.started_at


async def test_a_run_that_cannot_be_read_does_not_stop_the_others() -> None:
    """The middle one of three has a broken definition (crash-05)."""
    async with a_world() as world:
        runs = [await world.start(tool_step("h", "hold")) for _ in range(3)]
        await asyncio.sleep(0.1)
        assert isinstance(world.storage, InMemoryStorage)
        storage = world.storage.copy()
        world.tools.release.set()
    storage.spoil("snapshot", runs[1].id)
    async with a_world(storage) as world:
        world.tools.release.set()
        await world.core.engine.recover()
        ended = [await world.core.engine.wait(run.id) for run in runs]
    assert [run.status for run in ended] == [RunStatus.SUCCESS, RunStatus.ERROR, RunStatus.SUCCESS]
    assert ended[1].error is not None
    assert ended[1].error.code == "unreadable"


async def test_runs_that_wait_start_in_their_old_order() -> None:
    async with a_world() as world:
        runs = [await world.start(tool_step("h", "hold")) for _ in range(4)]
        await asyncio.sleep(0.1)
        assert isinstance(world.storage, InMemoryStorage)
        storage = world.storage.copy()
        world.tools.release.set()
    async with a_world(storage) as world:
        assert await world.core.engine.recover() == [run.id for run in runs]
        world.tools.release.set()


async def test_holes_of_a_list_are_filled() -> None:
    held = {**tool_step("each", "hold"), "forEach": {"ref": "@input.items", "concurrency": 5}}
    storage, run_id, _ = await crashed(held, given={"items": [0, 1, 2, 3, 4]})
    done = [StepFinished(step="each", index=n, status=StepStatus.COMPLETED, output=n) for n in (0, 3, 4)]
    await append_facts(storage, run_id, *done)
    world, run = await recovered(storage, run_id)
    assert run["output"] == [0, {}, {}, 3, 4]
    assert world.tools.most_in_flight <= 2


async def test_a_failed_step_whose_run_had_not_ended_ends_it() -> None:
    storage, run_id, _ = await crashed(tool_step("h", "hold"), tool_step("f", "fail", seconds=0.01))
    again = ChangeRun(run_id, frozenset({RunStatus.ERROR}), RunStatus.RUNNING)
    await storage.commit([again])
    _, run = await recovered(storage, run_id)
    assert run["status"] == "error"
    assert run["error"]["failed_step"] == "f"


async def test_active_time_is_not_lost() -> None:
    storage, run_id, _ = await crashed(tool_step("w", "echo", seconds=0.08), tool_step("h", "hold", "w"))
    _, run = await recovered(storage, run_id)
    assert run["metrics"]["active_ms"] >= 80


async def test_an_agent_goes_on_from_its_last_finished_round() -> None:
    script = (
        {"say": "first"},
        {"call": "note", "arguments": {"text": 1}},
        {"say": "then"},
        {"call": "hold", "arguments": {}},
        {"say": "end"},
    )
    answer = {"name": "answer", "action": {"agent": {"prompt": "@input.text"}}}
    storage, run_id, before = await crashed(answer, given={"text": "go"}, kind=RunKind.CHAT, prompt="go", script=script)
    assert before.tools.notes == [1]
    world, run = await recovered(storage, run_id)
    assert run["status"] == "success", run["error"]
    assert world.tools.notes == []
    assert run["metrics"]["total_rounds"] == 2
    messages = await storage.messages.of_workflow(run["workflow_id"])
    assert messages[-1].state is MessageState.FINAL
    assert messages[-1].text.split() == ["first", "then", "end"]


@pytest.mark.parametrize("tool", ["hang", "hold"])
async def test_leaving_the_engine_checkpoints_what_is_at_work(tool: str) -> None:
    async with a_world() as world:
        run = await world.start(tool_step("x", tool))
        await asyncio.sleep(0.05)
        storage = world.storage
    stored = await storage.runs.get(run.id)
    assert stored is not None
    assert stored.status is RunStatus.ENQUEUED
    assert isinstance(storage, InMemoryStorage)
    _, described = await recovered(storage, run.id)
    assert described["status"] == ("waiting" if tool == "hang" else "success")


async def test_a_run_that_ends_while_it_is_looked_for_is_left_alone() -> None:
    """Recovery finds it running, and then it ends: it is not begun again, and nothing is told after its end."""
    async with a_world() as world:
        run = await world.start(tool_step("n", "note"))
        found, storage = await world.storage.runs.unfinished(), world.storage
        await world.core.engine.wait(run.id)
        assert [each.id for each in found] == [run.id]

        async def as_found() -> list[Run]:
            return found

        storage.runs.unfinished = as_found  # type: ignore[method-assign]
        before = await storage.events.of_run(run.id)
        await world.core.engine.recover()
        await asyncio.sleep(0.05)
        assert await storage.events.of_run(run.id) == before
        assert world.tools.notes == [None]
        assert not world.core.engine.is_at_work


async def test_after_a_restart_nothing_is_running_without_a_driver() -> None:
    """Twenty runs in every phase (crash-07): waiting ones wait as before, queued ones keep their order."""
    asks = {**tool_step("a", "note", text="asked"), "interrupt": {"kind": "approval"}}
    async with a_world() as world:
        await world.core.settings.change(max_running_runs=5)
        ended = [await world.run(a_step("x")) for _ in range(5)]
        waiting = [await world.start(asks) for _ in range(5)]
        for run in waiting:
            await world.core.engine.wait(run.id)
        working = [await world.start(tool_step("h", "hold")) for _ in range(5)]
        queued = [await world.start(tool_step("n", "note", text=n)) for n in range(5)]
        await asyncio.sleep(0.1)
        assert isinstance(world.storage, InMemoryStorage)
        storage = world.storage.copy()
        world.tools.release.set()
        for run in waiting:
            await world.core.engine.cancel(run.id)
    async with a_world(storage) as world:
        await world.core.settings.change(max_running_runs=5)
        found = await world.core.engine.recover()
        assert set(found) == {run.id for run in (*waiting, *working, *queued)}
        assert all(world.core.engine.drives(run_id) for run_id in found)
        world.tools.release.set()
        for run in (*working, *queued):
            assert (await world.settled(run.id))["status"] == "success"
        assert world.tools.notes == [0, 1, 2, 3, 4]
        assert len(await world.storage.interruptions.open()) == 5
        for run in waiting:
            assert (await world.answer(run, "approve"))["status"] == "success"
        for described in ended:
            assert (await world.describe(described["run_id"]))["status"] == "success"


async def test_the_wall_clock_may_jump_without_any_duration_noticing() -> None:
    """Back by an hour between two steps (clock-01)."""
    clock = FakeClock(loop=asyncio.get_running_loop())
    async with a_world(clock=clock) as world:
        run = await world.start(
            tool_step("a", "echo", seconds=0.05), tool_step("b", "echo", "a", seconds=0.05), timeoutMs=2000
        )
        await world.heard(StepFinished)
        clock.jump(-3600)
        told = await world.settled(run.id)
    assert told["status"] == "success"
    assert 80 <= told["metrics"]["active_ms"] < 2000
    assert all(call["duration_ms"] >= 0 for call in told["tool_calls"])
    assert [event.seq for event in await world.storage.events.of_run(run.id)] == list(
        range(1, len(await world.storage.events.of_run(run.id)) + 1)
    )


@pytest.mark.parametrize("kind", [RunKind.WORKFLOW, RunKind.CHAT])
async def test_a_cancel_of_what_a_crash_left_leaves_nothing_open(kind: RunKind) -> None:
    """Neither a step nor a call of an agent."""
    agent = {"name": "x", "action": {"agent": {"prompt": "go"}}}
    script = ({"call": "hang", "arguments": {}},)
    step = tool_step("x", "hang") if kind is RunKind.WORKFLOW else agent
    storage, run_id, _ = await crashed(step, kind=kind, script=script, prompt="go")
    async with a_world(storage) as world:
        await world.core.engine.cancel(run_id)
        told = await world.describe(run_id)
        assert (told["status"], told["steps"]["x"]["status"]) == ("cancelled", "cancelled")
    results = await stored_results(storage, run_id)
    assert [result.status for result in results if result.key.round is None] == [StepStatus.CANCELLED]
    calls = await stored_calls(storage, run_id)
    assert [call.status for call in calls] == ([] if kind is RunKind.WORKFLOW else [CallStatus.UNKNOWN])
    assert isinstance((await storage.events.of_run(run_id))[-1].fact, RunFinished)
