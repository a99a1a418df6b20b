"""`http_fetch`: real requests on loopback, and every attempt to make it reach a forbidden address."""

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.domain.risk import Risk
from core.domain.text.masking import masked
from core.domain.text.web_address import parse_address
from core.domain.tool import CallResult, CallStatus, Effect
from core.network.routes import Network
from core.tools.builtin import http_fetch
from core.tools.web.connection import permitted_addresses
from tests.support.http_server import Server, a_server, redirect, response
from tests.support.proxies import certified
from tests.tools.rig import Builtins, error_of

MB = 1_000_000


class Names:
    """A resolver that returns these answers for a name in turn, and the last again and again."""

    def __init__(self, **answers: list[list[str]]) -> None:
        self.answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        given = self.answers.get(host)
        if given is None:
            raise OSError(-2, "Name or service not known")
        return given.pop(0) if len(given) > 1 else given[0]


class Web:
    """The tool in a run that allows these origins."""

    def __init__(self, *origins: str, names: Names | None = None, network: Network | None = None) -> None:
        self.names = names or Names()
        self.tools = Builtins(more=[http_fetch.tool(self.names, network)])
        self.tools.context = replace(self.tools.context, origins=origins)

    async def call(self, url: str, **more: Any) -> CallResult:
        return await self.tools.call("http_fetch", url=url, **more)

    async def value(self, url: str, **more: Any) -> Any:
        result = await self.call(url, **more)
        assert result.status is CallStatus.COMPLETED, result.error
        return result.value

    async def failure(self, url: Any, **more: Any) -> tuple[str, str]:
        return error_of(await self.call(url, **more))


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with a_server() as made:
        yield made


@pytest.fixture
def web(server: Server) -> Web:
    return Web(server.origin)


# What comes back


async def test_a_response_is_given_as_it_is(server: Server, web: Web) -> None:
    server.answers["/a"] = response("Été 🙂".encode(), 418, "X-Thing: 1", "X-Thing: 2", kind="text/plain")
    value = await web.value(f"{server.origin}/a?q=1#part")
    assert (value["status"], value["text"], value["url"]) == (418, "Été 🙂", f"{server.origin}/a?q=1")
    assert value["headers"]["x-thing"] == "1, 2"
    assert set(value) == {"url", "status", "headers", "text"}
    (asked,) = server.asked
    assert (asked.method, asked.target, asked.body) == ("GET", "/a?q=1", b"")
    assert asked.headers["host"] == server.origin.removeprefix("http://")
    assert set(asked.headers) == {"host", "user-agent", "accept", "accept-encoding"}


async def test_json_is_given_as_a_value_too(server: Server, web: Web) -> None:
    server.answers["/a"] = response(b'{"n": [1, null]}', kind="application/problem+json; charset=utf-8")
    value = await web.value(f"{server.origin}/a")
    assert (value["json"], value["text"]) == ({"n": [1, None]}, '{"n": [1, null]}')


@pytest.mark.parametrize("body", [b"{", b"", b"[" * 5000 + b"]" * 5000, b"[NaN]", b"1" + b"0" * 5000])
async def test_a_body_that_only_claims_to_be_json_is_text(server: Server, web: Web, body: bytes) -> None:
    server.answers["/a"] = response(body, kind="application/json")
    value = await web.value(f"{server.origin}/a")
    assert value["text"] == body.decode()
    assert "json" not in value or value["json"] == json.loads(body)


CHARSETS = [
    ("é".encode("latin-1"), "text/plain; charset=ISO-8859-1", "é"),
    ("€".encode("cp1252"), "text/plain", "€"),
    ("日本".encode("shift_jis"), 'text/html; charset="Shift_JIS"', "日本"),
    ("<meta charset=koi8-r>я".encode("koi8-r"), "text/html", "<meta charset=koi8-r>я"),
    ("é".encode("utf-16"), "text/plain", "é"),
    (b"\xef\xbb\xbfa", "text/plain; charset=latin-1", "a"),
    ("é".encode(), "text/plain; charset=unicode_escape", "é"),
    ("é".encode(), "text/plain; charset=hex", "é"),
    (b"a\xffb", "text/plain; charset=utf-8", "a�b"),
    (b"\x1b[1mbold", "", "\x1b[1mbold"),
    (b"<svg/>", "image/svg+xml", "<svg/>"),
]


