"""What is particular to Gemini: schemas, thinking, calls and their results, and the ways in which an answer ends."""

import json
from dataclasses import replace
from typing import Any

import pytest

from core.domain.model import ModelChoice, Reasoning, WireFormatName
from core.domain.tool import ToolInfo
from core.llm.gemini.request import NO_SIGNATURE, request_body, thinking_config
from core.llm.gemini.schema import function_schema
from core.llm.gemini.wire_format import Gemini
from core.llm.presets import Quirks, preset_at, wire_format_at, wire_format_of
from core.ports import CallRequest, ChatMessage, MessageFile, ModelRequest, Replay
from tests.llm.provider.conftest import Heard, Phone
from tests.llm.provider.contract.cells import JSON, events, whole
from tests.llm.provider.contract.gemini import BUSY, PARIS, chunk, failure, problem_of
from tests.llm.provider.test_requests import HISTORIES
from tests.support.provider import Reply, provider

GEMINI = {"wire_format": WireFormatName.GEMINI, "model": "gemini-3-pro-preview"}
CHOICE = ModelChoice(base_url="https://generativelanguage.googleapis.com/v1beta", **GEMINI)
USER = ChatMessage("user", "go")


def body_of(*messages: ChatMessage, tools: tuple[ToolInfo, ...] = ()) -> Any:
    return request_body(ModelRequest(messages, tools), CHOICE, Quirks())


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, None),
        ({"type": "object", "properties": {}}, None),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"additionalProperties": {"type": "string"}}),
        (
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": {
                    "n": {"type": "integer", "exclusiveMinimum": 0, "multipleOf": 2, "default": 4},
                    "kind": {"const": "a"},
                    "to": {"oneOf": [{"type": "string"}, {"type": "null"}]},
                    "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
                },
                "required": ["n", "gone"],
                "patternProperties": {"^x": {}},
            },
            {
                "properties": {
                    "n": {"type": "integer", "minimum": 1},
                    "kind": {"enum": ["a"]},
                    "to": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["n"],
            },
        ),
        (
            {
                "properties": {
                    "tree": {"$ref": "#/$defs/Node", "description": "The root"},
                    "far": {"$ref": "http://x"},
                },
                "$defs": {
                    "Node": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
                    }
                },
            },
            {
                "properties": {
                    "tree": {
                        "type": "object",
                        "description": "The root",
                        "properties": {"name": {"type": "string"}, "next": {}},
                    },
                    "far": {},
                }
            },
        ),
        (
            {"allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {}}}]},
            {"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]},
        ),
    ],
)
def test_a_schema_is_reduced_to_what_gemini_reads(given: dict[str, Any], sent: dict[str, Any] | None) -> None:
    assert function_schema(given) == (None if sent is None else {"type": "object", **sent})


@pytest.mark.parametrize(
    ("model", "effort", "config"),
    [
        ("gemini-2.0-flash", Reasoning.HIGH, {}),
        ("gemma-4-27b-it", Reasoning.HIGH, {}),
        ("gemini-2.5-flash-image", Reasoning.HIGH, {}),
        ("gemini-2.5-flash", Reasoning.OFF, {"includeThoughts": True}),
        ("gemini-2.5-flash-lite", Reasoning.OFF, {}),
        ("gemini-2.5-pro", Reasoning.LOW, {"includeThoughts": True, "thinkingBudget": 1024}),
        ("models/gemini-2.5-flash-lite-preview-09-2025", Reasoning.HIGH, {"thinkingBudget": 24_576}),
        ("gemini-flash-latest", Reasoning.MEDIUM, {"thinkingBudget": 8192}),
        ("gemini-3-pro-preview", Reasoning.MEDIUM, {"thinkingLevel": "high"}),
        ("gemini-3.1-pro-preview", Reasoning.MEDIUM, {"thinkingLevel": "medium"}),
        ("gemini-3-flash-preview", Reasoning.LOW, {"thinkingLevel": "low"}),
    ],
)
def test_a_model_thinks_as_its_generation_does(model: str, effort: Reasoning, config: dict[str, Any]) -> None:
    found = thinking_config(CHOICE.model_copy(update={"model": model, "reasoning": effort}))
    assert found == ({"includeThoughts": True, **config} if config else {})


@pytest.mark.parametrize("name", HISTORIES)
def test_every_history_is_valid(name: str) -> None:
    body = body_of(*HISTORIES[name])
    assert problem_of(body) is None, body
    json.dumps(body).encode("utf-8")


