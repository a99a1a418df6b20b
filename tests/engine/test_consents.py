"""Consent to the tool calls of agents: who is asked, when, and what an answer does (AGENTS_AND_TOOLS §6, ENGINE §8)."""

import asyncio
from typing import Any

import pytest

from core.domain.audit import Decider, Decision
from core.domain.consent import Rule
from core.domain.events import ToolEnded, ToolStarted
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.domain.text.json_text import encode
from core.domain.tool import CallStatus
from core.errors import Refused
from core.services.outcome import Ok
from tests.engine.test_children import calls, store
from tests.support.asking import agent, answer, decisions, note, waiting
from tests.support.progress import stored_calls
from tests.support.world import World, a_step, a_world, tool_step

MANUAL = ValidationMode.MANUAL


async def test_all_calls_of_a_round_that_need_consent_are_asked_about_together_and_before_any_runs() -> None:
    async with a_world() as world:
        run, asked = await waiting(world, agent("a", "\n".join(map(note, "xyz"))))
        assert [(each["kind"], each["tool"], each["arguments"]) for each in asked] == [
            ("tool-approval", "note", {"text": text}) for text in "xyz"
        ]
        assert {(each["status"], each["step"], each["risk"]) for each in asked} == {
            ("awaiting-approval", "a", "medium")
        }
        await answer(world, run, asked[2], "approve")
        await answer(world, run, asked[0], "approve")
        assert world.tools.notes == []
        told = await answer(world, run, asked[1], "approve")
        assert (told["status"], world.tools.notes) == ("success", ["x", "y", "z"])
        assert [each["status"] for each in told["interruptions"]] == ["approved"] * 3


async def test_in_selective_mode_only_what_needs_consent_is_asked_about() -> None:
    async with a_world() as world:
        await world.core.consent.set_exception("note", Rule.ASK)
        prompt = f'{note("x")}\n/tool echo {{"n": 1}}'
        run, asked = await waiting(world, agent("a", prompt), mode=ValidationMode.SELECTIVE)
        assert [each["tool"] for each in asked] == ["note"]
        told = await answer(world, run, asked[0], "approve")
        assert [call["status"] for call in told["tool_calls"]] == ["completed"] * 2


async def test_a_rejected_call_is_a_result_that_the_model_reads() -> None:
    async with a_world() as world:
        run, asked = await waiting(world, agent("a", f"{note('x')}\n{note('y')}"))
        await answer(world, run, asked[0], "reject", reason="not on a Friday")
        told = await answer(world, run, asked[1], "approve")
        assert (told["status"], world.tools.notes) == ("success", ["y"])
        assert "failed: not on a Friday (`rejected`)" in told["output"]
        assert [(call["status"], (call["error"] or {}).get("code")) for call in told["tool_calls"]] == [
            ("error", "rejected"),
            ("completed", None),
        ]
        started = [event.fact.call_id for event in world.events if isinstance(event.fact, ToolStarted)]
        ended = [event.fact.call_id for event in world.events if isinstance(event.fact, ToolEnded)]
        assert sorted(started) == sorted(ended) == ["a.1.1", "a.1.2"]


async def test_a_rejection_without_a_reason_says_so() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", note("x")))
        assert "the user rejected this call" in (await answer(world, run, one, "reject"))["output"]


async def test_other_arguments_can_be_submitted_and_have_to_fit() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", '/tool calculator {"expression": "1"}'))
        assert one["schema"]["required"] == ["expression"]
        for value in ({"expression": 5}, {}, {"expression": "1", "more": 1}, "2", None):
            with pytest.raises(Refused) as refused:
                await answer(world, run, one, "submit", value)
            assert refused.value.code == "bad_answer"
            assert bool(refused.value.parameters.get("violations")) is isinstance(value, dict)
        told = await answer(world, run, one, "submit", {"expression": "40+2"})
        assert told["tool_calls"][0]["args"] == {"expression": "40+2"}
        assert '{"result":42}' in told["output"]
        assert told["interruptions"][0]["status"] == "approved"


@pytest.mark.parametrize(("action", "value"), [("skip", None), ("approve", "for ever"), ("approve", {})])
async def test_what_is_no_answer_changes_nothing(action: str, value: Any) -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", note("x")))
        with pytest.raises(Refused) as refused:
            await answer(world, run, one, action, value)
        assert refused.value.code == "bad_answer"
        assert (await world.describe(run.id))["interruptions"][0]["status"] == "awaiting-approval"