@pytest.mark.parametrize(("body", "kind", "text"), CHARSETS, ids=[str(number) for number in range(len(CHARSETS))])
async def test_text_is_read_in_its_character_set(server: Server, web: Web, body: bytes, kind: str, text: str) -> None:
    server.answers["/a"] = response(body, kind=kind)
    assert (await web.value(f"{server.origin}/a"))["text"] == text


@pytest.mark.parametrize(
    ("body", "kind"), [(b"\x89PNG\r\n\x1a\n\0\0", "image/png"), (b"a\0b", ""), (b"PK", "application/zip; x=1")]
)
async def test_a_body_that_is_not_text_is_described_and_left_out(
    server: Server, web: Web, body: bytes, kind: str
) -> None:
    server.answers["/a"] = response(body, kind=kind)
    value = await web.value(f"{server.origin}/a")
    binary = {"bytes": len(body), "content_type": kind.partition(";")[0] or None}
    assert (value["text"], value["binary"]) == ("", binary)


async def test_a_long_body_is_cut_off_and_marked(server: Server, web: Web) -> None:
    server.answers["/a"] = response(b"x" * (11 * MB))
    value = await web.value(f"{server.origin}/a")
    assert value["truncated"] is True
    assert 9 * MB < len(value["text"]) < 10 * MB
    server.answers["/a"] = response("é".encode() * (2 * MB))  # six bytes each in a result
    value = await web.value(f"{server.origin}/a")
    assert value["truncated"] is True
    assert 6 * len(value["text"]) < 10 * MB


@pytest.mark.parametrize("pack", ["gzip", "deflate", "bare", "two members"])
async def test_a_packed_body_is_unpacked(server: Server, web: Web, pack: str) -> None:
    bare = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(b"hello" * 50_000),
        "deflate": zlib.compress(b"hello" * 50_000),
        "bare": bare.compress(b"hello" * 50_000) + bare.flush(),
        "two members": gzip.compress(b"hello" * 25_000) + gzip.compress(b"hello" * 25_000),
    }[pack]
    encoding = "deflate" if pack in ("deflate", "bare") else "gzip"
    server.answers["/a"] = response(packed, 200, f"content-encoding: {encoding}")
    assert (await web.value(f"{server.origin}/a"))["text"] == "hello" * 50_000


async def test_a_bomb_unpacks_to_the_limit_and_no_further(server: Server, web: Web) -> None:
    server.answers["/a"] = response(gzip.compress(bytes(50) * MB), 200, "content-encoding: gzip", kind="text/plain")
    value = await web.value(f"{server.origin}/a")
    assert value["truncated"] is True
    assert value["binary"]["bytes"] == 10 * MB


@pytest.mark.parametrize(
    ("packed", "encoding"),
    [(b"no gzip", "gzip"), (gzip.compress(b"x" * 9000)[:-20] + b"\0" * 9, "gzip"), (b"x", "br"), (b"x", "gzip, gzip")],
    ids=("none", "cut off", "unknown", "twice"),
)
async def test_a_body_that_cannot_be_unpacked_is_an_error(
    server: Server, web: Web, packed: bytes, encoding: str
) -> None:
    server.answers["/a"] = response(packed, 200, f"content-encoding: {encoding}")
    assert (await web.failure(f"{server.origin}/a"))[0] == "not_text"


# What is sent


