"""What an agent costs beyond the time of its provider: for each streamed token, and for each round of tools.

The provider is a process of its own, and its own time is what a bare client takes to read the same bytes. The same is
asked through the `openai` package where that is installed (`pip install -e '.[bench]'`).
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from core.app import Core
from core.domain.model import ModelChoice
from core.domain.run import RunStatus
from core.llm.http import HttpClients
from core.llm.provider.client import ProviderClient
from core.persistence.surreal import SurrealStorage
from core.ports import ChatMessage, ModelRequest
from core.services.outcome import Ok
from core.threads.system_clock import SystemClock
from core.wiring import run_core
from tests.bench.measure import line

BENCH = "agent"
ROUNDS = 9
WORDS = 5000
TOOL_ROUNDS = 8
PACED_WORDS = 400
PAUSE_US = 2000

Work = Callable[[str], Awaitable[None]]


@contextmanager
def a_server() -> Iterator[str]:
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.model_server"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.communicate()


# Those who ask


async def bare(url: str) -> None:
    """Read the same answer and do nothing with it; of several rounds, each of their answers."""
    parts = urlsplit(url)
    rounds = int(parts.path.split("/")[2][1:])
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    for number in range(rounds + 1):
        body = json.dumps({"messages": [{"tool_call_id": "a"}] * number}).encode()
        head = f"POST {parts.path}/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        tail = b""
        while not tail.endswith(b"0\r\n\r\n"):
            tail = (tail + await reader.read(65_536))[-100:]
    writer.close()


async def our_client(client: ProviderClient, url: str) -> None:
    choice = ModelChoice(base_url=url, model="m")
    request = ModelRequest((ChatMessage("user", "go"),), choice=choice)
    async with aclosing(client.stream(request)) as deltas:
        async for _ in deltas:
            pass


async def our_run(core: Core, url: str) -> None:
    """A whole run: streamed to whoever listens, and kept."""
    sent = await core.chat.send("go", model=ModelChoice(base_url=url, model="m"))
    assert isinstance(sent, Ok), sent
    run = await core.engine.wait(sent.data.id)
    assert run.status is RunStatus.SUCCESS, run.error


def openai_package() -> Work:
    """The same loop by hand around the client of OpenAI: nothing is kept, and nobody listens."""
    import openai  # type: ignore[import-not-found, unused-ignore]  # only measured, never needed

    clients: dict[str, Any] = {}

    async def ask(url: str) -> None:
        client = clients.setdefault(url, openai.AsyncOpenAI(base_url=url, api_key="x"))
        messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
        while True:
            stream = await client.chat.completions.create(model="m", messages=messages, stream=True)
            called = None
            async for piece in stream:
                if piece.choices and piece.choices[0].delta.tool_calls:
                    called = piece.choices[0].delta.tool_calls[0]
            if called is None:
                return
            call = {"id": called.id, "type": "function", "function": {"name": "calculator", "arguments": "{}"}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": called.id, "content": '{"result":42}'})

    return ask


# Measuring


async def seconds(works: dict[str, Work], url: str) -> dict[str, list[tuple[float, float]]]:
    """Wall and processor seconds of each, in turn, round by round; the first round warms up."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for number in range(ROUNDS + 1):
        for name, work in works.items():
            wall, processor = time.perf_counter(), time.process_time()
            await work(url)
            if number:
                taken[name].append((time.perf_counter() - wall, time.process_time() - processor))
    return taken


def tell(name: str, taken: dict[str, list[tuple[float, float]]], which: int, per: int, unit: str) -> None:
    """What each costs beyond the bare client, and the ratio to the `openai` package where that was asked too."""
    scale = {"ms": 1e3, "us": 1e6}[unit] / per
    beyond = {
        who: median(mine[which] - base[which] for mine, base in zip(times, taken["bare"], strict=True)) * scale
        for who, times in taken.items()
        if who != "bare"
    }
    other = beyond.pop("openai", None)
    for who, value in beyond.items():
        compared: dict[str, Any] = {}
        if other is not None:
            compared = {"compared_to": f"the openai package: {other:.4g} {unit}", "ratio": value / other}
        line(BENCH, f"{name}, {who}", value, unit, ROUNDS, **compared)


async def main() -> None:
    with a_server() as url, tempfile.TemporaryDirectory() as folder:
        storage = await SurrealStorage.open(Path(folder) / "store")
        clients = HttpClients()
        async with run_core(storage) as core:
            client = ProviderClient(clients, SystemClock(), _no_key)
            works: dict[str, Work] = {
                "bare": bare,
                "our client": partial(our_client, client),
                "our whole run": partial(our_run, core),
            }
            if find_spec("openai") is not None:
                works["openai"] = openai_package()
            burst = await seconds(works, f"{url}/w{WORDS}/r0/p0")
            tell("a token of a burst", burst, 0, WORDS, "us")
            paced = await seconds(works, f"{url}/w{PACED_WORDS}/r0/p{PAUSE_US}")
            tell(f"processor time of a token every {PAUSE_US / 1e3:g} ms", paced, 1, PACED_WORDS, "us")
            del works["our client"]
            rounds = await seconds(works, f"{url}/w1/r{TOOL_ROUNDS}/p0")
            tell("a round of tools", rounds, 0, TOOL_ROUNDS, "ms")
        await clients.close()
        await storage.close()


async def _no_key(choice: ModelChoice) -> None:
    return None
