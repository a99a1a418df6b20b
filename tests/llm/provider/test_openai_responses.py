"""What is particular to responses: servers that imitate them, items that go back, and which models need them."""

import json
from dataclasses import replace
from typing import Any

import pytest

from core.domain.model import ModelChoice, Reasoning, WireFormatName
from core.domain.tool import ToolInfo
from core.llm.openai_responses.request import request_body
from core.llm.presets import Quirks, wire_format_of
from core.ports import CallRequest, ChatMessage, MessageFile, ModelRequest, Replay, ReplayDelta
from tests.llm.provider.conftest import Heard, Phone
from tests.llm.provider.contract.cells import JSON, events, whole
from tests.llm.provider.contract.openai_responses import (
    CALCULATION,
    PARIS,
    RAW,
    RAW_THOUGHT,
    SUMMARY,
    THOUGHT,
    called,
    event,
    problem_of,
    response,
    said,
)
from tests.llm.provider.test_requests import HISTORIES
from tests.support.provider import Reply, provider

RESPONSES = {"wire_format": WireFormatName.OPENAI_RESPONSES, "model": "gpt-5.1"}
CHOICE = ModelChoice(base_url="https://api.openai.com/v1", **RESPONSES)
USER = ChatMessage("user", "go")
DONE = event("completed", response=response())
ARGUMENTS = '{"location":"Paris"}'


def body_of(*messages: ChatMessage, **changes: Any) -> dict[str, Any]:
    return request_body(ModelRequest(messages), CHOICE.model_copy(update=changes), Quirks())


@pytest.mark.parametrize("name", HISTORIES)
def test_every_history_is_valid(name: str) -> None:
    body = body_of(*HISTORIES[name])
    assert problem_of(body) is None, body
    json.dumps(body).encode("utf-8")


def test_only_models_that_reason_are_asked_for_their_reasoning() -> None:
    plain = body_of(USER, model="gpt-4o")
    assert plain == {
        "model": "gpt-4o",
        "input": [{"role": "user", "content": "go"}],
        "stream": True,
        "store": False,
    }
    thinking = body_of(USER, reasoning=Reasoning.HIGH, temperature=0.5, max_tokens=99)
    assert thinking["include"] == ["reasoning.encrypted_content"]
    assert thinking["reasoning"] == {"summary": "auto", "effort": "high"}
    assert (thinking["temperature"], thinking["max_output_tokens"]) == (0.5, 99)


# Sources: beside the table in core/llm/presets.py
@pytest.mark.parametrize(
    ("model", "needs_responses"),
    [
        ("gpt-4o", False),
        ("gpt-4.1-mini", False),
        ("gpt-5-chat-latest", False),
        ("gpt-5", True),
        ("gpt-5.6-terra", True),
        ("o3-pro", True),
        ("o4-mini", True),
        ("codex-mini-latest", True),
        ("llama-3", False),
    ],
)
def test_models_of_openai_that_reason_are_asked_for_responses(model: str, needs_responses: bool) -> None:
    wanted = WireFormatName.OPENAI_RESPONSES if needs_responses else WireFormatName.CHAT_COMPLETIONS
    choice = ModelChoice(provider="openai", base_url="https://api.openai.com/v1", model=model)
    assert wire_format_of(choice) is wanted
    elsewhere = choice.model_copy(update={"base_url": "https://proxy.example/v1"})
    assert wire_format_of(elsewhere) is WireFormatName.CHAT_COMPLETIONS
    chosen = choice.model_copy(update={"wire_format": WireFormatName.CHAT_COMPLETIONS})
    assert wire_format_of(chosen) is WireFormatName.CHAT_COMPLETIONS


def test_items_go_back_as_they_came_to_the_model_that_sent_them() -> None:
    items = [{"id": "rs_0", "type": "reasoning", "summary": []}, THOUGHT, CALCULATION]
    call = CallRequest(CALCULATION["call_id"], "calculator", {"a": 12}, CALCULATION["arguments"])
    result = ChatMessage("tool", "19", call_id=call.id)
    replay = Replay(WireFormatName.OPENAI_RESPONSES, CHOICE.origin, CHOICE.model, items)
    sent = body_of(USER, ChatMessage("assistant", "", (call,), replay=replay), result)["input"]
    output = {"type": "function_call_output", "call_id": call.id, "output": "19"}
    assert sent[1:] == [THOUGHT, CALCULATION, output]  # what OpenAI would look for in vain is left out
    # To another model, and where it is of another answer or damaged, the call goes without.
    values: tuple[Any, ...] = (
        items[:2],
        [*items, said("m", "Hi")[-1]["item"]],
        {},
        "x",
        [{**CALCULATION, "call_id": None}],
    )
    others = [replace(replay, model="gpt-5.2"), *(replace(replay, value=value) for value in values)]
    for other in others:
        sent = body_of(USER, ChatMessage("assistant", "", (call,), replay=other), result)["input"]
        assert [item.get("type") for item in sent] == [None, "function_call", "function_call_output"]
        assert "id" not in sent[1]


