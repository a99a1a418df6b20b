"""The offline agent as a model client: a conversation in, pieces of an answer out."""

import asyncio
import itertools
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import pytest

from core.errors import StepFailed
from core.llm.offline.client import OfflineModel
from core.ports import CallDelta, CallRequest, ChatMessage, ModelDelta, ModelRequest, TextDelta, Usage
from tests.support.clock import FakeClock


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


async def stream(*messages: ChatMessage, script: tuple[Mapping[str, Any], ...] = ()) -> list[ModelDelta]:
    model = OfflineModel(FakeClock(tick_s=0.001), word_delay_s=0)
    return [delta async for delta in model.stream(ModelRequest(messages, script=script))]


def text_of(deltas: list[ModelDelta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def calls_of(deltas: list[ModelDelta]) -> list[CallRequest]:
    return [delta.call for delta in deltas if isinstance(delta, CallDelta)]


async def round_of(*messages: ChatMessage, results: list[str]) -> list[ChatMessage]:
    """Ask the model, and answer its calls."""
    deltas = await stream(*messages)
    calls = calls_of(deltas)
    told = [ChatMessage("tool", text, call_id=call.id) for call, text in zip(calls, results, strict=True)]
    return [*messages, ChatMessage("assistant", text_of(deltas), tuple(calls)), *told]


async def test_text_comes_word_by_word() -> None:
    deltas = await stream(user("say 5 words"))
    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == ["a ", "workflow ", "is ", "a ", "list"]


async def test_its_pace_is_set_by_its_maker() -> None:
    clock = FakeClock(tick_s=0.001)
    model = OfflineModel(clock, word_delay_s=0.02)
    async for _ in model.stream(ModelRequest((user("say 4 words"),))):
        pass
    assert clock.slept == [0.02] * 3


async def test_a_script_sets_the_delay_between_the_words_of_a_line() -> None:
    clock = FakeClock(tick_s=0.001)
    model = OfflineModel(clock, word_delay_s=1)
    script = ({"say": "a b c", "delay_ms": 250}, {"say": "d"})
    async for _ in model.stream(ModelRequest((user("go"),), script=script)):
        pass
    assert clock.slept == [0.25, 0.25]


async def test_without_a_delay_the_loop_gets_its_turn_at_each_word() -> None:
    async def count_turns() -> int:
        for turn in itertools.count():
            if is_done.is_set():
                return turn
            await asyncio.sleep(0)
        raise AssertionError

    is_done = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        turns = tasks.create_task(count_turns())
        await stream(user("say 1000 words"))
        is_done.set()
    assert turns.result() >= 999


async def test_a_round_of_calls_is_answered_with_their_results() -> None:
    messages = await round_of(user('/tool add {"n": 1}\n/tool sub'), results=['{"sum":2}', "null"])
    assert text_of(await stream(*messages)) == '- `add` → `{"sum":2}`\n- `sub` → `null`'


async def test_an_error_of_a_tool_is_reported_plainly() -> None:
    failure = '{"error":{"code":"timeout","message":"it took too long"}}'
    messages = await round_of(user("/tool add"), results=[failure])
    assert text_of(await stream(*messages)) == "- `add` failed: it took too long (`timeout`)"


async def test_a_long_result_is_cut() -> None:
    messages = await round_of(user("/tool add"), results=['"' + "x" * 5000 + '"'])
    told = text_of(await stream(*messages))
    assert told.endswith("… (5,002 characters)`")
    assert len(told) < 600


async def test_a_result_that_was_cut_for_the_model_is_reported_as_received() -> None:
    messages = await round_of(user("/tool add"), results=['{"text":"abc … (60,000 bytes)'])
    assert text_of(await stream(*messages)) == '- `add` → `{"text":"abc … (60,000 bytes)`'


async def test_the_rounds_of_a_message_come_one_after_the_other() -> None:
    messages = await round_of(user("/tool a\n\n/tool b\nsay 2 words"), results=["1"])
    second = await stream(*messages)
    assert text_of(second) == "- `a` → `1`"
    assert [call.tool for call in calls_of(second)] == ["b"]
    messages = await round_of(*messages, results=["2"])
    assert text_of(await stream(*messages)) == "- `b` → `2`\n\na workflow"


async def test_only_the_last_message_is_a_command() -> None:
    messages = await round_of(user("/tool a"), results=["1"])
    answered = [*messages, ChatMessage("assistant", "- `a` → `1`"), user("say 1 word")]
    assert text_of(await stream(*answered)) == "a"


async def test_calls_are_named_by_their_place_in_the_conversation() -> None:
    messages = await round_of(user("/tool a\n/tool b"), results=["1", "2"])
    messages = await round_of(*messages, ChatMessage("assistant", "so"), user("/tool c"), results=["3"])
    names = [call.id for message in messages for call in message.calls]
    assert names == ["call_0_1", "call_0_2", "call_2_1"]


async def test_broken_json_is_passed_on_as_it_was_written() -> None:
    (call,) = calls_of(await stream(user('/tool add {"n": ')))
    assert (call.arguments, call.arguments_text) == (None, '{"n":')


async def test_a_scripted_failure_breaks_the_answer_off() -> None:
    script = ({"say": "so far"}, {"fail": "the line went dead"})
    deltas = OfflineModel(FakeClock(tick_s=0.001), word_delay_s=0).stream(ModelRequest((user("go"),), script=script))
    assert [await anext(deltas), await anext(deltas)] == [TextDelta("so "), TextDelta("far")]
    with pytest.raises(StepFailed) as failure:
        await anext(deltas)
    assert (failure.value.code, failure.value.message) == ("model_failed", "the line went dead")
    assert failure.value.parameters["failed_during"] == "model"


async def test_the_script_goes_on_in_the_next_turn_and_then_the_grammar_answers() -> None:
    script = ({"say": "one"}, {"fail": "no"}, {"say": "two"})
    conversation = [user("help"), ChatMessage("assistant", "one"), user("help")]
    assert text_of(await stream(*conversation, script=script)) == "two"
    conversation += [ChatMessage("assistant", "two"), user("say 1 word")]
    assert text_of(await stream(*conversation, script=script)) == "a"


async def test_a_script_that_ends_with_a_call_ends_its_turn_with_the_result() -> None:
    script = ({"call": "a", "arguments": {}},)
    call = CallRequest("call_0_1", "a", {}, "{}")
    heard = [user("say 9 words"), ChatMessage("assistant", "", (call,)), ChatMessage("tool", "7", call_id=call.id)]
    assert text_of(await stream(*heard, script=script)) == "- `a` → `7`"


async def test_the_same_conversation_gets_the_same_answer() -> None:
    conversation = (user("hello"), ChatMessage("assistant", "x"), user('/tool a {"b": [1, 2]}\nsay 3 words'))
    assert await stream(*conversation) == await stream(*conversation)


async def test_words_are_counted_and_cost_nothing() -> None:
    deltas = await stream(ChatMessage("system", "be kind"), user('say 3 words\n/tool a {"b": 1}'))
    assert deltas[-1] == Usage(input_tokens=9, output_tokens=5, cost=0.0)


async def test_closing_the_stream_ends_it() -> None:
    async with aclosing(OfflineModel(FakeClock(tick_s=0.001)).stream(ModelRequest((user("say 9 words"),)))) as deltas:
        assert await anext(deltas) == TextDelta("a ")
    with pytest.raises(StopAsyncIteration):
        await anext(deltas)
