"""What the page of MCP servers works on."""

from dataclasses import dataclass

from core.bus import Bus
from core.services.mcp_servers import McpServerService
from desktop.settings.consents import Consents, Spawn


@dataclass(frozen=True, slots=True)
class Servers:
    """`consents` has the exceptions for their tools."""

    service: McpServerService
    consents: Consents
    bus: Bus
    spawn: Spawn
