"""Files of the window that follow what a person does: written a second after it, one writing at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QObject, QTimer

from desktop.aio import Tasks

log = logging.getLogger(__name__)

WRITTEN_MS = 1000
"""How long a change stays in memory alone."""


class WriteBehind(QObject):
    """`write` writes down what changed, and says whether anything did; it may raise OSError. `name` is what it keeps,
    for the log."""

    def __init__(self, name: str, tasks: Tasks, write: Callable[[], Awaitable[bool]], parent: QObject) -> None:
        super().__init__(parent)
        self._name = name
        self._tasks = tasks
        self._write = write
        self._turn = asyncio.Lock()
        self._is_closed = False
        self._is_refused = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WRITTEN_MS)
        self._timer.timeout.connect(self._on_time)

    def touch(self) -> None:
        """It is another now: it is written down in a second."""
        if not self._timer.isActive() and not self._is_closed:
            self._timer.start()

    async def flush(self) -> None:
        """Write down what changed. A disk that refuses costs no more than that; it is tried again with the next."""
        self._timer.stop()
        async with self._turn:
            try:
                if await self._write():
                    self._is_refused = False
            except OSError as error:
                level = logging.DEBUG if self._is_refused else logging.WARNING
                log.log(level, "%s cannot be written: %s", self._name, error)
                self._is_refused = True

    def write_soon(self) -> None:
        """Write down now what changed, without waiting for it."""
        if not self._is_closed:
            self._on_time()

    async def close(self) -> None:
        """Write down what changed, and nothing from then on."""
        await self.flush()
        self._timer.stop()
        self._is_closed = True

    def _on_time(self) -> None:
        self._tasks.spawn(self.flush(), f"write {self._name}")
