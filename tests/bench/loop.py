"""The desktop's event loop beside plain asyncio: what it costs that callbacks go through Qt.

Each line is the time for one callback, task, timer or call from a thread. Both loops live through the whole
contest and run in turn; a round runs one coroutine on each.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QApplication

from desktop.loop import new_loop
from tests.bench.measure import Contest, report

BENCH = "loop"
ROUNDS = 9
COUNT = 20_000
SLEEPERS = 200

Work = Callable[[], Awaitable[None]]


async def call_soon() -> None:
    """All at once: the queue is as long as it gets."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    for _ in range(COUNT - 1):
        loop.call_soon(_nothing)
    loop.call_soon(done.set_result, None)
    await done


async def switch() -> None:
    """One callback after the other: each is ready only when the last has run."""
    for _ in range(COUNT):
        await asyncio.sleep(0)


async def task() -> None:
    async def body() -> None: ...

    async with asyncio.TaskGroup() as group:
        for _ in range(COUNT):
            group.create_task(body())


async def timer() -> None:
    """All fall due, in another order than they were made in."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    for number in range(COUNT - 1):
        loop.call_later(number * 7919 % COUNT * 1e-7, _nothing)
    loop.call_later(0.002, done.set_result, None)
    await done


async def timeout() -> None:
    """What most timers are: set, and cancelled in time."""
    for _ in range(COUNT):
        async with asyncio.timeout(600):  # noqa: ASYNC100  # it is what is measured
            pass


async def call_soon_threadsafe() -> None:
    loop = asyncio.get_running_loop()
    done = loop.create_future()

    def call() -> None:
        for _ in range(COUNT - 1):
            loop.call_soon_threadsafe(_nothing)
        loop.call_soon_threadsafe(done.set_result, None)

    await asyncio.to_thread(call)
    await done


async def sleep() -> None:
    """Short waits of many tasks: the loop goes to sleep and is woken."""

    async def body(number: int) -> None:
        for turn in range(COUNT // SLEEPERS):
            await asyncio.sleep((number + turn) % 10 * 1e-4)

    async with asyncio.TaskGroup() as group:
        for number in range(SLEEPERS):
            group.create_task(body(number))


WORKS: dict[str, Work] = {
    "call_soon": call_soon,
    "sleep(0)": switch,
    "task": task,
    "timer that falls due": timer,
    "timeout that is cancelled": timeout,
    "sleep of 0 to 0.9 ms": sleep,
    "call_soon_threadsafe": call_soon_threadsafe,
}


def _nothing() -> None: ...


def seconds(runner: asyncio.Runner, work: Work) -> float:
    async def timed() -> float:
        began = time.perf_counter()
        await work()
        return time.perf_counter() - began

    return runner.run(timed())


def main() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication([])
    with asyncio.Runner() as plain, asyncio.Runner(loop_factory=lambda: new_loop(app)) as ours:
        for name, work in WORKS.items():
            mine, theirs = [], []
            for number in range(ROUNDS + 1):
                ours_s, plain_s = seconds(ours, work), seconds(plain, work)
                if number:  # the first round warms up
                    mine.append(ours_s)
                    theirs.append(plain_s)
            report(BENCH, name, Contest(mine, {"asyncio": theirs}), unit="us", per=COUNT)
