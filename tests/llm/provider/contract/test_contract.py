"""Every adapter in every scenario, asked by the real client over HTTP.

An adapter joins with a module of its streams, named after its wire format.
"""

import base64
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

import pytest

from core.domain.model import WireFormatName
from core.domain.tool import ToolInfo
from core.llm.wire_formats import WIRE_FORMATS
from core.ports import ChatMessage, MessageFile, ReplayDelta
from tests.llm.provider.conftest import Heard, Phone
from tests.llm.provider.contract.cells import SAME_STREAM, Adapter, Cell, Scenario, holds
from tests.support.provider import Provider, Reply, provider

ADAPTERS: dict[WireFormatName, Adapter] = {
    name: import_module(f"tests.llm.provider.contract.{name}").ADAPTER for name in WIRE_FORMATS
}
SYSTEM, ASKED = ChatMessage("system", "Be brief."), ChatMessage("user", "How warm is it?")
TOOLS = tuple(
    ToolInfo(name, name, f"Does {name}.", {"type": "object", "properties": {"location": {"type": "string"}}})
    for name in ("get_weather", "get_time")
)
PICTURE = MessageFile(
    "dot.png",
    "image/png",
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    ),
)


@pytest.mark.parametrize("name", ADAPTERS)
def test_no_cell_of_the_table_is_missing(name: WireFormatName) -> None:
    cells = {scenario: ADAPTERS[name].cells.get(SAME_STREAM.get(scenario, scenario)) for scenario in Scenario}
    assert [str(scenario) for scenario, cell in cells.items() if cell is None] == []
    assert all(cell.source for cell in cells.values() if cell is not None)
    by_hand = [str(scenario) for scenario, cell in ADAPTERS[name].cells.items() if cell.kind == "by hand"]
    assert len(by_hand) < len(ADAPTERS[name].cells) / 2, by_hand


@pytest.mark.parametrize("scenario", Scenario)
@pytest.mark.parametrize("name", ADAPTERS)
async def test_cell(phone: Phone, name: WireFormatName, scenario: Scenario) -> None:
    adapter = ADAPTERS[name]
    if reason := adapter.pending.get(scenario):
        pytest.skip(reason)
    await _Case(phone, name, adapter, adapter.cell(scenario)).run(scenario)


