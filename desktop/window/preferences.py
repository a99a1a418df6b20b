"""The settings, opened when they are first wanted, and those of them that have keys of their own."""

from collections.abc import Callable
from functools import partial
from importlib.metadata import version

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMainWindow, QWidget

from core.wiring import Core
from desktop.aio import Tasks
from desktop.settings.about_page import About
from desktop.settings.consents import Consents
from desktop.settings.core_settings import CoreSettings
from desktop.settings.dialog import SettingsDialog
from desktop.settings.library import Library
from desktop.settings.minds import Minds
from desktop.settings.notifier import Notifier
from desktop.settings.own_keys import OwnKeys
from desktop.settings.page_names import PageId
from desktop.settings.recall import Recall
from desktop.settings.servers import Servers
from desktop.settings.values import Setting
from desktop.settings.waiting import Waiting
from desktop.settings.window_settings import WindowSettings
from desktop.shortcuts.keymap import Keymap
from desktop.window.host import Host
from desktop.window_state import LEAST_ZOOM, MOST_ZOOM

_ZOOM_STEP = 0.1


class Preferences(QWidget):
    """A parent of what the dialog reads and writes; nothing of it is seen."""

    enter_sends_changed = Signal(bool)

    def __init__(
        self,
        session: Host,
        core: Core,
        tasks: Tasks,
        notifier: Notifier,
        window: QMainWindow,
        keymap: Keymap,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.hide()
        self._session = session
        self._core = core
        self._tasks = tasks
        self._notifier = notifier
        self._window = window
        self._keymap = keymap
        self._own = WindowSettings(session.theme, session.translation, lambda: session.state, session.save, self)
        self._own.enter_sends_changed.connect(self.enter_sends_changed)
        self._dialog: SettingsDialog | None = None

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {
            "app.settings": self.open,
            "view.zoom_in": partial(self.zoom, 1),
            "view.zoom_out": partial(self.zoom, -1),
            "view.zoom_reset": partial(self.zoom, 0),
        }

    def open(self) -> None:
        """Bring the dialog to the front, where it was left."""
        self._present(None)

    def open_at(self, page_id: PageId) -> None:
        self._present(page_id)

    def leave(self) -> None:
        """Hide the dialog: nothing can be read or begun any more."""
        if self._dialog is not None:
            self._dialog.hide()

    def _present(self, page_id: PageId | None) -> None:
        if self._dialog is None:
            session, core, spawn = self._session, self._core, self._tasks.spawn
            settings = CoreSettings(core.settings, core.bus, spawn, self)
            consents = Consents(core.consent, core.bus, spawn, self)
            about = About(version("metier"), session.folders.store.parent)
            waiting = Waiting(core.stores.questions, core.stores.background, self)
            minds = Minds(core.settings, core.providers, core.agents, core.bus, spawn, session.folders.keys, waiting)
            servers = Servers(core.servers, consents, core.bus, spawn, waiting)
            self._dialog = SettingsDialog(
                session.theme,
                settings,
                self._own,
                consents,
                about,
                self._window,
                minds=minds,
                servers=servers,
                library=Library(core.prompts, core.bus, spawn),
                recall=Recall(core.memories, core.bus, spawn),
                notifier=self._notifier,
                keys=OwnKeys(self._keymap, lambda: session.state, session.save),
                waiting=waiting,
            )
        self._dialog.present(page_id)

    def zoom(self, steps: int) -> None:
        """So many steps larger or smaller; 0: as it ships."""
        now = self._session.state.zoom
        wanted = round(now + steps * _ZOOM_STEP, 2) if steps else 1.0
        self._own.set(Setting.ZOOM, min(max(wanted, LEAST_ZOOM), MOST_ZOOM))
