"""What the pages of the settings share."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.domain.settings import Settings
from core.services.agents import AgentService
from core.services.mcp_servers import McpServerService
from core.services.memories import MemoryService
from core.services.prompts import PromptService
from core.services.settings import ProviderService, SettingsService
from desktop.operations import Operations
from desktop.settings.sources.consent_source import ConsentSource
from desktop.settings.sources.custom_keys import CustomKeys
from desktop.settings.sources.data_source import DataSource
from desktop.settings.sources.folder_source import FolderSource
from desktop.settings.sources.notifier import Notifier
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.settings.sources.setting_sources import SettingsSource
from desktop.settings.sources.undo_history import UndoHistory
from desktop.theme import Theme


@dataclass(frozen=True, slots=True)
class AppInfo:
    """Facts about the installed app. `data_folder` holds everything that the app saves."""

    version: str
    data_folder: Path


class TransferRequests(QObject):
    """Requests for export and import, which the window shows."""

    export_requested = Signal()
    import_requested = Signal()


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsContext:
    """The theme, the values, the services and the undo history.

    `settings` combines the settings of core and window; `core_settings` is the core's own service. `key_file` stores
    keys on systems without a keyring; None: keys cannot be stored there.
    """

    theme: Theme
    app: AppInfo
    settings: SettingsSource
    history: UndoHistory
    operations: Operations
    core_settings: SettingsService
    providers: ProviderService
    agents: AgentService
    servers: McpServerService
    prompts: PromptService
    memories: MemoryService
    consent: ConsentSource
    pending: PendingRequests
    notifier: Notifier
    keys: CustomKeys
    data: DataSource
    folders: FolderSource
    key_file: Path | None
    transfer: TransferRequests

    @property
    def current(self) -> Settings:
        """The current settings of the core."""
        return self.core_settings.current
