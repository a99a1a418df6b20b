"""Hostile code in the sandbox: what comes of each case, how long that takes, and how long the loop was away meanwhile.

A table for people, then the usual lines of the whole. On a busy machine a loop may be away because others have the
processor; so the longest work at a stretch is told too.
"""

import asyncio
import json
import time

from core.errors import CodeFailed
from core.ports import CodeLimits
from core.sandbox.pool import WorkerPool
from core.sandbox.quickjs import QuickJsSandbox
from tests.bench.measure import line
from tests.support.hostile import CASES, Hostile

TICK_S = 0.005
NAME_CHARACTERS = 48


class Stalls:
    """How long the loop was away at a stretch, in seconds, since the last look. `most_work`: the longest that this
    process itself worked meanwhile, of all."""

    def __init__(self) -> None:
        self.most_work = 0.0
        self._longest = 0.0

    async def watch(self) -> None:
        last, worked = time.perf_counter(), time.process_time()
        while True:
            await asyncio.sleep(TICK_S)
            now, work = time.perf_counter(), time.process_time()
            self._longest = max(self._longest, now - last - TICK_S)
            self.most_work = max(self.most_work, work - worked)
            last, worked = now, work

    def take(self) -> float:
        longest, self._longest = self._longest, 0.0
        return longest


async def outcome(sandbox: QuickJsSandbox, case: Hostile) -> str:
    """The code of the error, or the value."""
    try:
        return "= " + await sandbox.run(case.source, case.input_json, CodeLimits(timeout_s=case.limit_s))
    except CodeFailed as error:
        return error.code


def is_right(case: Hostile, found: str) -> bool:
    if case.ends:
        return found in case.ends
    return found.startswith("= ") and bool(json.loads(found[2:]) == case.value)


async def main() -> None:
    """Run every case after the other on one pool."""
    pool, stalls = WorkerPool(), Stalls()
    sandbox = QuickJsSandbox(pool)
    await sandbox.run("export default () => 1", "null")
    watch = asyncio.create_task(stalls.watch())
    wrong, worst, began = [], 0.0, time.perf_counter()
    print(f"{'snippet':{NAME_CHARACTERS}} {'result':18} {'time':>9} {'stall':>9}")
    for case in CASES:
        stalls.take()
        start = time.perf_counter()
        found = await outcome(sandbox, case)
        took, stall = time.perf_counter() - start, stalls.take()
        worst = max(worst, stall)
        if not is_right(case, found):
            wrong.append(case.name)
        mark = "" if is_right(case, found) else f"  <- expected {case.ends or case.value!r}"
        name = case.name[:NAME_CHARACTERS]
        shown = f"{found[:18]!r}"[1:-1][:18]
        print(f"{name:{NAME_CHARACTERS}} {shown:18} {took * 1e3:6.0f} ms {stall * 1e3:6.1f} ms{mark}", flush=True)
    watch.cancel()
    await asyncio.gather(watch, return_exceptions=True)
    pids = pool.pids
    await pool.close()
    count = len(CASES)
    line("sandbox", "hostile cases that ended as they should", count - len(wrong), "cases", count)
    line("sandbox", "all hostile cases", time.perf_counter() - began, "s", count)
    line("sandbox", "longest stall of the loop", worst * 1e3, "ms", count)
    line("sandbox", "longest work of the loop at a stretch", stalls.most_work * 1e3, "ms", count)
    line("sandbox", "workers at the end", len(pids), "processes", 1)
