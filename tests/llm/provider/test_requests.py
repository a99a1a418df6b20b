"""What is sent: only chosen fields, and a conversation that the strictest provider accepts."""

import json
from typing import Any

import pytest

from core.domain.model import ModelChoice, Reasoning
from core.domain.tool import ToolInfo
from core.llm.openai_compatible.request import BROKE_OFF, request_body, wire_messages
from core.llm.presets import PRESETS, Quirks
from core.llm.quirks import quirks_of
from core.ports import CallRequest, ChatMessage, ModelRequest
from tests.llm.provider.conftest import Phone
from tests.support.provider import calls, provider, says
from tests.support.strict_provider import StrictInTurn, problem_of

TOOL = ToolInfo("add", "Add", "Adds.", {"type": "object", "properties": {"n": {"type": "integer"}}})


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def said(text: str, *made: CallRequest) -> ChatMessage:
    return ChatMessage("assistant", text, made)


def call(
    call_id: str = "a", tool: str = "add", arguments: dict[str, Any] | None = None, text: str = "{}"
) -> CallRequest:
    return CallRequest(call_id, tool, arguments, text)


def result(call_id: str, text: str = "1") -> ChatMessage:
    return ChatMessage("tool", text, call_id=call_id)


HISTORIES: dict[str, tuple[ChatMessage, ...]] = {
    "a question": (user("hi"),),
    "a system prompt": (ChatMessage("system", "Be brief."), user("hi")),
    "rounds whose ids are the same": (user("go"), said("", call()), result("a"), said("", call()), result("a")),
    "calls of one id in one answer": (user("go"), said("", call("x"), call("x")), result("x", "1"), result("x", "2")),
    "ids that are empty": (user("go"), said("", call(""), call("")), result(""), result("")),
    "a call without a result": (user("go"), said("", call("a"), call("b")), result("b"), user("and?")),
    "calls without any result at the end": (user("go"), said("", call("a"))),
    "results in another order": (user("go"), said("", call("a"), call("b")), result("b"), result("a")),
    "a result without a call": (user("go"), result("ghost"), said("ok"), user("and?")),
    "a result too many": (user("go"), said("", call("a")), result("a"), result("a"), result("b")),
    "an answer that broke off before it said anything": (user("go"), said(""), user("again")),
    "an answer that broke off at the end": (user("go"), said("so f")),
    "an answer that broke off after its calls": (user("go"), said("", call()), result("a"), said(""), user("again")),
    "an answer that broke off in the middle": (user("go"), said("so f"), user("again")),
    "answers one after the other": (user("go"), said("one"), said("two"), user("again")),
    "arguments that are no JSON": (user("go"), said("", call(text='{"n": ')), result("a")),
    "a name that nobody may have": (
        user("go"),
        said("", call(tool="mcp: get it!"), call("b", tool="")),
        result("a"),
        result("b"),
    ),
    "halves of characters": (
        user("a\ud83d"),
        said("\udc00", call("\ud800", text="\ud800")),
        result("\ud800", "\ud800"),
    ),
}


@pytest.mark.parametrize("short_ids", [False, True])
@pytest.mark.parametrize("name", HISTORIES)
def test_every_history_is_valid_for_a_strict_provider(name: str, short_ids: bool) -> None:
    sent = wire_messages(HISTORIES[name], None, Quirks(short_ids=short_ids))
    assert problem_of(sent) is None, sent
    json.dumps(sent).encode("utf-8")
    if short_ids:
        ids = [made["id"] for message in sent for made in message.get("tool_calls", [])]
        assert all(len(call_id) == 9 and call_id.isalnum() for call_id in ids)


def test_results_go_to_their_calls_whatever_order_they_came_in() -> None:
    sent = wire_messages((user("go"), said("", call("a"), call("b")), result("b", "B"), result("a", "A")))
    assert [(message["tool_call_id"], message["content"]) for message in sent if message["role"] == "tool"] == [
        ("a", "A"),
        ("b", "B"),
    ]


def test_a_call_without_a_result_gets_an_error() -> None:
    sent = wire_messages((user("go"), said("", call("a")), user("and?")))
    assert "interrupted" in sent[2]["content"]
    assert (sent[3]["role"], sent[3]["content"]) == ("assistant", BROKE_OFF)


def test_a_model_reads_what_it_wrote_where_that_is_no_json() -> None:
    sent = wire_messages((user("go"), said("", call(text='{"n": ')), result("a")))
    assert json.loads(sent[1]["tool_calls"][0]["function"]["arguments"]) == {"invalid_json": '{"n": '}


def test_only_what_was_chosen_is_sent() -> None:
    body = request_body(ModelRequest((user("hi"),)), ModelChoice(base_url="http://h", model="m"), Quirks())
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_what_was_chosen_is_sent_as_each_preset_wants_it() -> None:
    chosen = {"temperature": 0.5, "max_tokens": 99, "reasoning": Reasoning.HIGH}
    choices = {name: ModelChoice(provider=name, base_url="http://h", **chosen) for name in PRESETS}
    bodies = {
        name: request_body(ModelRequest((user("hi"),)), choice, quirks_of(choice)) for name, choice in choices.items()
    }
    assert "model" not in bodies["llamacpp"]
    assert {body["temperature"] for body in bodies.values()} == {0.5}
    assert (bodies["openai"]["max_completion_tokens"], bodies["openai"]["reasoning_effort"]) == (99, "high")
    assert (bodies["openrouter"]["max_tokens"], bodies["openrouter"]["reasoning"]) == (99, {"effort": "high"})
    assert "stream_options" not in bodies["mistral"]
    assert "reasoning_effort" not in bodies["ollama"]


async def test_tools_are_described_and_called_by_their_own_names(phone: Phone) -> None:
    odd = ToolInfo("mcp__notes__get it", "Get", "Gets.", {})
    with provider(calls(("1", "mcp__notes__get_it", {}), ("2", "add", {"n": 1}))) as server:
        heard = await phone.ask(server.url, tools=(TOOL, odd))
    sent = server.posts[0].body["tools"]
    assert [tool["function"]["name"] for tool in sent] == ["add", "mcp__notes__get_it"]
    assert sent[0]["function"]["parameters"] == dict(TOOL.input_schema)
    assert sent[1]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert [call.tool for call in heard.calls] == ["mcp__notes__get it", "add"]


async def test_a_strict_provider_gets_a_valid_conversation(phone: Phone) -> None:
    with provider(StrictInTurn(says("fine"))) as server:
        for history in HISTORIES.values():
            heard = await phone.ask(server.url, *history)
            assert (heard.text, heard.error) == ("fine", None)


async def test_the_address_may_end_with_a_slash(phone: Phone) -> None:
    with provider(says("a")) as server:
        await phone.ask(server.url + "///")
        assert server.posts[0].path == "/v1/chat/completions"


@pytest.mark.parametrize(
    "address",
    [
        "", "h", "ftp://h", "http://", "http:///v1", "http://h:0", "http://h:99999", "http://h:x", "http://u:p@h",
        "http://h/v1?key=s", "http://h h/", "http://[::1", "x" * 3000, "file:///etc/passwd", "http://user@h/v1",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(ValueError, match="base_url") as caught:
        ModelChoice(base_url=address)
    if len(address) > 8:
        assert address not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com"),
        ("https://API.openai.com:443/", "https://api.openai.com"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("http://[::1]:1/v1", "http://[::1]:1"),
        ("http://h:443", "http://h:443"),
    ],
)
def test_a_key_belongs_to_an_origin(address: str, origin: str) -> None:
    assert ModelChoice(base_url=address).origin == origin