@pytest.mark.parametrize("call", ["/tool nothing", "/tool calculator {}", "/tool calculator [1]", "/tool calculator {"])
async def test_the_user_is_not_asked_about_a_call_that_cannot_be_made(call: str) -> None:
    async with a_world() as world:
        told = await world.run(agent("a", call), mode=MANUAL)
        assert (told["status"], told["interruptions"]) == ("success", [])
        assert told["tool_calls"][0]["status"] == "error"


async def test_an_approval_for_the_run_covers_later_calls_of_that_tool_alone() -> None:
    async with a_world() as world:
        prompt = f'{note("x")}\n\n{note("y")}\n\n/tool mark {{"text": "z"}}'
        run, (one,) = await waiting(world, agent("a", prompt), tool_step("b", "note", "a", text="b"))
        told = await answer(world, run, one, "approve", "run")
        open_ones = [each for each in told["interruptions"] if each["status"] == "awaiting-approval"]
        assert ([each["tool"] for each in open_ones], world.tools.notes) == (["mark"], ["x", "y"])
        told = await answer(world, run, open_ones[0], "approve", "once")
        assert (told["status"], world.tools.notes) == ("success", ["x", "y", "z", "b"])
        assert await decisions(world) == [
            ("note", Decision.APPROVED, Decider.PERSON, "run"),
            ("note", Decision.APPROVED, Decider.RUN, None),
            ("mark", Decision.APPROVED, Decider.PERSON, "once"),
            ("note", Decision.APPROVED, Decider.RUN, None),
        ]
        other = await world.start(agent("a", note("w")), mode=MANUAL)
        assert (await world.settled(other.id))["status"] == "waiting"


def command(line: str, **more: Any) -> str:
    return f"/tool run_command {encode({'command': line, **more})}"


async def test_an_approval_of_a_command_for_the_run_covers_no_other_command() -> None:
    async with a_world() as world:
        calls = [command(f"echo {text}") for text in (1, 1, 2)]
        run, (one,) = await waiting(world, agent("a", "\n\n".join(calls)), mode=ValidationMode.AUTO)
        told = await answer(world, run, one, "approve", "run")
        (other,) = [each for each in told["interruptions"] if each["status"] == "awaiting-approval"]
        assert (other["arguments"], len(told["interruptions"])) == ({"command": "echo 2"}, 2)


async def is_asked(world: World, line: str, **more: Any) -> bool:
    run = await world.start(agent("a", command(line, **more)), mode=ValidationMode.AUTO)
    return bool((await world.settled(run.id))["status"] == "waiting")


async def test_a_command_is_allowed_for_good_by_its_line_or_its_beginning_until_it_is_taken_back() -> None:
    """The rule is the one that the request offered, holds after a restart, and is taken back like any exception."""
    rules = {"command:cd x; make\nls": Rule.ALLOW, "command_prefix:git status": Rule.ALLOW}
    async with a_world() as world:
        for line, scope in (("cd x; make\nls", "always"), ("git status --short", "prefix")):
            run, (one,) = await waiting(world, agent("a", command(line)), mode=ValidationMode.AUTO)
            assert one["options"]["command"]["line"] == line
            assert (await answer(world, run, one, "approve", scope))["status"] == "success"
        assert world.core.consent.exceptions == rules
        storage = world.storage
    async with a_world(storage) as world:
        assert world.core.consent.exceptions == rules
        assert [await is_asked(world, line) for line in ("cd x; make\nls", "git status", "git status -v")] == [
            False
        ] * 3
        others = ("cd x; make", "git status; rm x", "git stash", "git")
        assert [await is_asked(world, line) for line in others] == [True] * len(others)
        assert await is_asked(world, "git status", network=True)
        assert await world.core.consent.set_exceptions(list(rules), None) == Ok(None)
        assert world.core.consent.exceptions == {}
        assert await is_asked(world, "git status")


async def test_a_request_offers_no_rule_for_a_secret_and_no_prefix_for_operators() -> None:
    async with a_world() as world:
        for line, offered in (
            ("curl -H 'Authorization: Bearer sk-abcdefghijklmnopqrstuvwx1234'", None),
            ("ls | wc", []),
        ):
            run, (one,) = await waiting(world, agent("a", command(line)), mode=ValidationMode.AUTO)
            rule = (one["options"] or {}).get("command")
            assert (rule and rule["prefix"]) == offered
            with pytest.raises(Refused, match="the value of approve is once, run, always, or absent"):
                await answer(world, run, one, "approve", "prefix")
            if offered is None:
                await answer(world, run, one, "approve", "always")
        assert world.core.consent.exceptions == {}


