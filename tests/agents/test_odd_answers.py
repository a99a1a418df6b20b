"""Answers that broke other apps: as models and servers really send them, through the whole stack.

Whatever arrives, the run ends as it should, the history stays the same when it is read later, and the conversation
continues.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from core.domain.model import ModelChoice
from core.services.outcome import Ok
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Reply, call_piece, calls, chunk, fails, provider, says, sse
from tests.support.strict_provider import Strict, StrictInTurn
from tests.support.world import World, a_world

CALLED, STOP = chunk(finish="tool_calls"), chunk(finish="stop")
SUM = '{"expression":"6*7"}'
DONE = "6*7 = 42"


class Odd(NamedTuple):
    """An answer and its outcome: the summaries or error codes of its calls, in order, and the output and warnings of
    the run, or the code of its error.
    """

    reply: Reply
    calls: tuple[str, ...] = ()
    output: str | None = "Done."
    warnings: tuple[str, ...] = ()
    error: str | None = None


def called(arguments: Any = SUM, name: Any = "calculator", call_id: Any = "a") -> Reply:
    return Reply(sse(chunk(tool_calls=[call_piece(0, call_id, name, arguments)]), CALLED))


def pieces(*found: dict[str, Any]) -> Reply:
    return Reply(sse(*(chunk(tool_calls=[piece]) for piece in found), CALLED))


LONG = "1+" * 500_000 + "1"

ODD: dict[str, Odd] = {
    "arguments that are JSON in JSON": Odd(called(json.dumps(SUM)), (DONE,)),
    "arguments that are a text in JSON": Odd(called('"6*7"'), ("invalid_arguments",)),
    "arguments as Python writes them": Odd(called("{'expression': '6*7'}"), (DONE,)),
    "arguments with something behind them": Odd(called(SUM + "</tool_call>"), ("invalid_arguments",)),
    "arguments with a number beyond all": Odd(called('{"expression": 1e400}'), ("invalid_arguments",)),
    "arguments that are no numbers": Odd(called('{"expression": NaN}'), ("invalid_arguments",)),
    "arguments nested too deeply": Odd(called('{"a":' * 2000 + "1" + "}" * 2000), ("invalid_arguments",)),
    "arguments with a NUL and half a character": Odd(
        called('{"expression":"6\\u0000\\ud800"}'), ("invalid_arguments",)
    ),
    "arguments of a megabyte": Odd(called(json.dumps({"expression": LONG})), ("invalid_arguments",)),
    "arguments of a megabyte in small pieces": Odd(
        pieces(
            call_piece(0, "a", "calculator", '{"expression":"'),
            *(call_piece(0, None, None, LONG[at : at + 500]) for at in range(0, len(LONG), 500)),
            call_piece(0, None, None, '"}'),
        ),
        ("invalid_arguments",),
    ),
    "a name in capitals": Odd(called(name="Calculator"), (DONE,)),
    "a name in spaces": Odd(called(name=" calculator\n"), (DONE,)),
    "a name in a namespace": Odd(called(name="functions.calculator"), (DONE,)),
    "a name that comes last": Odd(
        pieces(call_piece(0, "a", None, SUM[:9]), call_piece(0, None, "calculator", SUM[9:])), (DONE,)
    ),
    "a name that is null": Odd(
        Reply(sse(chunk(tool_calls=[{"id": "a", "function": {"name": None, "arguments": "{}"}}]), CALLED)),
        output=None,
        error="bad_response",
    ),
    "a name with a NUL": Odd(called(name="calc\x00"), ("not_registered",)),
    "a name without end": Odd(called(name="x" * 10_000), ("not_registered",)),
    "one id for all calls": Odd(
        calls(*(("a", "calculator", {"expression": f"{n}*1"}) for n in (1, 2, 3))), ("1*1 = 1", "2*1 = 2", "3*1 = 3")
    ),
    "thoughts alone": Odd(Reply(sse(chunk(reasoning_content="hm"), STOP)), output="", warnings=("empty_answer",)),
    "nothing": Odd(Reply(sse(STOP)), output="", warnings=("empty_answer",)),
    "blanks": Odd(Reply(sse(chunk(content=" \n"), STOP)), output=" \n", warnings=("empty_answer",)),
    "calls that are announced and do not come": Odd(Reply(sse(CALLED)), output="", warnings=("empty_answer",)),
    "a length that is reached at once": Odd(
        Reply(sse(chunk(finish="length"))), output=None, warnings=("length",), error="length"
    ),
    "a filter that cuts everything off": Odd(
        Reply(sse(chunk(content=" "), chunk(finish="content_filter"))),
        output=None,
        warnings=("content_filter",),
        error="content_filter",
    ),
    "a text that a limit cuts off": Odd(
        Reply(sse(chunk(content="It goes "), chunk(finish="length"))),
        output="It goes\n\n[Cut off here: the answer reached the model's output limit.]",
        warnings=("length",),
    ),
    "calls that a limit cuts off": Odd(
        Reply(
            sse(
                chunk(tool_calls=[call_piece(0, "a", "calculator", SUM), call_piece(1, "b", "note", '{"te')]),
                chunk(finish="length"),
            )
        ),
        ("cut_off", "cut_off"),
        warnings=("length",),
    ),
    "a call that a filter cuts off": Odd(
        Reply(sse(chunk(tool_calls=[call_piece(0, "a", "note", '{"te')]), chunk(finish="content_filter"))),
        ("cut_off",),
        warnings=("content_filter",),
    ),
    "thoughts that never end": Odd(Reply(sse(chunk(content="<think>hm"), STOP)), output="", warnings=("empty_answer",)),
    "thoughts before a call": Odd(
        Reply(
            sse(
                chunk(content="<think>hm</think>\n\n"),
                chunk(tool_calls=[call_piece(0, "a", "calculator", SUM)]),
                CALLED,
            )
        ),
        (DONE,),
    ),
    "usage that is null": Odd(
        Reply(
            sse(
                {**chunk(content="Hi", finish="stop"), "usage": None}, {"choices": [], "usage": {"prompt_tokens": None}}
            )
        ),
        output="Hi",
    ),
    "more behind the end": Odd(
        Reply(
            sse(chunk(content="Hi"), STOP, "data: [DONE]", chunk(content="!", tool_calls=[call_piece(0, "a", "f", "")]))
        ),
        output="Hi",
    ),
    "nulls wherever something may be": Odd(
        Reply(
            sse(
                {"choices": None},
                {"choices": [None]},
                {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
                {
                    "choices": [
                        {"delta": {"content": "Hi", "tool_calls": [{"index": None, "id": None, "function": None}]}}
                    ]
                },
                STOP,
            )
        ),
        output="Hi",
    ),
    "a NUL in a text": Odd(Reply(sse(chunk(content="a\x00b"), STOP)), output="a\x00b"),
}


@pytest.fixture(scope="module")
def url() -> Iterator[Any]:
    with provider(says("")) as server:
        yield server


async def chat(world: World, url: str, text: str) -> Any:
    sent = await world.core.chat.send(text, model=ModelChoice(base_url=url, model="m"))
    assert isinstance(sent, Ok), sent
    return await world.settled(sent.data.id)


@pytest.mark.parametrize("name", ODD)
async def test_an_odd_answer_ends_as_it_should(name: str, url: Any) -> None:
    odd = ODD[name]
    url.answer = strict = Strict("go", (odd.reply, says("Done.")))
    storage = InMemoryStorage()
    async with a_world(storage) as world:
        told = await chat(world, url.url, "go")
        made = {call["id"]: call["summary"] or call["error"]["code"] for call in told["tool_calls"]}
        assert tuple(made[call_id] for call_id in sorted(made)) == odd.calls
        assert (told["status"], told["output"]) == ("error" if odd.error else "success", odd.output)
        assert (told["error"] or {}).get("code") == odd.error
        assert tuple(warning["code"] for warning in told["warnings"]) == odd.warnings
        again = await world.core.chat.send("more", told["workflow_id"])
        assert isinstance(again, Ok)
        assert (await world.settled(again.data.id))["output"] == "More."
    assert strict.refused == []
    async with a_world(storage) as world:
        assert await world.describe(told["run_id"]) == told


async def test_a_tool_is_called_once_though_the_model_has_to_be_asked_again_with_its_result() -> None:
    busy = fails(429, "slow down", Retry_After="0.01")
    answers = StrictInTurn(calls(("a", "note", {"text": "x"})), busy, busy, says("Paid, and told."))
    with provider(answers) as server:
        async with a_world() as world:
            told = await chat(world, server.url, "go")
            assert (told["output"], world.tools.notes) == ("Paid, and told.", ["x"])
    assert len(server.posts) == 4


async def test_a_tool_is_called_once_though_the_answer_to_its_result_breaks_off() -> None:
    cut = Reply(sse(*(chunk(content=f"{n} ") for n in range(10)), done=False), end="lost")
    with provider(StrictInTurn(calls(("a", "note", {"text": "x"})), cut, says("10 11"))) as server:
        async with a_world() as world:
            first = await chat(world, server.url, "go")
            assert (first["status"], first["error"]["code"], world.tools.notes) == ("error", "truncated", ["x"])
            again = await world.core.chat.send("go on", first["workflow_id"])
            assert isinstance(again, Ok)
            assert (await world.settled(again.data.id))["output"] == "10 11"
            texts = [message.text for message in await world.storage.messages.of_workflow(first["workflow_id"])]
            assert texts == ["go", "0 1 2 3 4 5 6 7 8 9 ", "go on", "10 11"]
            assert world.tools.notes == ["x"]


async def test_a_question_is_asked_after_what_else_the_model_called_and_waits_for_the_next_process() -> None:
    both = calls(("a", "ask_user", {"question": "Which?"}), ("b", "calculator", {"expression": "1+1"}))
    storage = InMemoryStorage()
    with provider(StrictInTurn(both, says("Fine."))) as server:
        async with a_world(storage) as world:
            told = await chat(world, server.url, "go")
        assert {call["id"]: call["status"] for call in told["tool_calls"]} == {
            "answer.1.1": "running",
            "answer.1.2": "completed",
        }
        async with a_world(storage) as world:
            later = await world.describe(told["run_id"])
            assert later["tool_calls"] == told["tool_calls"]
            await world.core.runs.recover()
            await world.settled(told["run_id"])
            (run,) = await storage.runs.page()
            assert (await world.answer(run, "skip"))["output"] == "Fine."
