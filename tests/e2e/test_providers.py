"""`chat --base-url`: a language model at a server of the user's own."""

import json
import signal
import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_chat import script
from tests.support.command_line import CommandLine, Said
from tests.support.provider import (
    Asked,
    Provider,
    Reply,
    call_piece,
    calls,
    chunk,
    fails,
    provider,
    says,
    sse,
)
from tests.support.strict_provider import StrictInTurn
from tests.support.waiting import wait_until

KEY = "sk-live-0123456789abcdefghij"


def chat(metier: CommandLine, server: Provider, text: str = "hi", *more: str, **environment: str) -> Said:
    return metier("chat", text, "--base-url", server.url, "--model", "m", *more, timeout_s=60, **environment)


def run_of(said: Said) -> Any:
    """The last line, be it on stdout or on stderr."""
    return json.loads((said.out if said.out.startswith("{") else said.err).splitlines()[-1])


def test_the_answer_of_a_model_is_on_stdout_and_its_usage_in_the_run(metier: CommandLine) -> None:
    with provider(says("The answer is 亚 42.", usage=(11, 7))) as server:
        said = chat(metier, server, "hello there")
    assert (said.code, said.out) == (0, "The answer is 亚 42.\n")
    run = run_of(said)
    assert (run["output"], run["title"], run["kind"]) == ("The answer is 亚 42.", "hello there", "chat")
    assert (run["metrics"]["input_tokens"], run["metrics"]["output_tokens"], run["metrics"]["cost"]) == (11, 7, None)
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert (asked.body["model"], asked.body["stream"]) == ("m", True)
    assert [message["role"] for message in asked.messages] == ["system", "user"]
    assert asked.messages[-1]["content"] == "hello there"
    assert "calculator" in {tool["function"]["name"] for tool in asked.body["tools"]}
    assert "authorization" not in asked.headers


def test_tools_are_called_and_their_results_sent_in_a_valid_conversation(metier: CommandLine) -> None:
    first = calls(("a", "calculator", {"expression": "6 * 7"}), ("b", "nothing", {}), text="Let me see.")
    second = Reply(
        sse(chunk(tool_calls=[call_piece(0, "a", "calculator", '{"expression": ')]), chunk(finish="tool_calls"))
    )
    answer = StrictInTurn(first, second, says("It is 42."), says("As I said."))
    with provider(answer) as server:
        said = chat(metier, server, "6 * 7?", "--events")
        assert said.code == 0
        again = metier("chat", "really?", "--workflow", said.last["workflow_id"])
    assert said.last["output"] == "It is 42."
    assert [(call["name"], call["status"]) for call in said.last["tool_calls"]] == [
        ("calculator", "completed"),
        ("nothing", "error"),
        ("calculator", "error"),
    ]
    results = [message["content"] for message in server.posts[2].messages if message["role"] == "tool"]
    assert results[0] == '{"result":42}'
    assert "not_registered" in results[1]
    assert "invalid_arguments" in results[2]
    assert again.out == "As I said.\n"  # the conversation goes on with its model
    assert [message["content"] for message in server.posts[3].messages if message["role"] == "user"] == [
        "6 * 7?",
        "really?",
    ]


def test_a_conversation_goes_on_after_an_answer_that_broke_off(metier: CommandLine) -> None:
    lost = Reply(calls(("a", "calculator", {"expression": "1"})).body)
    broken = Reply(sse(chunk(content=""), done=False), end="lost")
    with provider(StrictInTurn(lost, broken, says("Better now."))) as server:
        first = chat(metier, server, "go", "--events")
        assert (first.code, first.last["error"]["code"]) == (1, "truncated")
        second = metier("chat", "again", "--workflow", first.last["workflow_id"])
    assert second.out == "Better now.\n"


def test_a_stream_that_breaks_off_is_an_error_with_its_text_kept(metier: CommandLine) -> None:
    with provider(
        Reply(sse(chunk(content="so "), chunk(content="far"), done=False), end="reset", pause_s=0.1)
    ) as server:
        said = chat(metier, server, "go", "--events")
    *events, run = said.lines
    assert (said.code, run["status"]) == (1, "error")
    assert (run["error"]["code"], run["error"]["failed_during"]) == ("truncated", "model")
    texts = [event["text"] for event in events if event["type"] == "message" and event["role"] == "assistant"]
    assert texts == ["so far"]
    assert len(server.posts) == 1


