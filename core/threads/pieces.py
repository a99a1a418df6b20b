"""Blocking work in a thread, in pieces: between two of them it can be stopped.

The work is a generator. Each `yield` ends a piece; stopped there it is closed, so that its `finally` and `with`
blocks tidy up.
"""

import asyncio
import threading
import time
from collections.abc import Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
Pieces = Generator[None, None, T]

SINGLE_THREAD = ThreadPoolExecutor(1, "one-at-a-time")
"""For work that is nothing but Python: several threads of it would take the interpreter from the loop in turns."""

TURN_S, PAUSE_S = 0.001, 0.0001
"""Work in Python holds the interpreter until the loop has asked for it for 5 ms: so it lets go of it sooner."""


async def in_thread(work: Pieces[T], executor: Executor | None = None) -> T:
    """Carry out `work` in a thread (of `executor`, or else of the loop's own) and give what it returns, or raise what
    it raises.

    When cancelled, the work is stopped at the end of its piece; CancelledError is raised after that.
    """
    stopping = threading.Event()
    thread = asyncio.get_running_loop().run_in_executor(executor, _drive, work, stopping)
    try:
        await asyncio.wait({thread})
    except asyncio.CancelledError:
        stopping.set()
        thread.add_done_callback(_look)
        await asyncio.wait({thread})
        raise
    return thread.result()


class _Stopped(Exception):
    """Nobody waits for the work any more."""


def _drive(work: Pieces[T], stopping: threading.Event) -> T:
    held_since = time.perf_counter()
    while not stopping.is_set():
        if time.perf_counter() - held_since > TURN_S:
            time.sleep(PAUSE_S)
            held_since = time.perf_counter()
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
    work.close()
    raise _Stopped


def _look(thread: asyncio.Future[Any]) -> None:
    """How cancelled work ends interests nobody; asyncio complains of an exception that was never looked at."""
    if not thread.cancelled():
        thread.exception()
