"""How the loop handles the answers of a language model."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from core.agents.results import ROUND_BYTES
from core.agents.thoughts import PIECE_CHARACTERS
from core.domain.events import AnswerWarned, ModelWaited, ReasoningReceived, ThoughtSaved, TokenReceived, UsageReported
from core.domain.messages import MessageState
from core.domain.model import ModelChoice
from core.domain.run import StepStatus
from core.errors import StepFailed
from core.ports import (
    AgentTurn,
    CallDelta,
    CallRequest,
    ModelDelta,
    ModelWarning,
    ReasoningDelta,
    TextDelta,
    TextWasReasoning,
    Usage,
    WaitStatus,
)
from tests.agents.cast import Rehearsed, give
from tests.agents.world import World

MODEL = ModelChoice(base_url="http://127.0.0.1:1/v1", model="m", context_tokens=4000)


def asked_of_a_model(turn: AgentTurn, model: ModelChoice = MODEL) -> AgentTurn:
    return replace(turn, snapshot=replace(turn.snapshot, model=model))


async def test_a_request_names_the_model_of_the_run() -> None:
    world = World(model=Rehearsed([TextDelta("hi")]))
    await world.run(asked_of_a_model(world.turn("hello", {"say": "never"})))
    (request,) = world.model.requests
    assert (request.choice, request.script) == (MODEL, ())
    assert [message.role for message in request.messages] == ["system", "user"]
    assert "Thursday, 01 January 2026" in request.messages[0].text
    assert "/data" in request.messages[0].text


async def test_thoughts_are_shown_and_are_no_part_of_the_answer() -> None:
    thoughts: list[ModelDelta] = [ReasoningDelta("let me "), ReasoningDelta(""), ReasoningDelta("see")]
    world = World(model=Rehearsed([*thoughts, TextDelta("ok")]))
    turn = asked_of_a_model(world.turn("hello"))
    assert await world.run(turn) == "ok"
    assert [(fact.text, fact.offset) for fact in world.told(ReasoningReceived)] == [("let me ", 0), ("see", 7)]
    assert [fact.text for fact in world.told(TokenReceived)] == ["ok"]
    assert await world.said() == ("ok", MessageState.FINAL)
    rebuilt, watched = await world.rebuilt(turn), await world.watched()
    assert rebuilt == watched
    assert [thought.text for thought in (*rebuilt.thoughts, *watched.thoughts)] == ["let me see"] * 2
    assert not any(thought.is_open for thought in rebuilt.thoughts)


async def test_reasoning_is_stored_when_the_answer_breaks_off() -> None:
    long = "x" * PIECE_CHARACTERS
    thoughts: list[ModelDelta] = [ReasoningDelta(long), ReasoningDelta("and so")]
    world = World(model=Rehearsed([*thoughts, StepFailed("truncated", "cut", failed_during="model")]))
    turn = asked_of_a_model(world.turn("hello"))
    with pytest.raises(StepFailed):
        await world.run(turn)
    assert [(fact.text, fact.offset, fact.is_whole) for fact in world.told(ThoughtSaved)] == [
        (long, 0, False),
        ("and so", PIECE_CHARACTERS, True),
    ]
    assert [thought.text for thought in (await world.rebuilt(turn)).thoughts] == [long + "and so"]


async def test_an_answer_that_was_cut_off_is_stored_with_a_warning() -> None:
    warning = ModelWarning("length", "cut")
    world = World(model=Rehearsed([TextDelta("It goes"), warning, Usage(5, 2, 0.1)]))
    turn = asked_of_a_model(world.turn("go"))
    assert await world.run(turn) == "It goes\n\n[Cut off here: the answer reached the model's output limit.]"
    assert await world.said() == ("It goes", MessageState.FINAL)
    (told,) = world.told(AnswerWarned)
    assert (told.code, told.message, told.step) == ("length", "cut", "reply")
    run = await world.rebuilt(turn)
    assert run == await world.watched()
    assert run.warnings == [{"code": "length", "message": "cut", "step": "reply"}]
    assert [fact.cost for fact in world.told(UsageReported)] == [0.1]


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_a_call_that_was_cut_off_is_told_three_times_at_most(reason: Any) -> None:
    half: list[ModelDelta] = [CallDelta(CallRequest("a", "pay", {"n": 1}, '{"n":1}')), ModelWarning(reason, "cut")]
    world = World(model=Rehearsed(half, half, half))
    world.tools.add("pay", give)
    turn = asked_of_a_model(world.turn("go"))
    with pytest.raises(StepFailed) as caught:
        await world.run(turn)
    assert (caught.value.code, world.tools.made) == (reason, [])
    told = [message.text for message in world.model.requests[-1].messages if message.role == "tool"]
    assert len(told) == 2
    assert all('"cut_off"' in text for text in told)
    assert [warned.details for warned in world.told(AnswerWarned)] == [{"calls": 1}] * 3
    assert [call.error.code for call in await world.ledger(turn) if call.error is not None] == ["cut_off"] * 2


async def test_an_output_that_was_cut_off_is_asked_for_again() -> None:
    cut: list[ModelDelta] = [TextDelta('{"n": '), ModelWarning("length", "cut")]
    schema = {"type": "object"}
    world = World(model=Rehearsed(cut, [TextDelta('{"n": 1}')]))
    assert await world.output(asked_of_a_model(world.turn("go", output_schema=schema))) == {"n": 1}
    assert "it is too long, and was cut off" in world.model.requests[-1].messages[-1].text
    world = World(model=Rehearsed(cut, cut))
    with pytest.raises(StepFailed) as caught:
        await world.output(asked_of_a_model(world.turn("go", output_schema=schema)))
    assert caught.value.code == "length"


async def test_a_window_that_a_refusal_names_is_kept_to_from_then_on() -> None:
    too_long = StepFailed("provider_error", "too long", failed_during="model", status=400, context_tokens=900)
    world = World(model=Rehearsed([TextDelta("first")], [too_long], [TextDelta("second")], [TextDelta("third")]))
    for number, prompt in enumerate(("x" * 3000, "and?", "and then?"), 1):
        turn = asked_of_a_model(world.turn(prompt, number=number))
        await world.run(turn)
    sent = [
        [message.text for message in request.messages if message.role == "user"] for request in world.model.requests
    ]
    assert sent[1:] == [["x" * 3000, "and?"], ["and?"], ["and?", "and then?"]]
    world = World(model=Rehearsed([too_long], [too_long]))
    with pytest.raises(StepFailed):
        await world.run(asked_of_a_model(world.turn("x" * 3000)))
    assert len(world.model.requests) == 2


async def test_text_that_turns_out_to_be_reasoning_is_taken_back() -> None:
    half: list[ModelDelta] = [TextDelta("They want "), TextDelta("two."), TextWasReasoning("They want two.")]
    world = World(model=Rehearsed([*half, TextDelta("Four.")], [TextDelta("Eight.")]))
    turn = asked_of_a_model(world.turn("2+2"))
    assert await world.run(turn) == "Four."
    assert await world.said() == ("Four.", MessageState.FINAL)
    rebuilt, watched = await world.rebuilt(turn), await world.watched()
    assert rebuilt == watched
    assert [thought.text for thought in rebuilt.thoughts] == ["They want two."]
    await world.run(asked_of_a_model(world.turn("4+4", number=2)))
    assert [message.text for message in world.model.requests[-1].messages[1:]] == ["2+2", "Four.", "4+4"]


async def test_waiting_is_shown_and_not_stored() -> None:
    class Slow:
        async def stream(self, request: Any) -> Any:
            request.on_wait(WaitStatus("answer", 5.0, 120.0))
            request.on_wait(WaitStatus("retry", 0.0, 1.5, 2, "slow down"))
            await asyncio.sleep(0)
            yield TextDelta("at last")

    world = World(model=Slow())
    turn = asked_of_a_model(world.turn("go"))
    assert await world.run(turn) == "at last"
    told = [(fact.reason, fact.waited_s, fact.limit_s, fact.attempt, fact.message) for fact in world.told(ModelWaited)]
    assert told == [("answer", 5.0, 120.0, 1, None), ("retry", 0.0, 1.5, 2, "slow down")]
    assert "model_waiting" not in {event.fact.type for event in await world.disk.events.of_run(turn.run.id)}


async def test_a_failed_model_keeps_the_text_and_fails_the_turn() -> None:
    error = StepFailed("truncated", "it broke off", failed_during="model")
    world = World(model=Rehearsed([TextDelta("so "), TextDelta("far"), error]))
    turn = asked_of_a_model(world.turn("go"))
    failed = await world.failing(turn)
    assert (failed.code, failed.parameters["failed_during"]) == ("truncated", "model")
    assert await world.said() == ("so far", MessageState.FINAL)
    assert await world.answers(turn) == [(1, StepStatus.ERROR)]


@pytest.mark.parametrize("call", [CallRequest("a", "", {}, ""), CallRequest("a", "add", None, "{")])
async def test_calls_that_make_no_sense_are_answered_to_the_model(call: CallRequest) -> None:
    world = World(model=Rehearsed([CallDelta(call)], [TextDelta("sorry")]))
    world.tools.add("add", lambda _: give(1))
    assert await world.run(asked_of_a_model(world.turn("go"))) == "sorry"
    assert '"error"' in world.asked()[-1][1]
    assert world.tools.made == []


async def test_large_results_are_cut_for_the_model_and_stored_whole() -> None:
    calls: list[ModelDelta] = [CallDelta(CallRequest(str(n), "big", {"n": n}, f'{{"n":{n}}}')) for n in range(3)]
    world = World(model=Rehearsed(calls, [TextDelta("ok")], [TextDelta("again")]))
    world.tools.add("big", lambda arguments: give("x" * (40_000 if arguments["n"] else 10)))
    turn = asked_of_a_model(world.turn("go"), MODEL.model_copy(update={"context_tokens": 10**6}))
    await world.run(turn)
    told = [text for role, text in world.asked() if role == "tool"]
    assert told[0] == '"xxxxxxxxxx"'
    assert all("cut here: 40,002 bytes in all" in text for text in told[1:])
    assert sum(map(len, told)) <= ROUND_BYTES
    assert [len(row.result_json or "") for row in await world.ledger(turn)] == [12, 40_002, 40_002]
    await world.run(asked_of_a_model(world.turn("and?", number=2), MODEL.model_copy(update={"context_tokens": 10**6})))
    assert [text for role, text in world.asked() if role == "tool"] == told


async def test_a_history_that_is_too_long_loses_its_oldest() -> None:
    world = World(model=Rehearsed(*([TextDelta("a" * 900)] for _ in range(12))))
    for number in range(1, 13):
        await world.run(asked_of_a_model(world.turn(f"question {number} " + "q" * 900, number=number)))
    told = [text[:12] for role, text in world.asked() if role == "user"]
    assert told == ["question 8 q", "question 9 q", "question 10 ", "question 11 ", "question 12 "]
    assert world.asked()[0][0] == "system"
