"""Blocking work in a thread stops between two pieces and cleans up."""

import asyncio
import threading

import pytest

from core.threads.pieces import Pieces, in_thread
from tests.tools.rig import cancel


class Work:
    """Continues until it is stopped, a piece at a time, and records what happened to it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.tidied_in: threading.Thread | None = None

    def pieces(self) -> Pieces[None]:
        try:
            while True:
                self.begun.set()
                yield
        finally:
            self.tidied_in = threading.current_thread()


def test_the_loop_thread_is_not_where_it_runs() -> None:
    def where() -> Pieces[threading.Thread]:
        yield
        return threading.current_thread()

    assert asyncio.run(in_thread(where())) is not threading.current_thread()


async def test_what_the_work_raises_is_raised() -> None:
    def fail() -> Pieces[None]:
        yield
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        await in_thread(fail())


async def test_cancelled_work_is_stopped_and_has_tidied_up() -> None:
    work = Work()
    task = asyncio.create_task(in_thread(work.pieces()))
    await asyncio.to_thread(work.begun.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert work.tidied_in not in (None, threading.current_thread())


async def test_a_piece_that_takes_long_is_waited_for() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> Pieces[None]:
        begun.set()
        go_on.wait(10)
        yield

    task = asyncio.create_task(in_thread(slow()))
    await asyncio.to_thread(begun.wait, 10)
    await cancel(task)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_error_of_cancelled_work_is_not_logged() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def fail_late() -> Pieces[None]:
        begun.set()
        go_on.wait(10)
        raise OSError
        yield

    task = asyncio.create_task(in_thread(fail_late()))
    await asyncio.to_thread(begun.wait, 10)
    await cancel(task)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
