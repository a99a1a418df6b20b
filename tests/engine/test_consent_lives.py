"""Requests for consent that expire, and that outlive the process (ENGINE §8, §10)."""

import asyncio
from typing import Any

import pytest

from core.domain.audit import Decider, Decision
from core.domain.consent import Rule
from core.domain.events import InterruptionRaised
from core.domain.settings import OnTimeout
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from tests.support.asking import agent, answer, approve_all, decisions, note, waiting
from tests.support.clock import FakeClock
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_interruptions
from tests.support.virtual_loop import run_virtual
from tests.support.world import a_world, tool_step

MANUAL = ValidationMode.MANUAL


@pytest.mark.parametrize("way", OnTimeout)
@pytest.mark.parametrize("kind", ["agent", "step", "iteration"])
def test_a_request_that_expires_is_rejected_approved_or_asked_again(way: OnTimeout, kind: str) -> None:
    async def story() -> None:
        clock = FakeClock(loop=asyncio.get_running_loop())
        async with a_world(clock=clock) as world:
            changed = await world.core.settings.change(
                consent_expires=True, consent_timeout_s=30, consent_on_timeout=way
            )
            assert isinstance(changed, Ok)
            step = {
                "agent": agent("a", note("x")),
                "step": tool_step("a", "note", text="x"),
                "iteration": {**tool_step("a", "note", text="@item"), "forEach": {"ref": "@input.items"}},
            }[kind]
            run, (one,) = await waiting(world, step, given={"items": ["x"]})
            assert one["expires_at"] is not None
            await asyncio.sleep(29)
            assert len(await stored_interruptions(world.storage, run.id)) == 1
            await asyncio.sleep(20)
            told = await world.settled(run.id)
            assert told["interruptions"][-1]["status"] == "expired"
            (first, *later) = await decisions(world)
            if way is OnTimeout.ASK_AGAIN:
                assert first[1:3] == (Decision.ASKED_AGAIN, Decider.TIME)
                assert (told["status"], world.tools.notes) == ("waiting", [])
                one = next(each for each in told["interruptions"] if each["status"] == "awaiting-approval")
                told = await answer(world, run, one, "approve")
                assert (told["status"], world.tools.notes) == ("success", ["x"])
            elif way is OnTimeout.APPROVE:
                assert (first[1:3], later) == ((Decision.APPROVED, Decider.TIME), [])
                assert (told["status"], world.tools.notes) == ("success", ["x"])
            else:
                assert (first[1:3], later) == ((Decision.REJECTED, Decider.TIME), [])
                assert world.tools.notes == []
                assert told["status"] == ("success" if kind == "agent" else "error")

    run_virtual(story())


def test_without_a_time_limit_a_request_waits_for_ever() -> None:
    async def story() -> None:
        clock = FakeClock(loop=asyncio.get_running_loop())
        async with a_world(clock=clock) as world:
            run, (one,) = await waiting(world, agent("a", note("x")))
            assert one["expires_at"] is None
            await asyncio.sleep(30 * 24 * 3600)
            assert (await answer(world, run, one, "approve"))["status"] == "success"

    run_virtual(story())


@pytest.mark.parametrize("kind", ["agent", "step", "iteration"])
async def test_whatever_moment_the_process_dies_at_nothing_is_asked_or_done_twice(kind: str) -> None:
    """A copy of the store is taken at every commit; each goes on in a life of its own."""
    steps = {
        "agent": (agent("a", f"{note('x')}\n{note('y')}"),),
        "step": (tool_step("a", "note", text="x"), tool_step("b", "note", "a", text="y")),
        "iteration": ({**tool_step("a", "note", text="@item"), "forEach": {"ref": "@input.items"}},),
    }[kind]
    copies: list[tuple[InMemoryStorage, list[Any]]] = []
    async with a_world() as world:
        assert isinstance(world.storage, InMemoryStorage)
        commit = world.storage.commit

        async def spying(writes: Any) -> frozenset[int]:
            copies.append((world.storage.copy(), list(world.tools.notes)))  # type: ignore[attr-defined]
            lost = await commit(writes)
            copies.append((world.storage.copy(), list(world.tools.notes)))  # type: ignore[attr-defined]
            return lost

        world.storage.commit = spying  # type: ignore[method-assign]
        run = await world.start(*steps, given={"items": ["x", "y"]}, mode=MANUAL)
        told = await approve_all(world, run)
        assert (told["status"], world.tools.notes) == ("success", ["x", "y"])
    assert len(copies) > 12
    for storage, notes in copies:
        if await storage.runs.get(run.id) is None:
            continue
        async with a_world(storage) as world:
            before = {each.id: each for each in await stored_interruptions(storage, run.id)}
            await world.core.engine.recover()
            told = await approve_all(world, run, notes)
            assert told["status"] == "success"
            assert sorted(notes + world.tools.notes) == ["x", "y"]
            after = await stored_interruptions(storage, run.id)
            places = [
                (each.ask.step, each.ask.index, each.ask.call_id) for each in after if each.ask.kind == "tool-approval"
            ]
            assert len(places) == len(set(places)) == 2
            assert all(each == before.get(each.id, each) for each in after if not before.get(each.id, each).is_open)


async def test_what_the_user_submitted_before_a_crash_is_what_runs_after_it() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", note("x")))
        assert isinstance(world.storage, InMemoryStorage)
        copies: list[InMemoryStorage] = []
        commit = world.storage.commit

        async def spying(writes: Any) -> frozenset[int]:
            lost = await commit(writes)
            copies.append(world.storage.copy())  # type: ignore[attr-defined]
            return lost

        world.storage.commit = spying  # type: ignore[method-assign]
        await answer(world, run, one, "submit", {"text": "mine"})
    async with a_world(copies[0]) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
        assert (told["status"], world.tools.notes) == ("success", ["mine"])
        assert len([event for event in world.events if isinstance(event.fact, InterruptionRaised)]) == 1


async def test_a_request_stays_open_though_it_would_not_be_made_any_more() -> None:
    async with a_world() as world:
        run, _ = await waiting(world, agent("a", note("x")), tool_step("b", "note", text="b"))
        storage = world.storage
    async with a_world(storage) as world:
        await world.core.consent.set_exception("note", Rule.ALLOW)
        await world.core.engine.recover()
        told = await world.settled(run.id)
        asked = [each for each in told["interruptions"] if each["status"] == "awaiting-approval"]
        assert (len(asked), world.tools.notes) == (2, [])
        await answer(world, run, asked[0], "approve")
        told = await answer(world, run, asked[1], "approve")
        assert (told["status"], sorted(world.tools.notes)) == ("success", ["b", "x"])