def test_results_have_the_names_and_ids_of_their_calls_and_pictures_where_the_model_takes_them() -> None:
    calls = (CallRequest("a", "add", {"n": 1}, "{}"), CallRequest("b", "add", None, "{"))
    files = (MessageFile("p.png", "image/png", b"1"), MessageFile("x.zip", "application/zip", b"2"))
    results = (ChatMessage("tool", "B", call_id="b"), ChatMessage("tool", "A", call_id="a", files=files))
    replay = Replay(WireFormatName.GEMINI, CHOICE.origin, CHOICE.model, [PARIS, {"functionCall": {"name": "add"}}])
    signed = body_of(USER, ChatMessage("assistant", "", calls, replay=replay), *results)["contents"]
    assert signed[1]["parts"] == replay.value
    first, second = (part["functionResponse"] for part in signed[2]["parts"][:2])
    assert (first["id"], first["name"], first["response"]) == ("lpndqlku", "get_weather", {"result": "A"})
    assert first["parts"] == [{"inlineData": {"mimeType": "image/png", "data": "MQ==", "displayName": "p.png"}}]
    assert "id" not in second
    assert "x.zip" in signed[2]["parts"][2]["text"]
    # The answer of another model, of this one without its signatures, of another answer, or damaged.
    values: tuple[Any, ...] = (
        replay.value[:1],
        [{"text": "Hi"}, *replay.value],
        {},
        "x",
        [{"functionCall": 1}, {"functionCall": {}}],
    )
    others = [replace(replay, model="gemini-2.5-pro"), *(replace(replay, value=value) for value in values)]
    for message in (ChatMessage("assistant", "", calls, replay=other) for other in (None, *others)):
        parts = body_of(USER, message, *results)["contents"][1]["parts"]
        assert [part.get("thoughtSignature") for part in parts] == [NO_SIGNATURE, None]
        assert parts[1]["functionCall"]["args"] == {"invalid_json": "{"}


@pytest.mark.parametrize(
    ("address", "wire_format"),
    [
        ("https://generativelanguage.googleapis.com/v1beta", WireFormatName.GEMINI),
        ("https://generativelanguage.googleapis.com/v1beta/openai", WireFormatName.CHAT_COMPLETIONS),
        ("https://gateway.example/gemini/v1beta", WireFormatName.GEMINI),
        ("https://gateway.example/v1beta/models/gemini-2.5-flash:generateContent", WireFormatName.GEMINI),
        ("https://gateway.example/v1/responses", WireFormatName.OPENAI_RESPONSES),
        ("https://gateway.example/openai/v1", WireFormatName.CHAT_COMPLETIONS),
        ("https://gateway.example/openai/v1/responses", WireFormatName.OPENAI_RESPONSES),
        ("https://gateway.example/gemini/v1/chat/completions", WireFormatName.CHAT_COMPLETIONS),
        ("https://gateway.example/v1", None),
    ],
)
def test_an_address_names_its_api(address: str, wire_format: WireFormatName | None) -> None:
    assert wire_format_at(address) is wire_format
    if "googleapis" in address:
        preset = preset_at(address)
        assert preset.id == "gemini"
        assert wire_format_of(ModelChoice(provider="gemini", base_url=address, model="m")) is wire_format


@pytest.mark.parametrize("path", ["", "/v1beta", "/gemini", "/v1"])
def test_an_address_may_lack_the_version(path: str) -> None:
    choice = CHOICE.model_copy(update={"base_url": f"https://h{path}"})
    version = "" if "/v1" in path else "/v1beta"
    assert Gemini().models_url(choice) == f"https://h{path}{version}/models?pageSize=1000"
    assert Gemini().url(choice).startswith(f"https://h{path}{version}/models/gemini-3-pro-preview:")


def ends(finish: str, message: str | None = None) -> bytes:
    value = chunk({"text": "So"}, finish=finish)
    if message is not None:
        value["candidates"][0]["finishMessage"] = message
    return events(value)


# A reason of each kind, as the reference lists them: https://ai.google.dev/api/generate-content#FinishReason
@pytest.mark.parametrize(
    ("body", "warnings", "code", "words"),
    [
        (ends("STOP"), [], None, ""),
        (ends("FINISH_REASON_UNSPECIFIED"), [], None, ""),
        (ends("SAFETY"), ["content_filter"], None, ""),
        (ends("RECITATION"), ["content_filter"], None, ""),
        (ends("MALFORMED_FUNCTION_CALL", "Malformed function call: print(x)"), [], "provider_error", "print(x)"),
        (ends("UNEXPECTED_TOOL_CALL"), [], "provider_error", "UNEXPECTED_TOOL_CALL"),
        # https://github.com/google-gemini/gemini-cli/issues/7392, in the middle of a stream and outside its events
        (events(chunk({"text": "So"})) + whole(BUSY), [], "provider_error", "overloaded"),
        (events(chunk({"text": "So"})) + b"data: [" + whole(BUSY) + b"]\n\n", [], "provider_error", "overloaded"),
        (events(chunk({"text": "So"}, prompt=3)), [], "truncated", "broke off"),
    ],
)
async def test_an_answer_ends_for_a_reason(
    phone: Phone, body: bytes, warnings: list[str], code: str | None, words: str
) -> None:
    heard = await ask(phone, Reply(body))
    assert heard.text == "So"
    assert heard.warnings == warnings
    assert (heard.error.code if heard.error else None) == code
    assert words in (heard.error.message if heard.error else "")


