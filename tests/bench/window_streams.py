"""Streams in the real window: stalls, the time that pulsing rows take, memory. A part of the bench `window`."""

import asyncio
import time

from core.domain.run import Run
from tests.bench.measure import line
from tests.bench.stalls import stalls, tell_stalls
from tests.gui.window.rig import App
from tests.support.held import resident_bytes

BENCH = "window"
SECONDS = 8.0
IDLE_S = 3.0
STREAMS = ((3, 60), (20, 50))
P99_MS, MOST_MS = 16.0, 50.0
PULSING = (3, 20)
CPU_AIM_PERCENT = 3.0
MEMORY_AIM_MB = 300.0


async def streaming(app: App) -> None:
    """So many workflows with so many pieces a second each, of which one is viewed."""
    await asyncio.sleep(1)
    idle = await stalls(IDLE_S)
    for count, pieces in STREAMS:
        text = " ".join(f"word{n}" for n in range(round(pieces * (SECONDS + 4))))
        runs = [await _say(app, text, 1000 / pieces) for _ in range(count)]
        app.content.workflow_actions.show(runs[0].workflow_id)
        await asyncio.sleep(1)
        late = await stalls(SECONDS)
        if count == STREAMS[0][0]:
            line(BENCH, f"memory with {count} streaming", resident_bytes() / 1e6, "MB", 1, aim=MEMORY_AIM_MB)
        await _end(app, runs)
        tell_stalls(BENCH, f"{count} streams of {pieces} a second", late, idle, P99_MS, MOST_MS)


async def pulsing(app: App) -> None:
    """Workflows that wait for a model: nothing moves but their dots."""
    for count in PULSING:
        runs = [await _say(app, "one two", 60_000) for _ in range(count)]
        app.content.workflow_actions.show(None)
        await asyncio.sleep(1)
        began, used = time.perf_counter(), time.process_time()
        await asyncio.sleep(SECONDS / 2)
        share = (time.process_time() - used) / (time.perf_counter() - began) * 100
        line(BENCH, f"CPU with {count} pulsing rows", share, "%", 1, aim=CPU_AIM_PERCENT)
        await _end(app, runs)


async def _say(app: App, text: str, delay_ms: float) -> Run:
    return await app.say("stream", script=({"say": text, "delay_ms": round(delay_ms)},))


async def _end(app: App, runs: list[Run]) -> None:
    for run in runs:
        await app.core.engine.cancel(run.id)
    await asyncio.sleep(1)