async def test_methods_headers_and_bodies_are_sent_as_they_are_given(server: Server, web: Web) -> None:
    server.answers["/a"] = response(b"ok")
    await web.value(f"{server.origin}/a", method="POST", body="é", headers={"X-Key": "1", "Accept": "text/html"})
    await web.value(f"{server.origin}/a", method="PUT", body={"a": [1, None]})
    await web.value(f"{server.origin}/a", method="PATCH")
    await web.value(f"{server.origin}/a", method="DELETE")
    post, put, patch, delete = server.asked
    assert (post.body, post.headers["content-type"]) == ("é".encode(), "text/plain; charset=utf-8")
    assert (post.headers["x-key"], post.headers["accept"]) == ("1", "text/html")
    assert (json.loads(put.body), put.headers["content-type"]) == ({"a": [1, None]}, "application/json")
    assert (patch.headers["content-length"], "content-length" in delete.headers) == ("0", False)
    head = await web.value(f"{server.origin}/a", method="HEAD")
    assert (head["status"], head["text"]) == (200, "")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "url"),
    ({"url": ""}, "url"),
    ({"url": 5}, "url"),
    ({"url": ["http://a"]}, "url"),
    ({"url": "x" * 8193}, "url"),
    ({"url": "file:///etc/passwd"}, "does not begin with http:// or https://"),
    ({"url": "http://u:p@a/"}, "contains a user name or a password"),
    ({"url": "http://a", "method": "get"}, "get"),
    ({"url": "http://a", "method": "TRACE"}, "TRACE"),
    ({"url": "http://a", "method": ["GET"]}, "method"),
    ({"url": "http://a", "body": "x"}, "GET has no body"),
    ({"url": "http://a", "method": "POST", "body": 5}, "body"),
    ({"url": "http://a", "method": "POST", "body": "x" * 1_000_001}, "body"),
    ({"url": "http://a", "method": "POST", "body": ["x" * 1_000_001]}, "the body is longer"),
    ({"url": "http://a", "headers": []}, "headers"),
    ({"url": "http://a", "headers": {"a": 1}}, "headers"),
    ({"url": "http://a", "headers": {"": "x"}}, "is not a valid header name"),
    ({"url": "http://a", "headers": {"a b": "x"}}, "is not a valid header name"),
    ({"url": "http://a", "headers": {"a:": "x"}}, "is not a valid header name"),
    ({"url": "http://a", "headers": {"a": "x\r\nHost: b"}}, "holds characters that a header cannot"),
    ({"url": "http://a", "headers": {"a": "x\0"}}, "holds characters that a header cannot"),
    ({"url": "http://a", "headers": {"A": "x", "a": "y"}}, "is given twice"),
    ({"url": "http://a", "headers": {"Host": "b"}}, "cannot be set"),
    ({"url": "http://a", "headers": {"Transfer-Encoding": "chunked"}}, "cannot be set"),
    ({"url": "http://a", "headers": {"Content-Length": "0"}}, "cannot be set"),
    ({"url": "http://a", "headers": {"a": "x" * 8193}}, "headers"),
    ({"url": "http://a", "headers": {f"a{n}": "x" for n in range(51)}}, "headers"),
    ({"url": "http://a", "timeout": 5}, "timeout"),
]


@pytest.mark.parametrize(("arguments", "reason"), WRONG, ids=[str(number) for number in range(len(WRONG))])
async def test_invalid_arguments_are_reported_and_nothing_is_sent(arguments: Any, reason: str) -> None:
    web = Web("http://a")
    result = await web.tools.runner.call("http_fetch", arguments, web.tools.context, default_timeout_s=10)
    code, message = error_of(result)
    assert code == "invalid_arguments"
    assert reason in message
    assert web.names.asked == []


