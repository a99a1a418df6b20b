"""Closing the window: asked about once while something is at work, and never lost by it (UI §11)."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget

from core.domain.run import RunStatus
from core.stores.background_workflows import BackgroundWorkflows
from desktop.widgets.question_box import QuestionBox
from desktop.window.tray import Tray

_AT_WORK = (RunStatus.ENQUEUED, RunStatus.RUNNING, RunStatus.PAUSED)


class Leaving(QObject):
    """`end` leaves the app: what is at work is written down, and goes on at the next start."""

    def __init__(self, window: QWidget, background: BackgroundWorkflows, tray: Tray, end: Callable[[], None]) -> None:
        super().__init__(window)
        self._window = window
        self._background = background
        self._tray = tray
        self._end = end
        self._question: QMessageBox | None = None
        tray.show_requested.connect(self.come_back)
        tray.quit_requested.connect(self.ask)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"app.quit": self.ask}

    def ask(self) -> None:
        """Leave, after asking if something is at work. What only waits for somebody loses nothing."""
        running = self._background.running_workflows
        at_work = sum(one.run is None or one.run.status in _AT_WORK for one in running)
        if not at_work:
            self._end()
        elif self._question is not None:
            self.come_back()
            self._question.raise_()
        else:
            self.come_back()
            self._open(at_work, len(running) - at_work)

    def come_back(self) -> None:
        """To the front, from wherever the window is."""
        window = self._window
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
        box.setInformativeText(self.tr("What stops now goes on from where it was when Metier is opened again."))
        if self._tray.is_there:
            keep = box.addButton(self.tr("Keep running"), QMessageBox.ButtonRole.ActionRole)
            keep.setObjectName("keep_running")
        quit_ = box.addButton(self.tr("Stop and quit"), QMessageBox.ButtonRole.AcceptRole)
        quit_.setObjectName("stop_and_quit")
        stay = box.addButton(self.tr("Stay"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        box.buttonClicked.connect(self._answer)
        box.finished.connect(self._closed)
        self._question = box
        box.open()

    def _answer(self, button: QAbstractButton) -> None:
        if button.objectName() == "keep_running":
            self._window.hide()
        elif button.objectName() == "stop_and_quit":
            self._end()

    def _closed(self) -> None:
        self._question = None
