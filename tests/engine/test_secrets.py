"""Secrets in arguments: what is kept and shown has none, and the calls have them (AGENTS_AND_TOOLS §3)."""

import asyncio
from typing import Any

import pytest

from core.domain.events import InterruptionRaised, ToolStarted
from core.domain.ids import InterruptionId, RunId
from core.domain.text.masking import MASK
from tests.support.asking import Json, agent, answer, approve_all, waiting
from tests.support.progress import stored_calls, stored_interruptions, stored_results
from tests.support.world import World, a_world, tool_step

SECRET = {"text": "x", "password": "hunter2"}
CALL = '/tool note {"text": "x", "password": "hunter2"}'


async def test_a_secret_is_neither_kept_nor_shown_and_the_call_has_it() -> None:
    async with a_world() as world:
        seen: list[Any] = []
        await catch(world, seen)
        run, asked = await waiting(world, agent("a", CALL), tool_step("b", "note", **SECRET))
        assert [each["arguments"] for each in asked] == [{"text": "x", "password": MASK}] * 2
        told = await approve_all(world, run)
        assert (told["status"], seen) == ("success", [SECRET, SECRET])
        assert [call["args"]["password"] for call in told["tool_calls"]] == [MASK, MASK]
        (row,) = await stored_calls(world.storage, run.id)
        assert "hunter2" not in row.arguments_json + str(row.result_json)
        assert "hunter2" not in str(await world.storage.audit.page())
        assert "hunter2" not in str(await stored_interruptions(world.storage, run.id))
        answers = [
            each.output_json for each in await stored_results(world.storage, run.id) if each.key.round is not None
        ]
        assert "hunter2" not in str(answers[0])
        assert not any("hunter2" in str(event.fact) for event in world.events if isinstance(event.fact, ToolStarted))


async def catch(world: World, seen: list[Any]) -> None:
    """Look at what the calls of `note` are given."""
    original = world.tools._note

    async def looking(arguments: Any, context: Any) -> Any:
        seen.append(dict(arguments))
        return await original(arguments, context)

    tool = world.core.engine._steps.tools._registry._tools["note"]  # type: ignore[attr-defined]
    object.__setattr__(tool, "server", looking)


@pytest.mark.parametrize("step", [agent("a", CALL), tool_step("a", "note", **SECRET)])
async def test_who_edits_other_arguments_leaves_the_secret_as_it_is(step: Json) -> None:
    async with a_world() as world:
        seen: list[Any] = []
        await catch(world, seen)
        run, (one,) = await waiting(world, step)
        await answer(world, run, one, "submit", {**one["arguments"], "text": "y"})
        assert seen == [{"text": "y", "password": "hunter2"}]


async def test_after_a_crash_a_step_still_has_its_secret_and_an_agent_learns_that_it_is_gone() -> None:
    async with a_world() as world:
        run, asked = await waiting(world, agent("a", CALL), tool_step("b", "note", **SECRET))
        storage = world.storage
    async with a_world(storage) as world:
        seen: list[Any] = []
        await catch(world, seen)
        await world.core.engine.recover()
        await answer(world, run, asked[0], "approve")
        told = await answer(world, run, asked[1], "approve")
        assert (told["status"], seen) == ("success", [SECRET])
        assert "stands for a secret that was not stored" in told["steps"]["a"]["output"]


async def test_after_a_crash_the_user_can_give_the_secret_anew() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", CALL))
        storage = world.storage
    async with a_world(storage) as world:
        seen: list[Any] = []
        await catch(world, seen)
        await world.core.engine.recover()
        await answer(world, run, one, "submit", {"text": "x", "password": "again"})
        assert seen == [{"text": "x", "password": "again"}]
        assert "again" not in str(await stored_interruptions(world.storage, run.id))


async def test_an_open_request_knows_its_very_arguments_and_after_a_crash_as_far_as_they_were_kept() -> None:
    each = {**tool_step("c", "note", text="@item", password="hunter2"), "forEach": {"ref": "@input.items"}}
    async with a_world() as world:
        run, asked = await waiting(
            world, agent("a", CALL), tool_step("b", "note", **SECRET), each, given={"items": ["x"]}
        )
        requests = [await world.core.engine.find_request(run.id, one["id"]) for one in asked]
        assert [known.arguments for known in requests if known is not None] == [SECRET] * 3
        storage = world.storage
        assert "hunter2" not in str(await stored_interruptions(storage, run.id))
    async with a_world(storage) as world:
        await world.core.engine.recover()
        known = {one["step"]: await world.core.engine.find_request(run.id, one["id"]) for one in asked}
        shown = {step: request.arguments for step, request in known.items() if request is not None}
        assert shown == {"a": {"text": "x", "password": MASK}, "b": SECRET, "c": SECRET}
        assert await world.core.engine.find_request(run.id, InterruptionId("int_other")) is None
        assert await world.core.engine.find_request(RunId("run_other"), asked[0]["id"]) is None
        raised = [event.fact for event in await storage.events.of_run(run.id)]
        facts = [fact for fact in raised if isinstance(fact, InterruptionRaised)]
        calls = {fact.step: await world.core.call_requests.describe(run.id, fact) for fact in facts}
        assert {step: (call.arguments, call.is_complete) for step, call in calls.items()} == {
            step: (arguments, step != "a") for step, arguments in shown.items()
        }
        waits = asyncio.ensure_future(world.core.engine.find_request(run.id, asked[0]["id"]))
        await world.core.engine.cancel(run.id)
        assert await waits is not None
        assert await world.core.engine.find_request(run.id, asked[0]["id"]) is None


async def test_an_edited_secret_is_not_replaced_by_the_one_before_after_a_crash() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, tool_step("b", "note", **SECRET))
        storage = world.storage
        copies: list[Any] = []
        commit = storage.commit

        async def spying(writes: Any) -> Any:
            lost = await commit(writes)
            copies.append(storage.copy())  # type: ignore[attr-defined]
            return lost

        storage.commit = spying  # type: ignore[method-assign]
        await answer(world, run, one, "submit", {"text": "x", "password": "other"})
    closed = [copy for copy in copies if not (await stored_interruptions(copy, run.id))[0].is_open]
    answered: Any = closed[0]
    assert "other" not in str(await stored_interruptions(answered, run.id))
    async with a_world(answered) as world:
        seen: list[Any] = []
        await catch(world, seen)
        await world.core.engine.recover()
        # the call may have been made: whoever lets it be made again learns that the secret is gone
        told = await world.settled(run.id)
        told = await answer(world, run, told["interruptions"][0], "approve")
        assert (told["status"], seen) == ("error", [])
        assert "stands for a secret that was not stored" in told["error"]["message"]