class _Case:
    """A cell, and the client that is tried on it."""

    def __init__(self, phone: Phone, name: WireFormatName, adapter: Adapter, cell: Cell) -> None:
        self.phone, self.adapter, self.cell = phone, adapter, cell
        self.choice = {"wire_format": name, "model": adapter.model}
        phone.key = "sk-0123456789abcdef"

    async def run(self, scenario: Scenario) -> None:
        checks: dict[Scenario, Callable[[], Awaitable[None]]] = {
            Scenario.PLAIN: self.answers,
            Scenario.TOOLS: self.continues,
            Scenario.PARALLEL_TOOLS: self.continues,
            Scenario.REASONING: self.continues,
            Scenario.REFUSAL: self.ends_with_a_warning,
            Scenario.LENGTH: self.ends_with_a_warning,
            Scenario.ERROR_IN_STREAM: self.fails_within,
            Scenario.OVERLOADED: self.waits,
            Scenario.WRONG_KEY: self.refuses_the_key,
            Scenario.SILENCE: self.times_out,
            Scenario.CUT: self.is_truncated,
            Scenario.CACHED_TOKENS: self.answers,
            Scenario.PICTURES: self.shows_a_picture,
            Scenario.TOOL_PICTURES: self.returns_a_picture,
            Scenario.NOT_STREAMED: self.answers,
        }
        await checks[scenario]()

    async def answers(self) -> None:
        for cut in (1_000_000, 11):
            with provider(self.reply(cut=cut)) as server:
                self.compare(await self.ask(server))

    async def continues(self) -> None:
        """The calls run, and the next request holds them, their results and what the provider wants back."""
        after = self.adapter.cells[Scenario.PLAIN]
        with provider(self.reply(), self.reply(after)) as server:
            heard = await self.ask(server, SYSTEM, ASKED)
            self.compare(heard)
            results = self.results(heard)
            again = [] if results else [ChatMessage("user", "And tomorrow?")]
            next_heard = await self.ask(server, SYSTEM, ASKED, self.said(heard), *results, *again)
        self.compare(next_heard, after)
        sent = server.posts[1].body
        for call in heard.calls:
            assert any(holds(sent, value) for value in (call.arguments, call.arguments_text))
        for result in results:
            assert result.text in server.posts[1].text
        for value in self.cell.returned:
            assert holds(sent, value), value

    async def ends_with_a_warning(self) -> None:
        """What came is kept; nothing that may be half is run."""
        with provider(self.reply()) as server:
            heard = await self.ask(server)
        assert heard.error is None
        assert heard.text == self.cell.text
        assert all(call.arguments is None for call in heard.calls)
        wanted = "length" if self.cell is self.adapter.cells[Scenario.LENGTH] else "content_filter"
        assert heard.warnings == [wanted]
        assert self.cell.words in repr(heard.deltas)

    async def fails_within(self) -> None:
        with provider(self.reply()) as server:
            heard = await self.ask(server)
        assert (heard.text, heard.failure.code) == (self.cell.text, "provider_error")
        assert self.cell.words in heard.failure.message
        assert len(server.posts) == 1

    async def waits(self) -> None:
        plain = self.adapter.cells[Scenario.PLAIN]
        with provider(self.reply(), self.reply(plain)) as server:
            heard = await self.ask(server)
        self.compare(heard, plain)
        # a server on this machine that answers 503 counts as one that is not ready yet
        wanted = ("loading", 1) if self.cell.status == 503 else ("retry", 2)
        assert [(wait.reason, wait.attempt) for wait in heard.waits] == [wanted]
        assert self.cell.words in (heard.waits[0].message or "")

    async def refuses_the_key(self) -> None:
        with provider(self.reply()) as server:
            heard = await self.ask(server)
        assert heard.failure.code == "key_refused"
        assert self.cell.words in heard.failure.message
        assert len(server.posts) == 1

    async def times_out(self) -> None:
        self.phone.hurry(silence_s=0.1)
        for begun in (b"", self.cell.body[: self.half()]):
            with provider(Reply(begun, end="hangs")) as server:
                heard = await self.ask(server)
            assert heard.failure.code == "timeout"
            assert len(server.posts) == 1

    async def is_truncated(self) -> None:
        """Once something was read, the rest is not asked for again."""
        with provider(Reply(self.cell.body[: self.half()], end="lost", pause_s=0.01)) as server:
            heard = await self.ask(server)
        assert heard.failure.code == "truncated"
        assert heard.text
        assert self.cell.text.startswith(heard.text)
        assert len(server.posts) == 1

    async def shows_a_picture(self) -> None:
        with provider(self.reply()) as server:
            heard = await self.ask(server, ChatMessage("user", "What is it?", files=(PICTURE,)))
        self.compare(heard)
        assert base64.b64encode(PICTURE.data).decode() in server.posts[0].text

    async def returns_a_picture(self) -> None:
        after = self.adapter.cells[Scenario.PLAIN]
        with provider(self.reply(), self.reply(after)) as server:
            heard = await self.ask(server)
            results = self.results(heard, files=(PICTURE,))
            self.compare(await self.ask(server, SYSTEM, ASKED, self.said(heard), *results), after)
        assert base64.b64encode(PICTURE.data).decode() in server.posts[1].text

    async def ask(self, server: Provider, *messages: ChatMessage) -> Heard:
        heard = await self.phone.ask(server.url, *(messages or (SYSTEM, ASKED)), choice=self.choice, tools=TOOLS)
        for post in server.posts:
            assert self.adapter.problem_of(post.body) is None, post.body
        return heard

    def reply(self, cell: Cell | None = None, cut: int = 1_000_000) -> Reply:
        cell = cell or self.cell
        return Reply(cell.body, cell.status, cell.headers, cut)

    def compare(self, heard: Heard, cell: Cell | None = None) -> None:
        cell = cell or self.cell
        assert heard.error is None
        assert (heard.text, heard.thought) == (cell.text, cell.thought)
        assert [(call.tool, call.arguments) for call in heard.calls] == list(cell.calls)
        assert len({call.id for call in heard.calls}) == len(heard.calls)
        assert heard.warnings == []
        assert heard.usage == ([cell.usage] if cell.usage else [])

    def said(self, heard: Heard) -> ChatMessage:
        """The answer, as the agent loop stores it."""
        replays = [delta.replay for delta in heard.deltas if isinstance(delta, ReplayDelta)]
        return ChatMessage("assistant", heard.text, tuple(heard.calls), replay=replays[0] if replays else None)

    def results(self, heard: Heard, **more: Any) -> list[ChatMessage]:
        return [
            ChatMessage("tool", f"It is {20 + at} degrees.", call_id=call.id, **more)
            for at, call in enumerate(heard.calls)
        ]

    def half(self) -> int:
        """Where the stream is cut: behind an event that has some of the text, before the last of it."""
        text = self.cell.text[:4].encode()
        return self.cell.body.index(b"\n\n", self.cell.body.index(text)) + 2
