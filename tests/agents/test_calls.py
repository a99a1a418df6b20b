"""The calls of a round: concurrent or in order, and what the model receives."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import pytest

from core.domain.events import ToolEnded, ToolStarted
from core.domain.run import ErrorInfo
from core.domain.tool import CallResult, CallStatus, Effect
from core.errors import ToolFailed
from core.ports import CallDelta, CallRequest, ModelDelta, ModelRequest, PermittedCall, TextDelta
from tests.agents.cast import Rehearsed, give
from tests.agents.world import World


async def slowly(arguments: Mapping[str, Any]) -> Any:
    """Take less time the larger n is."""
    for _ in range(10 - arguments["n"]):
        await asyncio.sleep(0)
    return arguments["n"]


async def failing(_: Mapping[str, Any]) -> Any:
    raise ToolFailed("failed", "it did not work")


@pytest.fixture
def world() -> World:
    world = World()
    world.tools.add("look", slowly)
    world.tools.add("set", slowly, Effect.IDEMPOTENT)
    world.tools.add("send", slowly, Effect.ONCE)
    world.tools.add("break", failing)
    return world


def results(world: World) -> list[str]:
    """Collect the results in the last request to the model."""
    return [text for role, text in world.asked() if role == "tool"]


async def test_calls_without_effects_run_side_by_side_and_answer_in_order(world: World) -> None:
    await world.run(world.turn('/tool look {"n": 1}\n/tool look {"n": 5}\n/tool look {"n": 9}'))
    assert world.tools.most_at_once == 3
    assert results(world) == ["1", "5", "9"]
    assert [fact.call_id[-1] for fact in world.told(ToolEnded)] == ["3", "2", "1"]


@pytest.mark.parametrize("tool", ["set", "send"])
async def test_calls_run_in_order_where_one_has_an_effect(world: World, tool: str) -> None:
    await world.run(world.turn(f'/tool look {{"n": 1}}\n/tool {tool} {{"n": 5}}\n/tool look {{"n": 9}}'))
    assert world.tools.most_at_once == 1
    assert [arguments["n"] for _, arguments, _ in world.tools.made] == [1, 5, 9]
    assert results(world) == ["1", "5", "9"]


async def test_a_row_is_on_disk_before_its_call_starts_and_its_result_before_the_model_sees_it(world: World) -> None:
    async def look_at_the_ledger(arguments: Mapping[str, Any]) -> Any:
        return [(row.tool, row.status.value) for row in await world.ledger(turn)]

    world.tools.add("audit", look_at_the_ledger, Effect.ONCE)
    turn = world.turn("/tool audit\n/tool audit")
    await world.run(turn)
    assert results(world) == [
        '[["audit","running"]]',
        '[["audit","completed"],["audit","running"]]',
    ]


async def test_results_are_on_disk_before_the_model_is_asked_again() -> None:
    call = CallDelta(CallRequest("1", "look", {"n": 1}, '{"n":1}'))
    seen: list[str | None] = []

    class Curious(Rehearsed):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
            seen.extend(row.result_json for row in await curious.ledger(turn))
            async for delta in super().stream(request):
                yield delta

    curious = World(model=Curious([call], [TextDelta("done")]))
    curious.tools.add("look", slowly)
    turn = curious.turn("go")
    await curious.run(turn)
    assert seen == ["1"]


async def test_a_failed_call_is_a_result_and_the_turn_goes_on(world: World) -> None:
    turn = world.turn('/tool break\n/tool look {"n": 2}')
    await world.run(turn)
    assert results(world) == ['{"error":{"code":"failed","message":"it did not work"}}', "2"]
    assert [row.status for row in await world.ledger(turn)] == [CallStatus.ERROR, CallStatus.COMPLETED]


async def test_a_tool_that_does_not_exist_is_a_result_too(world: World) -> None:
    await world.run(world.turn("/tool nothing"))
    assert '"code":"not_registered"' in results(world)[0]


@pytest.mark.parametrize(
    ("written", "problem"), [('{"n": ', "line 1"), ('[{"n": 1}]', "they are list"), ("n=1", "line 1")]
)
async def test_broken_json_is_an_error_for_the_model_and_nothing_is_run(
    world: World, written: str, problem: str
) -> None:
    turn = world.turn(f"/tool send {written}")
    await world.run(turn)
    (result,) = results(world)
    assert '"code":"invalid_arguments"' in result
    assert problem in result
    assert world.tools.made == []
    (row,) = await world.ledger(turn)
    assert (row.status, row.effect) == (CallStatus.ERROR, Effect.NONE)
    assert [fact.arguments for fact in world.told(ToolStarted)] == [written.strip()]


async def test_a_refused_call_does_not_keep_others_from_running_side_by_side(world: World) -> None:
    await world.run(world.turn('/tool look {"n": 1}\n/tool nothing\n/tool look {"n": 2}'))
    assert world.tools.most_at_once == 2


async def test_a_call_knows_its_run_its_mode_and_its_folders(world: World) -> None:
    turn = world.turn('/tool look {"n": 1}')
    await world.run(turn)
    ((_, _, context),) = world.tools.made
    assert (context.run_id, context.workflow_id, context.call_id) == (turn.run.id, turn.run.workflow_id, "reply.1.1")
    assert (context.mode, context.allow) == (turn.snapshot.mode, ("/data",))


async def test_a_call_has_ten_seconds_unless_its_tool_says_otherwise(world: World) -> None:
    await world.run(world.turn('/tool look {"n": 1}'))
    assert world.tools.limits == [10.0]


async def test_a_summary_is_sent(world: World) -> None:
    await world.run(world.turn('/tool look {"n": 1}'))
    assert [fact.summary for fact in world.told(ToolEnded)] == ["did look"]


async def test_text_that_is_not_ascii_reaches_the_model_as_it_is(world: World) -> None:
    world.tools.add("greet", lambda _: give("où ça ? 😀"))
    await world.run(world.turn("/tool greet"))
    assert results(world) == ['"où ça ? 😀"']


async def test_all_calls_of_a_round_are_put_before_consent_at_once_and_refused_ones_do_not_run(world: World) -> None:
    refusal = CallResult(CallStatus.ERROR, error=ErrorInfo("rejected", "not that"))
    world.verdicts = {"send": refusal, "set": PermittedCall({"n": 8})}
    turn = world.turn('/tool send {"n": 1}\n/tool set {"n": 2}\n/tool look {"n": 3}')
    await world.run(turn)
    assert world.wanted == [["send", "set", "look"]]
    assert results(world) == ['{"error":{"code":"rejected","message":"not that"}}', "8", "3"]
    assert [(row.tool, row.status, row.arguments_json) for row in await world.ledger(turn)] == [
        ("send", CallStatus.ERROR, '{"n":1}'),
        ("set", CallStatus.COMPLETED, '{"n":8}'),
        ("look", CallStatus.COMPLETED, '{"n":3}'),
    ]
    assert {fact.call_id for fact in world.told(ToolStarted)} == {fact.call_id for fact in world.told(ToolEnded)}


async def test_what_is_no_object_is_not_put_before_consent(world: World) -> None:
    await world.run(world.turn('/tool look [1]\n/tool look {"n": 3}'))
    assert world.wanted == [["look"]]
