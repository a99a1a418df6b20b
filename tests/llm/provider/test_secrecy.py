"""A key reaches its provider and nothing else: no error, no log, no text, no print."""

import json
import logging
import pickle
import traceback

import pytest

from core.errors import StepFailed
from core.llm.key_masking import MASK, Masker, Secret
from core.ports import CallDelta
from tests.llm.provider.conftest import Phone
from tests.support.provider import Reply, call_piece, chunk, fails, provider, says, sse

KEY = "sk-proj-Zm9v+YmFy/9876543210=="
START, END = KEY[:12], KEY[-12:]


def test_a_secret_says_nothing_of_itself() -> None:
    secret = Secret(KEY)
    assert (repr(secret), str(secret), f"{secret}", repr([secret])) == (MASK, MASK, MASK, f"[{MASK}]")
    with pytest.raises(TypeError):
        pickle.dumps(secret)


async def test_the_key_is_sent_to_the_provider(phone: Phone) -> None:
    phone.key = KEY
    with provider(says("a")) as server:
        await phone.ask(server.url)
    assert server.posts[0].headers["authorization"] == f"Bearer {KEY}"


async def test_without_a_key_none_is_sent_and_a_required_key_prevents_the_request(phone: Phone) -> None:
    with provider(says("a")) as server:
        assert (await phone.ask(server.url)).text == "a"
        assert "authorization" not in server.posts[0].headers
        heard = await phone.ask(server.url, choice={"needs_key": True})
        assert heard.failure.code == "key_missing"
        assert len(server.posts) == 1


@pytest.mark.parametrize("key", ["sk-line\nbreak-in-the-middle", "sk-nul\0in-the-middle", "sk-ümlaut-in-the-middle"])
async def test_a_key_that_cannot_be_sent_is_an_error_that_does_not_show_it(phone: Phone, key: str) -> None:
    phone.key = key
    with provider(says("a")) as server:
        heard = await phone.ask(server.url)
        assert server.asked == []
    assert heard.failure.code == "key_unusable"
    assert "middle" not in repr(heard.failure.as_dict())


ENDED = chunk(finish="stop")
PLAIN, HTML = {"Content-Type": "text/plain"}, {"Content-Type": "text/html"}
ESCAPED = KEY.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")

ECHOES: dict[str, Reply] = {
    "as it is": fails(401, f"Incorrect API key provided: {KEY}."),
    "in a 400": fails(400, f"header Authorization: Bearer {KEY} is odd"),
    "at the end of a long text": fails(400, "x" * 990 + KEY),
    "as a plain text": Reply(f"no: {KEY}".encode(), 403, PLAIN),
    "as a web page": Reply(f"<b>{KEY.replace('+', '&#43;')}</b> <p>{KEY}</p>".encode(), 502, HTML),
    "in an address": fails(400, f"see https://h/?key={ESCAPED}"),
    "in small letters": fails(400, KEY.lower()),
    "in the name of an error": Reply(json.dumps({"error": {"message": "no", "code": KEY}}).encode(), 400),
    "in mid-stream": Reply(sse({"error": {"message": KEY, "code": KEY}})),
    "in an answer that is none": Reply(f"<html>{KEY}</html>".encode()),
    "in a text": says(f"Your key is {KEY} , and"),
    "in a text, letter by letter": Reply(sse(*(chunk(content=letter) for letter in f"<{KEY}{KEY}>"), ENDED)),
    "in a text that breaks off": Reply(sse(*(chunk(content=letter) for letter in f"<{KEY[:-1]}"), done=False)),
    "in a thought": Reply(sse(chunk(reasoning=KEY[:9]), chunk(reasoning=KEY[9:]), chunk(content="a"), ENDED)),
    "in arguments": Reply(sse(chunk(tool_calls=[call_piece(0, "a", "f", json.dumps({"key": KEY, "n": 1}))]), ENDED)),
    "in an id": Reply(sse(chunk(tool_calls=[call_piece(0, KEY, "f", "{}")]), ENDED)),
    "in the name of a tool": Reply(sse(chunk(tool_calls=[call_piece(0, "a", KEY, "{}")]), ENDED)),
    "in a header": Reply(b"", 307, {"Location": f"http://elsewhere.invalid/?{KEY}"}),
    "in every retry": fails(503, f"busy, {KEY}"),
}


@pytest.mark.parametrize("how", ECHOES)
async def test_a_key_that_comes_back_goes_nowhere(phone: Phone, how: str, caplog: pytest.LogCaptureFixture) -> None:
    phone.key = KEY
    with caplog.at_level(logging.DEBUG), provider(ECHOES[how]) as server:
        heard = await phone.ask(server.url)
    told = [heard.text, heard.thought, repr(heard.deltas), repr(heard.waits), caplog.text]
    if heard.error is not None:
        told += [repr(heard.error.as_dict()), "".join(traceback.format_exception(heard.error))]
    for text in told:
        assert START.lower() not in text.lower()
        assert END.lower() not in text.lower()


async def test_text_that_only_resembles_the_key_is_shown(phone: Phone) -> None:
    phone.key = KEY
    text = f"sk-proj {KEY[:6]} s sk sk-pro"
    with provider(Reply(sse(*(chunk(content=letter) for letter in text), chunk(finish="stop")))) as server:
        assert (await phone.ask(server.url)).text == text


@pytest.mark.parametrize("key", ["none", "ollama", "lm-studio", "x"])
async def test_a_placeholder_does_not_garble_the_text(phone: Phone, key: str) -> None:
    phone.key = key
    with provider(says(f"of {key} there is none")) as server:
        assert (await phone.ask(server.url)).text == f"of {key} there is none"


async def test_arguments_stay_what_they_are_around_a_masked_key(phone: Phone) -> None:
    phone.key = KEY
    with provider(ECHOES["in arguments"]) as server:
        heard = await phone.ask(server.url)
    (delta,) = [delta for delta in heard.deltas if isinstance(delta, CallDelta)]
    assert delta.call.arguments == {"key": MASK, "n": 1}


def test_an_error_of_another_key_is_left_alone() -> None:
    error = StepFailed("provider_error", "the key ends with 1234", status=401)
    masker = Masker(Secret(KEY))
    assert masker.text(error.message) == error.message
    assert masker.values(error.parameters) == {"status": 401}
    assert Masker(None).text("anything") == "anything"
