"""Answers that are begun and not given, in a file beside the drafts: they come back after a crash, as drafts do.

A request that waits asks nobody before the window is closed, so that nothing of its answer may be lost by that either
(UI §6, §11).
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer

from core.domain.ids import InterruptionId
from desktop.aio import Tasks
from desktop.attention.begun import Begun
from desktop.attention.card import AttentionCard
from desktop.window_state import replace_file

log = logging.getLogger(__name__)

WRITTEN_MS = 1000
"""How long a change stays in memory alone."""

_MOST_BYTES = 20_000_000
_MOST = 200

Kept = Mapping[InterruptionId, Begun]


class BegunAnswers(QObject):
    """Gives the card what the last life of the window has left, and writes down what is begun in it from then on."""

    def __init__(self, path: Path, tasks: Tasks, card: AttentionCard, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._tasks = tasks
        self._card = card
        self._written = _read(path)
        self._turn = asyncio.Lock()
        self._is_closed = False
        self._is_refused = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WRITTEN_MS)
        self._timer.timeout.connect(self._on_time)
        card.take_up(self._written)
        card.begun_changed.connect(self._touch)

    async def flush(self) -> None:
        """Write down what changed. A disk that refuses costs no more than that; it is tried again with the next."""
        self._timer.stop()
        now = dict([*self._card.begun().items()][-_MOST:])
        async with self._turn:
            if now == self._written:
                return
            try:
                await asyncio.to_thread(_write, self._path, now)
            except OSError as error:
                log.log(logging.DEBUG if self._is_refused else logging.WARNING, "answers cannot be written: %s", error)
                self._is_refused = True
            else:
                self._written, self._is_refused = now, False

    async def close(self) -> None:
        """Write down what changed, and nothing from then on."""
        self._is_closed = True
        await self.flush()

    def _touch(self) -> None:
        if not self._timer.isActive() and not self._is_closed:
            self._timer.start()

    def _on_time(self) -> None:
        self._tasks.spawn(self.flush(), "write begun answers")


def _write(path: Path, kept: Kept) -> None:
    if not kept:
        path.unlink(missing_ok=True)
        return
    text = json.dumps({one: {"fields": begun.fields, "reason": begun.reason} for one, begun in kept.items()})
    replace_file(path, text.encode("ascii"))


def _read(path: Path) -> Kept:
    """What was kept. Never fails: what cannot be read is left out."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return {}
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        kept: Any = json.loads(data) if len(data) <= _MOST_BYTES else None
        return {InterruptionId(one): Begun(tuple(each["fields"]), str(each["reason"])) for one, each in kept.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        log.warning("the answers that were begun cannot be read: %s", error)
        return {}
