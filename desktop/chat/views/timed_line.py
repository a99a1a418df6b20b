"""A line of something that takes its time: while it is at work and on screen, its line is told anew each second."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.chat.views.intents import Intents
from desktop.chat.views.line_button import LineButton
from desktop.theme.theme import Theme
from desktop.translation.formats import duration

_SECOND_MS = 1000


class TimedLine(LineButton):
    """`now` tells the time. `begin_line` is called with whether it is at work, `tell` each second then."""

    def __init__(self, theme: Theme, intents: Intents, now: Callable[[], datetime], parent: QWidget) -> None:
        super().__init__(theme, intents, parent)
        self._now = now
        self._is_at_work = False
        self._seconds = QTimer(self)
        self._seconds.setInterval(_SECOND_MS)
        self._seconds.timeout.connect(self._on_second)

    def tell(self) -> None:
        """Set the line as it is now."""
        raise NotImplementedError

    def begin_line(self, *, is_at_work: bool) -> None:
        """The line is another now."""
        self._is_at_work = is_at_work
        self.tell()
        self._count_if_at_work()

    def elapsed(self, since: datetime | None) -> str:
        """How long it has been at work; empty in the first second."""
        seconds = (self._now() - since).total_seconds() // 1 if since is not None else 0
        return duration(seconds) if seconds > 0 else ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._count_if_at_work()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._seconds.stop()

    def _count_if_at_work(self) -> None:
        if self._is_at_work and self.isVisible():
            self._seconds.start()
        else:
            self._seconds.stop()

    def _on_second(self) -> None:
        self.tell()
