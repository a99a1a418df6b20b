"""MCP servers at run time: found by id and name, started, tested, stopped (AGENTS_AND_TOOLS §7)."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from psygnal import Signal

from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, ServerStatus, StoredServer
from core.domain.names import name_key
from core.domain.tool import mcp_server_of
from core.errors import NotFound, ToolFailed
from core.ports import CallContext
from core.services.outcome import returns_outcome
from core.stores.base import emit
from core.tools.mcp.hub import Hub
from core.tools.mcp.launch import LaunchSpec
from core.tools.mcp.sign_in import ClientId, sign_in
from core.tools.mcp.tool_list import ToolListing, registry_tools, state_from_json
from core.tools.registry import Arguments, Registry


class McpServerRuntime:
    """The servers as they are now. `states` holds their status, sorted by name; `changed` is emitted after each change.
    `hub` runs them.
    """

    changed = Signal()

    def __init__(self) -> None:
        self._hub: Hub | None = None

    @property
    def states(self) -> Sequence[ServerStatus]:
        """The status of each server, sorted by name."""
        return self._hub.statuses if self._hub is not None else ()

    @property
    def configs(self) -> Sequence[McpServer]:
        """The configurations of all servers, sorted by name."""
        return [status.server for status in self.states]

    @property
    def _running_hub(self) -> Hub:
        assert self._hub is not None
        return self._hub

    def get(self, server: ServerId) -> ServerStatus:
        """Return the status of the server. Raises NotFound."""
        if server not in self._running_hub.configs:
            raise NotFound("server", server)
        return self._running_hub.status(server)

    def named(self, name: str) -> ServerStatus:
        """Return the server of that name, else of that id, else of that name ignoring case. Raises NotFound."""
        for same in (
            lambda candidate: candidate.server.name == name,
            lambda candidate: candidate.server.id == name,
            lambda candidate: name_key(candidate.server.name) == name_key(name.strip()),
        ):
            if (status := next(filter(same, self.states), None)) is not None:
                return status
        raise NotFound("server", name)

    def log(self, server: ServerId) -> list[str]:
        """Return the last 500 lines of the server's stderr, secrets masked. Raises NotFound."""
        self.get(server)
        return self._running_hub.log(server)

    def start_with_app(self) -> None:
        """Start the servers that start with the app, and those whose tools are unknown, without waiting."""
        for status in self.states:
            if status.server.starts_with_app or not self._running_hub.is_known(status.server.id):
                self._start(status.server)

    async def learn(self, tools: Iterable[str]) -> None:
        """Connect to the servers of these tools whose tool list is unknown. A server that does not answer fails later,
        at its call.
        """
        names = {server for tool in tools if (server := mcp_server_of(tool)) is not None}
        unknown = [config for config in self.configs if config.id in names]
        await asyncio.gather(
            *(
                self.test(config.id)
                for config in unknown
                if config.is_enabled and config.is_confirmed and not self._running_hub.is_known(config.id)
            )
        )

    @returns_outcome
    async def test(self, server: ServerId) -> ServerStatus:
        """Connect, list the tools and return the status. Fails with `not_found`, `not_allowed`, and `failed` with the
        cause: `cause`, `stderr`, `exit_code`, `runs` and `path` as far as known.
        """
        self.get(server)
        return await self._running_hub.connect(server)

    @returns_outcome
    async def stop(self, server: ServerId) -> None:
        """Stop the server; the next call starts it again. Fails with `not_found`."""
        self.get(server)
        await self._running_hub.stop(server)

    @returns_outcome
    async def sign_in(
        self, server: ServerId, open_page: Callable[[str], object], client: ClientId | None = None
    ) -> ServerStatus:
        """Let the user sign in at the page that `open_page` opens, and connect. Fails with `not_found`, `not_allowed`
        for a server that may not run or has no address, `sign_in_failed` with `why`, and the errors of a test.
        """
        config = self.get(server).server
        if config.url is None or not (config.is_confirmed and config.is_enabled):
            why = "is a program" if config.url is None else "has to be allowed and switched on first"
            raise ToolFailed("not_allowed", f"the MCP server {config.name} {why}")
        launch = await self.launch_of(config)
        assert launch.url is not None
        assert launch.credentials is not None
        await sign_in(launch.url, launch.credentials, self._running_hub.network, open_page, client)
        await self._running_hub.stop(server)
        return await self._running_hub.connect(server)

    @returns_outcome
    async def sign_out(self, server: ServerId) -> None:
        """Forget the tokens of a server, and stop it. Fails with `not_found`, and the errors of removing keys."""
        await self._sign_out(self.get(server).server)
        await self._running_hub.sign_out(server)

    async def _sign_out(self, config: McpServer) -> None:
        kept = (await self.launch_of(config)).credentials
        if kept is not None and kept.text is not None:
            await kept.save(None)

    async def launch_of(self, server: McpServer) -> LaunchSpec:
        """Return what to run, with secrets filled in. Raises ToolFailed."""
        raise NotImplementedError

    def emit_changed(self) -> None:
        """Emit `changed`: the status of a server is another."""
        if self._hub is not None:
            emit(self.changed)

    def _start(self, server: McpServer) -> None:
        if server.is_enabled and server.is_confirmed:
            self._running_hub.start(server.id)

    def _start_if_unknown(self, server: ServerId) -> None:
        """Start the server if its tools are unknown: agents and templates use only known tools."""
        # its tools can be used only once they are listed
        if not self._running_hub.is_known(server):
            self._start(self._running_hub.configs[server])


def register_stored_tools(registry: Registry, servers: Iterable[StoredServer]) -> None:
    """Register the stored tools of the servers; calling them fails with `not_available`."""

    async def nothing_runs(arguments: Arguments, context: CallContext) -> Any:
        raise ToolFailed("not_available", "no MCP server runs here")

    for stored in servers:
        listing = state_from_json(stored.tools_json)[0] or ToolListing()
        if stored.server.is_enabled:
            for tool in registry_tools(stored.server, listing, lambda name, registered: nothing_runs):
                registry.register(tool, is_checked=True)
