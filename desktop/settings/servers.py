"""What the page of MCP servers works on."""

from dataclasses import dataclass

from core.bus import Bus
from core.services.mcp_servers import McpServerService
from desktop.settings.consents import Consents, Spawn
from desktop.settings.waiting import Waiting


@dataclass(frozen=True, slots=True)
class Servers:
    """`consents` has the exceptions for their tools, `waiting` what waits for a person, if anybody looks at that."""

    service: McpServerService
    consents: Consents
    bus: Bus
    spawn: Spawn
    waiting: Waiting | None = None
