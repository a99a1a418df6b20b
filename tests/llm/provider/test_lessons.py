"""Parts of a request that a server does not take: left out, told once, and remembered for the model.

The refusals are those of public reports, unless they are marked otherwise.
"""
# ruff: noqa: E501  # messages of servers, as they came

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from core.domain.model import ModelChoice, Reasoning
from core.domain.tool import ToolInfo
from core.llm.openai_compatible.request import request_body, wire_messages
from core.llm.presets import PRESETS
from core.llm.quirks import ENTRIES, quirks_of
from core.ports import CallRequest, ChatMessage, MessageFile, ModelRequest, ModelWarning, Replay
from tests.llm.provider.conftest import Heard, Phone
from tests.support.provider import Asked, Reply, provider, says

JSON = {"Content-Type": "application/json"}
TOOLS = tuple(ToolInfo(name, name, f"Does {name}.", {"type": "object"}) for name in ("add", "wait"))
PROMPT = (ChatMessage("system", "Be brief."), ChatMessage("user", "hi"))
ROUND = (
    *PROMPT,
    ChatMessage("assistant", "", (CallRequest("call_49c8", "add", {"n": 1}, '{"n":1}'),)),
    ChatMessage("tool", "2", call_id="call_49c8"),
)

Test = Callable[[Mapping[str, Any]], bool]


def has(*names: str) -> Test:
    return lambda body: any(name in body for name in names)


def has_role(role: str) -> Test:
    return lambda body: any(message["role"] == role for message in body["messages"])


def error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", **fields}}