# Where it may go


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "http://127.1:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f000001:{port}/",
        "http://0177.1:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://[64:ff9b::7f00:1]:{port}/",
        "http://0.0.0.0:{port}/",
        "http://localhost:{port}/",
        "http://LOCALHOST.:{port}/",
        "http://ⓛocalhost:{port}/",
        "http://a.test:{port}/",
        "http://169.254.169.254/latest/meta-data/",
        "http://100.100.100.200/",
        "https://127.0.0.1:{port}/",
    ],
)
async def test_what_is_not_public_is_refused_by_whatever_name(server: Server, url: str) -> None:
    names = Names(localhost=[["127.0.0.1", "::1"]], a_test=[["10.0.0.1", "::ffff:127.0.0.1", "fe80::1%1"]])
    other_port, other_scheme = "http://127.0.0.1:1", f"ftp://127.0.0.1:{server.port}"
    web = Web(other_port, other_scheme, "http://127.0.0.2", names=names)
    code, message = await web.failure(url.format(port=server.port))
    assert code == "not_allowed"
    assert "refused unless the user allows this origin" in message
    assert server.opened == 0


async def test_the_name_is_looked_up_once_and_the_answer_that_was_checked_is_connected_to(server: Server) -> None:
    origin = f"http://a.test:{server.port}"
    server.answers["/a"] = response(b"here")
    web = Web(origin, names=Names(a_test=[["127.0.0.1"], ["127.0.0.99"]]))
    assert (await web.value(f"{origin}/a"))["text"] == "here"
    assert web.names.asked == ["a.test"]
    assert server.asked[0].headers["host"] == f"a.test:{server.port}"


async def test_a_name_that_leads_elsewhere_the_second_time_is_checked_again(server: Server) -> None:
    """The allowed origin redirects to another name, which resolves to a public address at first, and to ours then."""
    server.answers["/a"] = redirect(f"http://rebind.test:{server.port}/b")
    web = Web(server.origin, names=Names(rebind_test=[["127.0.0.1"], ["1.1.1.1"]]))
    assert (await web.failure(f"{server.origin}/a"))[0] == "not_allowed"
    assert [asked.target for asked in server.asked] == ["/a"]


async def test_of_several_answers_the_public_ones_alone_are_tried(server: Server) -> None:
    found = await permitted_addresses(
        parse_address("http://a.test/"), (), Names(a_test=[["127.0.0.1", "1.1.1.1", "::1", "10.0.0.1"]])
    )
    assert found == ["1.1.1.1"]


async def test_each_address_is_tried_until_one_answers(server: Server) -> None:
    origin = f"http://a.test:{server.port}"
    web = Web(origin, names=Names(a_test=[["127.0.0.77", "127.0.0.1"]]))
    assert (await web.value(f"{origin}/"))["status"] == 404


# Redirects


@pytest.mark.parametrize(
    "location", ["/b", "b", "?x=1", "//127.0.0.1:{port}/b", "http://0x7f.1:{port}/b", "http://127.0.0.1:{port}/b#c"]
)
async def test_redirects_within_the_origin_are_followed(server: Server, web: Web, location: str) -> None:
    server.answers["/a"] = lambda writer: writer.write(
        redirect(location.format(port=server.port)) if len(server.asked) == 1 else response(b"b")
    )
    server.answers["/b"] = response(b"b")
    value = await web.value(f"{server.origin}/a", headers={"Authorization": "Bearer abc"})
    assert (value["status"], value["text"]) == (200, "b")
    assert server.asked[-1].headers["authorization"] == "Bearer abc"
    assert value["url"].startswith(server.origin)


@pytest.mark.parametrize(
    "location",
    [
        "http://localhost:{port}/b",
        "http://[::1]:{port}/",
        "http://127.0.0.1:1/",
        "file:///etc/passwd",
        "http://u:p@127.0.0.1:{port}/b",
        "https://127.0.0.1:{port}/b",
        "javascript:alert(1)",
        "http://169.254.169.254/",
        "http:\\\\127.0.0.1",
    ],
)
async def test_a_redirect_is_checked_like_the_first_address(server: Server, location: str) -> None:
    server.answers["/a"] = redirect(location.format(port=server.port))
    web = Web(server.origin, names=Names(localhost=[["127.0.0.1"]]))
    assert (await web.failure(f"{server.origin}/a"))[0] == "not_allowed"
    assert len(server.asked) == 1


