"""Streams as real servers have sent them, and a few invented streams, each with its meaning."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.support.provider import call_piece, chunk, sse

Call = tuple[str, str, Mapping[str, Any] | None]
ANY_ID = "*"


@dataclass(frozen=True, slots=True)
class Stream:
    """The bytes, and their meaning. `error` is a part of the failure's message, `code` its code."""

    body: bytes
    text: str = ""
    thought: str = ""
    calls: tuple[Call, ...] = ()
    usage: tuple[int, int] | None = None
    code: str | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/event-stream"})


STOP = chunk(finish="stop")
CALLED = chunk(finish="tool_calls")


def _called(*entries: dict[str, Any], reason: dict[str, Any] = CALLED) -> bytes:
    return sse(*(chunk(tool_calls=[entry]) for entry in entries), reason)


_PLAIN = {
    "id": "c1",
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Both.",
                "tool_calls": [
                    {"id": "p", "type": "function", "function": {"name": "f", "arguments": '{"n":1}'}},
                    {"id": "q", "type": "function", "function": {"name": "g", "arguments": "{}"}},
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}
_JSON = {"Content-Type": "application/json"}
_PLAIN_ANSWER = Stream(b"", "Both.", calls=(("p", "f", {"n": 1}), ("q", "g", {})), usage=(3, 2), headers=_JSON)

SEEN: dict[str, Stream] = {
    "comments that keep the connection alive": Stream(
        sse(
            ": OPENROUTER PROCESSING",
            ": OPENROUTER PROCESSING",
            chunk(role="assistant", content=""),
            chunk(content="亚"),
            STOP,
        ),
        "亚",
    ),
    "a comment that a proxy made data of": Stream(
        sse("data: : OPENROUTER PROCESSING", chunk(content="ok"), STOP), "ok", warnings=("skipped_data",)
    ),
    "two calls without an index": Stream(
        sse(chunk(tool_calls=[call_piece(None, "a", "f", '{"x":1}'), call_piece(None, "b", "g", '{"y":2}')]), CALLED),
        calls=(("a", "f", {"x": 1}), ("b", "g", {"y": 2})),
    ),
    "two calls at index 0": Stream(
        _called(
            call_piece(0, "abc1", "write", '{"file":"hello.py"}'), call_piece(0, "abc2", "write", '{"file":"world.py"}')
        ),
        calls=(("abc1", "write", {"file": "hello.py"}), ("abc2", "write", {"file": "world.py"})),
    ),
    # A trial of this app: the second call begins under the first one's index, and goes on under its own.
    "a second call that begins under the first index": Stream(
        _called(
            call_piece(0, "p1", "calculator", ""),
            call_piece(0, None, None, '{"expression":"1+1"}'),
            call_piece(0, "p2", "wait", ""),
            call_piece(1, None, None, '{"seconds":'),
            call_piece(1, None, None, "0}"),
        ),
        calls=(("p1", "calculator", {"expression": "1+1"}), ("p2", "wait", {"seconds": 0})),
    ),
    # github.com/jundot/omlx/issues/1672, github.com/mistralai/mistral-vibe/issues/615
    "line ends and tabs as they are within arguments": Stream(
        _called(call_piece(0, "w", "write", '{"path": "a.txt", "content": "one\n\ttwo"}')),
        calls=(("w", "write", {"path": "a.txt", "content": "one\n\ttwo"}),),
    ),
    # github.com/mudler/LocalAI/issues/4761, github.com/ThinkInAIXYZ/deepchat/issues/51
    "thoughts in the text": Stream(
        sse(
            *(chunk(content=piece) for piece in ("<thi", "nk>\nThey want two and ", "two.</thin", "k>\n\nFour.")), STOP
        ),
        "Four.",
        "They want two and two.",
    ),
    "thoughts in the text whose beginning is in the prompt": Stream(
        sse(*(chunk(content=piece) for piece in ("They want ", "two and two.\n</thi", "nk>\n\n", "Four.")), STOP),
        "Four.",
        "They want two and two.",
    ),
    "empty ids and names where a call goes on": Stream(
        _called(
            call_piece(0, "call_8c", "calculator", "{"),
            call_piece(0, "", "", '"expression": '),
            call_piece(0, "", "", '"2"}'),
        ),
        calls=(("call_8c", "calculator", {"expression": "2"}),),
    ),
    "an index but never an id": Stream(
        _called(call_piece(0, None, "ls", '{"p"'), call_piece(0, None, None, ':"."}')),
        calls=((ANY_ID, "ls", {"p": "."}),),
    ),
    "usage in a piece with no choices": Stream(
        sse(
            chunk(content="Hi"),
            STOP,
            {"id": "c1", "choices": [], "usage": {"prompt_tokens": 611, "completion_tokens": 13}},
        ),
        "Hi",
        usage=(611, 13),
    ),
    "usage in a piece that names no choices": Stream(
        sse(chunk(content="Hi"), STOP, {"id": "c1", "usage": {"prompt_tokens": 5, "completion_tokens": 1}}),
        "Hi",
        usage=(5, 1),
    ),
    "thoughts under two names": Stream(
        sse(
            chunk(reasoning="let me "),
            chunk(reasoning="see", reasoning_content="see"),
            chunk(content="ok", reasoning_content=None),
            STOP,
        ),
        "ok",
        "let me see",
    ),
    "content in blocks": Stream(
        sse(
            chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Let me"}]}]),
            chunk(
                content=[
                    {"type": "thinking", "thinking": [{"type": "text", "text": " think"}]},
                    {"type": "text", "text": "Par"},
                ]
            ),
            chunk(content="is"),
            STOP,
        ),
        "Paris",
        "Let me think",
    ),
    "an error beside empty choices": Stream(
        sse({"id": "g1", "choices": [], "error": {"code": 502, "message": "Worker limit reached (33/32)"}}),
        code="provider_error",
        error="Worker limit reached (33/32)",
    ),
    "an error as a field of the stream": Stream(
        sse('error: {"code":400,"message":"the request exceeds the context size","type":"invalid_request_error"}'),
        code="provider_error",
        error="the request exceeds the context size",
    ),
    "no space behind the colon": Stream(sse(chunk(content="A"), STOP).replace(b"data: ", b"data:"), "A"),
    "lines that end as on Windows": Stream(
        sse(chunk(content="A"), chunk(content="B"), STOP).replace(b"\n", b"\r\n"), "AB"
    ),
    "a call that ends with stop": Stream(_called(call_piece(0, "z", "f", "{}"), reason=STOP), calls=(("z", "f", {}),)),
    "two reasons to end": Stream(
        sse(chunk(content="Let me look."), chunk(tool_calls=[call_piece(0, "z", "f", "{}")]), CALLED, STOP),
        "Let me look.",
        calls=(("z", "f", {}),),
    ),
    "arguments that are an empty text": Stream(_called(call_piece(0, "e", "info", "")), calls=(("e", "info", {}),)),
    "arguments that are an object": Stream(
        _called(call_piece(0, "o", "bash", {"command": "printf ok"})), calls=(("o", "bash", {"command": "printf ok"}),)
    ),
    "an end without a reason and without [DONE]": Stream(
        sse(chunk(content="Hel"), done=False), "Hel", code="truncated", error="broke off"
    ),
    "[DONE] without a reason": Stream(sse(chunk(content="Hello")), "Hello"),
    "an event without data": Stream(sse("retry: 3000", chunk(content="x"), STOP), "x"),
    "a broken event with another glued to it": Stream(
        sse('data: {"id":"a","object":"chat.completion.cdata: ' + json.dumps(chunk(content="I")), STOP),
        "I",
        warnings=("skipped_data",),
    ),
}

THOUGHT_OF: dict[str, Stream] = {
    "nothing at all": Stream(b"", code="truncated"),
    "only comments": Stream(b": hello\n\n: are you there\n\n", code="truncated"),
    "no empty line between events": Stream(
        sse(chunk(content="A"), chunk(content="B"), STOP).replace(b"\n\n", b"\n"), "AB"
    ),
    "no newline at the very end": Stream(sse(chunk(content="A"), STOP).removesuffix(b"\n\n"), "A"),
    "a mark of the byte order first": Stream(b"\xef\xbb\xbf" + sse(chunk(content="A"), STOP), "A"),
    "lines that end with a lone return": Stream(sse(chunk(content="A"), STOP).replace(b"\n", b"\r"), "A"),
    "JSON over several lines of data": Stream(
        "".join(f"data: {line}\n" for line in json.dumps(chunk(content="A"), indent=1).split("\n")).encode()
        + b"\n"
        + sse(STOP),
        "A",
    ),
    "events with names and ids": Stream(
        b"event: message\nid: 7\n"
        + sse(chunk(content="A")).removesuffix(b"data: [DONE]\n\n")
        + sse("event: ping\ndata: {}", STOP),
        "A",
    ),
    "an event that is called error": Stream(
        sse(chunk(content="so"), 'event: error\ndata: {"message": "overloaded"}'),
        "so",
        code="provider_error",
        error="overloaded",
    ),
    "an error that is a text": Stream(sse({"error": "no such model"}), code="provider_error", error="no such model"),
    "an error within the choice": Stream(
        sse(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"content": ""},
                        "error": {"code": 502, "message": "cut"},
                        "finish_reason": "error",
                    }
                ]
            }
        ),
        code="provider_error",
        error="cut",
    ),
    "a reason that is error": Stream(sse(chunk(content="a"), chunk(finish="error")), "a", code="provider_error"),
    "an object that is an error": Stream(
        sse({"object": "error", "message": "the model is not loaded", "code": 404}),
        code="provider_error",
        error="the model is not loaded",
    ),
    "an error that is null": Stream(sse({**chunk(content="A"), "error": None}, STOP), "A"),
    "several choices": Stream(
        sse(
            {"choices": [{"index": 1, "delta": {"content": "X"}}, {"index": 0, "delta": {"content": "A"}}]},
            {"choices": [{"index": 1, "delta": {"content": "Y"}, "finish_reason": "length"}]},
            {"choices": [{"index": 0, "delta": {"content": "B"}, "finish_reason": "stop"}]},
        ),
        "AB",
    ),
    "usage in every piece": Stream(
        sse(
            {**chunk(content="A"), "usage": {"prompt_tokens": 9, "completion_tokens": 1}},
            {**chunk(content="B"), "usage": None},
            {**STOP, "usage": {"prompt_tokens": 9, "completion_tokens": 2}},
        ),
        "AB",
        usage=(9, 2),
    ),
    "usage that makes no sense": Stream(
        sse(chunk(content="A"), STOP, {"usage": {"prompt_tokens": "many", "completion_tokens": -1}}, {"usage": [1]}),
        "A",
    ),
    "two calls, their pieces mixed": Stream(
        _called(
            call_piece(0, "a", "f", '{"x"'),
            call_piece(1, "b", "g", '{"y"'),
            call_piece(0, None, None, ":1}"),
            call_piece(1, None, None, ":2}"),
        ),
        calls=(("a", "f", {"x": 1}), ("b", "g", {"y": 2})),
    ),
    "an id that is known at another index": Stream(
        _called(call_piece(0, "a", "f", '{"x"'), call_piece(1, "a", None, ":1}")), calls=(("a", "f", {"x": 1}),)
    ),
    "one id for two calls": Stream(
        _called(call_piece(0, "a", "f", '{"x":1}'), call_piece(1, "a", "f", '{"x"'), call_piece(1, "a", None, ":2}")),
        calls=(("a", "f", {"x": 1}), (ANY_ID, "f", {"x": 2})),
    ),
    "one id for two tools": Stream(
        _called(call_piece(None, "a", "f", '{"x":1}'), call_piece(None, "a", "g", '{"x":2}')),
        calls=(("a", "f", {"x": 1}), (ANY_ID, "g", {"x": 2})),
    ),
    "an index that counts the pieces": Stream(
        _called(call_piece(0, "a", "f", '{"x"'), call_piece(1, "a", "f", ":1}")), calls=(("a", "f", {"x": 1}),)
    ),
    "an id that comes late": Stream(
        _called(call_piece(0, None, "f", '{"x"'), call_piece(0, "late", None, ":1}")), calls=(("late", "f", {"x": 1}),)
    ),
    "an id that is another in each piece": Stream(
        _called(call_piece(0, "r1", "f", '{"x"'), call_piece(0, "r2", None, ":"), call_piece(0, "r3", None, "1}")),
        calls=(("r1", "f", {"x": 1}),),
    ),
    "two calls without id and index": Stream(
        _called(call_piece(None, None, "f", '{"x":1}'), call_piece(None, None, "f", '{"x":2}')),
        calls=((ANY_ID, "f", {"x": 1}), (ANY_ID, "f", {"x": 2})),
    ),
    "two calls at index 0 that have no id": Stream(
        _called(call_piece(0, None, "f", ""), call_piece(0, None, "g", "{}")),
        calls=((ANY_ID, "f", {}), (ANY_ID, "g", {})),
    ),
    "a name in every piece": Stream(
        _called(call_piece(0, "a", "f", '{"x"'), call_piece(0, "a", "f", ":1}")), calls=(("a", "f", {"x": 1}),)
    ),
    "a call that is told again at the end": Stream(
        _called(call_piece(0, "a", "f", '{"x":1}'), call_piece(0, "a", "f", '{"x":1}')), calls=(("a", "f", {"x": 1}),)
    ),
    "empty arguments before the real ones": Stream(
        _called(call_piece(0, "a", "f", "{}"), call_piece(0, None, None, '{"x"'), call_piece(0, None, None, ":1}")),
        calls=(("a", "f", {"x": 1}),),
    ),
    "an id that is a number": Stream(
        sse(chunk(tool_calls=[{"index": 0, "id": 7, "function": {"name": "f", "arguments": "{}"}}]), CALLED),
        calls=(("7", "f", {}),),
    ),
    "a call that is not in a list": Stream(
        sse(chunk(tool_calls=call_piece(0, "a", "f", "{}")), CALLED), calls=(("a", "f", {}),)
    ),
    "calls that are none": Stream(
        sse(chunk(content="A", tool_calls=[None, 3, "x"]), chunk(tool_calls=None), STOP), "A"
    ),
    "a function call of the old kind": Stream(
        sse(
            chunk(function_call={"name": "f", "arguments": '{"x"'}),
            chunk(function_call={"arguments": ":1}"}),
            chunk(finish="function_call"),
        ),
        calls=((ANY_ID, "f", {"x": 1}),),
    ),
    "arguments that are no JSON": Stream(_called(call_piece(0, "a", "f", '{"x": tru')), calls=(("a", "f", None),)),
    "arguments that are a list": Stream(_called(call_piece(0, "a", "f", "[1]")), calls=(("a", "f", None),)),
    "arguments that are not finite": Stream(_called(call_piece(0, "a", "f", '{"x": NaN}')), calls=(("a", "f", None),)),
    "arguments nested without end": Stream(
        _called(call_piece(0, "a", "f", '{"x":' * 100_000)), calls=(("a", "f", None),)
    ),
    "three calls that each begin under the first index": Stream(
        _called(
            call_piece(0, "a", "f", ""),
            call_piece(0, "b", "g", ""),
            call_piece(1, None, None, '{"y":2}'),
            call_piece(0, "c", "h", ""),
            call_piece(2, None, None, '{"z":'),
            call_piece(2, None, None, "3}"),
        ),
        calls=(("a", "f", {}), ("b", "g", {"y": 2}), ("c", "h", {"z": 3})),
    ),
    "arguments of no call": Stream(
        sse(chunk(content="so"), chunk(tool_calls=[call_piece(0, None, None, '{"x":1}')]), CALLED),
        "so",
        code="bad_response",
        error='a call without a tool\'s name, so no call was made: {"x":1}',
    ),
    "a call without a name beside another": Stream(
        _called(call_piece(0, "a", "f", '{"x":1}'), call_piece(1, "b", None, '{"y":2}')),
        code="bad_response",
        error="a call without a tool's name",
    ),
    "a comma too many, single quotes and keys without": Stream(
        _called(
            call_piece(0, "a", "f", '{"x": [1, 2,],}'),
            call_piece(1, "b", "f", "{'x': 'it\\'s'}"),
            call_piece(2, "c", "f", '```json\n{x: "a\rb\x00"} // so\n```'),
        ),
        calls=(("a", "f", {"x": [1, 2]}), ("b", "f", {"x": "it's"}), ("c", "f", {"x": "a\rb\0"})),
    ),
    "arguments with more than one meaning": Stream(
        _called(
            call_piece(0, "a", "f", '{"x": "C:\\dir",}'),
            call_piece(1, "b", "f", '{"x": 1} {"x": 2}'),
            call_piece(2, "c", "f", '{"x": "a" "b"}'),
        ),
        calls=(("a", "f", None), ("b", "f", None), ("c", "f", None)),
    ),
    "arguments of spaces": Stream(_called(call_piece(0, "a", "f", "  \n")), calls=(("a", "f", {}),)),
    "halves of a character": Stream(
        b'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n'
        b'data: {"choices":[{"delta":{"content":"\\ude00b"}}]}\n\n' + sse(STOP),
        "a😀b",
    ),
    "half a character": Stream(b'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n' + sse(STOP), "a�"),
    "bytes that are no characters": Stream(
        b'data: {"choices":[{"delta":{"content":"a\xff\xfeb"}}]}\n\n' + sse(STOP), "a��b"
    ),
    "content that is nothing of the kind": Stream(
        sse(
            chunk(content=5),
            chunk(content={"type": "text", "text": "A"}),
            chunk(content=[None, "B", {"type": "image"}]),
            STOP,
        ),
        "AB",
    ),
    "a refusal": Stream(sse(chunk(refusal="I will not."), STOP), "I will not."),
    "thoughts in details": Stream(
        sse(chunk(reasoning_details=[{"type": "reasoning.text", "text": "hm"}]), chunk(content="A"), STOP), "A", "hm"
    ),
    "an answer that is cut off": Stream(
        sse(chunk(content="It goes"), chunk(tool_calls=[call_piece(0, "a", "f", '{"x')]), chunk(finish="length")),
        "It goes",
        calls=(("a", "f", None),),
        warnings=("length",),
    ),
    "an answer that a filter cut off": Stream(
        sse(chunk(content="It goes"), chunk(finish="content_filter"), STOP), "It goes", warnings=("content_filter",)
    ),
    "an end of the model's window": Stream(
        sse(chunk(content="A"), chunk(finish="model_length")), "A", warnings=("length",)
    ),
    "what comes after [DONE]": Stream(sse(chunk(content="A"), STOP) + sse(chunk(content="B"), {"error": "late"}), "A"),
    "choices that are none": Stream(
        sse({"choices": None}, {"choices": [None]}, {"choices": {}}, chunk(content="A"), STOP), "A"
    ),
    "values that are no objects": Stream(
        sse("data: 5", "data: []", 'data: "x"', chunk(content="A"), STOP), "A", warnings=("skipped_data",)
    ),
    "a plain answer": replace(_PLAIN_ANSWER, body=json.dumps(_PLAIN).encode()),
    "a plain answer over several lines": replace(_PLAIN_ANSWER, body=json.dumps(_PLAIN, indent=2).encode()),
    "a plain answer that calls itself a stream": replace(
        _PLAIN_ANSWER, body=json.dumps(_PLAIN).encode(), headers={"Content-Type": "text/event-stream"}
    ),
    "a stream that calls itself JSON": Stream(
        sse(chunk(content="A"), STOP), "A", headers={"Content-Type": "application/json"}
    ),
    "a plain answer as data": replace(_PLAIN_ANSWER, body=sse(_PLAIN, done=False)),
    "a plain answer that is not whole": Stream(json.dumps(_PLAIN).encode()[:-20], code="bad_response"),
    "a plain error": Stream(b'{"error": {"message": "out of credit"}}', code="provider_error", error="out of credit"),
    "JSON of another kind": Stream(b'{"object": "list", "data": []}', code="bad_response"),
    "a line of JSON for each piece": Stream(
        b"\n".join(json.dumps(value).encode() for value in (chunk(content="A"), chunk(content="B"), STOP)), "AB"
    ),
    "a web page": Stream(
        b"<!doctype html><html><title>Sign in</title>\n<script>x = 1</script><body>Please sign in</body></html>",
        code="bad_response",
        error="Please sign in",
        headers={"Content-Type": "text/html"},
    ),
    "noise": Stream(bytes(range(256)) * 8, code="bad_response"),
}

STREAMS = {**SEEN, **THOUGHT_OF}
