"""A cancelled turn ends promptly and leaves nothing open."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from core.domain.events import TokenReceived, ToolEnded, ToolStarted
from core.domain.messages import MessageState
from core.domain.run import StepStatus
from core.domain.tool import CallStatus, Effect
from core.ports import AgentTurn, TextDelta
from tests.agents.cast import Rehearsed, give
from tests.agents.world import World


async def for_ever(_: Mapping[str, Any]) -> Any:
    await asyncio.get_running_loop().create_future()


@pytest.fixture
def world() -> World:
    world = World()
    world.tools.add("hang", for_ever)
    world.tools.add("hold", for_ever, Effect.ONCE)
    world.tools.add("add", lambda _: give(1))
    return world


async def cancel_when(world: World, turn: AgentTurn, when: Callable[[], bool]) -> int:
    """Cancel the turn when `when` holds, and return how many turns of the loop it takes to end."""
    task = await world.begin(turn, when)
    task.cancel()
    turns = 0
    while not task.done() and turns < 100:
        turns += 1
        await asyncio.sleep(0)
    assert task.cancelled()
    world.log.flush()
    return turns


async def test_a_cancelled_answer_keeps_what_had_been_received(world: World) -> None:
    turn = world.turn("say 100 words")
    await cancel_when(world, turn, lambda: len(world.told(TokenReceived)) == 3)
    assert await world.said() == ("a workflow is ", MessageState.INTERRUPTED)
    assert await world.answers(turn) == [(1, StepStatus.CANCELLED)]
    assert await world.disk.chunks.of_run(turn.run.id) == []


async def test_the_models_stream_is_closed(world: World) -> None:
    await cancel_when(world, world.turn("say 100 words"), lambda: len(world.told(TokenReceived)) == 3)
    assert world.model.open == 0


async def test_open_calls_are_closed_as_cancelled_with_a_result(world: World) -> None:
    turn = world.turn("say 1 word\n/tool hang\n/tool add\n/tool hang")
    await cancel_when(world, turn, lambda: len(world.tools.made) == 3 and world.tools.at_once == 2)
    rows = await world.ledger(turn)
    assert [row.status for row in rows] == [CallStatus.CANCELLED, CallStatus.COMPLETED, CallStatus.CANCELLED]
    assert [row.error and row.error.code for row in rows] == ["cancelled", None, "cancelled"]
    ended = {fact.call_id: fact.status for fact in world.told(ToolEnded)}
    assert ended == {row.id: row.status for row in rows}
    assert all(row.duration_ms for row in (rows[0], rows[2]))
    assert await world.said() == ("a", MessageState.INTERRUPTED)


async def test_calls_that_wait_for_their_turn_never_start(world: World) -> None:
    turn = world.turn("/tool hold\n/tool hold")
    await cancel_when(world, turn, lambda: world.tools.at_once == 1)
    assert [row.status for row in await world.ledger(turn)] == [CallStatus.CANCELLED]
    assert len(world.tools.made) == 1


async def test_a_call_that_is_cancelled_before_its_row_is_on_disk_is_closed_too(world: World) -> None:
    turn = world.turn("/tool hold")
    await cancel_when(world, turn, lambda: bool(world.told(ToolStarted)))
    assert world.tools.made == []
    assert [row.status for row in await world.ledger(turn)] == [CallStatus.CANCELLED]


async def test_a_turn_without_text_stores_no_answer() -> None:
    world = World(model=Rehearsed([TextDelta("too late")]))
    turn = world.turn("go")
    await cancel_when(world, turn, lambda: len(world.model.requests) == 1)
    assert await world.said() == ("", MessageState.INTERRUPTED)
    assert await world.answers(turn) == []


async def test_leaving_takes_a_few_turns_of_the_loop(world: World) -> None:
    assert await cancel_when(world, world.turn("say 100 words"), lambda: len(world.told(TokenReceived)) == 3) < 5
    turn = world.turn("/tool hang\n/tool hang", number=2)
    assert await cancel_when(world, turn, lambda: world.tools.at_once == 2) < 8
