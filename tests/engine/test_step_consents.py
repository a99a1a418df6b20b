"""Consent to the tool calls of steps: asked before the claim, and a rejection ends the run (ENGINE §8)."""

import asyncio
from collections.abc import Sequence

import pytest

from core.domain.audit import Decider, Decision
from core.domain.consent import Rule
from core.domain.events import StepStarted
from core.domain.interruption import Action, Answer
from core.domain.template import ValidationMode
from tests.support.asking import Json, answer, decisions, waiting
from tests.support.progress import stored_results
from tests.support.world import a_step, a_world, tool_step

MANUAL = ValidationMode.MANUAL


async def test_a_step_is_asked_about_before_its_claim_and_runs_as_it_was_let() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, tool_step("a", "note", text="@input.what"), given={"what": "it"})
        assert (one["kind"], one["step"], one["tool"], one["arguments"]) == (
            "tool-approval",
            "a",
            "note",
            {"text": "it"},
        )
        assert await stored_results(world.storage, run.id) == []
        assert not any(isinstance(event.fact, StepStarted) for event in world.events)
        told = await answer(world, run, one, "submit", {"text": "better"})
        assert (told["status"], world.tools.notes) == ("success", ["better"])
        assert told["tool_calls"][0]["args"] == {"text": "better"}


@pytest.mark.parametrize("on_error", ["fail", "continue"])
async def test_a_rejected_step_ends_the_run(on_error: str) -> None:
    async with a_world() as world:
        step = {**tool_step("a", "note", text="a"), "config": {"onError": on_error, "maxAttempts": 3}}
        run, (one,) = await waiting(world, step, a_step("z", "a"))
        told = await answer(world, run, one, "reject", reason="too early")
        assert (told["status"], told["error"]["code"], told["error"]["failed_step"]) == ("error", "rejected", "a")
        assert "too early" in told["error"]["message"]
        assert (told["error"]["failed_during"], told["error"]["tool_name"]) == ("tool_execution", "note")
        assert [(call["name"], call["status"]) for call in told["tool_calls"]] == [("note", "error")]
        assert (told["steps"]["a"]["status"], told["steps"]["z"]["status"]) == ("error", "pending")
        assert world.tools.notes == []


async def test_a_step_that_waits_for_consent_takes_no_place_from_others() -> None:
    async with a_world() as world:
        await world.core.consent.set_exception("mark", Rule.ALLOW)
        run, (one,) = await waiting(
            world, tool_step("a", "note", text="a"), tool_step("b", "mark", text="b"), maxParallel=1
        )
        assert world.tools.notes == ["b"]
        told = await answer(world, run, one, "approve")
        assert (told["status"], world.tools.notes) == ("success", ["b", "a"])


async def test_a_step_whose_arguments_miss_is_not_asked_about() -> None:
    async with a_world() as world:
        told = await world.run(tool_step("a", "calculator", expression=5), mode=MANUAL)
        assert (told["error"]["code"], told["interruptions"]) == ("invalid_arguments", [])


async def test_each_iteration_is_asked_about_unless_one_answer_is_for_the_run() -> None:
    async with a_world() as world:
        each = {**tool_step("e", "note", text="@item"), "forEach": {"ref": "@input.items"}}
        run, (one,) = await waiting(world, each, given={"items": ["x", "y", "z"]})
        assert (one["step"], one["index"], one["arguments"]) == ("e", 0, {"text": "x"})
        told = await answer(world, run, one, "submit", {"text": "X"})
        (one,) = [one for one in told["interruptions"] if one["status"] == "awaiting-approval"]
        assert (one["index"], world.tools.notes) == (1, ["X"])
        told = await answer(world, run, one, "approve", "run")
        assert (told["status"], world.tools.notes) == ("success", ["X", "y", "z"])
        assert told["output"] == [{"text": "X"}, {"text": "y"}, {"text": "z"}]


async def test_a_rejected_iteration_ends_the_run_too() -> None:
    async with a_world() as world:
        each = {**tool_step("e", "note", text="@item"), "forEach": {"ref": "@input.items"}}
        run, (one,) = await waiting(world, each, given={"items": ["x", "y"]})
        told = await answer(world, run, one, "reject")
        assert (told["status"], told["error"]["code"], world.tools.notes) == ("error", "rejected", [])


async def test_retries_do_not_ask_again_and_stay_with_what_was_let() -> None:
    async with a_world() as world:
        step = {
            **tool_step("a", "fail", text="try @ctx.attempt"),
            "config": {"maxAttempts": 2, "backoffMs": 100, "onError": "continue"},
        }
        run, (one,) = await waiting(world, step)
        told = await answer(world, run, one, "approve")
        assert told["steps"]["a"]["attempts"] == 2
        assert [call["args"] for call in told["tool_calls"]] == [{"text": "try 1"}] * 2
        assert len(told["interruptions"]) == 1


@pytest.mark.parametrize("kind", ["approval", "input-review"])
async def test_who_lets_a_step_pass_that_shows_its_call_is_not_asked_once_more(kind: str) -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, {**tool_step("a", "note", text="a"), "interrupt": {"kind": kind}})
        told = await answer(world, run, one, "approve")
        assert (told["status"], len(told["interruptions"])) == ("success", 1)
        assert await decisions(world) == [("note", Decision.APPROVED, Decider.PERSON, "once")]


async def test_a_gate_that_shows_no_call_or_that_only_expired_is_no_consent() -> None:
    async with a_world() as world:
        gates: Sequence[Json] = (
            {"kind": "approval", "timeoutMs": 1, "defaultAction": "approve"},
            {"kind": "state-edit"},
        )
        steps = [{**tool_step(f"s{at}", "note", "z", text=str(at)), "interrupt": gate} for at, gate in enumerate(gates)]
        run = await world.start(a_step("z"), *steps, mode=MANUAL)
        await asyncio.sleep(0.1)
        await world.core.engine.answer(run.id, Answer(Action.SUBMIT, []), step="s1")
        told = await world.settled(run.id)
        assert sorted(each["kind"] for each in told["interruptions"] if each["status"] == "awaiting-approval") == [
            "tool-approval",
            "tool-approval",
        ]
        assert world.tools.notes == []


async def test_a_code_step_is_no_tool_call() -> None:
    async with a_world() as world:
        code = {"name": "c", "action": {"code": "export default () => 3"}}
        assert (await world.run(code, mode=MANUAL))["output"] == 3
