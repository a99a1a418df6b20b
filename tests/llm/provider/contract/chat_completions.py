"""Streams of chat completions."""

from collections.abc import Mapping
from typing import Any

from core.ports import Usage
from tests.llm.provider.contract.cells import JSON, Adapter, Cell, Scenario, events, whole
from tests.support.strict_provider import problem_of as problem_of_messages

REFERENCE = "https://platform.openai.com/docs/api-reference/chat-streaming/streaming"
GUIDE = "https://platform.openai.com/docs/guides/function-calling#streaming"
ERRORS = "https://platform.openai.com/docs/guides/error-codes/api-errors"


def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    """A chunk as the reference shows it."""
    return {
        "id": "chatcmpl-123",
        "object": "chat.completion.chunk",
        "created": 1694268190,
        "model": "gpt-4o-mini",
        "system_fingerprint": "fp_44709d6fcb",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
    }


def piece(index: int, arguments: str, call_id: str | None = None, name: str | None = None) -> dict[str, Any]:
    """A piece of a call as the guide shows it: what is unknown by then is null."""
    kind = "function" if name else None
    function = {"arguments": arguments, "name": name}
    return {"tool_calls": [{"index": index, "id": call_id, "function": function, "type": kind}]}


DONE = "data: [DONE]"
BEGUN = chunk({"role": "assistant", "content": ""})
CALLED = chunk({}, "tool_calls")
WEATHER = [
    piece(0, "", "call_DdmO9pD3xa9XTPNJ32zg2hcA", "get_weather"),
    *(piece(0, text) for text in ('{"', "location", '":"', "Paris", ",", " France", '"}')),
]
COUNTED = {
    "prompt_tokens": 2006,
    "completion_tokens": 300,
    "total_tokens": 2306,
    "prompt_tokens_details": {"cached_tokens": 1920},
    "completion_tokens_details": {"reasoning_tokens": 0},
}

CELLS = {
    Scenario.PLAIN: Cell(
        "provider",
        REFERENCE,
        events(BEGUN, chunk({"content": "Hello"}), chunk({"content": "!"}), chunk({}, "stop"), DONE),
        text="Hello!",
    ),
    Scenario.TOOLS: Cell(
        "provider",
        GUIDE,
        events(BEGUN, *(chunk(delta) for delta in WEATHER), CALLED, DONE),
        calls=(("get_weather", {"location": "Paris, France"}),),
    ),
    Scenario.PARALLEL_TOOLS: Cell(
        "aimock",
        "aimock 1.43: a fixture with two toolCalls",
        events(
            chunk({"role": "assistant", "content": None}),
            *(
                chunk({"tool_calls": [{"index": index, **entry}]})
                for index, call_id, name, arguments in (
                    (0, "call_VC8vPnJqLEgjYX_s", "get_weather", '{"location":"Paris"}'),
                    (1, "call_gP_zFiDjq5UcPmlu", "get_time", '{"location":"Oslo"}'),
                )
                for entry in (
                    {"id": call_id, "type": "function", "function": {"name": name, "arguments": ""}},
                    {"function": {"arguments": arguments}},
                )
            ),
            CALLED,
            DONE,
        ),
        calls=(("get_weather", {"location": "Paris"}), ("get_time", {"location": "Oslo"})),
    ),
    Scenario.REASONING: Cell(
        "report",
        "https://github.com/karthink/gptel/pull/592",
        events(
            chunk({"role": "assistant"}),
            *(chunk({"reasoning_content": text, "role": "assistant"}) for text in ("Okay", ",", " the", " user")),
            chunk({"content": "Hi.", "role": "assistant"}),
            chunk({"content": ""}, "stop"),
            DONE,
        ).replace(b"data: ", b"data:"),
        text="Hi.",
        thought="Okay, the user",
    ),
    Scenario.REFUSAL: Cell(
        "by hand",
        "the finish reason of the reference",
        events(BEGUN, chunk({"content": "First you"}), chunk({}, "content_filter"), DONE),
        text="First you",
    ),
    Scenario.LENGTH: Cell(
        "by hand",
        "a call of the guide that the limit cuts",
        events(BEGUN, chunk({"content": "Well,"}), *(chunk(d) for d in WEATHER[:4]), chunk({}, "length"), DONE),
        text="Well,",
    ),
    Scenario.ERROR_IN_STREAM: Cell(
        "report",
        "https://openrouter.ai/docs/api/reference/streaming#handling-errors-during-streaming",
        events(
            chunk({"content": "So far"}),
            {
                "id": "cmpl-abc123",
                "object": "chat.completion.chunk",
                "created": 1234567890,
                "model": "gpt-3.5-turbo",
                "provider": "openai",
                "error": {"code": "server_error", "message": "Provider disconnected unexpectedly"},
                "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
            },
        ),
        text="So far",
        words="Provider disconnected unexpectedly",
    ),
    Scenario.OVERLOADED: Cell(
        "provider",
        ERRORS,
        whole(
            {
                "error": {
                    "message": "The engine is currently overloaded, please try again later",
                    "type": "server_error",
                    "param": None,
                    "code": None,
                }
            }
        ),
        words="currently overloaded",
        status=503,
        headers=JSON,
    ),
    Scenario.WRONG_KEY: Cell(
        "provider",
        ERRORS,
        whole(
            {
                "error": {
                    "message": "Incorrect API key provided",
                    "type": "invalid_request_error",
                    "param": None,
                    "code": "invalid_api_key",
                }
            }
        ),
        words="Incorrect API key provided",
        status=401,
        headers=JSON,
    ),
    Scenario.CACHED_TOKENS: Cell(
        "provider",
        "https://platform.openai.com/docs/guides/prompt-caching#requirements",
        events(
            chunk({"content": "Hi."}), chunk({}, "stop"), {"id": "chatcmpl-123", "choices": [], "usage": COUNTED}, DONE
        ),
        text="Hi.",
        usage=Usage(2006, 300, None, cached_tokens=1920),
    ),
    Scenario.NOT_STREAMED: Cell(
        "provider",
        "https://platform.openai.com/docs/api-reference/chat/create",
        whole(
            {
                "id": "chatcmpl-abc123",
                "object": "chat.completion",
                "created": 1699896916,
                "model": "gpt-4o-mini",
                "choices": [
                    {
                        "index": 0,
                        "message": {
                            "role": "assistant",
                            "content": None,
                            "tool_calls": [
                                {
                                    "id": "call_abc123",
                                    "type": "function",
                                    "function": {"name": "get_weather", "arguments": '{\n"location": "Boston, MA"\n}'},
                                }
                            ],
                        },
                        "logprobs": None,
                        "finish_reason": "tool_calls",
                    }
                ],
                "usage": {"prompt_tokens": 82, "completion_tokens": 17, "total_tokens": 99},
            }
        ),
        calls=(("get_weather", {"location": "Boston, MA"}),),
        usage=Usage(82, 17),
        headers=JSON,
    ),
}

ADAPTER = Adapter(
    CELLS,
    lambda body: problem_of_messages(body["messages"]),
    model="gpt-4o-mini",
)
