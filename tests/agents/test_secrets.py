"""Secrets in calls reach the tool and the model, but nothing that is stored (AGENTS_AND_TOOLS §3)."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.events import ToolEnded, ToolStarted
from core.domain.interruption import Action, Answer, InterruptionKind
from core.domain.text.masking import MASK
from core.domain.tool import CallStatus, Effect
from core.errors import ToolFailed
from core.ports import AgentTurn
from tests.agents.world import World
from tests.support.progress import stored_calls, stored_results

SECRET = "hunter2-hunter2"
SAID = "It is done now."
CALL = {"call": "login", "arguments": {"password": SECRET, "n": 1}}


def a_world(effect: Effect = Effect.NONE) -> tuple[World, list[Mapping[str, Any]]]:
    """Build a world with a tool that takes a secret and gives another."""
    world, given = World(), list[Mapping[str, Any]]()

    async def login(arguments: Mapping[str, Any]) -> Any:
        given.append(arguments)
        await asyncio.sleep(0)
        return {"session_token": f"{SECRET} too", "name": "Ann"}

    async def fail(arguments: Mapping[str, Any]) -> Any:
        raise ToolFailed("failed", f"https://ann:{SECRET}@host did not answer")

    world.tools.add("login", login, effect)
    world.tools.add("fail", fail)
    return world, given


async def kept(world: World, turn: AgentTurn) -> str:
    """Collect everything on disk of the turn, except the model's own text."""
    run_id = turn.run.id
    rows: list[Any] = [*await stored_calls(world.disk, run_id)]
    rows += [
        row for row in await stored_results(world.disk, run_id) if row.output_json and '"calls":[{' in row.output_json
    ]
    rows += [
        event.fact
        for event in await world.disk.events.of_run(run_id)
        if isinstance(event.fact, ToolStarted | ToolEnded)
    ]
    return str(rows)


async def test_the_tool_and_the_model_have_the_secret_and_the_disk_has_not() -> None:
    world, given = a_world()
    turn = world.turn("go", CALL, {"say": SAID})
    await world.run(turn)
    assert given == [{"password": SECRET, "n": 1}]
    assert SECRET in world.asked()[-1][1]
    assert SECRET not in await kept(world, turn)
    assert [fact.arguments for fact in world.told(ToolStarted)] == [{"password": MASK, "n": 1}]
    (row,) = await world.ledger(turn)
    assert row.result_json == f'{{"session_token":"{MASK}","name":"Ann"}}'


async def test_a_secret_in_an_error_or_in_invalid_json_is_not_stored() -> None:
    world, _ = a_world()
    turn = world.turn('/tool fail\n/tool login {"password": "' + SECRET)
    await world.run(turn)
    assert SECRET not in await kept(world, turn)
    assert f"https://ann:{MASK}@host did not answer" in await kept(world, turn)


async def test_the_next_turn_knows_the_call_without_its_secrets() -> None:
    world, _ = a_world()
    await world.run(world.turn("go", CALL, {"say": SAID}))
    await world.run(world.turn("help", number=2))
    calls = [call for message in world.model.requests[-1].messages for call in message.calls]
    assert [(call.arguments, call.arguments_text) for call in calls] == [
        ({"password": MASK, "n": 1}, f'{{"password":"{MASK}","n":1}}')
    ]
    assert SECRET not in str(world.asked())


async def cut_off(effect: Effect, when: str) -> tuple[World, AgentTurn, list[Mapping[str, Any]]]:
    """Kill a turn before, during or after its call, and start the next process."""
    world, given = a_world(effect)
    if when == "before":
        world.is_consent_open = True
    turn = world.turn("go", CALL, {"say": SAID})
    until = {
        "before": lambda: bool(world.wanted),
        "while": lambda: bool(given),
        "after": lambda: len(world.model.requests) == 2,
    }[when]
    task = await world.begin(turn, until)
    assert not task.done()
    world.log.flush()
    world.log.kill()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return world.next_life(), turn, given


@pytest.mark.parametrize("effect", Effect)
async def test_a_call_that_has_ended_is_known_again_by_its_sameness(effect: Effect) -> None:
    after, turn, given = await cut_off(effect, "after")
    assert await after.run(turn) == SAID
    assert len(given) == 1
    assert MASK in after.asked(0)[-1][1]


@pytest.mark.parametrize("effect", Effect)
@pytest.mark.parametrize("action", [Action.SUBMIT, Action.REJECT])
async def test_an_interrupted_call_with_a_secret_cannot_be_repeated_so_the_user_is_asked(
    effect: Effect, action: Action
) -> None:
    after, turn, given = await cut_off(effect, "while")
    after.person = Answer(action, {"name": "Bob"} if action is Action.SUBMIT else None)
    assert await after.run(turn) == SAID
    (ask,) = after.questions
    assert (ask.kind, ask.arguments) == (InterruptionKind.OUTCOME, {"password": MASK, "n": 1})
    assert len(given) == 1


async def test_repeating_it_tells_the_model_that_the_secret_is_missing() -> None:
    after, turn, given = await cut_off(Effect.IDEMPOTENT, "while")
    after.person = Answer(Action.APPROVE)
    assert await after.run(turn) == SAID
    assert len(given) == 2  # these tools check nothing: what they are given shows that nothing was made up
    assert given[-1] == {"password": MASK, "n": 1}


async def test_a_call_that_had_not_started_needs_no_answer() -> None:
    after, turn, _ = await cut_off(Effect.ONCE, "before")
    assert await after.run(turn) == SAID
    assert after.questions == []
    (row,) = await after.ledger(turn)
    assert row.status is CallStatus.COMPLETED
