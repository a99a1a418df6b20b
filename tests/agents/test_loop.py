"""The agent loop: answers, rounds and their limits, and the resulting text."""

from typing import Any

import pytest

from core.domain.events import MessageAdded, TokenReceived, ToolEnded, ToolStarted, UsageReported
from core.domain.messages import MessageState
from core.domain.run import RunKind, StepKey, StepStatus
from core.domain.tool import CallStatus
from core.ports import CallDelta, CallRequest, TextDelta, Usage
from tests.agents.cast import Rehearsed, give
from tests.agents.disk import Journal
from tests.agents.world import STEP, World
from tests.support.progress import stored_results


@pytest.fixture
def world() -> World:
    world = World()
    world.tools.add("add", lambda arguments: give({"sum": arguments.get("n", 0) + 1}))
    return world


async def test_an_answer_without_calls_ends_the_turn_with_its_text(world: World) -> None:
    assert await world.run(world.turn("say 3 words")) == "a workflow is"
    assert len(world.model.requests) == 1


async def test_results_go_back_to_the_model_and_its_last_text_is_the_output(world: World) -> None:
    assert await world.run(world.turn('/tool add {"n": 4}')) == '- `add` → `{"sum":5}`'
    assert world.asked() == [("user", '/tool add {"n": 4}'), ("assistant", ""), ("tool", '{"sum":5}')]


async def test_all_tools_are_advertised_unless_the_turn_names_some(world: World) -> None:
    world.tools.add("sub", lambda _: give(0))
    await world.run(world.turn("help"))
    await world.run(world.turn("help", number=2, tools=("sub", "unheard_of")))
    advertised = [[tool.name for tool in request.tools] for request in world.model.requests]
    assert advertised == [["add", "sub"], ["sub"]]


async def test_a_tool_that_is_registered_but_not_advertised_is_not_available(world: World) -> None:
    assert "not_available" in await world.run(world.turn("/tool add", tools=()))
    assert world.tools.made == []


def rounds(count: int) -> list[dict[str, Any]]:
    """Build that many rounds with one call each, all different."""
    calls = [{"call": "add", "arguments": {"n": number}} for number in range(count)]
    return [line for call in calls for line in (call, {"repeat": 1})]


async def test_exactly_ten_rounds_are_run(world: World) -> None:
    assert await world.run(world.turn("go", *rounds(10), {"say": "done"})) == "done"
    assert len(world.tools.made) == 10


async def test_an_eleventh_round_ends_the_turn_and_is_not_run(world: World) -> None:
    turn = world.turn("go", {"say": "again"}, *rounds(11), {"say": "done"})
    error = await world.failing(turn)
    assert (error.code, error.message) == ("round_limit", "Tool execution limit exceeded")
    assert error.parameters["failed_during"] == "tool_execution"
    assert len(world.tools.made) == 10
    assert len(world.model.requests) == 11
    assert await world.said() == ("again", MessageState.FINAL)
    assert (await world.watched()).total_rounds == 10


async def test_the_turn_may_set_its_own_limit_of_rounds(world: World) -> None:
    assert (
        await world.failing(
            world.turn("go", {"call": "add", "arguments": {}}, {"repeat": 3}, {"say": "done"}, max_rounds=2)
        )
    ).parameters["limit"] == 2
    assert len(world.tools.made) == 2


def again(count: int, *between: dict[str, Any]) -> list[dict[str, Any]]:
    """Repeat a call that often, each time in a separate round."""
    return [{"call": "add", "arguments": {"n": 1}}, {"repeat": count}, *between]


async def test_the_same_call_three_times_in_a_row_is_pointed_out_once(world: World) -> None:
    assert await world.run(world.turn("go", *again(3), {"say": "I see"})) == "I see"
    results = [text for role, text in world.asked() if role == "tool"]
    assert results[:2] == ['{"sum":2}'] * 2
    assert results[2].startswith('{"result":{"sum":2},"note":"You have called add with the same arguments 3 times')


async def test_the_same_call_once_more_ends_the_turn_and_is_not_run(world: World) -> None:
    error = await world.failing(world.turn("go", {"say": "again"}, *again(4), {"say": "done"}))
    assert (error.code, error.parameters["tool_name"]) == ("repeated_call", "add")
    assert error.parameters["failed_during"] == "tool_execution"
    assert len(world.tools.made) == 3
    assert await world.said() == ("again", MessageState.FINAL)


