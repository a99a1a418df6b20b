"""Stalls of the loop: what a callback that is due every 5 ms comes late by."""

import asyncio
import statistics
import time
from collections.abc import Sequence

from tests.bench.measure import line

TICK_S = 0.005


async def stalls(seconds: float) -> list[float]:
    """How late each tick came in that time, in seconds."""
    late = []
    until = time.perf_counter() + seconds
    while (began := time.perf_counter()) < until:
        await asyncio.sleep(TICK_S)
        late.append(max(0.0, time.perf_counter() - began - TICK_S))
    return late


def tell_stalls(
    bench: str, name: str, late: Sequence[float], idle: Sequence[float], p99_ms: float, most_ms: float
) -> None:
    """Print p99 and the longest with their aims, beside those of the same loop with nothing to do."""
    for what, mine, theirs, aim in (
        ("p99", _p99(late), _p99(idle), p99_ms),
        ("max", max(late), max(idle), most_ms),
    ):
        line(
            bench,
            f"{name}, stall {what}",
            mine * 1e3,
            "ms",
            len(late),
            compared_to=f"idle: {theirs * 1e3:.2f} ms",
            ratio=mine / theirs if theirs else 0.0,
            aim=aim,
        )


def _p99(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=100)[98]
