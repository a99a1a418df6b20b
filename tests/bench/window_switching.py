"""From a key to the correct picture, in the real window on a real store. A part of the bench `window`.

Each round presses the key of the workflow viewed before, and ends when the end of its conversation is painted.
"""

import asyncio
import statistics
import time
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest

from core.domain.ids import WorkflowId
from core.ports import Storage
from desktop.chat.views.text_view import TextView
from tests.bench.conversations import last_words, put_conversation
from tests.bench.measure import line
from tests.gui.window.rig import App

BENCH = "window"
ROUNDS = 20
AIMS_MS = {200: 100.0, 2_000: 200.0}
ATTACH_AIM_MS = 50.0
LONGEST_S = 60.0
SETTLED_S = 0.3


class Paints(QObject):
    """Tells when the transcript was painted."""

    def __init__(self, app: App) -> None:
        super().__init__(app.content)
        self.painted = asyncio.Event()
        app.content.chat.transcript.viewport().installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """The viewport's own."""
        if event.type() == QEvent.Type.Paint:
            self.painted.set()
        return False


async def put_pairs(storage: Storage) -> None:
    """Two conversations of each length, to go to and fro between."""
    for count in AIMS_MS:
        for name in "ab":
            await put_conversation(storage, _name(count, name), count)


async def switching(app: App) -> None:
    paints = Paints(app)
    for count, aim in AIMS_MS.items():
        pair = [WorkflowId(f"wf_{_name(count, name)}") for name in "ab"]
        taken = await _to_and_fro(app, paints, pair, last_words(count))
        _report(f"key to correct paint, {count} messages", taken, aim)


async def attaching(app: App) -> None:
    """Two workflows that write: the one that is gone to has written a good deal that nobody looked at."""
    text = " ".join(f"word{n}" for n in range(4_000))
    runs = [await app.say(f"write {n}", script=({"say": f"Begun. {text}", "delay_ms": 15},)) for n in range(2)]
    await asyncio.sleep(6)
    taken = await _to_and_fro(app, Paints(app), [run.workflow_id for run in runs], "Begun.")
    _report("attach to a running one", taken, ATTACH_AIM_MS)
    for run in runs:
        await app.core.engine.cancel(run.id)


async def _to_and_fro(app: App, paints: Paints, pair: Sequence[WorkflowId], words: str) -> list[float]:
    for workflow_id in pair:
        app.content.workflow_actions.show(workflow_id)
        await _painted(app, paints, workflow_id, words)
        await asyncio.sleep(SETTLED_S)
    taken = []
    for number in range(ROUNDS):
        began = time.perf_counter()
        app.control(Qt.Key.Key_Tab)
        await _painted(app, paints, pair[number % 2], words)
        taken.append((time.perf_counter() - began) * 1e3)
        QTest.keyRelease(app.focused(), Qt.Key.Key_Control)
        await asyncio.sleep(SETTLED_S)
    return taken


async def _painted(app: App, paints: Paints, workflow_id: WorkflowId, words: str) -> None:
    async with asyncio.timeout(LONGEST_S):
        while not (app.viewed == workflow_id and _is_seen(app, words)):
            paints.painted.clear()
            await paints.painted.wait()


def _is_seen(app: App, words: str) -> bool:
    transcript = app.content.chat.transcript
    shown = [view for view in transcript.findChildren(TextView) if view.isVisible()]
    return any(words in view.toPlainText() for view in shown)


def _name(count: int, name: str) -> str:
    return f"{count} messages {name}"


def _report(name: str, taken: Sequence[float], aim: float) -> None:
    line(BENCH, f"{name}, median", statistics.median(taken), "ms", len(taken))
    line(BENCH, f"{name}, p95", statistics.quantiles(taken, n=20)[18], "ms", len(taken), aim=aim)
