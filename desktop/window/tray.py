"""The icon in the system's tray, where there is one: the way back to a window that was closed (UI §11)."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from core.wiring import Stores
from desktop.bind import Frames
from desktop.theme.icons import app_icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive

_CLICKS = (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick)


class Tray(Adaptive, QWidget):
    """Is never seen itself; its icon is, while `is_there`."""

    show_requested = Signal()
    quit_requested = Signal()
    message_clicked = Signal()

    def __init__(self, theme: Theme, stores: Stores, frames: Frames, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self._stores = stores
        self._icon = QSystemTrayIcon(app_icon(), self)
        self._menu = QMenu(self)
        self._show, self._quit = QAction(self), QAction(self)
        self._menu.addAction(self._show)
        self._menu.addAction(self._quit)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._on_activated)
        self._icon.messageClicked.connect(self.message_clicked)
        self._show.triggered.connect(self.show_requested)
        self._quit.triggered.connect(self.quit_requested)
        frames.bind(self._icon, (stores.background.changed, stores.questions.changed), self._tell)
        self.adapt_to(theme)
        self._icon.setVisible(self.is_there)

    @property
    def is_there(self) -> bool:
        """Whether this system has a tray to come back from."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    @property
    def can_tell(self) -> bool:
        """Whether it can show a notification."""
        return self.is_there and QSystemTrayIcon.supportsMessages()

    def tell(self, title: str, message: str) -> None:
        """Show a notification at the icon, for as long as this system likes. Plain text."""
        self._icon.showMessage(title, message, app_icon())

    def leave(self) -> None:
        """Take the icon away: some systems keep it until the pointer passes."""
        self._icon.hide()

    def retranslate(self) -> None:
        self._show.setText(self.tr("Open Metier"))
        self._quit.setText(self.tr("Quit"))
        self._tell()

    def _tell(self) -> None:
        asking = len(self._stores.questions.workflows)
        running = self._stores.background.running_count
        words = ["Metier"]
        if asking:
            words.append(self.tr("%n workflow(s) need you", "", asking))
        if running:
            words.append(self.tr("%n workflow(s) at work", "", running))
        self._icon.setToolTip("\n".join(words))

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in _CLICKS:
            self.show_requested.emit()