def test_an_answer_that_is_cut_off_says_so_in_its_place(metier: CommandLine) -> None:
    half = Reply(sse(chunk(tool_calls=[call_piece(0, "a", "wait", '{"sec')]), chunk(finish="length")))
    with provider(half, says("It goes", finish="length")) as server:
        said = chat(metier, server, "go", "--events")
    assert (said.code, [call["error"]["code"] for call in said.last["tool_calls"]]) == (0, ["cut_off"])
    assert said.last["output"] == "It goes\n\n[Cut off here: the answer reached the model's output limit.]"
    assert [warning["code"] for warning in said.last["warnings"]] == ["length", "length"]
    assert metier("show", said.last["run_id"]).last["warnings"] == said.last["warnings"]
    with provider(says("It goes", finish="length")) as server:
        assert chat(metier, server, "go").out == f"{said.last['output']}\n"
    pieces = [chunk(content=piece) for piece in ("They want two.", "\n</think>\n", "Four.")]
    with provider(Reply(sse(*pieces, chunk(finish="stop")))) as server:
        said = chat(metier, server, "go")
    assert said.out == "They want two.\n\n[The text above was reasoning.]\n\nFour.\n"


@pytest.mark.parametrize("is_date", [False, True])
def test_a_busy_provider_is_asked_again_at_the_time_that_it_gives(metier: CommandLine, is_date: bool) -> None:
    def busy(asked: Asked) -> Reply:
        told = formatdate(time.time() + 2, usegmt=True) if is_date else "1"
        return fails(429, "slow down", Retry_After=told)

    with provider(busy, says("Now.")) as server:
        said = chat(metier, server, "go", "--events")
    assert (said.code, said.last["output"]) == (0, "Now.")
    first, second = server.posts
    assert 0.9 <= second.at - first.at <= 5
    (waiting,) = [event for event in said.lines if event["type"] == "model_waiting"]
    assert (waiting["reason"], waiting["message"], waiting["attempt"]) == ("retry", "slow down", 2)


def test_the_message_of_the_provider_is_the_error(metier: CommandLine) -> None:
    with provider(fails(400, "this model cannot do that")) as server:
        run = run_of(chat(metier, server))
    assert run["error"]["message"] == "this model cannot do that"
    assert run["error"]["status"] == 400


def test_a_stop_ends_the_request_and_keeps_what_came(metier: CommandLine) -> None:
    with provider(Reply(sse(chunk(content="so far"), done=False), end="hangs")) as server:
        process = metier.start("chat", "go", "--base-url", server.url, "--model", "m", "--events")
        assert process.stdout is not None
        while '"token"' not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        wait_until(lambda: server.closed)
        assert server.closed == 1
    assert process.returncode == 130
    *_, run = [json.loads(line) for line in out.splitlines()]
    assert run["status"] == "cancelled"
    events = metier("events", run["run_id"]).lines
    assert [event["text"] for event in events if event["type"] == "message"] == ["go", "so far"]


# Keys


def _killed_in_the_middle(metier: CommandLine, server: Provider, **env: str) -> None:
    process = metier.start("chat", "go", "--base-url", server.url, "--model", "m", "--events", env=env)
    assert process.stdout is not None
    while '"token"' not in process.stdout.readline():
        pass
    process.kill()
    process.communicate()


def test_a_run_that_was_killed_asks_the_same_provider_again(metier: CommandLine) -> None:
    with provider(Reply(sse(chunk(content="so"), done=False), end="hangs"), says("whole")) as server:
        _killed_in_the_middle(metier, server)
        resumed = metier("resume")
    assert (resumed.code, resumed.last["output"]) == (0, "whole")
    assert len(server.posts) == 2
    assert server.posts[0].messages == server.posts[1].messages


def test_a_run_that_had_a_key_waits_for_it(metier: CommandLine) -> None:
    with provider(Reply(sse(chunk(content="so"), done=False), end="hangs"), says("whole")) as server:
        _killed_in_the_middle(metier, server, METIER_API_KEY=KEY)
        waiting = metier("resume")
        assert (waiting.code, waiting.last["status"]) == (3, "enqueued")
        assert waiting.last["error"]["code"] == "key_missing"
        assert metier("show", waiting.last["run_id"]).last["error"]["code"] == "key_missing"
        assert len(server.posts) == 1
        resumed = metier("resume", METIER_API_KEY=KEY)
    assert (resumed.code, resumed.last["output"], resumed.last["error"]) == (0, "whole", None)
    assert [one.headers["authorization"] for one in server.posts] == [f"Bearer {KEY}"] * 2


def test_a_preset_that_needs_a_key_and_has_none_makes_no_request(metier: CommandLine) -> None:
    said = metier("chat", "hi", "--provider", "openai", "--model", "gpt", "--events")
    assert (said.code, said.last["status"], said.last["error"]["code"]) == (3, "enqueued", "key_missing")
    assert [event["type"] for event in said.lines[:-1]] == ["run_created", "message"]
    assert metier("cancel", said.last["run_id"]).last["status"] == "cancelled"


