"""Failures on the way to a provider: retried where that helps, reported in its words, and cleaned up."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from core.domain.model import ModelChoice
from core.llm.provider.failures import parse_retry_after
from core.ports import ModelRequest, TextDelta
from tests.agents.disk import START
from tests.llm.provider.conftest import Phone
from tests.support.provider import EVENT_STREAM, Reply, chunk, fails, provider, says, sse
from tests.support.waiting import until

LATER = (START + timedelta(seconds=90)).strftime("%a, %d %b %Y %H:%M:%S GMT")


@pytest.mark.parametrize("status", [408, 429, 500, 502, 504, 529])
async def test_what_may_pass_is_tried_again(phone: Phone, status: int) -> None:
    with provider(fails(status), fails(status), says("at last")) as server:
        heard = await phone.ask(server.url)
    assert heard.text == "at last"
    assert phone.clock.slept == [1.0, 2.0]


@pytest.mark.parametrize(
    ("message", "window"),
    [
        # github.com/ChatGPTNextWeb/NextChat/issues/3195, github.com/claude-code-best/claude-code/issues/272
        ("This model's maximum context length is 8192 tokens. However, you requested 8256 tokens", 8192),
        ("'max_tokens' is too large: 64000. This model's maximum context length is 64001 tokens", 64001),
        # The rest is written by hand, after the words of llama.cpp, LM Studio, Mistral, Anthropic and Google.
        ("request (9034 tokens) exceeds the available context size (8192 tokens), try increasing it", 8192),
        ("the model is loaded with context length of only 4096 tokens", 4096),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32768),
        ("prompt is too long: 204000 tokens > 200000 maximum", 200_000),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ("no such model 4096", None),
    ],
)
async def test_the_window_of_a_model_is_read_from_a_refusal(phone: Phone, message: str, window: int | None) -> None:
    with provider(fails(400, message)) as server:
        heard = await phone.ask(server.url)
    assert heard.failure.parameters.get("context_tokens") == window


async def test_a_server_on_this_machine_that_loads_is_waited_for_with_its_words(phone: Phone) -> None:
    # github.com/containers/ramalama/issues/2343, github.com/mostlygeek/llama-swap/issues/146; the others by hand.
    loads = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
    not_yet = [
        Reply(json.dumps(loads).encode(), 503, {"Content-Type": "application/json"}),
        fails(500, "the model is still loading"),
        Reply(end="slams"),
        fails(503, "busy", Retry_After="0.5"),
    ]
    phone.hurry(silence_s=600)
    with provider(*not_yet * 10, says("at last")) as server:
        heard = await phone.ask(server.url)
    assert (heard.text, heard.error, len(server.posts)) == ("at last", None, 41)
    assert {(status.reason, status.limit_s) for status in heard.waits} == {("loading", 600)}
    assert {status.message for status in heard.waits} >= {"Loading model", "the model is still loading", "busy"}
    assert [status.waited_s for status in heard.waits] == sorted(status.waited_s for status in heard.waits)
    assert 60 < heard.waits[-1].waited_s < 70


async def test_a_server_that_never_is_ready_is_given_up_at_the_limit(phone: Phone) -> None:
    with provider(fails(503, "Loading model")) as server:
        heard = await phone.ask(server.url)
    assert (heard.failure.message, heard.failure.parameters["status"]) == ("Loading model", 503)
    assert sum(phone.clock.slept) <= 5


async def test_after_three_repetitions_the_providers_words_are_the_error(phone: Phone) -> None:
    with provider(fails(502, "we are full")) as server:
        heard = await phone.ask(server.url)
    assert (heard.failure.code, heard.failure.message) == ("provider_error", "we are full")
    assert heard.failure.parameters["status"] == 502
    assert heard.failure.parameters["failed_during"] == "model"
    assert len(server.posts) == 4
    assert phone.clock.slept == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422, 451])
async def test_what_is_final_is_not_repeated(phone: Phone, status: int) -> None:
    with provider(fails(status, "not like that")) as server:
        heard = await phone.ask(server.url)
    place = f" (at {server.url}/chat/completions)" if status == 404 else ""
    assert heard.failure.message == f"not like that{place}"
    assert heard.failure.code == ("key_refused" if status == 401 else "provider_error")
    assert len(server.posts) == 1


@pytest.mark.parametrize(("told", "waited"), [("7", 7.0), ("0.5", 0.5), (LATER, 90.0)])
async def test_retry_after_is_obeyed(phone: Phone, told: str, waited: float) -> None:
    with provider(fails(429, Retry_After=told), says("thanks")) as server:
        heard = await phone.ask(server.url)
    assert heard.text == "thanks"
    assert phone.clock.slept == [pytest.approx(waited, abs=1)]


@pytest.mark.parametrize(
    "told", ["", "soon", "-5", "1e9", "nan", "Wed, 21 Oct 2015 07:28:00 GMT", "99999999999999", "0", "Wed, 99 Foo 9999"]
)
async def test_an_invalid_retry_after_gets_the_default_delay(phone: Phone, told: str) -> None:
    with provider(fails(429, Retry_After=told), says("thanks")) as server:
        assert (await phone.ask(server.url)).text == "thanks"
    assert phone.clock.slept == [1.0]


async def test_a_provider_that_asks_for_hours_has_failed(phone: Phone) -> None:
    with provider(fails(429, "quota", Retry_After="86400")) as server:
        heard = await phone.ask(server.url)
    assert (heard.failure.message, heard.failure.parameters["retry_after_s"]) == ("quota", 86400)
    assert phone.clock.slept == []


@pytest.mark.parametrize("zone", ["GMT", "+0000", "-0000", ""])
def test_a_date_is_read_in_its_zone(zone: str) -> None:
    assert parse_retry_after(f"Thu, 01 Jan 2026 00:01:00 {zone}".strip(), START) == 60


async def test_waits_are_reported_with_the_error_message(phone: Phone) -> None:
    with provider(fails(429, "slow down"), says("ok")) as server:
        heard = await phone.ask(server.url)
    (told,) = heard.waits
    assert (told.reason, told.limit_s, told.attempt, told.message) == ("retry", 1.0, 2, "slow down")


async def test_silence_is_reported_repeatedly(phone: Phone) -> None:
    slow = Reply(says("a").body, delay_s=0.5)
    phone.clock.sleep = asyncio.sleep  # type: ignore[method-assign, assignment]
    phone.clock.monotonic = asyncio.get_running_loop().time  # type: ignore[method-assign]
    with provider(slow) as server:
        heard = await phone.ask(server.url)
    assert heard.text == "a"
    assert len(heard.waits) >= 3
    assert {told.reason for told in heard.waits} == {"answer"}


# Connections


@contextmanager
def listening(handle: Callable[[socket.socket], None]) -> Iterator[str]:
    """Start a server that does this with each connection, and then drops it."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    handle(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        server.shutdown(socket.SHUT_RDWR)
    thread.join(2)


def closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}/v1"


async def test_a_server_that_does_not_run_here_is_tried_twice_and_named(phone: Phone) -> None:
    url = closed_port()
    heard = await phone.ask(url)
    assert heard.failure.code == "connection_failed"
    assert heard.failure.message == f"nothing answers at {url.removesuffix('/v1')}; is the server running?"
    assert (heard.failure.parameters["part"], phone.clock.slept) == ("refused", [1.0])


async def test_a_name_that_does_not_exist_is_tried_once(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nowhere(*_asked: object, **_more: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", nowhere)
    heard = await phone.ask("https://api.exmaple.com/v1")
    assert heard.failure.message == "the name api.exmaple.com was not found: there is no such name"
    assert (heard.failure.parameters["part"], phone.clock.slept) == ("name", [])


async def test_a_connection_that_is_dropped_at_once_is_tried_again(phone: Phone) -> None:
    dropped: list[socket.socket] = []
    with listening(dropped.append) as url:
        heard = await phone.ask(url)
    assert heard.failure.code == "connection_failed"
    assert len(dropped) == 4


async def test_what_is_no_http_is_an_error(phone: Phone) -> None:
    with listening(lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")) as url:
        assert (await phone.ask(url)).failure.code == "connection_failed"


@pytest.mark.parametrize("end", ["lost", "reset"])
async def test_a_stream_that_breaks_off_keeps_what_came_and_is_not_asked_for_again(phone: Phone, end: str) -> None:
    cut = Reply(sse(chunk(content="so "), chunk(content="far"), done=False), end=end, pause_s=0.05)  # type: ignore[arg-type]
    with provider(cut, says("never")) as server:
        heard = await phone.ask(server.url)
    assert (heard.text, heard.failure.code) == ("so far", "truncated")
    assert len(server.posts) == 1


async def test_a_stream_that_breaks_off_before_its_first_event_is_asked_for_again(phone: Phone) -> None:
    cut = Reply(b": wait\n\n", end="reset", pause_s=0.05)
    with provider(cut, says("here")) as server:
        assert (await phone.ask(server.url)).text == "here"
    assert phone.clock.slept == [1.0]


async def test_silence_in_the_middle_is_an_error_with_its_limit(phone: Phone) -> None:
    phone.hurry(0.2)
    with provider(Reply(sse(chunk(content="so"), done=False), end="hangs")) as server:
        heard = await phone.ask(server.url)
    assert (heard.text, heard.failure.code, heard.failure.parameters["timeout_s"]) == ("so", "timeout", 0.2)
    assert len(server.posts) == 1


async def test_a_server_that_never_answers_is_an_error(phone: Phone) -> None:
    phone.hurry(0.2)
    with provider(Reply(delay_s=2)) as server:
        heard = await phone.ask(server.url)
        assert heard.failure.code == "timeout"
        assert len(server.posts) == 1


async def test_a_finished_answer_needs_no_end_of_the_connection(phone: Phone) -> None:
    phone.hurry(0.2)
    finished = sse(chunk(content="all"), chunk(finish="stop"), done=False)
    with provider(Reply(finished, end="hangs")) as server:
        heard = await phone.ask(server.url)
    assert (heard.text, heard.error) == ("all", None)


async def test_a_connection_is_used_again(phone: Phone) -> None:
    with provider(says("a")) as server:
        for _ in range(3):
            assert (await phone.ask(server.url)).text == "a"
    assert len(server.posts) == 3
    assert server.connections == 1


async def test_a_connection_that_was_closed_meanwhile_costs_no_wait(phone: Phone) -> None:
    """The server closes the connection just as the next request is sent."""
    parting = Reply(end="slams")
    with provider(says("a"), parting, says("b"), parting, parting, says("c")) as server:
        assert (await phone.ask(server.url)).text == "a"
        assert (await phone.ask(server.url)).text == "b"
        assert phone.clock.slept == []
        assert server.connections == 2
        assert (await phone.ask(server.url)).text == "c"
        assert phone.clock.slept == [1.0]  # a new connection that is dropped too is no accident


# Ways out


ENDLESS = Reply(sse(chunk(content="on"), done=False), end="hangs")


async def test_a_generator_that_is_closed_closes_the_response(phone: Phone) -> None:
    with provider(ENDLESS) as server:
        stream = phone.client.stream(ModelRequest((), choice=ModelChoice(base_url=server.url)))
        assert await anext(stream) == TextDelta("on")
        await stream.aclose()
        await until(lambda: server.closed == 1)


async def test_a_task_that_is_cancelled_closes_the_response(phone: Phone) -> None:
    with provider(ENDLESS) as server:
        task = asyncio.create_task(phone.ask(server.url))
        await until(lambda: len(server.posts) == 1)
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        await until(lambda: server.closed == 1)


async def test_an_error_in_the_stream_closes_the_response(phone: Phone) -> None:
    with provider(Reply(sse({"error": {"message": "no"}}, done=False), end="hangs")) as server:
        assert (await phone.ask(server.url)).failure.message == "no"
        await until(lambda: server.closed == 1)


async def test_a_wait_between_attempts_can_be_cancelled(phone: Phone) -> None:
    phone.clock.sleep = asyncio.sleep  # type: ignore[method-assign, assignment]
    with provider(fails(503)) as server:
        task = asyncio.create_task(phone.ask(server.url))
        await until(lambda: len(server.posts) == 1)
        task.cancel()
        await asyncio.wait([task], timeout=1)
        assert task.cancelled()


# What is sent, and where


async def test_options_that_a_server_does_not_know_are_left_out_from_then_on(phone: Phone) -> None:
    def picky(asked: object) -> Reply:
        body = asked.body  # type: ignore[attr-defined]
        return (
            fails(400, "Unrecognized request argument supplied: stream_options")
            if "stream_options" in body
            else says("a")
        )

    with provider(picky) as server:
        assert (await phone.ask(server.url)).text == "a"
        assert (await phone.ask(server.url)).text == "a"
    assert ["stream_options" in post.body for post in server.posts] == [True, False, False]
    assert phone.clock.slept == []


async def test_options_are_left_out_once_and_no_more(phone: Phone) -> None:
    with provider(fails(400, "stream_options? Extra inputs are not permitted")) as server:
        heard = await phone.ask(server.url)
    assert heard.failure.parameters["status"] == 400
    assert len(server.posts) == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(phone: Phone, status: int) -> None:
    phone.key = "sk-a-very-secret-key-of-mine"
    with provider(says("never")) as elsewhere:
        reply = Reply(b"", status, {"Location": f"{elsewhere.url}/chat/completions"})
        with provider(reply) as server:
            heard = await phone.ask(server.url)
        assert elsewhere.asked == []
    assert "redirect" in heard.failure.message


async def test_no_proxy_sees_what_is_for_this_machine(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    with provider(says("a")) as proxy, provider(says("b")) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
            monkeypatch.setenv(name.lower(), proxy.url)
        assert (await phone.ask(server.url)).text == "b"
        assert proxy.asked == []


async def test_what_is_not_encrypted_goes_through_no_proxy(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    with provider(says("a")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("all_proxy", proxy.url)
        heard = await phone.ask("http://a-host-that-does-not-exist.invalid/v1")
        assert heard.failure.code == "connection_failed"
        assert proxy.asked == []


async def test_a_proxy_that_is_of_no_use_is_named(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:1")
    heard = await phone.ask("https://a-host-that-does-not-exist.invalid/v1")
    assert "proxy" in heard.failure.message


async def test_a_proxy_is_asked_for_a_tunnel_and_never_gets_the_key(
    phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone.key = "sk-a-very-secret-key-of-mine"
    heard_by_proxy = bytearray()

    def proxy(connection: socket.socket) -> None:
        heard_by_proxy.extend(connection.recv(65536))
        connection.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")

    with listening(proxy) as url:
        monkeypatch.setenv("https_proxy", url.removesuffix("/v1"))
        heard = await phone.ask("https://provider.invalid/v1")
    assert heard.failure.code == "connection_failed"
    assert b"CONNECT provider.invalid:443" in heard_by_proxy
    assert b"sk-a-very" not in heard_by_proxy


async def test_a_compressed_stream_is_read(phone: Phone) -> None:
    import gzip

    body = gzip.compress(says("one two").body)
    with provider(Reply(body, headers={**EVENT_STREAM, "Content-Encoding": "gzip"}, cut=3)) as server:
        assert (await phone.ask(server.url)).text == "one two"


async def test_a_stream_that_lies_about_its_compression_is_an_error(phone: Phone) -> None:
    lie = Reply(says("a").body, headers={**EVENT_STREAM, "Content-Encoding": "gzip"})
    with provider(lie) as server:
        assert (await phone.ask(server.url)).failure.code == "bad_response"
