"""However and whenever a turn is interrupted, its conversation continues.

A provider over HTTP rejects every invalid conversation. The process dies at every write, the turn is cancelled or the
app closed at every fact, and writes, answers and calls fail; then the run is resumed if it should be, and another
message is sent. The provider never has to reject a request.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

import pytest

from core.domain.events import Event
from core.domain.ids import RunId, WorkflowId
from core.domain.interruption import Action, Answer
from core.domain.model import ModelChoice
from core.domain.run import Run, RunKind
from core.domain.template import ValidationMode
from core.domain.tool import ToolInfo
from core.ports import CallContext, Write
from core.services.outcome import Ok
from core.tools.registry import Arguments, Tool
from tests.support.failing_storage import FailingMemory, Trouble
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Provider, Reply, call_piece, calls, chunk, fails, provider, says, sse
from tests.support.strict_provider import Strict
from tests.support.world import World, a_world

LONG = "word " * 300
"""Over 1 KiB: pieces of it are on disk before it is whole."""

MANUAL, AUTO = ValidationMode.MANUAL, ValidationMode.AUTO


def slowly(*pieces: Mapping[str, Any]) -> Reply:
    """Send an answer in many packets, so that something can happen between them."""
    return Reply(sse(*pieces), cut=500, pause_s=0.001)


ROUNDS = (
    slowly(
        *(chunk(content=LONG[:400]) for _ in range(4)),
        chunk(tool_calls=[call_piece(0, "a", "note", '{"te')]),
        chunk(tool_calls=[call_piece(0, None, None, 'xt": "x"}')]),
        chunk(tool_calls=[call_piece(1, "b", "note", '{"text": "y"}')]),
        chunk(finish="tool_calls"),
    ),
    calls(("a", "echo", {"n": 1}), ("a", "echo", {"n": 2}), text="Then."),
    slowly(chunk(content="All "), chunk(content="is done."), chunk(finish="stop")),
)
WHOLE = f"{LONG[:400] * 4}\n\nThen.\n\nAll is done."


@pytest.fixture(scope="module")
def model() -> Iterator[tuple[Provider, Strict]]:
    strict = Strict("go", ROUNDS)
    with provider(strict) as server:
        yield server, strict


async def send(
    world: World, server: Provider, text: str = "go", workflow_id: WorkflowId | None = None, mode: ValidationMode = AUTO
) -> Run:
    sent = await world.core.chat.send(text, workflow_id, mode=mode, model=ModelChoice(base_url=server.url, model="m"))
    assert isinstance(sent, Ok), sent
    return sent.data


async def settle(world: World, run_id: RunId, number: int) -> Any:
    """Answer the questions, each time in another way, until the run ends."""
    while (run := await world.settled(run_id))["status"] == "waiting":
        opened = next(entry for entry in run["interruptions"] if entry["status"].startswith("awaiting"))
        edited = Answer(Action.SUBMIT, {"text": "edited"})
        answers = (Answer(Action.APPROVE), Answer(Action.REJECT, reason="not now"), edited)
        await world.core.engine.answer(run_id, answers[number % 3], interruption=opened["id"])
        number += 1
    return run


async def assert_goes_on(world: World, server: Provider, strict: Strict, run: Run, number: int = 0) -> Any:
    """Assert that the run ends, and that the next two messages are answered."""
    told = await settle(world, run.id, number)
    for _ in range(2):
        again = await send(world, server, "more", run.workflow_id)
        after = await world.settled(again.id)
        assert (after["status"], after["output"]) == ("success", "More."), (number, after["error"])
    assert strict.refused == []
    return told


class Copied(InMemoryStorage):
    """A store that saves the state of a process that dies before or after any commit."""

    def __init__(self) -> None:
        super().__init__()
        self.copies: list[InMemoryStorage] = []

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        self.copies.append(InMemoryStorage(self._tables.copy()))
        lost = await super().commit(writes)
        self.copies.append(InMemoryStorage(self._tables.copy()))
        return lost


@pytest.mark.parametrize("mode", [AUTO, MANUAL])
@pytest.mark.async_timeout(60)
async def test_a_process_that_dies_before_or_after_any_write(
    model: tuple[Provider, Strict], mode: ValidationMode
) -> None:
    server, strict = model
    store = Copied()
    async with a_world(store) as world:
        run = await send(world, server, mode=mode)
        assert (await settle(world, run.id, 0))["status"] == "success"
    lives = [copy for copy in store.copies if await copy.runs.get(run.id) is not None]
    for number, copy in enumerate(lives):
        async with a_world(copy) as world:
            await world.core.runs.recover()
            told = await assert_goes_on(world, server, strict, run, number)
            assert told["status"] == "success", (number, told["error"])
    assert len(lives) > 15


Way = Callable[[World, Run], Awaitable[object]]


async def cancelled(world: World, run: Run) -> None:
    await world.core.runs.cancel(run.id)


async def closed(world: World, run: Run) -> None:
    """Close the app, as leaving the world does."""


@pytest.mark.parametrize("mode", [AUTO, MANUAL])
@pytest.mark.parametrize("way", [cancelled, closed])
@pytest.mark.async_timeout(60)
async def test_a_turn_that_is_cancelled_or_left_at_any_fact(
    model: tuple[Provider, Strict], way: Way, mode: ValidationMode
) -> None:
    server, strict = model
    for number in count(1):
        storage = InMemoryStorage()
        reached = asyncio.Event()
        async with a_world(storage) as world:
            world.core.bus.subscribe(Event, partial(_count, world, reached, number))
            run = await send(world, server, mode=mode)
            life = asyncio.ensure_future(settle(world, run.id, number))
            at = asyncio.ensure_future(reached.wait())
            await asyncio.wait((life, at), return_when=asyncio.FIRST_COMPLETED)
            for _ in range(number % 4):
                await asyncio.sleep(0)
            await way(world, run)
            await stopped(life, at)
        if not reached.is_set():
            break
        async with a_world(storage) as world:
            await world.core.runs.recover()
            told = await assert_goes_on(world, server, strict, run, number)
            assert told["status"] in ("success", "cancelled"), (number, told["error"])
    assert number > 20


def _count(world: World, reached: asyncio.Event, number: int, _: Event) -> None:
    if len(world.events) >= number:
        reached.set()


async def stopped(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize("is_applied", [False, True], ids=["before", "after"])
@pytest.mark.async_timeout(60)
async def test_a_store_whose_write_fails(model: tuple[Provider, Strict], is_applied: bool) -> None:
    server, strict = model
    for number in count(1):
        storage = FailingMemory()
        storage.trouble = trouble = Trouble(number, 1, is_applied)
        async with a_world(storage) as world:
            trouble.is_on = True
            sent = await world.core.chat.send("go", model=ModelChoice(base_url=server.url, model="m"))
            if isinstance(sent, Ok):
                told = await assert_goes_on(world, server, strict, sent.data, number)
                assert told["status"] == "success", (number, told["error"])
        if not trouble.failed:
            break
    assert number > 8


# What a model and its tools can do to a turn

A_CALL = call_piece(0, "a", "note", '{"text": "x"}')

ENDINGS: dict[str, tuple[Reply, ...]] = {
    "an error in mid-stream": (Reply(sse(chunk(content="so"), {"error": {"message": "no"}})),),
    "an error after a call": (Reply(sse(chunk(tool_calls=[A_CALL]), {"error": {"message": "no"}})),),
    "a stream that is cut": (Reply(sse(chunk(content="so"), done=False)),),
    "a stream that is cut in a call": (Reply(sse(chunk(tool_calls=[call_piece(0, "a", "note", "{")]), done=False)),),
    "a connection that is reset": (Reply(sse(chunk(content="so"), done=False), end="reset", pause_s=0.01),),
    "a refusal": (fails(403, "no"),),
    "length": (Reply(sse(chunk(content="so"), chunk(tool_calls=[A_CALL]), chunk(finish="length"))),),
    "length without a word": (Reply(sse(chunk(tool_calls=[A_CALL]), chunk(finish="length"))),),
    "a filter": (Reply(sse(chunk(content="so"), chunk(finish="content_filter"))),),
    "nothing at all": (Reply(sse(chunk(finish="stop"))),),
    "blanks": (Reply(sse(chunk(content=" \n "), chunk(finish="stop"))),),
    "thoughts alone": (Reply(sse(chunk(reasoning_content="hm"), chunk(finish="stop"))),),
    "calls that are announced and do not come": (Reply(sse(chunk(finish="tool_calls"))),),
    "arguments that are no JSON": (Reply(sse(chunk(tool_calls=[call_piece(0, "a", "note", "{te")]))),),
    "arguments that do not fit": (calls(("a", "calculator", {"expression": 7})),),
    "arguments with half a character": (calls(("a", "echo", {"text": "\ud800"})),),
    "arguments that are no numbers": (
        Reply(sse(chunk(tool_calls=[call_piece(0, "a", "echo", '{"n": NaN}')]), chunk(finish="tool_calls"))),
    ),
    "a tool that is not there": (calls(("a", "nothing", {}), ("b", "note", {"text": "x"})),),
    "a tool without a name": (calls(("a", "", {}), ("", "note", {"text": "x"})),),
    "a tool that fails": (calls(("a", "fail", {}), ("b", "note", {"text": "x"})),),
    "a tool that is out of time": (calls(("a", "slow", {}), ("b", "note", {"text": "x"})),),
    "a tool that dies": (calls(("a", "dies", {}), ("b", "note", {"text": "x"})),),
    "a result that is too large": (calls(("a", "large", {"characters": 11_000_000}), ("b", "note", {"text": "x"})),),
    "a result that is cut": (calls(("a", "large", {"characters": 60_000}), ("b", "note", {"text": "x"})),),
    "a result that is no JSON": (calls(("a", "odd", {}), ("b", "note", {"text": "x"})),),
    "calls that repeat themselves": (calls(("a", "echo", {}), text="Again."),) * 4,
    "too many calls": (calls(*((f"c{n}", "echo", {"n": n}) for n in range(21)), text="All."),),
    "too many rounds": tuple(calls(("a", "echo", {"n": n}), ("b", "nothing", {"n": n})) for n in range(12)),
}


def odd_tools() -> list[Tool]:
    """Build tools that fail in different ways."""

    async def slow(arguments: Arguments, context: CallContext) -> Any:
        await asyncio.sleep(10)

    async def dies(arguments: Arguments, context: CallContext) -> Any:
        sys.exit(1)

    async def large(arguments: Arguments, context: CallContext) -> Any:
        return "é" * arguments["characters"]

    async def odd(arguments: Arguments, context: CallContext) -> Any:
        return {"set": {1, 2}, "half": "\ud800", "number": float("nan")}

    handlers = {"slow": slow, "dies": dies, "large": large, "odd": odd}
    return [
        Tool(ToolInfo(name, name, name, {"type": "object"}), server=handler, timeout_s=0.05 if name == "slow" else 5)
        for name, handler in handlers.items()
    ]


@pytest.mark.parametrize("is_first", [True, False], ids=["in the first round", "in the second"])
@pytest.mark.async_timeout(60)
async def test_whatever_a_model_and_its_tools_do(is_first: bool) -> None:
    for name, rounds in ENDINGS.items():
        strict = Strict("go", rounds if is_first else (calls(("a", "note", {"text": "1"}), text="First."), *rounds))
        storage = InMemoryStorage()
        with provider(strict) as server:
            async with a_world(storage, odd_tools()) as world:
                run = await send(world, server)
                told = await assert_goes_on(world, server, strict, run)
                assert told["status"] in ("success", "error"), (name, told)


async def test_a_run_that_is_out_of_time_and_one_that_is_forked() -> None:
    strict = Strict("go", (calls(("a", "echo", {"n": 1}), ("b", "hang", {}), text="First."), says("Done.")))
    with provider(strict) as server:
        async with a_world() as world:
            model = ModelChoice(base_url=server.url, model="m")
            step = {"name": "answer", "action": {"agent": {"prompt": "@input.text"}}}
            options: dict[str, Any] = {"kind": RunKind.CHAT, "prompt": "go", "given": {"text": "go"}}
            run = await world.start(step, model=model, timeoutMs=300, **options)
            told = await assert_goes_on(world, server, strict, run)
            assert (told["status"], told["error"]["code"]) == ("error", "deadline_exceeded")
            forked = await world.core.runs.fork(run.id, "answer", {"text": "again"})
            assert isinstance(forked, Ok), forked
            told = await assert_goes_on(world, server, strict, forked.data)
            assert (told["status"], told["output"]) == ("success", "More.")
