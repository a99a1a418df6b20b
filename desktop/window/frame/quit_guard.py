"""The icon in the system tray, and the confirmation before quitting (UI §11)."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QMenu, QMessageBox, QSystemTrayIcon, QWidget

from core.domain.run import RunStatus
from desktop.shortcuts.command import command
from desktop.theme import app_icon
from desktop.widgets import Adaptive, QuestionBox
from desktop.window.base.context import Controller, WindowContext

_AT_WORK = (RunStatus.ENQUEUED, RunStatus.RUNNING, RunStatus.PAUSED)
_CLICKS = (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick)


class TrayIcon(Adaptive, QWidget):
    """An invisible widget that owns the tray icon. Check `is_available`, which may change at any time."""

    show_requested = Signal()
    quit_requested = Signal()
    message_clicked = Signal()

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.owner)
        self.hide()
        self._stores = stores = context.stores
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
        context.frames.bind(self._icon, (stores.background.changed, stores.questions.changed), self._render)
        self.adapt_to(context.theme)
        self._icon.setVisible(QSystemTrayIcon.isSystemTrayAvailable())

    @property
    def is_available(self) -> bool:
        """Whether the icon is in a tray, where it appears now if the tray came after the window."""
        has_tray = QSystemTrayIcon.isSystemTrayAvailable()
        if has_tray and not self._icon.isVisible():
            self._icon.show()
        return has_tray and self._icon.isVisible()

    @property
    def can_notify(self) -> bool:
        """Whether the tray can show notifications."""
        return self.is_available and QSystemTrayIcon.supportsMessages()

    def notify(self, title: str, message: str) -> None:
        """Show a plain-text notification; the system chooses its duration."""
        self._icon.showMessage(title, message, app_icon())

    def remove(self) -> None:
        """Remove the icon: some systems keep it until the pointer touches it."""
        self._icon.hide()

    def retranslate(self) -> None:
        self._show.setText(self.tr("Open Metier"))
        self._quit.setText(self.tr("Quit"))
        self._render()

    def _render(self) -> None:
        asking = len(self._stores.questions.workflows)
        running = self._stores.background.running_count
        lines = ["Metier"]
        if asking:
            lines.append(self.tr("%n workflow(s) need you", "", asking))
        if running:
            lines.append(self.tr("%n workflow(s) at work", "", running))
        self._icon.setToolTip("\n".join(lines))

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in _CLICKS:
            self.show_requested.emit()


class QuitGuard(Controller):
    """Confirms quitting while workflows are active (UI §11). Their work is saved and continues at the next start."""

    def __init__(self, context: WindowContext, tray: TrayIcon) -> None:
        super().__init__(context, context.window)
        self._window = context.window
        self._tray = tray
        self._end = context.session.end
        self._question: QMessageBox | None = None
        self._is_kept = False
        context.frames.bind(self, context.stores.background.changed, self._end_if_unreachable)
        tray.show_requested.connect(self.come_back)
        tray.quit_requested.connect(self.ask)

    @command("app.quit")
    def ask(self) -> None:
        """Quit, after a confirmation if a workflow is active. A workflow that only waits for the user loses nothing."""
        running, at_work = self._stores.background.running_workflows, self._at_work
        if not at_work:
            self._end()
        elif self._question is not None:  # asked before, by the window, the tray or a key
            self.come_back()
            self._question.raise_()
        else:
            self.come_back()
            self._open(at_work, len(running) - at_work)

    def come_back(self) -> None:
        """Show the window in front, also from the tray or the task bar."""
        window, self._is_kept = self._window, False
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()

    def _open(self, at_work: int, waiting: int) -> None:
        box = QuestionBox(self._window, "close_question")
        box.setWindowTitle(self.tr("Quit Metier"))
        parts = [self.tr("%n workflow(s) are at work.", "", at_work)]
        if waiting:
            parts.append(self.tr("%n wait(s) for you.", "", waiting))
        box.setText(" ".join(parts))
        box.setInformativeText(self.tr("What stops now continues where it was when Metier is opened again."))
        if self._tray.is_available:
            keep = box.addButton(self.tr("Keep running"), QMessageBox.ButtonRole.ActionRole)
            keep.setObjectName("keep_running")
        quit_ = box.addButton(self.tr("Stop and quit"), QMessageBox.ButtonRole.AcceptRole)
        quit_.setObjectName("stop_and_quit")
        stay = box.addButton(self.tr("Stay"), QMessageBox.ButtonRole.RejectRole)
        # Enter and Esc change nothing: the question may appear while the user types
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        box.buttonClicked.connect(self._answer)
        box.finished.connect(self._closed)
        self._question = box
        box.open()

    def _answer(self, button: QAbstractButton) -> None:
        if button.objectName() == "keep_running":
            self._is_kept = True
            self._window.hide()
        elif button.objectName() == "stop_and_quit":
            self._end()

    @property
    def _at_work(self) -> int:
        running = self._stores.background.running_workflows
        return sum(execution.run is None or execution.run.status in _AT_WORK for execution in running)

    def _end_if_unreachable(self) -> None:
        """End a hidden window whose tray has gone, once nothing is at work: no way leads back to it."""
        if self._is_kept and not self._at_work and not self._tray.is_available:
            self._end()

    def _closed(self) -> None:
        self._question = None
