"""Streams of Anthropic's Messages API."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.ports import Usage
from tests.llm.provider.contract.cells import JSON, Adapter, Cell, Scenario, events, whole

DOCS = "https://platform.claude.com/docs/en"
STREAMING = f"{DOCS}/build-with-claude/streaming"
SIGNATURE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds..."


def start(**usage: int) -> dict[str, Any]:
    """The first event, as the docs show it."""
    message: dict[str, Any] = {
        "id": "msg_014p7gG3wDgGV9EUtLvnow3U",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-5-20251101",
        "stop_sequence": None,
        "usage": usage,
        "content": [],
        "stop_reason": None,
    }
    return {"type": "message_start", "message": message}


def begin(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **fields}}


def delta(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def end(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def text(index: int, *pieces: str) -> Iterator[dict[str, Any]]:
    yield begin(index, "text", text="")
    yield from (delta(index, "text_delta", text=piece) for piece in pieces)
    yield end(index)


def call(index: int, call_id: str, name: str, *pieces: str) -> Iterator[dict[str, Any]]:
    yield begin(index, "tool_use", id=call_id, name=name, input={})
    yield from (delta(index, "input_json_delta", partial_json=piece) for piece in pieces)
    yield end(index)


def stop(reason: str, **usage: int) -> Iterator[dict[str, Any]]:
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def stream(*parts: Mapping[str, Any] | str | Iterator[Mapping[str, Any]]) -> bytes:
    flat: list[Mapping[str, Any] | str] = []
    for part in parts:
        flat += [part] if isinstance(part, Mapping | str) else list(part)
    return events(*flat, named=True)


def error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


PING = {"type": "ping"}
WEATHER = ("", '{"location":', ' "San', " Francisc", "o,", ' CA"', ", ", '"unit": "fah', 'renheit"}')
THOUGHTS = ("Let me solve this step by step:\n\n1. First break down 27 * 453", "\n2. 453 = 400 + 50 + 3")

CELLS = {
    Scenario.PLAIN: Cell(
        "provider",
        f"{STREAMING}#basic-streaming-request",
        stream(
            start(input_tokens=25, output_tokens=1),
            begin(0, "text", text=""),
            PING,
            delta(0, "text_delta", text="Hello"),
            delta(0, "text_delta", text="!"),
            end(0),
            stop("end_turn", output_tokens=15),
        ),
        text="Hello!",
        usage=Usage(25, 15),
    ),
    Scenario.TOOLS: Cell(
        "provider",
        f"{STREAMING}#streaming-request-with-tool-use",
        stream(
            start(input_tokens=472, output_tokens=2),
            begin(0, "text", text=""),
            PING,
            *(delta(0, "text_delta", text=piece) for piece in ("Okay", ",", " let", "'s", " check", ":")),
            end(0),
            call(1, "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "get_weather", *WEATHER),
            stop("tool_use", output_tokens=89),
        ),
        text="Okay, let's check:",
        calls=(("get_weather", {"location": "San Francisco, CA", "unit": "fahrenheit"}),),
        usage=Usage(472, 89),
    ),
    Scenario.PARALLEL_TOOLS: Cell(
        "aimock",
        "aimock 1.43: a fixture with two toolCalls",
        stream(
            start(input_tokens=0, output_tokens=0),
            call(0, "toolu_5qJ8HlOstKldp_Vx", "get_weather", '{"location":"Paris"}'),
            call(1, "toolu_UbmrdOyAtM1Ut0Xr", "get_time", '{"location":"Oslo"}'),
            stop("tool_use", output_tokens=0),
        ),
        calls=(("get_weather", {"location": "Paris"}), ("get_time", {"location": "Oslo"})),
    ),
    Scenario.REASONING: Cell(
        "provider",
        f"{STREAMING}#streaming-request-with-extended-thinking",
        stream(
            start(),
            begin(0, "thinking", thinking=""),
            *(delta(0, "thinking_delta", thinking=piece) for piece in THOUGHTS),
            delta(0, "signature_delta", signature=SIGNATURE),
            end(0),
            text(1, "27 * 453 = 12,231"),
            stop("end_turn"),
        ),
        text="27 * 453 = 12,231",
        thought="".join(THOUGHTS),
        returned=({"type": "thinking", "thinking": "".join(THOUGHTS), "signature": SIGNATURE},),
    ),
    Scenario.REFUSAL: Cell(
        "provider",
        f"{DOCS}/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals",
        stream(
            start(),
            text(0, "Hello.."),
            {
                "type": "message_delta",
                "delta": {
                    "stop_reason": "refusal",
                    "stop_details": {
                        "type": "refusal",
                        "category": "cyber",
                        "explanation": "This request was declined because it could enable cyber harm.",
                    },
                },
            },
            {"type": "message_stop"},
        ),
        text="Hello..",
        words="declined because it could enable cyber harm",
    ),
    Scenario.LENGTH: Cell(
        "by hand",
        "the docs' call, cut off, with the stop reason of the docs",
        stream(
            start(input_tokens=472, output_tokens=2),
            text(0, "Well,"),
            call(1, "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "get_weather", *WEATHER[:4]),
            stop("max_tokens", output_tokens=10),
        ),
        text="Well,",
    ),
    Scenario.ERROR_IN_STREAM: Cell(
        "provider",
        f"{STREAMING}#error-events",
        stream(
            start(input_tokens=25, output_tokens=1),
            begin(0, "text", text=""),
            delta(0, "text_delta", text="So far"),
            error("overloaded_error", "Overloaded"),
        ),
        text="So far",
        words="Overloaded",
    ),
    Scenario.OVERLOADED: Cell(
        "provider",
        f"{DOCS}/api/errors",
        whole({**error("overloaded_error", "Overloaded"), "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}),
        words="Overloaded",
        status=529,
        headers=JSON,
    ),
    Scenario.WRONG_KEY: Cell(
        "report",
        "https://github.com/cline/cline/issues/12",
        whole(error("authentication_error", "invalid x-api-key")),
        words="invalid x-api-key",
        status=401,
        headers=JSON,
    ),
    Scenario.CACHED_TOKENS: Cell(
        "by hand",
        "the fields of the docs' page on prompt caching",
        stream(
            start(input_tokens=50, cache_read_input_tokens=1800, cache_creation_input_tokens=248, output_tokens=1),
            text(0, "Hi."),
            stop("end_turn", output_tokens=503),
        ),
        text="Hi.",
        usage=Usage(2098, 503, None, cached_tokens=1800, cache_write_tokens=248),
    ),
    Scenario.NOT_STREAMED: Cell(
        "provider",
        f"{DOCS}/api/messages/create",
        whole(
            {
                "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
                "type": "message",
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Hello!"},
                    {"type": "tool_use", "id": "toolu_01D7F", "name": "get_weather", "input": {"location": "Paris"}},
                ],
                "model": "claude-opus-4-5-20251101",
                "stop_reason": "tool_use",
                "stop_sequence": None,
                "usage": {"input_tokens": 12, "output_tokens": 6},
            }
        ),
        text="Hello!",
        calls=(("get_weather", {"location": "Paris"}),),
        usage=Usage(12, 6),
        headers=JSON,
    ),
}


def problem_of(body: Mapping[str, Any]) -> str | None:
    """What Anthropic answers 400 to."""
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        return "max_tokens is required"
    thinking = body.get("thinking", {})
    if thinking and "temperature" in body:
        return "a temperature while it thinks"
    if thinking.get("type") == "enabled" and not 1024 <= thinking["budget_tokens"] < body["max_tokens"]:
        return "the budget is outside of its limits"
    if str(body).count("'cache_control'") > 4:
        return "over four cache marks"
    for tool in body.get("tools", []):
        schema = tool["input_schema"]
        if schema.get("type") != "object" or {"oneOf", "anyOf", "allOf"} & set(schema):
            return f"the schema of {tool['name']}"
    return next(_problems([*body.get("system", [])], body["messages"]), None)


def _problems(system: list[Mapping[str, Any]], messages: list[Mapping[str, Any]]) -> Iterator[str]:
    seen: set[str] = set()
    due: list[str] = []
    if not messages or messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        yield "the user speaks first and last"
    for block in (*system, *(block for message in messages for block in _flat(message["content"]))):
        if block["type"] == "text" and not block["text"].strip():
            yield "an empty text"
        if block["type"] == "thinking" and not block.get("signature"):
            yield "a thought without its signature"
        if block["type"] in ("thinking", "redacted_thinking") and "cache_control" in block:
            yield "a cache mark on a thought"
    for at, message in enumerate(messages):
        if at and message["role"] == messages[at - 1]["role"]:
            yield f"message {at}: {message['role']} speaks twice"
        if not message["content"]:
            yield f"message {at}: empty"
        results = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        if sorted(results) != sorted(due):
            yield f"message {at}: results of {results}, not of {due}"
        if any(block["type"] != "tool_result" for block in message["content"][: len(results)]):
            yield f"message {at}: results come first"
        due = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        for call_id in due:
            if call_id in seen or not re.fullmatch("[a-zA-Z0-9_-]+", call_id):
                yield f"message {at}: the id {call_id!r}"
            seen.add(call_id)
        for block in message["content"]:
            if block["type"] == "tool_use" and not isinstance(block["input"], dict):
                yield f"message {at}: the input is no object"


def _flat(blocks: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for block in blocks:
        yield block
        if isinstance(block.get("content"), list):
            yield from _flat(block["content"])


ADAPTER = Adapter(CELLS, problem_of, model="claude-opus-4-5-20251101")
