"""Whether the window stalls: three workflows stream sixty pieces a second each, one of them is viewed.

A stall is what a callback that is due every 5 ms comes late by. Beside it the same loop with nothing to do.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from core.persistence.surreal import SurrealStorage
from desktop.loop import run
from tests.bench.measure import line
from tests.gui.window.rig import App, an_app

BENCH = "window"
SECONDS = 8.0
TICK_S = 0.005


async def stalls(seconds: float) -> list[float]:
    """How late each tick came, in seconds."""
    late = []
    until = time.perf_counter() + seconds
    while (began := time.perf_counter()) < until:
        await asyncio.sleep(TICK_S)
        late.append(max(0.0, time.perf_counter() - began - TICK_S))
    return late


def tell(name: str, late: Sequence[float], idle: Sequence[float]) -> None:
    for what, mine, theirs in (
        ("p99", _p99(late), _p99(idle)),
        ("max", max(late), max(idle)),
    ):
        ratio = mine / theirs if theirs else 0.0
        line(
            BENCH,
            f"{name}, stall {what}",
            mine * 1e3,
            "ms",
            len(late),
            compared_to=f"idle: {theirs * 1e3:.2f} ms",
            ratio=ratio,
        )


def _p99(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


async def stream(app: App) -> list[float]:
    text = " ".join(f"word{n}" for n in range(round(60 * (SECONDS + 3))))
    runs = [await app.say(f"stream {n}", script=({"say": text, "delay_ms": 16},)) for n in range(3)]
    app.content.deeds.show(runs[0].workflow_id)
    await asyncio.sleep(0.5)
    late = await stalls(SECONDS)
    for one in runs:
        await app.core.engine.cancel(one.id)
    return late


async def measure(qapp: QApplication) -> int:
    with tempfile.TemporaryDirectory() as folder:
        storage = await SurrealStorage.open(Path(folder) / "data" / "store")
        async with an_app(Path(folder), qapp, storage) as app:
            await asyncio.sleep(1)
            idle = await stalls(3)
            tell("three streams of 60 a second", await stream(app), idle)
        await storage.close()
    return 0


def main() -> None:
    qapp = QApplication.instance() or QApplication([])
    assert isinstance(qapp, QApplication)
    run(measure(qapp), qapp)
