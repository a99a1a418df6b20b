"""A stand-in for a provider that others wrote: aimock, where it is installed (`bash .dev/other-servers`)."""

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.command_line import CommandLine, Said
from tests.support.project import ROOT

AIMOCK = ROOT / ".venv" / "other-servers" / "node_modules" / ".bin" / "aimock"
pytestmark = pytest.mark.skipif(not AIMOCK.exists(), reason="aimock is not installed")

Json = dict[str, Any]
TEN_WORDS = "one two three four five six seven eight nine ten"


def called(expression: Any) -> Json:
    return {"name": "calculator", "arguments": expression if isinstance(expression, str) else json.dumps(expression)}


FIXTURES: list[Json] = [
    {
        "match": {"userMessage": "two sums", "hasToolResult": False},
        "response": {
            "toolCalls": [called({"expression": "6 * 7"}), called({"expression": "2 + 3"}), called("{broken")]
        },
    },
    {"match": {"userMessage": "two sums"}, "response": {"content": "They are 42 and 5."}},
    {
        "match": {"userMessage": "and a third", "turnIndex": 2},
        "response": {"toolCalls": [called({"expression": "1 + 1"})]},
    },
    {
        "match": {"userMessage": "and a third", "turnIndex": 3},
        "response": {"content": "It is 2.", "usage": {"prompt_tokens": 30, "completion_tokens": 4}},
    },
    {
        "match": {"userMessage": "weigh it", "hasToolResult": False},
        "response": {
            "reasoning": "Six by seven.",
            "reasoningSignature": "c2lnbmVk",
            "toolCalls": [called({"expression": "6 * 7"}), called({"expression": "2 + 3"})],
        },
    },
    {"match": {"userMessage": "weigh it"}, "response": {"content": "They are 42 and 5."}},
    {
        "match": {"userMessage": "busy", "sequenceIndex": 0},
        "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 2},
    },
    {"match": {"userMessage": "busy"}, "response": {"content": "Now."}},
    {
        "match": {"userMessage": "cut off"},
        "response": {"content": TEN_WORDS},
        "chunkSize": 4,
        "latency": 20,
        "disconnectAfterMs": 150,
    },
    {"match": {"userMessage": "garbled"}, "response": {"content": "x"}, "chaos": {"malformedRate": 1}},
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the stand-in."""
    folder = tmp_path_factory.mktemp("aimock")
    (folder / "fixtures.json").write_text(json.dumps({"fixtures": FIXTURES}))
    config = {"port": 0, "llm": {"fixtures": str(folder / "fixtures.json")}}
    (folder / "config.json").write_text(json.dumps(config))
    process = subprocess.Popen(
        [AIMOCK, "--config", folder / "config.json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    with process, process.stdout:
        line = next(line for line in process.stdout if "http://" in line)
        yield line.split()[-1]
        process.terminate()


def chat(metier: CommandLine, server: str, text: str) -> Said:
    return metier("chat", text, "--base-url", f"{server}/v1", "--model", "m", "--events")


def asked(server: str, text: str) -> list[Json]:
    """The requests whose prompt was that."""
    with urllib.request.urlopen(f"{server}/__aimock/journal", timeout=10) as response:
        entries: list[Json] = json.load(response)
    prompts = [[one["content"] for one in entry["body"]["messages"] if one["role"] == "user"] for entry in entries]
    return [entry for entry, said in zip(entries, prompts, strict=True) if said[-1] == text]


def test_calls_of_a_round_and_a_second_turn(metier: CommandLine, server: str) -> None:
    first = chat(metier, server, "two sums")
    assert (first.code, first.last["output"]) == (0, "They are 42 and 5.")
    calls = {call["id"]: call["summary"] or call["error"]["code"] for call in first.last["tool_calls"]}
    assert calls == {"answer.1.1": "6 * 7 = 42", "answer.1.2": "2 + 3 = 5", "answer.1.3": "invalid_arguments"}
    metrics = first.last["metrics"]
    assert (metrics["tool_call_count"], metrics["total_rounds"]) == (3, 1)
    second = metier("chat", "and a third", "--workflow", first.last["workflow_id"], "--events")
    assert (second.code, second.last["output"]) == (0, "It is 2.")
    assert second.last["metrics"]["output_tokens"] >= 4
    *_, last = asked(server, "and a third")
    roles = [message["role"] for message in last["body"]["messages"]]
    turn = ["user", "assistant", "tool", "tool", "tool", "assistant"]
    assert roles == ["system", *turn, "user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("wire_format", "root", "path"),
    [
        ("chat-completions", "/v1", "/v1/chat/completions"),
        ("openai-responses", "/v1", "/v1/responses"),
        ("anthropic-messages", "/v1", "/v1/messages"),
        ("gemini", "/v1beta", "/v1beta/models/m:streamGenerateContent?alt=sse"),
    ],
    ids=["chat completions", "responses", "messages", "gemini"],
)
def test_thoughts_calls_and_results_in_every_api(
    metier: CommandLine, server: str, wire_format: str, root: str, path: str
) -> None:
    options = ("--base-url", server + root, "--model", "m", "--wire-format", wire_format, "--events")
    said = metier("chat", "weigh it", *options)
    assert (said.code, said.last["output"]) == (0, "They are 42 and 5.")
    assert [event["text"] for event in said.lines if event["type"] == "thought"] == ["Six by seven."]
    calls = {call["id"]: call["summary"] for call in said.last["tool_calls"]}
    assert calls == {"answer.1.1": "6 * 7 = 42", "answer.1.2": "2 + 3 = 5"}
    last = [entry for entry in asked(server, "weigh it") if entry["path"] == path][-1]
    roles = [message["role"] for message in last["body"]["messages"]]
    assert (roles[:2], roles.count("tool")) == (["system", "user"], 2)


def test_a_busy_provider_is_asked_again_after_its_delay(metier: CommandLine, server: str) -> None:
    said = chat(metier, server, "busy")
    assert (said.code, said.last["output"]) == (0, "Now.")
    first, second = asked(server, "busy")
    assert 2000 <= second["timestamp"] - first["timestamp"] < 10_000


def test_an_answer_that_is_cut_off_is_an_error_with_its_text_kept(metier: CommandLine, server: str) -> None:
    said = chat(metier, server, "cut off")
    assert (said.code, said.last["error"]["code"], said.last["error"]["failed_during"]) == (1, "truncated", "model")
    (kept,) = [event["text"] for event in said.lines if event.get("role") == "assistant"]
    assert kept
    assert TEN_WORDS.startswith(kept)
    assert len(asked(server, "cut off")) == 1


def test_an_answer_that_is_no_json_is_an_error(metier: CommandLine, server: str) -> None:
    said = chat(metier, server, "garbled")
    assert (said.code, said.last["error"]["code"]) == (1, "bad_response")
    assert len(asked(server, "garbled")) == 1