async def test_a_repeated_call_that_failed_is_pointed_out_too(world: World) -> None:
    await world.run(world.turn("go", {"call": "nothing"}, {"repeat": 3}, {"say": "I see"}))
    last = [text for role, text in world.asked() if role == "tool"][-1]
    assert last.startswith('{"error":{"code":"not_registered"')
    assert '"note":"You have called nothing' in last


async def test_a_round_of_something_else_breaks_the_row(world: World) -> None:
    other = ({"call": "add", "arguments": {"n": 9}}, {"repeat": 1})
    assert await world.run(world.turn("go", *again(3, *other), *again(3), {"say": "done"})) == "done"


async def test_the_same_call_several_times_in_one_round_is_no_row(world: World) -> None:
    await world.run(world.turn("\n".join(["/tool add"] * 5)))
    assert len(world.tools.made) == 5
    assert not any("note" in text for role, text in world.asked() if role == "tool")


async def test_twenty_calls_in_a_round_are_run(world: World) -> None:
    await world.run(world.turn("\n".join(["/tool add"] * 20)))
    assert len(world.tools.made) == 20


async def test_of_twenty_one_calls_in_a_round_none_is_run(world: World) -> None:
    error = await world.failing(world.turn("\n".join(["say 2 words", *["/tool add"] * 21])))
    assert (error.code, error.message) == ("too_many_calls", "Too many concurrent tool calls")
    assert world.tools.made == []
    assert world.told(ToolStarted) == []
    assert await world.said() == ("a workflow", MessageState.FINAL)


async def test_the_text_streams_and_its_answers_are_paragraphs(world: World) -> None:
    assert (
        await world.run(
            world.turn("go", {"say": "Let me see."}, {"call": "add", "arguments": {}}, {"say": "It is one."})
        )
        == "It is one."
    )
    assert (await world.said())[0] == "Let me see.\n\nIt is one."
    tokens = world.told(TokenReceived)
    assert "".join(token.text for token in tokens) == "Let me see.\n\nIt is one."
    assert [token.offset for token in tokens] == [0, 4, 7, 11, 16, 19]


async def test_the_message_is_final_and_stands_for_the_streamed_pieces(world: World) -> None:
    turn = world.turn("say 3 words")
    await world.run(turn)
    assert await world.said() == ("a workflow is", MessageState.FINAL)
    assert await world.disk.chunks.of_run(turn.run.id) == []
    (fact,) = world.told(MessageAdded)
    assert (fact.message_id, fact.text, fact.step, fact.interrupted) == ("msg_0001", "a workflow is", STEP, False)


async def test_the_text_of_a_templates_agent_step_is_no_message_of_the_conversation(world: World) -> None:
    turn = world.turn("say 3 words", kind=RunKind.WORKFLOW)
    await world.run(turn)
    assert await world.said() == ("", MessageState.OPEN)
    assert [fact.text for fact in world.told(MessageAdded)] == ["a workflow is"]
    assert await world.disk.chunks.of_run(turn.run.id) == []


@pytest.mark.parametrize("kind", RunKind)
async def test_a_rebuilt_view_equals_an_observing_view(world: World, kind: RunKind) -> None:
    turn = world.turn("say 3 words\n/tool add\n\n/tool add", kind=kind)
    await world.run(turn)
    saw = await world.watched()
    assert await world.rebuilt(turn) == saw
    assert saw.content.startswith("a workflow is\n\n- `add`")


async def test_each_finished_answer_is_a_checkpoint(world: World) -> None:
    turn = world.turn('say 1 word\n/tool add {"n": 1}')
    await world.run(turn)
    kept = {result.key: result.output_json for result in await stored_results(world.disk, turn.run.id)}
    assert kept == {
        StepKey(STEP, round=1): (
            '{"text":"a","calls":[{"id":"call_0_1","tool":"add","arguments":{"n":1},"arguments_text":"{\\"n\\": 1}"}]}'
        ),
        StepKey(STEP, round=2): '{"text":"- `add` \\u2192 `{\\"sum\\":2}`","calls":[]}',
    }


async def test_a_model_that_fails_in_mid_stream_leaves_its_text(world: World) -> None:
    turn = world.turn("go", {"call": "add", "arguments": {}}, {"say": "so far"}, {"fail": "the line went dead"})
    error = await world.failing(turn)
    assert (error.code, error.parameters["failed_during"]) == ("model_failed", "model")
    assert await world.said() == ("so far", MessageState.FINAL)
    assert await world.answers(turn) == [(1, StepStatus.COMPLETED), (2, StepStatus.ERROR)]
    assert await world.disk.chunks.of_run(turn.run.id) == []


