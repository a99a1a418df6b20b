"""What the pages of models and agents work on: the services behind them, and who runs what takes a while."""

from dataclasses import dataclass
from pathlib import Path

from core.bus import Bus
from core.domain.settings import Settings
from core.services.agents import AgentService
from core.services.mcp_servers import McpServerService
from core.services.memories import MemoryService
from core.services.prompts import PromptService
from core.services.providers import ProviderService
from core.services.settings import SettingsService
from desktop.aio import Spawn
from desktop.settings.sources.consent_source import ConsentSource
from desktop.settings.sources.pending_requests import PendingRequests


@dataclass(frozen=True, slots=True)
class SettingsContext:
    """`key_file` is where keys are kept if the system has no keyring; None: nowhere then. `waiting`: what waits for a
    person, if anybody looks at that."""

    settings: SettingsService
    providers: ProviderService
    agents: AgentService
    bus: Bus
    spawn: Spawn
    key_file: Path | None
    waiting: PendingRequests | None = None

    @property
    def current(self) -> Settings:
        """The settings as they hold now."""
        return self.settings.current


@dataclass(frozen=True, slots=True)
class ServersContext:
    """`consents` has the exceptions for their tools, `waiting` what waits for a person, if anybody looks at that."""

    service: McpServerService
    consents: ConsentSource
    bus: Bus
    spawn: Spawn
    waiting: PendingRequests | None = None


@dataclass(frozen=True, slots=True)
class PromptsContext:
    prompts: PromptService
    bus: Bus
    spawn: Spawn


@dataclass(frozen=True, slots=True)
class MemoryContext:
    memories: MemoryService
    bus: Bus
    spawn: Spawn