def test_a_key_may_come_from_a_variable_of_any_name(metier: CommandLine) -> None:
    with provider(says("a")) as server:
        assert (
            chat(metier, server, "hi", "--api-key-env", "MY_KEY", MY_KEY=f" {KEY}\n", METIER_API_KEY="other").code == 0
        )
        assert server.posts[0].headers["authorization"] == f"Bearer {KEY}"
        assert chat(metier, server, "hi", "--api-key-env", "MY_KEY").code == 3


def test_a_key_is_nowhere_but_in_the_request(metier: CommandLine, tmp_path: Path) -> None:
    echo = Reply(sse(*(chunk(content=letter) for letter in f"you sent {KEY}!"), chunk(finish="stop")))
    with provider(fails(503, f"busy, {KEY}", Retry_After="0.1"), fails(401, f"bad key {KEY}"), echo) as server:
        said = [chat(metier, server, "hi", "--events", METIER_API_KEY=KEY) for _ in range(2)]
        assert {one.headers["authorization"] for one in server.posts} == {f"Bearer {KEY}"}
    assert said[0].last["error"]["message"] == "bad key [key]"
    assert said[1].last["output"] == "you sent [key]!"
    assert not any(KEY in one.out + one.err for one in said)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".log" for path in files)
    for path in files:
        assert KEY.encode() not in path.read_bytes()


# What is asked for


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--base-url", "http://me:secret-word@h/v1"), "bad_input"),
        (("--provider", "nobody", "--model", "m"), "not_found"),
        (("--base-url", "http://h/v1", "--agent", "offline"), "usage"),
    ],
)
def test_what_cannot_be_asked_is_wrong_usage_and_leaves_no_run(
    metier: CommandLine, arguments: tuple[str, ...], code: str
) -> None:
    said = metier("chat", "hi", *arguments)
    assert (said.code, said.last["error"]["code"]) == (2, code)
    assert "secret-word" not in said.out + said.err


def test_a_script_is_the_offline_agents(metier: CommandLine, tmp_path: Path) -> None:
    lines = script(tmp_path / "s.jsonl", {"say": "from the script"})
    with provider(says("from the model")) as server:
        assert chat(metier, server, "hi", METIER_SCRIPT=lines).out == "from the model\n"
        assert chat(metier, server, "hi", "--script", lines).last["error"]["code"] == "usage"


def test_a_dead_server_is_an_error_that_names_it(metier: CommandLine) -> None:
    with provider(says("a")) as server:
        url = server.url
    said = metier("chat", "hi", "--base-url", url, "--model", "m", "--events", timeout_s=60)
    assert (said.code, said.last["error"]["code"]) == (1, "connection_failed")
    assert [event["attempt"] for event in said.lines if event["type"] == "model_waiting"] == [2]


@pytest.mark.parametrize("more", ["/chat/completions", " ", "\n", "/v1/models/", "\u00a0"])
def test_an_address_is_taken_as_it_is_pasted(metier: CommandLine, more: str) -> None:
    with provider(says("fine")) as server:
        said = metier("chat", "hi", "--base-url", server.url + more, "--model", "m")
        assert (said.code, said.out.strip()) == (0, "fine")
        assert [post.path for post in server.posts] == ["/v1/chat/completions"]


def test_an_address_without_its_version_is_found(metier: CommandLine) -> None:
    def answer(asked: Asked) -> Reply:
        if not asked.path.startswith("/v1/"):
            return Reply(b"<html><h1>Not here</h1></html>", 404)
        return Reply(b'{"data": [{"id": "m"}]}') if asked.method == "GET" else says("fine")

    with provider(answer) as server:
        said = metier("chat", "hi", "--base-url", server.url.removesuffix("/v1"), "--model", "m")
        assert (said.code, said.out.strip()) == (0, "fine")
        wrong = metier("chat", "hi", "--base-url", f"{server.url.removesuffix('/v1')}/api", "--model", "m", "--events")
    assert "Not here (at http://127.0.0.1:" in wrong.last["error"]["message"]
    assert wrong.last["error"]["part"] == "address"


def test_what_a_query_or_a_proxy_spoils_is_named(metier: CommandLine) -> None:
    query = metier("chat", "hi", "--base-url", "http://127.0.0.1:9/v1?api-version=1", "--model", "m")
    assert "it ends before the question mark" in query.out + query.err
    far = metier(
        *("chat", "hi", "--base-url", "https://api.example.invalid/v1", "--model", "m"),
        ALL_PROXY="socks5://me:hunter2@127.0.0.1:9",
    )
    assert "the proxy socks5://127.0.0.1:9 (ALL_PROXY) cannot be reached" in far.out + far.err
    assert "hunter2" not in far.out + far.err


def test_a_reader_that_goes_away_does_not_stop_the_answer(metier: CommandLine) -> None:
    with provider(says("word " * 500)) as server:
        process = metier.start("chat", "hi", "--base-url", server.url, "--model", "m")
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(30) == 0
        assert process.stderr is not None
        process.stderr.close()
