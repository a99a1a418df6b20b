"""Opens the settings dialog, created on first use, and handles the zoom commands."""

from importlib.metadata import version

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.operations import Operations
from desktop.settings.dialog import SettingsDialog
from desktop.settings.models.models_page import ModelsPage
from desktop.settings.parts.page import PageId
from desktop.settings.sources.consent_source import ConsentSource
from desktop.settings.sources.context import AppInfo, SettingsContext, TransferRequests
from desktop.settings.sources.custom_keys import CustomKeys
from desktop.settings.sources.data_source import DataSource
from desktop.settings.sources.folder_source import FolderSource
from desktop.settings.sources.notifier import Notifier
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.settings.sources.setting_sources import CombinedSettings, CoreSettings, Setting, WindowSettings
from desktop.settings.sources.undo_history import UndoHistory
from desktop.shortcuts.command import command
from desktop.window.base.context import WindowContext
from desktop.window_state import LEAST_ZOOM, MOST_ZOOM

_ZOOM_STEP = 0.1


class Preferences(QWidget):
    """The invisible parent of the sources that the settings dialog reads and writes."""

    enter_sends_changed = Signal(bool)

    def __init__(self, context: WindowContext, notifier: Notifier) -> None:
        super().__init__(context.owner)
        self.hide()
        self._context = context
        self._session = session = context.session
        self._notifier = notifier
        self._own = WindowSettings(session.theme, session.translation, lambda: session.state, session.save, self)
        self.transfer = TransferRequests(self)
        self._own.enter_sends_changed.connect(self.enter_sends_changed)
        self._dialog: SettingsDialog | None = None

    @command("app.settings")
    def open(self) -> None:
        """Show the dialog at its last page."""
        self._present(None)

    def open_at(self, page_id: PageId) -> None:
        self._present(page_id)

    def connect_model(self) -> None:
        """Open the page of the models at the form that adds one."""
        self._present(PageId.MODELS)
        if self._dialog is not None and (page := self._dialog.findChild(ModelsPage)) is not None:
            page.begin_adding()

    def hide_dialog(self) -> None:
        if self._dialog is not None:
            self._dialog.hide()

    def _present(self, page_id: PageId | None) -> None:
        if self._dialog is None:  # created on first use, which keeps the start fast
            self._dialog = SettingsDialog(self._make_context(), self._context.window)
        self._dialog.present(page_id)

    def _make_context(self) -> SettingsContext:
        session, core, spawn = self._session, self._context.core, self._context.tasks.spawn
        settings = CombinedSettings(CoreSettings(core.settings, spawn, self), self._own, parent=self)
        history = UndoHistory(settings, self)
        return SettingsContext(
            theme=session.theme,
            app=AppInfo(version("metier"), session.folders.store.parent),
            settings=settings,
            history=history,
            operations=Operations(spawn, history.report_failure),
            core_settings=core.settings,
            providers=core.providers,
            agents=core.agents,
            servers=core.servers,
            prompts=core.prompts,
            memories=core.memories,
            consent=ConsentSource(core.consent, spawn, self),
            pending=PendingRequests(core.stores.questions, core.stores.background, self),
            notifier=self._notifier,
            keys=CustomKeys(self._context.keymap, lambda: session.state, session.save),
            data=DataSource(session.folders.store.parent, session.folders.by_purpose, core.backups, session.restore),
            folders=FolderSource(core.folders, core.stores.workflows, core.settings),
            key_file=session.folders.keys,
            transfer=self.transfer,
        )

    @command("view.zoom_in", 1)
    @command("view.zoom_out", -1)
    @command("view.zoom_reset", 0)
    def zoom(self, steps: int) -> None:
        """Change the zoom by so many steps; 0 resets it."""
        zoom = round(self._session.state.zoom + steps * _ZOOM_STEP, 2) if steps else 1.0
        self._own.set(Setting.ZOOM, min(max(zoom, LEAST_ZOOM), MOST_ZOOM))
