"""MCP servers as the registry has them, without an engine: the hostile one, and those that others wrote."""

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from core.domain.events import Fact
from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, ServerStatus
from core.domain.run import ErrorInfo
from core.domain.tool import CallResult, CallStatus
from core.network.routes import Network
from core.ports import CallContext, ModelClient
from core.sandbox.pool import WorkerPool
from core.sandbox.schemas import JsonSchemas
from core.threads.system_clock import SystemClock
from core.tools.invocation import ToolInvoker
from core.tools.mcp.hub import Hub
from core.tools.mcp.launch import LaunchSpec, resolve_launch
from core.tools.mcp.sampling import Sampling
from core.tools.mcp.tool_list import ToolListing, state_from_json, state_to_json
from core.tools.registry import InMemoryConsentBook, Registry
from tests.support.project import ROOT
from tests.tools.rig import context, error_of

HOSTILE = ROOT / "tests" / "support" / "hostile_mcp.py"
OTHERS = ROOT / ".venv" / "other-servers"
START_S = 60.0
"""Tests run beside each other: what is slow to start is not silent."""

needs_others = pytest.mark.skipif(not OTHERS.is_dir(), reason="the servers of others are not installed")


def python_server(name: str) -> dict[str, Any]:
    return {"command": str(OTHERS / "python" / "bin" / name), "start_timeout_s": START_S}


def node_server(name: str, *args: str) -> dict[str, Any]:
    command = str(OTHERS / "node_modules" / ".bin" / name)
    return {"command": command, "args": args, "start_timeout_s": START_S}


def hostile(behaviour: str, file: Path | None = None) -> dict[str, Any]:
    args = (str(HOSTILE), behaviour, *([str(file)] if file is not None else []))
    return {"command": sys.executable, "args": args, "start_timeout_s": START_S}


@dataclass
class McpRig:
    """`secrets`: the values of each server, by place. `facts`: what calls told. `kept`: the lists that were kept."""

    hub: Hub
    invoker: ToolInvoker
    secrets: dict[str, Mapping[str, str]]
    book: InMemoryConsentBook
    facts: list[Fact] = field(default_factory=list)

    def add(self, name: str, **fields: Any) -> ServerId:
        """A server that a person has agreed to run."""
        server = McpServer(id=ServerId(name), name=name, **fields)
        self.hub.put(server.model_copy(update={"confirmed": server.fingerprint}))
        return server.id

    async def connected(self, name: str, **fields: Any) -> ServerStatus:
        return await self.hub.connect(self.add(name, **fields))

    async def call(self, name: str, arguments: Any = None, **more: Any) -> CallResult:
        options = {"default_timeout_s": START_S, "timeout_s": more.pop("timeout_s", START_S)}
        given: CallContext = replace(context(), emit=self.facts.append, **more)
        return await self.invoker.call(
            name, {} if arguments is None else arguments, given, is_permitted=True, **options
        )

    async def value(self, name: str, arguments: Any = None, **more: Any) -> Any:
        result = await self.call(name, arguments, **more)
        assert result.status is CallStatus.COMPLETED, result.error
        return result.value

    async def failure(self, name: str, arguments: Any = None, **more: Any) -> tuple[str, str]:
        return error_of(await self.call(name, arguments, **more))


@asynccontextmanager
async def mcp_rig(model: ModelClient | None = None, network: Network | None = None) -> AsyncIterator[McpRig]:
    pool = WorkerPool(size=1)
    schemas, clock, book = JsonSchemas(pool), SystemClock(), InMemoryConsentBook()
    registry = Registry(schemas)
    secrets: dict[str, Mapping[str, str]] = {}

    async def launch_of(server: McpServer) -> LaunchSpec:
        return replace(resolve_launch(server), secrets=frozenset(secrets.get(server.id, {}).values()))

    async def keep(server: ServerId, listing: ToolListing | None, failure: ErrorInfo | None) -> None:
        assert state_from_json(state_to_json(listing, failure)) == (listing, failure)

    sampling = Sampling(model, book)  # type: ignore[arg-type]  # who has none does not ask it
    hub = Hub(registry, schemas, clock, sampling, launch_of, keep, lambda: None, network)
    invoker = ToolInvoker(registry, clock, consent=book)
    try:
        async with hub:
            yield McpRig(hub, invoker, secrets, book)
            await invoker.close()
    finally:
        await pool.close()


def programs(mark: Path | str) -> list[int]:
    """The processes whose command line has this in it, those that have ended but for their parent's look left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line, state = (entry / "cmdline").read_bytes(), (entry / "stat").read_text().rpartition(") ")[2][:1]
            except OSError:
                continue
            if str(mark).encode() in line and state != "Z" and not _is_of_another_worker(int(entry.name)):
                found.append(int(entry.name))
    return found


def _is_of_another_worker(pid: int) -> bool:
    """Return whether a test beside this one has started it: it descends from our parent, and not from us."""
    while pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])
        except OSError:
            return False
        if pid == os.getpid():
            return False
        if pid == os.getppid() and "PYTEST_XDIST_WORKER" in os.environ:
            return True
    return False
