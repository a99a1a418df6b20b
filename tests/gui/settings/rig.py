"""The settings dialog on an in-memory store whose writes can fail, with what the user sees and presses."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget

from core.bus import Bus
from core.domain.ids import PromptId
from core.domain.prompt import Prompt
from core.domain.settings import Settings
from core.domain.tool import ToolInfo
from core.llm.catalogue import Catalogue
from core.llm.http import HttpClients
from core.llm.key_store import KeyFile, KeyStore
from core.llm.system_keyring import SystemKeyring
from core.ports import Write
from core.services.agents import AgentService
from core.services.backups import BackupService
from core.services.consent import ConsentService
from core.services.folders import FolderService
from core.services.mcp_servers import McpServerService
from core.services.memories import MemoryService
from core.services.prompts import PromptService
from core.services.settings import ProviderService, SettingsService, parse_settings
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.questions import Questions
from core.stores.workflows import Workflows
from core.threads.system_clock import SystemClock
from core.tools.builtin import calculator
from desktop.operations import Operations, StartTask
from desktop.settings.dialog import SettingsDialog
from desktop.settings.parts.undo_bar import UndoBar
from desktop.settings.sources.consent_source import ConsentSource
from desktop.settings.sources.context import AppInfo, SettingsContext, TransferRequests
from desktop.settings.sources.custom_keys import CustomKeys
from desktop.settings.sources.data_source import DataSource
from desktop.settings.sources.folder_source import FolderSource
from desktop.settings.sources.notifier import NotificationChannel, Notifier, TrialState
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.settings.sources.setting_sources import CombinedSettings, CoreSettings, WindowSettings
from desktop.settings.sources.undo_history import UndoHistory
from desktop.shortcuts.keymap import Keymap
from desktop.theme import Theme
from desktop.translation import Translation
from desktop.widgets import Banner, ChoiceCard
from desktop.window.commands.command_table import COMMANDS
from desktop.window_state import WindowState, read, write
from tests.support.in_memory.storage import InMemoryStorage

NAMES = ("ask_user", "calculator", "write_file", "mcp__files__read", "mcp__files__write")
TOOLS = [ToolInfo(name, name, name, {}) for name in NAMES]
PROMPT = Prompt(
    id=PromptId("prompt_1"), name="Summarise", category="Work", content="Summarise {{text}} in {{language}}."
)
DATA_FOLDER = Path("/home/ada/.local/share/metier")


class Disk(InMemoryStorage):
    """A store whose commits raise `fault`, if it is set."""

    fault: Exception | None = None

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        if self.fault is not None:
            raise self.fault
        return await super().commit(writes)


class NoNotifier(Notifier):
    """A system without a notification service."""

    channel = NotificationChannel.NONE
    trial_state = TrialState.FAILED


class Rig:
    def __init__(self, theme: Theme, translation: Translation, spawn: StartTask, window_file: Path) -> None:
        self.theme = theme
        self.translation = translation
        self.bus = Bus()
        self.disk = Disk()
        self.service = SettingsService(Settings(), self.disk, self.bus)
        self.core = CoreSettings(self.service, spawn)
        self.window_file = window_file
        self.state = WindowState(scheme="light", language="en", reduced_motion=True)
        self.is_window_file_refused = False
        self.errors: list[BaseException] = []
        """The errors that the owner of the tasks reports."""
        self.window = WindowSettings(theme, translation, lambda: self.state, self.save)
        self.consent = ConsentService({}, self.service, self.disk, SystemClock())
        self.transfer = TransferRequests()
        self.consent.use_tools(lambda: TOOLS)
        self.consents = ConsentSource(self.consent, spawn)
        self.clients = HttpClients()
        key_file = window_file.with_name("keys.json")
        keys = KeyStore(KeyFile(key_file), SystemKeyring(), {}, lambda: self.service.current.key_places)
        providers = ProviderService(Catalogue(self.clients, SystemClock()), keys, self.service)
        self.keymap = Keymap(COMMANDS)
        self.servers = McpServerService(self.disk, keys, self.consent)
        tools = [calculator.tool().info]
        agents = AgentService((), self.disk, self.service.read, lambda: tools, lambda: self.servers.configs)
        background = BackgroundWorkflows(
            self.bus, SystemClock(), asyncio.get_running_loop().call_later, self.service.current
        )
        self.workflows = Workflows(self.bus)
        settings = CombinedSettings(self.core, self.window)
        history = UndoHistory(settings)
        self.notifier = NoNotifier()
        context = SettingsContext(
            theme=theme,
            app=AppInfo("0.1.0", DATA_FOLDER),
            settings=settings,
            history=history,
            operations=Operations(spawn, history.report_failure),
            core_settings=self.service,
            providers=providers,
            agents=agents,
            servers=self.servers,
            prompts=PromptService((PROMPT,), self.disk),
            memories=MemoryService(self.disk.memories, self.disk.workflows.get, self.bus, SystemClock()),
            consent=self.consents,
            pending=PendingRequests(Questions(background), background),
            notifier=self.notifier,
            keys=CustomKeys(self.keymap, lambda: self.state, self.save),
            data=DataSource(DATA_FOLDER, {}, BackupService(None, SystemClock(), lambda: False), lambda file: None),
            folders=FolderSource(FolderService(self.disk, self.bus, self.service), self.workflows, self.service),
            key_file=key_file,
            transfer=self.transfer,
        )
        self.dialog = SettingsDialog(context)

    def save(self, state: WindowState) -> None:
        if self.is_window_file_refused:
            raise OSError(28, "No space left on device")
        write(self.window_file, state)
        self.state = state

    async def saved_settings(self) -> Settings:
        """Return the settings that a new service would load from this store."""
        return parse_settings(await self.disk.settings.all())

    def saved_window(self) -> WindowState:
        return read(self.window_file)

    # What the user sees

    def banner(self) -> tuple[str, str]:
        """Return kind and text of the only visible banner."""
        shown = [banner for banner in self.dialog.findChildren(Banner) if banner.isVisible()]
        assert len(shown) == 1
        return str(shown[0].property("surface")), shown[0].text

    def notice(self) -> str:
        notice = self.dialog.findChild(UndoBar)
        assert isinstance(notice, UndoBar)
        return notice.text

    def action(self) -> QPushButton | None:
        """Return the visible button of the undo bar, or None."""
        button = next(each.findChild(QPushButton) for each in self.dialog.findChildren(UndoBar))
        assert isinstance(button, QPushButton)
        return button if button.isVisible() else None

    def mode(self) -> str:
        """Return the title of the checked card."""
        cards = self.dialog.findChildren(ChoiceCard)  # other pages have some too, once there was time to make them
        return next(card.accessibleName() for card in cards if card.isChecked() and card.isVisible())

    def control(self, name: str) -> QWidget:
        """Return the visible control with this accessible name."""
        matching = [
            widget
            for widget in self.dialog.findChildren(QWidget)
            if widget.accessibleName() == name
            and widget.isVisible()
            and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus
        ]
        assert len(matching) == 1, name
        return matching[0]

    def focused(self) -> str:
        """Return the accessible name of the focused widget."""
        widget = self.dialog.focusWidget()
        return "" if widget is None else widget.accessibleName()

    # What the user does

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key in the focused widget."""
        target = self.dialog.focusWidget()
        QTest.keyClick(self.dialog if target is None else target, key, modifiers)
        QApplication.processEvents()

    def click(self, name: str) -> None:
        QTest.mouseClick(self.control(name), Qt.MouseButton.LeftButton)
        QApplication.processEvents()

    def search(self, words: str) -> None:
        field = self.dialog.findChild(QLineEdit)
        assert isinstance(field, QLineEdit)
        field.setFocus()
        field.clear()
        QTest.keyClicks(field, words)
