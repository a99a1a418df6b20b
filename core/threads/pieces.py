"""Blocking work in a thread, in pieces, so that it can be stopped between them.

The work is a generator, and each `yield` ends a piece. When stopped there it is closed, so that its `finally` and
`with` blocks run.
"""

import asyncio
import threading
import time
from collections.abc import Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
Pieces = Generator[None, None, T]

# For pure Python work: several such threads would only take the GIL from the loop in turns.
SINGLE_THREAD = ThreadPoolExecutor(1, "one-at-a-time")

# CPython lets a thread keep the GIL for 5 ms after another asks for it, so the work yields it sooner on its own.
TURN_S, PAUSE_S = 0.001, 0.0001


async def in_thread(work: Pieces[T], executor: Executor | None = None) -> T:
    """Run `work` in a thread (of `executor`, by default the loop's own) and return its result or raise its exception.

    On cancellation the work stops at the end of its piece, and CancelledError is raised after that.
    """
    # A thread cannot be cancelled. The event asks it to stop after the current piece, and the cancelled caller still
    # waits for it, so that files and locks of the work are released before the caller goes on.
    stopping = threading.Event()
    thread = asyncio.get_running_loop().run_in_executor(executor, _drive, work, stopping)
    try:
        await asyncio.wait({thread})
    except asyncio.CancelledError:
        stopping.set()
        thread.add_done_callback(_retrieve_exception)
        await asyncio.wait({thread})
        raise
    return thread.result()


class _Stopped(Exception):
    """The work was cancelled."""


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


def _retrieve_exception(thread: asyncio.Future[Any]) -> None:
    """Retrieve the exception of cancelled work; asyncio logs exceptions that are never retrieved."""
    if not thread.cancelled():
        thread.exception()