async def test_a_call_that_the_model_wrote_as_code_is_told_to_it(phone: Phone) -> None:
    """github.com/openclaw/openclaw/issues/138373"""
    heard = await ask(
        phone, Reply(ends("MALFORMED_FUNCTION_CALL", "Malformed function call: print(default_api.add(n=1))"))
    )
    assert heard.error is None
    (call,) = heard.calls
    assert (call.tool, call.arguments, call.arguments_text) == ("add", None, "default_api.add(n=1))")


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        (b'[{"candidates":[{"content":{"parts":[{"text":"Hi', "truncated", ""),
        (whole(chunk({"text": "Hi"}, finish="STOP")), None, "Hi"),
        (b"[" + whole(BUSY) + b"]", "provider_error", ""),
        (whole({"response": chunk({"text": "Hi"}, finish="STOP")}), None, "Hi"),  # as Google's assistant sends it
        (b"<html>no</html>", "bad_response", ""),
        (b"{malformed json: <<<chaos>>>", "bad_response", ""),  # by aimock
    ],
)
async def test_an_answer_may_be_no_stream(phone: Phone, body: bytes, code: str | None, text: str) -> None:
    heard = await ask(phone, Reply(body, headers=JSON))
    assert (heard.text, heard.error.code if heard.error else None) == (text, code)


async def test_a_call_may_have_no_arguments_no_id_and_the_name_of_a_namespace(phone: Phone) -> None:
    calls = [{"functionCall": {"name": name}} for name in ("default_api:add", "add")]
    tool = ToolInfo("add", "Add", "Adds.", {})
    with provider(Reply(events(chunk(*calls, finish="STOP")))) as server:
        phone.key = "AIza-0123456789abcdef"
        heard = await phone.ask(server.url, choice=GEMINI, tools=(tool,))
        (asked,) = server.posts
    assert [(call.tool, call.arguments) for call in heard.calls] == [("add", {}), ("add", {})]
    assert len({call.id for call in heard.calls}) == 2
    assert asked.body["tools"] == [{"functionDeclarations": [{"name": "add", "description": "Adds."}]}]
    assert asked.path == "/v1/models/gemini-3-pro-preview:streamGenerateContent?alt=sse"
    assert (asked.headers["x-goog-api-key"], "authorization" in asked.headers) == (phone.key, False)


async def test_an_error_before_the_first_part_is_waited_for(phone: Phone) -> None:
    heard = await ask(phone, Reply(events(BUSY)), Reply(events(chunk({"text": "Hi"}, finish="STOP"))))
    assert (heard.text, heard.error) == ("Hi", None)
    assert len(phone.clock.slept) == 1


async def test_the_wait_that_google_names_in_the_error_is_kept(phone: Phone) -> None:
    details = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}
    busy = Reply(whole(failure(429, "You exceeded your quota.", "RESOURCE_EXHAUSTED", details)), 429, JSON)
    heard = await ask(phone, busy, Reply(events(chunk({"text": "Hi"}, finish="STOP"))))
    assert heard.text == "Hi"
    assert phone.clock.slept == [34.4]


async def test_a_model_that_does_not_think_is_not_asked_for_thoughts_again(phone: Phone) -> None:
    """github.com/lobehub/lobehub/issues/7985"""
    refused = Reply(whole(failure(400, "Thinking is not enabled for models/x", "INVALID_ARGUMENT")), 400, JSON)
    with provider(refused, Reply(events(chunk({"text": "Hi"}, finish="STOP")))) as server:
        for _ in range(2):
            heard = await phone.ask(server.url, choice=GEMINI)
            assert heard.text == "Hi"
        assert ["thinkingConfig" in post.text for post in server.posts] == [True, False, False]


async def test_a_model_must_be_chosen(phone: Phone) -> None:
    with provider(Reply()) as server:
        heard = await phone.ask(server.url, choice={**GEMINI, "model": None})
        assert server.posts == []
    assert "choose a model" in heard.failure.message


async def ask(phone: Phone, *replies: Reply) -> Heard:
    with provider(*replies) as server:
        return await phone.ask(server.url, choice=GEMINI)