def test_files_are_items_of_a_message_or_of_a_result() -> None:
    files = (
        MessageFile("p.png", "image/png", b"1"),
        MessageFile("d.pdf", "application/pdf", b"2"),
        MessageFile("x.zip", "application/zip", b"3"),
    )
    call = CallRequest("a", "look", {}, "{}")
    sent = body_of(
        ChatMessage("user", "see", files=files),
        ChatMessage("assistant", "", (call,)),
        ChatMessage("tool", "seen", call_id="a", files=files[:1]),
    )["input"]
    text, picture, document, other = sent[0]["content"]
    assert text == {"type": "input_text", "text": "see"}
    assert picture == {"type": "input_image", "image_url": "data:image/png;base64,MQ==", "detail": "auto"}
    assert document == {
        "type": "input_file",
        "filename": "d.pdf",
        "file_data": "data:application/pdf;base64,Mg==",
    }
    assert "x.zip" in other["text"]
    assert [part["type"] for part in sent[2]["output"]] == ["input_text", "input_image"]


NO_DELTAS = [each for each in called(PARIS, ARGUMENTS) if "delta" not in each["type"]]

# What servers leave out or do otherwise. Each is one call of get_weather, or the text "Hi there".
IMITATIONS = {
    # github.com/earendil-works/pi/pull/917: LM Studio sends the arguments once, and at the end none
    "arguments in `done` alone": events(
        *NO_DELTAS[:-1], event("output_item.done", output_index=0, item={**PARIS, "arguments": "{}"}), DONE
    ),
    # github.com/sgl-project/sglang/issues/12652: no `done` of the item, and an empty message in the response
    "a response without its calls": events(
        *called(PARIS, ARGUMENTS)[:-1],
        event("completed", response=response(output=[{"id": "m", "type": "message", "content": [{"text": ""}]}])),
    ),
    "arguments in the item alone": events(event("output_item.done", item=PARIS), DONE),
    "a call in the response alone": events(event("completed", response=response(output=[PARIS]))),
    "no places": events(
        *({key: value for key, value in each.items() if key != "output_index"} for each in called(PARIS, ARGUMENTS)),
        event("completed", response=response(output=[PARIS])),
    ),
    "arguments as an object": events(
        event("output_item.done", output_index=0, item={**PARIS, "arguments": json.loads(ARGUMENTS)}), DONE
    ),
    "kinds as names of events": b"".join(
        f"event: {each.pop('type')}\ndata: {json.dumps(each)}\n\n".encode()
        for each in [dict(one) for one in (*called(PARIS, ARGUMENTS), DONE)]
    ),
    # github.com/Oaklight/llm-rosetta/issues/56: deltas of an item that was never added, and an empty response
    "texts of no item": events(
        event("output_text.delta", delta="Hi "), event("output_text.delta", delta="there"), DONE
    ),
    "a text in `done` alone": events(
        *(each for each in said("m", "Hi ", "there") if "text.delta" not in each["type"]), DONE
    ),
    "a text in the item alone": events(said("m", "Hi ", "there")[-1], DONE),
    "the last piece in the item alone": events(*said("m", "Hi ", "there")[:3], said("m", "Hi ", "there")[-1], DONE),
    "a text without places": events(
        *(
            {key: value for key, value in each.items() if not key.endswith("_index")}
            for each in said("m", "Hi ", "there")
        ),
        event("completed", response=response(output=[said("m", "Hi ", "there")[-1]["item"]])),
    ),
    "a refusal": events(
        event("refusal.delta", output_index=0, content_index=0, delta="Hi "),
        event("refusal.done", output_index=0, content_index=0, refusal="Hi there"),
        event(
            "completed",
            response=response(output=[{"type": "message", "content": [{"type": "refusal", "refusal": "Hi there"}]}]),
        ),
    ),
}


