"""Anthropic's Messages API: what is sent, for which model, and the streams of servers that imitate it."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.model import ModelChoice, Reasoning, WireFormatName
from core.domain.tool import ToolInfo
from core.llm.anthropic_messages.request import request_body
from core.llm.anthropic_messages.wire_format import AnthropicMessages
from core.llm.key_masking import Secret
from core.llm.presets import Quirks
from core.ports import ChatMessage, MessageFile, ModelRequest, Replay, ReplayDelta
from tests.llm.provider.conftest import Heard, Phone
from tests.llm.provider.contract.anthropic_messages import (
    begin,
    call,
    delta,
    end,
    error,
    problem_of,
    start,
    stop,
    stream,
    text,
)
from tests.llm.provider.contract.cells import JSON, events, whole
from tests.llm.provider.contract.chat_completions import chunk
from tests.llm.provider.test_requests import HISTORIES, said, user
from tests.llm.provider.test_requests import call as made
from tests.llm.provider.test_requests import result as result_of
from tests.support.provider import Reply, fails, provider

FORMAT = {"wire_format": WireFormatName.ANTHROPIC_MESSAGES}
HERE = "https://api.example/v1"


def choice(**fields: Any) -> ModelChoice:
    return ModelChoice(**{"base_url": HERE, "model": "claude-sonnet-5", **FORMAT, **fields})


def body(*messages: ChatMessage, tools: tuple[ToolInfo, ...] = (), **fields: Any) -> dict[str, Any]:
    return request_body(ModelRequest(messages or (user("hi"),), tools), choice(**fields), Quirks())


def answer_of(heard: Heard) -> ChatMessage:
    (replay,) = [delta.replay for delta in heard.deltas if isinstance(delta, ReplayDelta)]
    return ChatMessage("assistant", heard.text, tuple(heard.calls), replay=replay)


# Requests


@pytest.mark.parametrize("name", HISTORIES)
def test_every_history_is_valid(name: str) -> None:
    sent = body(*HISTORIES[name])
    assert problem_of(sent) is None, sent
    json.dumps(sent).encode("utf-8")


def test_results_of_a_round_are_one_message_before_what_the_user_says_then() -> None:
    failed = result_of("b", '{"error":{"code":"x"}}')
    sent = body(user("go"), said("Well.", made("a"), made("b")), failed, result_of("a", ""), user("stop"))["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    first, second, last = sent[2]["content"]
    assert first == {"type": "tool_result", "tool_use_id": "a"}
    assert (second["tool_use_id"], second["is_error"]) == ("b", True)
    assert last["text"] == "stop"


def test_pictures_and_documents_are_sent_and_other_files_named() -> None:
    files = tuple(
        MessageFile(name, mime, b"x")
        for name, mime in (("a.png", "image/png"), ("b.pdf", "application/pdf"), ("c.zip", "application/zip"))
    )
    seen = ChatMessage("tool", "seen", call_id="a", files=files[:1])
    sent = body(ChatMessage("user", "See", files=files), said("", made("a")), seen)["messages"]
    picture, document, named, asked = sent[0]["content"]
    assert picture == {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}}
    assert (document["type"], document["title"]) == ("document", "b.pdf")
    assert ("c.zip" in named["text"], asked["text"]) == (True, "See")
    assert [block["type"] for block in sent[2]["content"][0]["content"]] == ["text", "image"]


def test_four_places_are_marked_for_the_cache_and_they_move_on() -> None:
    tool = ToolInfo("add", "Add", "Adds.", {"type": "object"})
    system, rounds = ChatMessage("system", "Be brief."), (said("", made("a")), result_of("a"))
    sent = body(
        system, user("go"), *rounds, said("one"), user("two"), said("", made("b")), result_of("b"), tools=(tool,)
    )
    assert json.dumps(sent).count("cache_control") == 4
    marked = [bool("cache_control" in message["content"][-1]) for message in sent["messages"]]
    assert marked == [False, False, False, False, True, False, True]
    assert "cache_control" in sent["tools"][-1]
    assert "cache_control" in sent["system"][-1]


def test_a_schema_with_alternatives_at_its_top_becomes_an_object() -> None:
    one = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"]}
    two = {"properties": {"a": {"type": "string"}}, "required": ["a"]}
    schema = {"anyOf": [one, two], "properties": {"c": {"type": "integer"}}}
    (sent,) = body(tools=(ToolInfo("t", "t", "", schema),))["tools"]
    assert "description" not in sent
    assert sent["input_schema"]["properties"].keys() == {"a", "b", "c"}
    assert (sent["input_schema"]["type"], sent["input_schema"]["required"]) == ("object", ["a"])
    assert "anyOf" not in sent["input_schema"]


EFFORT, BUDGET = (
    ({"type": "adaptive", "display": "summarized"}, False),
    ({"type": "enabled", "budget_tokens": 4096}, False),
)
NONE_COLD, NONE_WARM = (None, False), (None, True)


@pytest.mark.parametrize(
    ("model", "max_tokens", "thinking"),
    [
        ("claude-sonnet-5", 64_000, EFFORT),
        ("claude-opus-5-5", 64_000, EFFORT),
        ("claude-mythos-preview", 64_000, EFFORT),
        ("anthropic/claude-opus-4.7", 64_000, EFFORT),
        ("us.anthropic.claude-opus-4-6-v1", 64_000, EFFORT),
        ("claude-haiku-4-5-20251001", 64_000, BUDGET),
        ("claude-opus-4-5@20251101", 64_000, BUDGET),
        ("claude-opus-4-1-20250805", 32_000, BUDGET),
        ("claude-sonnet-4-20250514", 32_000, BUDGET),
        ("claude-3-7-sonnet-latest", 64_000, BUDGET),
        ("claude-3-5-haiku-20241022", 8_192, NONE_WARM),
        ("claude-3-haiku-20240307", 4_096, NONE_WARM),
        ("MiniMax-M2", 8_192, BUDGET),
        (None, 8_192, BUDGET),
    ],
)
def test_a_model_gets_the_limits_and_the_thinking_of_its_generation(
    model: str | None, max_tokens: int, thinking: tuple[Any, bool]
) -> None:
    sent = body(model=model, reasoning=Reasoning.LOW, temperature=0.5)
    assert sent["max_tokens"] == max_tokens
    assert (sent.get("thinking"), "temperature" in sent) == thinking
    assert sent.get("output_config") == ({"effort": "low"} if thinking == EFFORT else None)
    assert problem_of(sent) is None


def test_a_temperature_goes_only_to_models_that_take_one() -> None:
    assert body(model="claude-sonnet-4-6", temperature=1.7)["temperature"] == 1
    assert "temperature" not in body(model="claude-opus-4-7", temperature=0.2)


@pytest.mark.parametrize(("max_tokens", "budget"), [(1000, None), (2000, 1500), (100_000, 32_768)])
def test_a_budget_stays_within_the_chosen_limit(max_tokens: int, budget: int | None) -> None:
    sent = body(model="claude-opus-4-5", max_tokens=max_tokens, reasoning=Reasoning.HIGH)
    assert (sent["max_tokens"], sent.get("thinking", {}).get("budget_tokens")) == (max_tokens, budget)


def test_the_limit_leaves_room_in_the_window_of_another_server() -> None:
    assert body(model="glm", context_tokens=200_000)["max_tokens"] == 32_768
    assert body(model="tiny", context_tokens=8_192)["max_tokens"] == 2_048


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"),
        ("https://api.minimax.io/anthropic", "https://api.minimax.io/anthropic/v1/messages"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/messages"),
    ],
)
def test_the_address_may_be_the_one_that_the_provider_documents(address: str, asked: str) -> None:
    assert AnthropicMessages().url(choice(base_url=address)) == asked


@pytest.mark.parametrize(
    ("key", "names"),
    [
        (None, set()),
        ("sk-ant-api03-x", {"x-api-key"}),
        ("sk-ant-oat01-x", {"Authorization"}),
        ("sk-other", {"Authorization", "x-api-key"}),
    ],
)
def test_a_key_is_sent_as_its_provider_reads_it(key: str | None, names: set[str]) -> None:
    headers = AnthropicMessages().headers(Secret(key) if key else None)
    assert {*headers} == {"anthropic-version", *names}


# Thoughts go back


SECRET = {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP"}


def thought(index: int, words: str, signature: str) -> list[dict[str, Any]]:
    parts = [begin(index, "thinking", thinking="", signature="")]
    parts += [delta(index, "thinking_delta", thinking=piece) for piece in words]
    return [*parts, delta(index, "signature_delta", signature=signature), end(index)]


INTERLEAVED = stream(
    start(input_tokens=9),
    iter(thought(0, "ab", "s1")),
    begin(1, "redacted_thinking", data=SECRET["data"]),
    end(1),
    text(2, "First", " 🙂."),
    call(3, "toolu_1", "add", '{"n":', "1}"),
    iter(thought(4, "", "s2")),
    text(5, "Then."),
    call(6, "toolu_2", "add"),
    stop("tool_use"),
)


async def test_the_blocks_of_an_answer_go_back_in_their_order(phone: Phone) -> None:
    with provider(Reply(INTERLEAVED), Reply(stream(start(), text(0, "ok"), stop("end_turn")))) as server:
        heard = await phone.ask(server.url, choice={**FORMAT, "model": "claude-opus-4-5"})
        assert (heard.text, heard.thought) == ("First 🙂.Then.", "ab")
        assert [call.arguments for call in heard.calls] == [{"n": 1}, {}]
        asked = (user("hi"), answer_of(heard), result_of("toolu_1"), result_of("toolu_2"))
        thinks = {**FORMAT, "model": "claude-opus-4-5", "reasoning": "low"}
        await phone.ask(server.url, *asked, choice=thinks)
        await phone.ask(server.url, *asked, choice={**thinks, "model": "claude-opus-4-1"})
    same, other = (post.body for post in server.posts[1:])
    assert same["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "ab", "signature": "s1"},
        SECRET,
        {"type": "text", "text": "First 🙂."},
        {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"n": 1}},
        {"type": "thinking", "thinking": "", "signature": "s2"},
        {"type": "text", "text": "Then."},
        {"type": "tool_use", "id": "toolu_2", "name": "add", "input": {}},
    ]
    assert same["thinking"]["type"] == "enabled"
    # Another model gets the answer alone, and does not think before the turn has ended: it would be refused.
    assert [block["type"] for block in other["messages"][1]["content"]] == ["text", "tool_use", "tool_use"]
    assert "thinking" not in other
    assert problem_of(same) is None
    assert problem_of(other) is None


def test_a_model_thinks_again_after_the_turn_in_which_it_could_not() -> None:
    turn = (user("go"), said("", made("a")), result_of("a"))
    fields: Mapping[str, Any] = {"model": "claude-opus-4-5", "reasoning": "low"}
    assert "thinking" not in body(*turn, **fields)
    assert "thinking" not in body(*turn, user("and what?"), **fields)  # sent in one message with the result
    assert "thinking" in body(*turn, said("done"), user("more"), **fields)
    assert "thinking" in body(*turn, **{**fields, "model": "claude-opus-5"})


@pytest.mark.parametrize(
    "value",
    [
        [{"type": "thinking", "thinking": "x", "signature": "s"}, {"type": "text", "length": 3}],
        [{"type": "text", "length": "x"}],
        [{"type": "text", "length": 6}, {"type": "tool_use"}],
        [{"type": 5}],
        ["x"],
        {"type": "thinking"},
        None,
    ],
)
def test_what_does_not_belong_to_the_answer_is_not_returned_with_it(value: Any) -> None:
    chosen = choice()
    replay = Replay("anthropic_messages", chosen.origin, chosen.model, value)
    sent = body(user("a"), ChatMessage("assistant", "edited", replay=replay), user("b"))["messages"][1]["content"]
    assert sent == [{"type": "text", "text": "edited"}]


# Streams


ODD: dict[str, tuple[bytes, dict[str, Any]]] = {
    "no block ever begins": (
        stream(start(), delta(0, "thinking_delta", thinking="Hm"), delta(1, "text_delta", text="Hi"), stop("end_turn")),
        {"text": "Hi", "thought": "Hm"},
    ),
    "an input that comes at once": (
        stream(start(), begin(0, "tool_use", id="a", name="f", input={"n": 1}), end(0), stop("tool_use")),
        {"calls": [("f", {"n": 1})]},
    ),
    "an input that is a list": (
        stream(start(), call(0, "a", "f", "[1]"), stop("tool_use")),
        {"calls": [("f", None)]},
    ),
    "one id for two calls": (
        stream(start(), call(0, "a", "f", "{}"), call(1, "a", "f", "{}"), stop("tool_use")),
        {"calls": [("f", {}), ("f", {})]},
    ),
    "events without names": (
        stream(start(), text(0, "Hi"), stop("end_turn")).replace(b"event: ", b": "),
        {"text": "Hi"},
    ),
    "a block and an event of later versions": (
        stream(start(), begin(0, "hologram", cube=[1]), end(0), {"type": "shimmer"}, text(1, "Hi"), stop("end_turn")),
        {"text": "Hi"},
    ),
    "a full window": (
        stream(start(), text(0, "Hi"), stop("model_context_window_exceeded")),
        {"text": "Hi", "warnings": ["length"]},
    ),
    "a turn that is paused": (
        stream(start(), text(0, "Hi"), stop("pause_turn")),
        {"text": "Hi", "warnings": ["length"]},
    ),
    "an end without message_stop": (
        stream(start(), text(0, "Hi"), next(stop("end_turn"))),
        {"text": "Hi"},
    ),
    "a garbled event": (
        stream(start(), "event: content_block_delta\ndata: {garbled", text(0, "Hi"), stop("end_turn")),
        {"text": "Hi", "warnings": ["skipped_data"]},
    ),
    "a call without a name": (stream(start(), call(0, "a", "", "{}"), stop("tool_use")), {"error": "bad_response"}),
    "chat completions": (events(chunk({"content": "Hi"})), {"error": "bad_response"}),
    "an end before its reason": (stream(start(), text(0, "Hi")), {"text": "Hi", "error": "truncated"}),
}


@pytest.mark.parametrize("name", ODD)
async def test_an_odd_stream_is_read(phone: Phone, name: str) -> None:
    sent, wanted = ODD[name]
    with provider(Reply(sent)) as server:
        heard = await phone.ask(server.url, choice=FORMAT)
    assert (heard.text, heard.thought) == (wanted.get("text", ""), wanted.get("thought", ""))
    assert heard.warnings == wanted.get("warnings", [])
    assert (heard.error.code if heard.error else None) == wanted.get("error")
    assert [(call.tool, call.arguments) for call in heard.calls] == wanted.get("calls", [])
    assert len({call.id for call in heard.calls}) == len(heard.calls)
    assert len(server.posts) == 1


@pytest.mark.parametrize("kind", ["overloaded_error", "rate_limit_error", "api_error"])
async def test_an_error_in_the_stream_before_the_answer_is_waited_for(phone: Phone, kind: str) -> None:
    busy = Reply(stream(start(input_tokens=5), error(kind, "Later")))
    with provider(busy, Reply(stream(start(), text(0, "Hi"), stop("end_turn")))) as server:
        heard = await phone.ask(server.url, choice=FORMAT)
    assert (heard.text, heard.error) == ("Hi", None)
    assert phone.clock.slept == [1.0]


async def test_an_error_that_stays_is_not_asked_for_again(phone: Phone) -> None:
    with provider(Reply(stream(start(), error("invalid_request_error", "too long")))) as server:
        heard = await phone.ask(server.url, choice=FORMAT)
    assert (heard.failure.message, heard.failure.parameters["provider_code"]) == ("too long", "invalid_request_error")
    assert len(server.posts) == 1


async def test_a_request_that_is_too_large_is_an_error_in_the_providers_words(phone: Phone) -> None:
    with provider(fails(413, "Request exceeds the maximum size")) as server:
        heard = await phone.ask(server.url, choice=FORMAT)
    assert (heard.failure.code, heard.failure.message) == ("provider_error", "Request exceeds the maximum size")
    assert len(server.posts) == 1


ENABLED = (
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort"'
)


@pytest.mark.parametrize(
    ("model", "words", "sent"),
    [
        # https://github.com/NousResearch/hermes-agent/issues/11137
        ("my-alias", ENABLED, {"thinking": {"type": "adaptive", "display": "summarized"}}),
        ("claude-new", "adaptive thinking is not supported on this model", {"thinking": {"type": "enabled"}}),
        ("claude-new", "thinking.adaptive.display: Extra inputs are not permitted", {"thinking": {"type": "adaptive"}}),
        ("claude-new", "max_tokens: 64000 > 32000, which is the maximum allowed", {"max_tokens": 32_000}),
        ("claude-new", "messages.0.content.0.text.cache_control: Extra inputs are not permitted", {}),
    ],
)
async def test_what_a_server_takes_otherwise_is_learnt_from_its_refusal(
    phone: Phone, model: str, words: str, sent: dict[str, Any]
) -> None:
    refused = Reply(whole(error("invalid_request_error", words)), 400, JSON)
    with provider(refused, Reply(stream(start(), text(0, "Hi"), stop("end_turn")))) as server:
        heard = await phone.ask(server.url, choice={**FORMAT, "model": model, "reasoning": "low"})
        await phone.ask(server.url, choice={**FORMAT, "model": model, "reasoning": "low"})
    assert (heard.text, heard.warnings) == ("Hi", [])
    assert len(server.posts) == 3
    for post in server.posts[1:]:
        given = post.body
        given.get("thinking", {}).pop("budget_tokens", None)
        assert {name: given[name] for name in sent} == sent
        assert ("cache_control" in post.text) == ("cache_control" not in words)
