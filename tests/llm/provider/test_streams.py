"""How the client parses streams, through a real server, however they are cut."""

from collections.abc import Iterable

import pytest

from core.domain.model import ModelChoice
from core.errors import StepFailed
from core.llm.openai_compatible.assembly import Assembler
from core.llm.sse import SseEvent, SseParser, TooLarge
from tests.llm.provider.conftest import Heard, Phone
from tests.llm.provider.streams import ANY_ID, STREAMS, Stream
from tests.support.provider import Reply, provider

PACKETS = 3000


@pytest.mark.parametrize("cut", [1, 7, 4096])
@pytest.mark.parametrize("name", STREAMS)
async def test_a_stream_means_the_same_however_it_is_cut(phone: Phone, name: str, cut: int) -> None:
    stream = STREAMS[name]
    with provider(Reply(stream.body, headers=stream.headers, cut=max(cut, len(stream.body) // PACKETS))) as server:
        heard = await phone.ask(server.url)
    _compare(heard, stream)
    assert len(server.posts) == 1  # what came with a 200 is final


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_means_the_same_at_every_cut_in_two(name: str) -> None:
    stream = STREAMS[name]
    body = stream.body[:2000]
    whole = _events(body)
    for at in range(0, len(body), 1 + len(body) // 500):
        assert _events(body[:at], body[at:]) == whole


def test_an_answer_without_end_is_not_kept_in_memory() -> None:
    parser = SseParser()
    pieces = [b"x" * 1_000_000] * 100
    with pytest.raises(TooLarge):
        _feed(parser, pieces)


def test_a_line_in_many_small_pieces_costs_no_more_than_its_length() -> None:
    parser = SseParser()
    for _ in range(200_000):
        list(parser.feed(b"xx"))
    assert sum(len(event.data) for event in parser.feed(b"\n\n")) == 0
    assert parser.other_lines == ["xx" * 200_000]


def test_an_answer_that_is_too_long_is_an_error() -> None:
    answer = Assembler(ModelChoice(base_url="http://127.0.0.1", model="m"))
    event = SseEvent('{"choices":[{"delta":{"content":"' + "x" * 1_000_000 + '"}}]}')
    with pytest.raises(StepFailed) as caught:
        list(answer.take([event] * 20))
    assert caught.value.code == "answer_too_large"


def _feed(parser: SseParser, pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        list(parser.feed(piece))


def _events(*pieces: bytes) -> list[SseEvent | str]:
    parser = SseParser()
    events = [event for piece in pieces for event in parser.feed(piece)]
    return [*events, *parser.close(), *parser.other_lines]


def _compare(heard: Heard, stream: Stream) -> None:
    assert heard.text == stream.text
    assert heard.thought == stream.thought
    assert [(call.tool, call.arguments) for call in heard.calls] == [call[1:] for call in stream.calls]
    ids = [call.id for call in heard.calls]
    for given, wanted in zip(ids, (call[0] for call in stream.calls), strict=True):
        assert given if wanted == ANY_ID else given == wanted
    assert len(set(ids)) == len(ids)
    assert tuple(heard.warnings) == stream.warnings
    assert [(usage.input_tokens, usage.output_tokens) for usage in heard.usage] == (
        [stream.usage] if stream.usage else []
    )
    code = heard.error.code if heard.error is not None else None
    assert code == stream.code, heard.error
    assert stream.error in (heard.error.message if heard.error is not None else "")