async def test_credentials_go_to_no_other_origin(server: Server) -> None:
    other = f"http://other.test:{server.port}"
    server.answers["/a"] = redirect(f"{other}/b", 307)
    web = Web(server.origin, other, names=Names(other_test=[["127.0.0.1"]]))
    secrets = {"Authorization": "Bearer abc", "Cookie": "a=b", "X-Api-Key": "k", "X-Custom": "c", "Accept": "text/html"}
    await web.value(f"{server.origin}/a", headers=secrets)
    assert set(server.asked[1].headers) == {"host", "user-agent", "accept", "accept-encoding"}
    assert server.asked[1].headers["accept"] == "text/html"


@pytest.mark.parametrize(
    ("status", "method", "then", "body"),
    [
        (301, "POST", "GET", b""),
        (302, "POST", "GET", b""),
        (303, "PUT", "GET", b""),
        (303, "HEAD", "HEAD", b""),
        (302, "PUT", "PUT", b"x"),
        (307, "POST", "POST", b"x"),
        (308, "DELETE", "DELETE", b"x"),
    ],
)
async def test_the_method_after_a_redirect_is_that_of_browsers(
    server: Server, web: Web, status: int, method: str, then: str, body: bytes
) -> None:
    server.answers["/a"], server.answers["/b"] = redirect("/b", status), response(b"b")
    await web.value(f"{server.origin}/a", method=method, **({} if method == "HEAD" else {"body": "x"}))
    assert (server.asked[1].method, server.asked[1].body) == (then, body)
    assert ("content-type" in server.asked[1].headers) is bool(body)


async def test_a_body_goes_to_no_other_origin_and_the_redirect_is_the_result(server: Server) -> None:
    other = f"http://other.test:{server.port}"
    server.answers["/a"] = redirect(f"{other}/b", 307)
    web = Web(server.origin, other, names=Names(other_test=[["127.0.0.1"]]))
    value = await web.value(f"{server.origin}/a", method="POST", body="x")
    assert (value["status"], value["headers"]["location"]) == (307, f"{other}/b")
    assert len(server.asked) == 1


async def test_at_most_five_redirects_are_followed(server: Server, web: Web) -> None:
    server.answers |= {f"/{number}": redirect(f"/{number + 1}") for number in range(6)}
    server.answers["/6"] = response(b"end")
    assert (await web.value(f"{server.origin}/1"))["text"] == "end"
    server.asked.clear()
    assert (await web.failure(f"{server.origin}/0"))[0] == "too_many_redirects"
    assert len(server.asked) == 6


# When the network fails


def _closes(writer: asyncio.StreamWriter) -> None:
    writer.close()


async def test_without_a_connection_it_is_retried_once_and_reported(server: Server) -> None:
    web = Web("http://127.0.0.1:1", "http://gone.test")
    code, message = await web.failure("http://127.0.0.1:1/", method="POST")
    assert (code, "nothing answers at http://127.0.0.1:1;" in message) == ("failed", True)
    assert (await web.failure("http://gone.test/", method="POST"))[0] == "failed"
    assert web.names.asked == ["gone.test"] * 2


@pytest.mark.parametrize(("method", "times"), [("GET", 2), ("PUT", 2), ("DELETE", 2), ("POST", 1), ("PATCH", 1)])
async def test_a_lost_answer_is_asked_for_again_where_that_does_no_harm(
    server: Server, web: Web, method: str, times: int
) -> None:
    server.answers["/a"] = _closes
    result = await web.call(f"{server.origin}/a", method=method)
    assert error_of(result)[0] == "failed"
    assert len(server.asked) == times
    assert result.error is not None
    assert bool(result.error.parameters.get("uncertain")) is (times == 1)


