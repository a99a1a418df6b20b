"""What a store has of MCP servers, before any of them runs."""

from collections.abc import Iterable
from typing import Any

from core.domain.mcp_server import StoredServer
from core.errors import ToolFailed
from core.ports.tools import CallContext
from core.tools.mcp.listing import Listing, as_tools
from core.tools.registry import Arguments, Registry


def register_stored(registry: Registry, servers: Iterable[StoredServer]) -> None:
    """Tell a registry of their tools, without anything that could run them."""

    async def nothing_runs(arguments: Arguments, context: CallContext) -> Any:
        raise ToolFailed("not_available", "no MCP server runs here")

    for stored in servers:
        listing = listing_of(stored) or Listing()
        if stored.server.is_enabled:
            for tool in as_tools(stored.server, listing, lambda name, registered: nothing_runs):
                registry.register(tool, is_checked=True)


def listing_of(stored: StoredServer) -> Listing | None:
    """What it offered when it was last asked. A list that cannot be read is learned again when the server runs."""
    try:
        return Listing.from_json(stored.tools_json) if stored.tools_json is not None else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
