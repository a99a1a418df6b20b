"""The validation mode: chosen in the menu of the header, and shown on a row whose run has another one (UI §4)."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from core.bus import Bus, SettingsChanged, Subscription
from core.domain.ids import WorkflowId
from core.domain.template import ValidationMode
from core.services.settings import SettingsService
from core.stores.background_workflows import BackgroundWorkflows
from desktop.theme.theme import Theme
from desktop.window.header import Header
from desktop.window.mode_menu import ModeMenu


class ModeChoice(QObject):
    chosen = Signal(object)
    """The ValidationMode that is wanted."""
    changed = Signal()
    """Another one may hold."""

    def __init__(
        self,
        theme: Theme,
        header: Header,
        settings: SettingsService,
        bus: Bus,
        background: BackgroundWorkflows,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._menu = ModeMenu(theme, header)
        self._menu.chosen.connect(self.chosen)
        self._header = header
        self._settings = settings
        self._background = background
        header.mode_requested.connect(self.open)
        subscription = bus.subscribe(SettingsChanged, self._on_settings)
        self.destroyed.connect(partial(Subscription.close, subscription))

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"validation.mode": self.open}

    def open(self) -> None:
        """Open the menu where the header names the mode."""
        if self._header.isVisible():
            self._menu.open_at(self._header.mode_place, self._settings.current.validation_mode)

    def unusual(self, workflow_id: WorkflowId) -> ValidationMode | None:
        """The mode of a workflow's run where it is not that of the settings."""
        execution = self._background.get_execution(workflow_id)
        mode = execution.run.mode if execution is not None and execution.run is not None else None
        return mode if mode is not self._settings.current.validation_mode else None

    def _on_settings(self, _message: SettingsChanged) -> None:
        self.changed.emit()