async def test_what_fails_behind_a_redirect_does_not_post_twice(server: Server) -> None:
    server.answers["/a"] = redirect("http://127.0.0.1:1/", 303)
    web = Web(server.origin, "http://127.0.0.1:1")
    result = await web.call(f"{server.origin}/a", method="POST", body="x")
    assert error_of(result)[0] == "failed"
    assert [asked.method for asked in server.asked] == ["POST"]
    assert result.error is not None
    assert result.error.parameters["uncertain"] is True


@pytest.mark.parametrize("answer", [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000])
async def test_what_is_no_http_is_an_error(server: Server, web: Web, answer: bytes) -> None:
    server.answers["/a"] = answer
    assert (await web.failure(f"{server.origin}/a"))[0] == "failed"


async def test_a_body_that_breaks_off_is_an_error(server: Server, web: Web) -> None:
    server.answers["/a"] = response(b"half", length=100)
    assert "broke off" in (await web.failure(f"{server.origin}/a"))[1]


async def test_a_server_that_never_ends_is_left_at_the_time_limit(server: Server, web: Web) -> None:
    async def drips(writer: asyncio.StreamWriter) -> None:
        writer.write(response(b"", length=10_000))
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    server.answers["/a"] = drips
    runner, context = web.tools.runner, web.tools.context
    arguments = {"url": f"{server.origin}/a"}
    result = await runner.call("http_fetch", arguments, context, default_timeout_s=10, timeout_s=0.3)
    assert error_of(result)[0] == "timeout"


async def test_no_proxy_is_asked_for_what_is_on_this_machine(
    server: Server, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    server.answers["/a"] = response(b"direct")
    assert (await web.value(f"{server.origin}/a"))["text"] == "direct"


# TLS


async def test_tls_verifies_the_name_of_the_host_at_the_address_that_was_checked(tmp_path: Path) -> None:
    async with a_server(certified(tmp_path, "a.test")) as server:
        right, wrong = (f"https://{name}.test:{server.port}" for name in "ab")
        server.answers["/"] = response(b"safe")
        names = Names(a_test=[["127.0.0.1"]], b_test=[["127.0.0.1"]])
        web = Web(right, wrong, names=names, network=Network(lambda: str(tmp_path / "authority.pem")))
        assert (await web.value(f"{right}/"))["text"] == "safe"
        code, message = await web.failure(f"{wrong}/")
        assert (code, "certificate" in message.lower()) == ("failed", True)
        assert (await Web(right, names=names).failure(f"{right}/"))[0] == "failed"
        assert len(server.asked) == 1


# What it may leave behind, and what is kept of it


def test_what_a_call_leaves_behind_and_risks() -> None:
    tool = http_fetch.tool()
    effects = {method: tool.effect({"url": "http://a", "method": method}) for method in http_fetch.METHODS}
    assert [method for method, effect in effects.items() if effect is Effect.NONE] == ["GET", "HEAD"]
    assert [method for method, effect in effects.items() if effect is Effect.IDEMPOTENT] == ["PUT", "DELETE"]
    assert tool.effect({"url": "http://a"}) is Effect.NONE
    assert tool.effect({"method": ["GET"]}) is Effect.ONCE
    origins = ("http://a:8000",)
    risks = {
        ("http://b/", "GET"): Risk.LOW,
        ("HTTP://A:8000/x", "POST"): Risk.MEDIUM,
        ("http://a/", "POST"): Risk.HIGH,
        ("http://a:8000/", "DELETE"): Risk.HIGH,
        ("nonsense", "PUT"): Risk.HIGH,
    }
    assert {(url, how): tool.risk({"url": url, "method": how}, origins) for url, how in risks} == risks


def test_secrets_of_a_request_are_not_kept() -> None:
    kept = masked(
        {
            "url": "https://a.test/?api_key=abc123&q=1",
            "headers": {"Authorization": "Bearer abc", "Cookie": "s=1", "X-Api-Key": "k", "Accept": "text/html"},
        }
    )
    assert "abc" not in str(kept)
    assert (kept["headers"]["Accept"], kept["headers"]["X-Api-Key"] != "k") == ("text/html", True)
