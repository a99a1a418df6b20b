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

from PySide6.QtCore import QObject

from core.domain.ids import InterruptionId
from desktop.aio import Tasks
from desktop.attention.begun import Begun
from desktop.attention.card import AttentionCard
from desktop.window.write_behind import WriteBehind
from desktop.window_state import read_small_file, replace_file

log = logging.getLogger(__name__)

_MOST_BYTES = 20_000_000
_MOST = 200

Kept = Mapping[InterruptionId, Begun]


class BegunAnswers(QObject):
    """Gives the card what the last life of the window has left, and writes down what is begun in it from then on."""

    def __init__(self, path: Path, tasks: Tasks, card: AttentionCard, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._card = card
        self._written: Kept = {}
        self._behind = WriteBehind("answers", tasks, self._write_changed, self)

    async def load(self) -> None:
        """Take in what was left, before any request can be seen."""
        self._written = await asyncio.to_thread(_read, self._path)
        self._card.take_up(self._written)
        self._card.begun_changed.connect(self._behind.touch)

    async def flush(self) -> None:
        """Write down what changed (`WriteBehind.flush`)."""
        await self._behind.flush()

    async def close(self) -> None:
        """Write down what changed, and nothing from then on."""
        await self._behind.close()

    async def _write_changed(self) -> bool:
        now = dict([*self._card.begun().items()][-_MOST:])
        is_changed = now != self._written
        if is_changed:
            await asyncio.to_thread(_write, self._path, now)
            self._written = now
        return is_changed


def _write(path: Path, kept: Kept) -> None:
    if not kept:
        path.unlink(missing_ok=True)
        return
    text = json.dumps({one: {"fields": begun.fields, "reason": begun.reason} for one, begun in kept.items()})
    replace_file(path, text.encode("ascii"))


def _read(path: Path) -> Kept:
    """What was kept. Never fails: what cannot be read is left out."""
    try:
        kept: Any = json.loads(read_small_file(path, _MOST_BYTES))
        return {InterruptionId(one): Begun(tuple(each["fields"]), str(each["reason"])) for one, each in kept.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        log.warning("the answers that were begun cannot be read: %s", error)
        return {}
