"""A start with many workflows, and finding one among very many. A part of the bench `window`."""

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.persistence.surreal import SurrealStorage
from core.stores.workflows import ListedWorkflow
from tests.bench.conversations import listed_workflows, put_workflows
from tests.bench.measure import line
from tests.gui.window.rig import App

BENCH = "window"
STARTS = 5
LISTED = 1_000
START_AIM_MS = 1_500.0
FOUND_AMONG = 10_000
PALETTE_AIM_MS = 50.0

_START = """
import os, sys
from desktop import bootstrap
leave = bootstrap._leave_first_loop
def watch():  # after the first paint, when everything else is loaded
    from desktop.sidebar.list_view import SidebarList
    paint = SidebarList.paintEvent
    def painted(self, event):
        paint(self, event)
        if self.model().rowCount() > 10:
            os._exit(0)
    SidebarList.paintEvent = painted
    leave()
bootstrap._leave_first_loop = watch
sys.argv = ["metier", "--data", sys.argv[1]]
bootstrap.start()
"""


async def starting() -> None:
    """From the process to the list of the window that is painted, each start a process and a store of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        closed = Path(scratch) / "closed"
        storage = await SurrealStorage.open(closed / "store")
        await put_workflows(storage, LISTED)
        await storage.close()
        taken = [_start(closed, Path(scratch), number) for number in range(STARTS + 1)][1:]
    line(BENCH, f"start with {LISTED} workflows, median", statistics.median(taken), "ms", STARTS, aim=START_AIM_MS)


def _start(closed: Path, scratch: Path, number: int) -> float:
    """Milliseconds. The modules are compiled already, as they are wherever the app was started before."""
    data = shutil.copytree(closed, scratch / f"{number}")
    compiled = {"PYTHONPYCACHEPREFIX": str(scratch / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", _START, str(data)], env={**os.environ, **compiled}, check=True)
    return (time.perf_counter() - began) * 1e3


async def finding(app: App) -> None:
    """Each letter of a name, until the list that it leads to is painted."""
    app.core.stores.workflows.load([ListedWorkflow(one, None) for one in listed_workflows(FOUND_AMONG)])
    await asyncio.sleep(2)  # the list of the sidebar is drawn
    taken: list[float] = []
    for name in ("workflow 77", "many 9", "zzz"):
        app.control(Qt.Key.Key_K)
        taken += [_typed(app, letter) for letter in name]
        QTest.keyClick(app.focused(), Qt.Key.Key_Escape)
    _report(f"a letter in the palette over {FOUND_AMONG} workflows", taken)


def _typed(app: App, letter: str) -> float:
    began = time.perf_counter()
    QTest.keyClicks(app.focused(), letter)
    QApplication.processEvents()
    app.content.command_palette.repaint()
    return (time.perf_counter() - began) * 1e3


def _report(name: str, taken: Sequence[float]) -> None:
    line(BENCH, f"{name}, median", statistics.median(taken), "ms", len(taken))
    line(BENCH, f"{name}, p95", statistics.quantiles(taken, n=20)[18], "ms", len(taken), aim=PALETTE_AIM_MS)
