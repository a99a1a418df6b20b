"""The clipboard. What takes long to gather is gathered in slices, and is there when all of it is."""

from collections.abc import Iterator
from time import thread_time

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication

FIRST_S = 0.03
SLICE_S = 0.006


def copy_text(text: str) -> None:
    """To the clipboard, as it is."""
    QGuiApplication.clipboard().setText(text)


class Copier(QObject):
    """What takes 30 ms of work is copied at once, more while the window goes on. Whatever is copied meanwhile, here or
    elsewhere, wins."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pieces: Iterator[str] = iter(())
        self._gathered: list[str] = []
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)
        QGuiApplication.clipboard().dataChanged.connect(self._give_up)

    def copy(self, pieces: Iterator[str]) -> None:
        """Copy what these join to; nothing where they are nothing."""
        self._pieces, self._gathered = pieces, []
        self._gather(FIRST_S)

    def _give_up(self) -> None:
        self._timer.stop()
        self._gathered = []

    def _go_on(self) -> None:
        self._gather(SLICE_S)

    def _gather(self, seconds: float) -> None:
        self._timer.stop()
        until = thread_time() + seconds
        for piece in self._pieces:
            self._gathered.append(piece)
            if thread_time() >= until:
                self._timer.start()
                return
        text, self._gathered = "".join(self._gathered), []
        if text:
            copy_text(text)
