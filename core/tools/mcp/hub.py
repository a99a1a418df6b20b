"""All servers, and their tools in the registry. Owns their tasks: on exit, every program has ended."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Self

from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, ServerState, ServerStatus
from core.domain.names import name_key
from core.domain.run import ErrorInfo
from core.domain.tool import ToolInfo, mcp_server_of
from core.domain.tool_search import FIND_TOOLS
from core.errors import MetierError, Refused, ToolFailed
from core.network.routes import Network
from core.ports import CallContext, Clock, Schemas
from core.tools.mcp.find_tools import SEARCHED_FROM, search_tool
from core.tools.mcp.health import ConnectionLost
from core.tools.mcp.launch import LaunchSpec
from core.tools.mcp.offers import Offers
from core.tools.mcp.sampling import Sampling
from core.tools.mcp.server import Server
from core.tools.mcp.tool_list import ToolListing, read_listing, registry_tools
from core.tools.registry import Handler, Registry

log = logging.getLogger(__name__)

SaveState = Callable[[ServerId, ToolListing | None, ErrorInfo | None], Awaitable[None]]
"""Stores the tool list of a server, and its last failure while there is one."""


class Hub:
    """Manages the servers. An async context manager.

    `launch_of` returns the launch of a server, secrets included; `save_state` stores its tool list and its failure;
    `changed` is called when the state of a server changes.
    """

    def __init__(
        self,
        registry: Registry,
        schemas: Schemas,
        clock: Clock,
        sampling: Sampling,
        launch_of: Callable[[McpServer], Awaitable[LaunchSpec]],
        save_state: SaveState,
        changed: Callable[[], object],
        network: Network | None = None,
    ) -> None:
        self._registry = registry
        self._schemas = schemas
        self._clock = clock
        self._sampling = sampling
        self._launch_of = launch_of
        self._save_state = save_state
        self._changed = changed
        self.network = network or Network()
        self._servers: dict[ServerId, Server] = {}
        self._listings: dict[ServerId, ToolListing] = {}
        self._infos: dict[ServerId, Sequence[ToolInfo]] = {}
        self._failures: dict[ServerId, ErrorInfo | None] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._saving: set[asyncio.Task[None]] = set()
        self._latest: dict[ServerId, asyncio.Task[None]] = {}
        registry.explain(self._why_missing)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        # First the servers, whose sessions may still start tasks here; then these tasks.
        await asyncio.gather(*(server.close() for server in self._servers.values()))
        if self._saving:
            await asyncio.wait(self._saving)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    @property
    def statuses(self) -> list[ServerStatus]:
        """The status of each server, by name."""
        servers = sorted(self._servers.values(), key=lambda server: (name_key(server.config.name), server.config.id))
        return [self.status(server.config.id) for server in servers]

    def status(self, server_id: ServerId) -> ServerStatus:
        server, listing = self._servers[server_id], self._listings.get(server_id, ToolListing())
        return ServerStatus(
            server.config,
            server.state,
            self._infos.get(server_id, ()),
            listing.left_out,
            server.error,
            server.latency.calls,
            server.latency.percentile(50),
            server.latency.percentile(95),
            server.paused_s,
            listing.cleaned,
            server.is_signed_in,
        )

    @property
    def configs(self) -> Mapping[ServerId, McpServer]:
        return {server_id: server.config for server_id, server in self._servers.items()}

    def is_known(self, server_id: ServerId) -> bool:
        """Return whether the server's tool list was ever received."""
        return server_id in self._listings

    def listing(self, server_id: ServerId) -> ToolListing | None:
        """Return the last tool list of the server, None if there never was any."""
        return self._listings.get(server_id)

    @property
    def running_offers(self) -> list[Offers]:
        """What the running servers offer beside tools."""
        return [server.offers for server in self._servers.values() if server.state is ServerState.RUNNING]

    async def awake_offers(self, server_id: ServerId) -> Offers | None:
        """Return what a server offers beside tools, and start it if it does not run; None if there is no such server.
        Raises ToolFailed.
        """
        server = self._servers.get(server_id)
        if server is None:
            return None
        await server.running_session()
        return server.offers

    def log(self, server_id: ServerId) -> list[str]:
        return self._servers[server_id].log

    def put(self, config: McpServer, listing: ToolListing | None = None, failure: ErrorInfo | None = None) -> None:
        """Add or replace a server, with its last tool list and its failure. It is not started."""
        server = self._servers.get(config.id)
        if server is None:
            self._servers[config.id] = Server(
                config,
                self._launch_of,
                self._clock,
                self._sampling,
                partial(self._on_change, config.id),
                partial(self._listed, config.id),
                self.network,
            )
            self._servers[config.id].error = self._failures[config.id] = failure
        else:
            server.config = config
            server.reset()
        if listing is not None:
            self._listings[config.id] = listing
        self._register(config.id)
        self._changed()

    async def stop(self, server_id: ServerId) -> None:
        """Stop the server, if it runs."""
        await self._servers[server_id].stop()

    async def sign_out(self, server_id: ServerId) -> None:
        """Stop a server whose tokens are forgotten."""
        self._servers[server_id].is_signed_in = False
        await self._servers[server_id].stop()

    async def remove(self, server_id: ServerId) -> None:
        """Remove the server and its tools, once it has ended."""
        await self._servers[server_id].close()
        del self._servers[server_id]
        self._listings.pop(server_id, None)
        self._failures.pop(server_id, None)
        self._register(server_id)
        self._changed()

    async def connect(self, server_id: ServerId) -> ServerStatus:
        """Start the server if it does not run, and refresh its tool list. Raises ToolFailed."""
        server = self._servers[server_id]
        server.reset()
        was_running = server.state is ServerState.RUNNING
        session = await server.running_session()
        # A server that has just started has listed its tools already.
        if was_running:
            try:
                self._listed(server_id, await session.tools())
            except ConnectionLost:
                await server.stop()
                await server.running_session()
        if (latest := self._latest.get(server_id)) is not None:
            await asyncio.wait({latest})
        return self.status(server_id)

    def start(self, server_id: ServerId) -> None:
        """Start the server, without waiting for it."""
        self._own(self._start(server_id), f"start of {server_id}")

    async def _start(self, server_id: ServerId) -> None:
        try:
            await self._servers[server_id].running_session()
        except ToolFailed as error:
            log.info("%s", error.message)

    def _listed(self, server_id: ServerId, tools: Sequence[Any]) -> None:
        self._latest[server_id] = self._own(self._take(server_id, tools), f"list of {server_id}")

    async def _take(self, server_id: ServerId, tools: Sequence[Any]) -> None:
        # Checking the schemas takes a while: the server may have been removed or listed again meanwhile.
        mask = self._servers[server_id].mask
        try:
            listing = await read_listing(tools, self._schemas, mask)
        except Exception as error:
            log.exception("the tools of the MCP server %s cannot be read", server_id)
            if (server := self._servers.get(server_id)) is not None:
                await server.fail_list(error)
            return
        if server_id not in self._servers or listing == self._listings.get(server_id):
            return
        self._listings[server_id] = listing
        self._register(server_id)
        self._changed()
        await self._save(server_id)

    def _on_change(self, server_id: ServerId) -> None:
        """Keep the failure of a server, which is to be shown after a restart too."""
        self._changed()
        server = self._servers.get(server_id)
        if server is not None and server.error != self._failures.get(server_id):
            self._failures[server_id] = server.error
            task = self._own(self._save(server_id), f"failure of {server_id}")
            self._saving.add(task)
            task.add_done_callback(self._saving.discard)

    async def _save(self, server_id: ServerId) -> None:
        try:
            await self._save_state(server_id, self._listings.get(server_id), self._failures.get(server_id))
        except MetierError as error:
            log.warning("the state of the MCP server %s was not saved: %s", server_id, error.message)

    def _register(self, server_id: ServerId) -> None:
        """Register exactly the current tools of the server; none if it is disabled."""
        for info in self._infos.pop(server_id, ()):
            self._registry.unregister(info.name)
        server = self._servers.get(server_id)
        if server is None or not server.config.is_enabled:
            self._offer_search()
            return
        infos = []
        for tool in registry_tools(
            server.config, self._listings.get(server_id, ToolListing()), partial(self._handler, server)
        ):
            try:
                self._registry.register(tool, is_checked=True)
            except Refused as error:
                log.warning("%s", error.message)
                continue
            infos.append(tool.info)
        self._infos[server_id] = infos
        self._offer_search()

    def _offer_search(self) -> None:
        """Register the search of tools while there are so many that a model may be sent a part of them."""
        is_needed = sum(map(len, self._infos.values())) >= SEARCHED_FROM
        if is_needed and self._registry.get(FIND_TOOLS) is None:
            self._registry.register(search_tool(self._registry.infos), is_checked=True)
        elif not is_needed and self._registry.get(FIND_TOOLS) is not None:
            self._registry.unregister(FIND_TOOLS)

    def _why_missing(self, tool: str) -> str | None:
        """Return why a tool is missing, if its name is that of a server's tool."""
        server_id = mcp_server_of(tool)
        if server_id is None:
            return None
        server = self._servers.get(ServerId(server_id))
        if server is None:
            return f"there is no MCP server {server_id!r}"
        name = server.config.name
        match server.state:
            case ServerState.DISABLED:
                return f"the MCP server {name} is switched off"
            case ServerState.UNCONFIRMED:
                return f"the MCP server {name} has to be confirmed before it runs"
            case ServerState.FAILED | ServerState.SIGNED_OUT if server.error is not None:
                return server.error.message
        return f"the MCP server {name} offers no such tool"

    def _handler(self, server: Server, tool: str, registered: str) -> Handler:
        async def handler(arguments: Mapping[str, Any], context: CallContext) -> Any:
            return await server.call(tool, registered, dict(arguments), context)

        return handler

    def _own(self, work: Any, name: str) -> "asyncio.Task[None]":
        task: asyncio.Task[None] = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