async def test_an_approval_for_the_run_covers_its_children_and_holds_after_a_restart() -> None:
    async with a_world() as world:
        await store(world, "Child", tool_step("n", "note", text="child"))
        steps = (tool_step("a", "note", text="a"), tool_step("b", "mark", "a", text="b"), calls("c", "Child", "b"))
        run, (one,) = await waiting(world, *steps)
        told = await answer(world, run, one, "approve", "run")
        assert (told["status"], world.tools.notes) == ("waiting", ["a"])
        storage = world.storage
    async with a_world(storage) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
        (one,) = [each for each in told["interruptions"] if each["status"] == "awaiting-approval"]
        assert one["tool"] == "mark"
        told = await answer(world, run, one, "approve")
        assert (told["status"], world.tools.notes) == ("success", ["b", "child"])


async def test_an_approval_for_a_child_does_not_cover_its_parent() -> None:
    async with a_world() as world:
        await store(world, "Child", tool_step("n", "note", text="child"))
        run, (one,) = await waiting(world, calls("c", "Child"), tool_step("b", "note", "c", text="b"))
        told = await answer(world, run, one, "approve", "run")
        assert (told["status"], world.tools.notes) == ("waiting", ["child"])


async def test_always_is_an_exception_that_holds_everywhere_and_can_be_taken_back() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", note("x")))
        await answer(world, run, one, "approve", "always")
        assert world.core.consent.exceptions == {"note": Rule.ALLOW}
        told = await world.run(tool_step("b", "note", text="b"), mode=MANUAL)
        assert (told["status"], told["interruptions"]) == ("success", [])
        storage = world.storage
    async with a_world(storage) as world:
        assert world.core.consent.exceptions == {"note": Rule.ALLOW}
        told = await world.run(agent("a", note("c")), mode=MANUAL)
        assert told["status"] == "success"
        assert [decider for _, _, decider, _ in await decisions(world)] == [
            Decider.PERSON,
            Decider.EXCEPTION,
            Decider.EXCEPTION,
        ]
        assert isinstance(await world.core.consent.set_exception("note", None), Ok)
        _, asked = await waiting(world, agent("a", note("d")))
        assert len(asked) == 1
        storage = world.storage
    async with a_world(storage) as world:
        assert world.core.consent.exceptions == {}


async def test_once_is_once() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", f"{note('x')}\n\n{note('y')}"))
        told = await answer(world, run, one, "approve")
        assert (told["status"], world.tools.notes) == ("waiting", ["x"])


async def test_a_run_that_ends_takes_its_requests_back() -> None:
    async with a_world() as world:
        run, _ = await waiting(world, agent("a", note("x")), tool_step("b", "note", text="b"))
        await world.core.engine.cancel(run.id)
        assert await world.storage.interruptions.open() == []
        assert {(decision, decider) for _, decision, decider, _ in await decisions(world)} == {
            (Decision.CANCELLED, Decider.END)
        }
        assert world.tools.notes == []


async def test_waiting_for_consent_uses_neither_active_time_nor_the_time_of_the_step() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", note("x"), config={"timeoutMs": 300}))
        await asyncio.sleep(0.5)
        told = await answer(world, run, one, "approve")
        assert (told["status"], told["error"]) == ("success", None)
        assert told["metrics"]["active_ms"] < 400


async def test_a_run_that_waits_for_consent_is_found_as_waiting_and_holds_no_place() -> None:
    async with a_world() as world:
        await world.core.settings.change(max_running_runs=1)
        run, (one,) = await waiting(world, agent("a", note("x")))
        assert [found.id for found in await world.storage.runs.page(status=RunStatus.WAITING)] == [run.id]
        assert (await world.run(a_step("z")))["status"] == "success"
        assert (await answer(world, run, one, "approve"))["status"] == "success"


async def test_a_call_that_was_let_pass_by_hand_is_in_the_ledger_after_the_answer() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", note("x")))
        assert await stored_calls(world.storage, run.id) == []
        await answer(world, run, one, "approve")
        assert [row.status for row in await stored_calls(world.storage, run.id)] == [CallStatus.COMPLETED]