# The refusal, its status, what is refused, and the code of the warning.
REFUSALS: dict[str, tuple[Any, int, Test, str | None]] = {
    # github.com/louisho5/picobot/issues/6
    "tools, by Ollama": (error("registry.ollama.ai/library/gemma3:4b does not support tools"), 400, has("tools"), "without_tools"),
    # A trial of this app.
    "tools, in other words": (error("tiny:4b takes no tools", code=None), 400, has("tools"), "without_tools"),
    # github.com/evalstate/fast-agent/issues/122
    "tools, by OpenRouter": (error("No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing", code=404), 404, has("tools"), "without_tools"),
    # github.com/langchain4j/langchain4j/issues/3475
    "tools, by vLLM": ({"object": "error", "message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', "code": 400}, 400, has("tools"), "without_tools"),
    # github.com/containers/ramalama/issues/988
    "tools, by llama.cpp": (error("tools param requires --jinja flag", code=500), 500, has("tools"), "without_tools"),
    # github.com/tailcallhq/forgecode/issues/1177
    "a system message": (error("Unsupported value: 'messages[0].role' does not support 'system' with this model.", param="messages[0].role", code="unsupported_value"), 400, has_role("system"), None),
    # github.com/vllm-project/vllm/pull/2964
    "a system message, by a template": (error("System role not supported"), 400, has_role("system"), None),
    # github.com/johny-b/llmcomp/issues/69
    "a temperature": (error("Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.", param="temperature"), 400, has("temperature"), "without_part"),
    # github.com/davidmigloz/langchain_dart/issues/712
    "the effort": (error("Unrecognized request argument supplied: reasoning_effort", param=None), 400, has("reasoning_effort"), "without_part"),
    # github.com/fish2018/YPrompt/issues/26
    "the name of the limit": (error("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", param="max_tokens"), 400, has("max_tokens"), None),
    # github.com/enoch3712/ExtractThinker/issues/346
    "a limit that is too high": (error("max_tokens is too large: 99999. This model supports at most 16384 completion tokens, whereas you provided 99999.", param="max_tokens"), 400, lambda body: body.get("max_tokens", 0) > 16384, None),
    # FastAPI's form; written by hand.
    "an option": ({"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}, 422, has("stream_options"), None),
    # github.com/editor-code-assistant/eca/issues/233
    "ids of calls": ({"object": "error", "message": "Tool call id was call_49c8 but must be a-z, A-Z, 0-9, with a length of 9.", "type": "invalid_function_call", "code": "3280"}, 400, lambda body: "call_49c8" in json.dumps(body), None),
    # A trial of this app.
    "ids of calls, in other words": ({"object": "error", "message": "the id call_49c8 of a call is not made of nine letters and digits", "code": "3280"}, 400, lambda body: "call_49c8" in json.dumps(body), None),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
async def test_a_part_that_is_refused_is_left_out_told_once_and_remembered(phone: Phone, name: str) -> None:
    refusal, status, is_refused, warning = REFUSALS[name]

    def reply(asked: Asked) -> Reply:
        return Reply(json.dumps(refusal).encode(), status, JSON) if is_refused(asked.body) else says("437.")

    with provider(reply) as server:
        first, second = [await ask(phone, server.url) for _ in range(2)]
        assert (first.error, first.text, second.text) == (None, "437.", "437.")
        assert first.warnings == ([warning] if warning else [])
        assert second.warnings == []
        assert len(server.posts) == 3
        other = await ask(phone, server.url, model="other")  # which may take it
        assert other.warnings == first.warnings
    answered = server.posts[1].body
    assert all(message["content"] for message in answered["messages"] if message["role"] != "assistant")
    assert "Be brief." in json.dumps(answered)
    if not has("tools")(answered):
        assert "(Result of add: 2)" in json.dumps(answered)


async def ask(phone: Phone, url: str, **choice: Any) -> Heard:
    chosen = {"provider": "deepseek", "temperature": 0.5, "max_tokens": 99999, "reasoning": Reasoning.HIGH, **choice}
    return await phone.ask(url, *ROUND, choice=chosen, tools=TOOLS)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."),
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000 (8000 in the messages, 1000 in the functions)."),
        (401, "this key takes no tools"),
        (429, "tools: too many requests"),
    ],
)  # fmt: skip
async def test_other_refusals_leave_nothing_out(phone: Phone, status: int, message: str) -> None:
    with provider(Reply(json.dumps(error(message)).encode(), status, JSON)) as server:
        heard = await ask(phone, server.url)
    assert heard.failure.message == message
    assert all("tools" in post.body for post in server.posts)


async def test_a_refusal_of_everything_ends(phone: Phone) -> None:
    with provider(
        Reply(json.dumps(error("temperature, tools and system messages: no, not supported")).encode(), 400, JSON)
    ) as server:
        heard = await ask(phone, server.url)
        assert heard.failure.code == "provider_error"
        assert heard.warnings == []
        assert len(server.posts) < 8
        before = len(server.posts)
        await ask(phone, server.url)
    assert "tools" in server.posts[before].body  # a guess that did not help is not remembered


@pytest.mark.parametrize(
    ("status", "message"),
    [
        # github.com/rikkahub/rikkahub/issues/1433, github.com/JohnnyZ93/oai-compatible-copilot/issues/229,
        # github.com/ggml-org/llama.cpp/issues/12947; the last is written by hand.
        (400, "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 679289"),
        (404, "No endpoints found that support image input"),
        (500, 'Failed to parse messages: Unsupported content part type: "image_url"'),
        (400, "messages.0.content must be a string"),
    ],
)  # fmt: skip
async def test_a_model_that_takes_no_pictures_is_asked_without_them(phone: Phone, status: int, message: str) -> None:
    def reply(asked: Asked) -> Reply:
        return Reply(json.dumps(error(message)).encode(), status, JSON) if "base64" in asked.text else says("437.")

    shown = ChatMessage("user", "What is it?", files=(MessageFile("cat.png", "image/png", b"x"),))
    with provider(reply) as server:
        heard = await phone.ask(server.url, shown, choice={"takes_pictures": True})
        again = await phone.ask(server.url, shown, choice={"takes_pictures": True})
    assert (heard.text, heard.warnings, again.text, again.warnings) == ("437.", ["without_part"], "437.", [])
    assert "cat.png" in json.dumps(server.posts[-1].messages)
    assert len(server.posts) == 3


MANY = tuple(
    ToolInfo(f"mcp__notes__look_up_{n:03}", f"Look up {n}", "Looks up.", {"type": "object"}) for n in range(139)
)


@pytest.mark.parametrize(
    "refusal",
    [
        # A trial of this app, github.com/vishalmysore/Tools4AI/issues/16, and one written by hand.
        error("tools: 128 items are the most, these are 141", param="tools", code="array_above_max_length"),
        error("Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 141 instead.", param="tools", code="array_above_max_length"),
        error("too many tools"),
    ],
)  # fmt: skip
async def test_no_more_tools_are_sent_than_a_provider_takes(phone: Phone, refusal: Any) -> None:
    def reply(asked: Asked) -> Reply:
        is_refused = len(asked.body["tools"]) > 128
        return Reply(json.dumps(refusal).encode(), 400, JSON) if is_refused else says("437.")

    called = ChatMessage("assistant", "", (CallRequest("a", MANY[137].name, {}, "{}"),))
    messages = (ChatMessage("user", "Please look up 138."), called, ChatMessage("tool", "1", call_id="a"))
    with provider(reply) as server:
        heard = await phone.ask(server.url, *messages, tools=(*MANY, *TOOLS))
        again = await phone.ask(server.url, *messages, tools=(*MANY, *TOOLS))
    assert (heard.text, again.text, len(server.posts)) == ("437.", "437.", 3)
    (warning,) = [delta for delta in heard.deltas if isinstance(delta, ModelWarning)]
    assert (warning.code, warning.details) == ("fewer_tools", {"sent": 128, "of": 141, "left_out": "notes (13)"})
    assert again.warnings == []
    sent = [tool["function"]["name"] for tool in server.posts[-1].body["tools"]]
    assert {"add", "wait", MANY[137].name, MANY[138].name} < set(sent)
    assert sent == [name for name in (tool.name for tool in (*MANY, *TOOLS)) if name in sent]


async def test_a_limit_that_is_known_needs_no_refusal(phone: Phone) -> None:
    with provider(says("437.")) as server:
        heard = await phone.ask(server.url, choice={"provider": "openai"}, tools=(*MANY, *TOOLS))
    assert heard.warnings == ["fewer_tools"]
    assert [len(post.body["tools"]) for post in server.posts] == [128]


def test_what_is_known_has_a_source_and_holds_by_provider_and_model() -> None:
    assert all(entry.source.startswith("https://") for entry in ENTRIES)
    assert {entry.provider for entry in ENTRIES} - {None} <= set(PRESETS)
    router = ModelChoice(
        provider="openrouter", base_url="https://openrouter.ai/api/v1", model="mistralai/devstral-small"
    )
    assert quirks_of(router).short_ids
    own = ModelChoice(base_url="http://127.0.0.1:1/v1", model="Ministral-8B-Instruct.gguf")
    assert quirks_of(own).short_ids
    pasted = ModelChoice(base_url="https://api.openai.com/v1/", model="gpt-4o")
    assert (quirks_of(pasted).max_tools, quirks_of(pasted).short_ids) == (128, False)
    minimax = ModelChoice(provider="minimax", base_url="https://api.minimax.io/v1", model="MiniMax-M2.1", max_tokens=5)
    body = request_body(ModelRequest(PROMPT), minimax, quirks_of(minimax))
    assert (body["reasoning_split"], body["max_completion_tokens"]) == (True, 5)


async def test_one_tool_that_is_refused_is_left_out_alone(phone: Phone) -> None:
    # github.com/sashabaranov/go-openai/issues/432; the place is written by hand.
    refusal = error("Invalid schema for function 'add': None is not of type 'object', 'boolean'.", param="tools[0].function.parameters", code="invalid_function_parameters")  # fmt: skip

    def reply(asked: Asked) -> Reply:
        names = [tool["function"]["name"] for tool in asked.body["tools"]]
        return Reply(json.dumps(refusal).encode(), 400, JSON) if "add" in names else says("437.")

    with provider(reply) as server:
        heard = await phone.ask(server.url, tools=TOOLS)
    (warning,) = [delta for delta in heard.deltas if isinstance(delta, ModelWarning)]
    assert (heard.text, warning.details) == ("437.", {"sent": 1, "of": 2, "left_out": "add"})


@pytest.mark.parametrize(
    ("key", "message"),
    [
        # github.com/tashfeenahmed/freellmapi/issues/1070, github.com/vercel/ai/pull/8057
        ("reasoning_content", "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]"),
        ("reasoning", "messages[1].reasoning: reasoning is not supported with this model"),
    ],
)  # fmt: skip
async def test_keys_that_a_server_does_not_take_back_are_not_returned(phone: Phone, key: str, message: str) -> None:
    def reply(asked: Asked) -> Reply:
        has_key = any(key in answer for answer in asked.messages)
        return Reply(json.dumps(error(message)).encode(), 400, JSON) if has_key else says("437.")

    with provider(reply) as server:
        choice = ModelChoice(base_url=server.url, model="m")
        replay = Replay("chat_completions", choice.origin, "m", {"message": {key: "Hm."}, "calls": [{}]})
        answer = replace(ROUND[2], replay=replay)
        heard = await phone.ask(server.url, *ROUND[:2], answer, ROUND[3], choice={"reasoning": Reasoning.OFF})
    assert (heard.error, heard.text, heard.warnings, len(server.posts)) == (None, "437.", [], 2)


@pytest.mark.parametrize("key", ["reasoning_content", "thought_signature"])
async def test_what_an_older_answer_has_not_is_filled_where_a_server_insists(phone: Phone, key: str) -> None:
    # DeepSeek: github.com/anomalyco/opencode/issues/24722; Google: ai.google.dev/gemini-api/docs/thought-signatures
    message = f"The `{key}` in the thinking mode must be passed back to the API."

    def reply(asked: Asked) -> Reply:
        answers = [message for message in asked.messages if message["role"] == "assistant"]
        is_whole = all(re.search(rf'"{key}": "\S', json.dumps(answer)) for answer in answers)
        return says("437.") if is_whole else Reply(json.dumps(error(message)).encode(), 400, JSON)

    with provider(reply) as server:
        heard = await phone.ask(server.url, *ROUND)
    assert (heard.error, heard.text, len(server.posts)) == (None, "437.", 2)


def test_ids_that_are_too_long_are_shortened_with_their_results() -> None:
    long = "call_" + "x" * 90
    answer = ChatMessage("assistant", "", (CallRequest(long, "add", {}, "{}"),))
    sent = wire_messages((*PROMPT, answer, ChatMessage("tool", "1", call_id=long)))
    assert sent[-1]["tool_call_id"] == sent[-2]["tool_calls"][0]["id"]
    assert len(sent[-1]["tool_call_id"]) <= 40