@pytest.mark.parametrize("name", IMITATIONS)
async def test_servers_that_imitate_responses_are_understood(phone: Phone, name: str) -> None:
    heard = await ask(phone, IMITATIONS[name])
    assert heard.error is None
    calls = [(call.id, call.tool, call.arguments) for call in heard.calls]
    assert (heard.text, calls) in (
        ("", [("call_Paris", "get_weather", {"location": "Paris"})]),
        ("Hi there", []),
    )


@pytest.mark.parametrize(
    ("stream", "thought"),
    [
        # a name of some servers for the same event
        (
            [
                event("reasoning.delta", output_index=0, delta=RAW),
                event("output_item.done", output_index=0, item=RAW_THOUGHT),
            ],
            RAW,
        ),
        ([event("output_item.done", output_index=0, item=THOUGHT)], SUMMARY),
        (
            [
                event("reasoning_summary_text.delta", output_index=0, summary_index=at, delta=text)
                for at, text in enumerate(("One.", "Two."))
            ],
            "One.\n\nTwo.",
        ),
    ],
)
async def test_thoughts_are_shown_once(phone: Phone, stream: list[Any], thought: str) -> None:
    heard = await ask(phone, events(*stream, DONE))
    assert heard.thought == thought


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        # vercel/ai openai-response-failed-only.1.chunks.txt
        (
            events(
                event("failed", response=response("failed", error={"code": "rate_limit_exceeded", "message": "TPM"}))
            ),
            "provider_error",
            "TPM",
        ),
        (
            events({"type": "error", "code": "server_error", "message": "Sorry", "param": None}),
            "provider_error",
            "Sorry",
        ),
        (events(event("cancelled", response=response("cancelled"))), "provider_error", "stopped the answer"),
        (whole(response("failed", error={"message": "Sorry"})), "provider_error", "Sorry"),
        (events(*said("m", "Hi")), "truncated", "broke off"),
    ],
)
async def test_a_response_that_fails_is_an_error(phone: Phone, body: bytes, code: str, words: str) -> None:
    heard = await ask(phone, body)
    assert heard.failure.code == code
    assert words in heard.failure.message


async def test_an_error_before_the_first_item_is_waited_for(phone: Phone) -> None:
    begun = event("created", response=response("in_progress"))
    error = {"code": "server_is_overloaded", "message": "Our servers are currently overloaded."}
    failed = Reply(events(begun, event("failed", response=response("failed", error=error))))
    with provider(failed, Reply(events(begun, *said("m", "Hi"), DONE))) as server:
        heard = await phone.ask(server.url, choice=RESPONSES)
    assert (heard.text, [wait.message for wait in heard.waits]) == ("Hi", [error["message"]])


async def test_an_answer_whose_items_are_not_whole_does_not_go_back(phone: Phone) -> None:
    heard = await ask(phone, events(*called(PARIS, ARGUMENTS)[:-1], DONE))
    assert len(heard.calls) == 1
    assert not any(isinstance(delta, ReplayDelta) for delta in heard.deltas)


async def test_what_openai_gives_to_some_alone_is_not_asked_for_again(phone: Phone) -> None:
    """github.com/continuedev/continue/issues/9666"""
    error = {
        "message": "Your organization must be verified to generate reasoning summaries.",
        "type": "invalid_request_error",
        "param": "reasoning.summary",
        "code": "unsupported_value",
    }
    refused = Reply(whole({"error": error}), 400, JSON)
    with provider(refused, Reply(events(*said("m", "Hi"), DONE))) as server:
        first = await phone.ask(server.url, choice={**RESPONSES, "reasoning": "high"})
        await phone.ask(server.url, choice=RESPONSES)
        sent = [post.body.get("reasoning") for post in server.posts]
    assert (first.text, first.waits) == ("Hi", [])
    assert sent == [{"summary": "auto", "effort": "high"}, {"effort": "high"}, None]


async def test_tools_are_not_strict(phone: Phone) -> None:
    with provider(Reply(events(*said("m", "Hi"), DONE))) as server:
        await phone.ask(server.url, choice=RESPONSES, tools=(ToolInfo("a b", "A", "Does.", {}),))
        assert server.posts[0].path == "/v1/responses"
        assert server.posts[0].body["tools"] == [
            {
                "type": "function",
                "name": "a_b",
                "description": "Does.",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            }
        ]


async def ask(phone: Phone, body: bytes) -> Heard:
    with provider(Reply(body, headers=JSON) if body.startswith(b"{") else Reply(body)) as server:
        return await phone.ask(server.url, choice=RESPONSES)