async def test_an_unexpected_error_leaves_the_text_too() -> None:
    world = World(model=Rehearsed([TextDelta("so far"), ZeroDivisionError()]))
    with pytest.raises(ZeroDivisionError):
        await world.run(world.turn("go"))
    assert await world.said() == ("so far", MessageState.FINAL)


async def test_usage_is_reported_for_each_answer(world: World) -> None:
    await world.run(world.turn("/tool add"))
    told = [(fact.input_tokens, fact.output_tokens, fact.cost) for fact in world.told(UsageReported)]
    assert told == [(2, 0, 0.0), (3, 4, 0.0)]


async def test_a_model_without_usage_has_none() -> None:
    world = World(model=Rehearsed([TextDelta("hi")]))
    assert await world.run(world.turn("go")) == "hi"
    assert world.told(UsageReported) == []


async def test_calls_tell_their_round_and_where_in_the_text_they_stand(world: World) -> None:
    await world.run(world.turn("say 2 words\n/tool add\n/tool add\n\n/tool add"))
    first = len("a workflow")
    second = len('a workflow\n\n- `add` → `{"sum":1}`\n- `add` → `{"sum":1}`')
    places = [(fact.step, fact.round, fact.offset) for fact in world.told(ToolStarted)]
    assert places == [(STEP, 1, first), (STEP, 1, first), (STEP, 2, second)]


async def test_the_ledger_names_calls_by_their_place_whatever_the_model_calls_them() -> None:
    call = CallDelta(CallRequest("same", "add", {}, "{}"))
    world = World(model=Rehearsed([call], [call], [TextDelta("done"), Usage(1, 1)]))
    world.tools.add("add", lambda _: give(1))
    turn = world.turn("go")
    await world.run(turn)
    assert [fact.call_id for fact in world.told(ToolStarted)] == ["reply.1.1", "reply.2.1"]
    assert [row.status for row in await world.ledger(turn)] == [CallStatus.COMPLETED] * 2
    answers = [message.call_id for message in world.model.requests[-1].messages if message.role == "tool"]
    assert answers == ["same", "same"]


async def test_every_call_that_starts_ends(world: World) -> None:
    await world.run(world.turn("/tool add\n/tool nothing\n/tool add {"))
    started = [fact.call_id for fact in world.told(ToolStarted)]
    assert sorted(fact.call_id for fact in world.told(ToolEnded)) == sorted(started)
    assert len(started) == 3


async def test_a_system_prompt_comes_first() -> None:
    world = World(system="Be brief.")
    await world.run(world.turn("help"))
    assert world.asked() == [("system", "Be brief."), ("user", "help")]


async def test_the_models_stream_is_closed_on_every_way_out(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    await world.run(world.turn("help"))
    await world.failing(world.turn("go", {"say": "a b"}, {"fail": "no"}, number=2))
    monkeypatch.setattr(Journal, "stream", broken)
    with pytest.raises(ZeroDivisionError):
        await world.run(world.turn("help", number=3))
    assert world.model.open == 0


async def test_an_empty_piece_is_not_streamed() -> None:
    world = World(model=Rehearsed([TextDelta(""), TextDelta("a"), TextDelta("")]))
    await world.run(world.turn("go"))
    assert [token.text for token in world.told(TokenReceived)] == ["a"]


SHAPE = {"type": "object", "required": ["n"]}


@pytest.mark.parametrize("text", ['{"n": 3}', '```json\n{"n": 3}\n```', ' {"n": 3}\n'])
async def test_an_answer_with_a_shape_is_the_value_that_it_says(text: str) -> None:
    world = World(model=Rehearsed([TextDelta(text)]))
    assert await world.output(world.turn("how many?", output_schema=SHAPE)) == {"n": 3}
    assert "fit this schema" in world.asked()[0][1]


async def test_an_answer_that_misses_its_shape_may_be_repaired_once() -> None:
    world = World(model=Rehearsed([TextDelta("three")], [TextDelta('{"n": 3}')]))
    assert await world.output(world.turn("how many?", output_schema=SHAPE)) == {"n": 3}
    assert "not JSON" in world.asked()[-1][1]
    world = World(model=Rehearsed([TextDelta("three")], [TextDelta('{"m": 3}')]))
    error = await world.failing(world.turn("how many?", output_schema=SHAPE))
    assert (error.code, error.parameters["failed_during"]) == ("bad_output", "model")
