"""MCP servers as they are: found by id and name, started, tried out, ended (AGENTS_AND_TOOLS §7)."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from core.bus import Bus, ServersChanged
from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, ServerStatus, StoredServer
from core.domain.tool import mcp_server_of
from core.errors import NotFound, ToolFailed
from core.ports.tools import CallContext
from core.services.outcome import returns_outcome
from core.tools.mcp.hub import Hub
from core.tools.mcp.tool_list import ToolListing, registry_tools
from core.tools.registry import Arguments, Registry


class McpServerRuntime:
    """`states` holds those that there are, by name; `ServersChanged` tells of each change. `hub` runs them."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._hub: Hub | None = None

    @property
    def states(self) -> Sequence[ServerStatus]:
        return self._hub.statuses if self._hub is not None else ()

    @property
    def configs(self) -> Sequence[McpServer]:
        """Those that there are, as a person set them up, by name."""
        return [one.server for one in self.states]

    @property
    def _running(self) -> Hub:
        assert self._hub is not None
        return self._hub

    def get(self, server: ServerId) -> ServerStatus:
        """Raises NotFound."""
        if server not in self._running.configs:
            raise NotFound("server", server)
        return self._running.status(server)

    def named(self, name: str) -> ServerStatus:
        """The server of that name, else of that id, else of that name without case. Raises NotFound."""
        for same in (
            lambda one: one.server.name == name,
            lambda one: one.server.id == name,
            lambda one: one.server.name.casefold() == name.strip().casefold(),
        ):
            if (found := next(filter(same, self.states), None)) is not None:
                return found
        raise NotFound("server", name)

    def log(self, server: ServerId) -> list[str]:
        """What it said, the last 500 lines, without secrets. Raises NotFound."""
        self.get(server)
        return self._running.log(server)

    def start_with_app(self) -> None:
        """Start those that are to run from the start, and those whose tools nobody knows yet, without waiting."""
        for one in self.states:
            if one.server.starts_with_app or not self._running.is_known(one.server.id):
                self._start(one.server)

    async def learn(self, tools: Iterable[str]) -> None:
        """Connect to the servers of these tools that have never told what they offer. One that does not answer is
        found out by whoever calls it."""
        names = {server for tool in tools if (server := mcp_server_of(tool)) is not None}
        unknown = [one for one in self.configs if one.id in names]
        await asyncio.gather(
            *(
                self.test(one.id)
                for one in unknown
                if one.is_enabled and one.is_confirmed and not self._running.is_known(one.id)
            )
        )

    @returns_outcome
    async def test(self, server: ServerId) -> ServerStatus:
        """Connect and list: how it is, with its tools. Fails with `not_found`, `not_allowed`, and `failed` with the
        cause: `cause`, `stderr`, `exit_code`, `runs` and `path` where they are known."""
        self.get(server)
        return await self._running.connect(server)

    @returns_outcome
    async def stop(self, server: ServerId) -> None:
        """End it; it is started again when it is needed. Fails with `not_found`."""
        self.get(server)
        await self._running.stop(server)

    def publish(self) -> None:
        """Tell how they are now."""
        if self._hub is not None:
            self._bus.publish(ServersChanged(tuple(self._hub.statuses)))

    def _start(self, server: McpServer) -> None:
        if server.is_enabled and server.is_confirmed:
            self._running.start(server.id)

    def _learn_later(self, server: ServerId) -> None:
        """Start one whose tools nobody knows: agents and templates can only use what is known."""
        if not self._running.is_known(server):
            self._start(self._running.configs[server])


def register_stored_tools(registry: Registry, servers: Iterable[StoredServer]) -> None:
    """Tell a registry of their tools, without anything that could run them."""

    async def nothing_runs(arguments: Arguments, context: CallContext) -> Any:
        raise ToolFailed("not_available", "no MCP server runs here")

    for stored in servers:
        listing = stored_listing(stored) or ToolListing()
        if stored.server.is_enabled:
            for tool in registry_tools(stored.server, listing, lambda name, registered: nothing_runs):
                registry.register(tool, is_checked=True)


def stored_listing(stored: StoredServer) -> ToolListing | None:
    """What it offered when it was last asked. A list that cannot be read is learned again when the server runs."""
    try:
        return ToolListing.from_json(stored.tools_json) if stored.tools_json is not None else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
