"""The tasks in which handlers run: each ends within its limit, or is given up and still owned."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from core.ports.clock import Clock
from core.tools.standstill import Standstill

GRACE_S = 1.0
"""What cancelled work gets to end: a cancel is done within 1 s (ENGINE §7)."""

_log = logging.getLogger(__name__)


class OutOfTime(Exception):
    """The work did not end within its limit."""


class HandlerTasks:
    """Owner of the tasks. One that ignores its cancellation is kept until it ends, whatever it ends with."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tasks: set[asyncio.Task[Any]] = set()

    async def run(
        self,
        work: Coroutine[Any, Any, Any],
        limit_s: float | None,
        name: str,
        late: Callable[[asyncio.Task[Any]], object] | None = None,
        standstill: Standstill | None = None,
        *,
        grace_s: float = GRACE_S,
    ) -> Any:
        """What `work` gives, or raises.

        Raises OutOfTime after `limit_s`, None is never; what lies within the `standstill` does not count. By then, as
        when the caller is cancelled, the work has been cancelled and has ended, or was given up after `grace_s`: how it
        ends at last changes nothing. `late` is called with it once it has ended, after OutOfTime was raised.
        """
        is_late = False
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            if not await self._ends_in_time(task, limit_s, standstill or Standstill()):
                is_late = True
                raise OutOfTime
            if task.cancelled():
                raise RuntimeError(f"{name} was cancelled from inside")
            return task.result()
        finally:
            if task.done():
                _look_at(task)  # it may have failed in the turn in which the caller was cancelled
            else:
                task.add_done_callback(_log_late_end)
                task.cancel()
                if not await self._ends_within(task, grace_s):
                    _log.warning("%s does not stop; it was given up", name)
            if is_late and late is not None:
                task.add_done_callback(late)

    async def close(self) -> None:
        """Cancel what was given up and still runs, and wait for it, at most for the grace."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await self._ends_within(asyncio.gather(*self._tasks, return_exceptions=True), GRACE_S)

    async def _ends_in_time(self, task: asyncio.Task[Any], limit_s: float | None, standstill: Standstill) -> bool:
        left_s = limit_s
        while True:
            if left_s is None:
                return await self._ends_within(task, None)
            change, begun = standstill.change(), self._clock.monotonic()
            if await self._ends_within(task, None if standstill.is_on else left_s, change):
                return True
            if not change.done():
                return False
            if standstill.is_on:
                left_s = max(0.0, left_s - (self._clock.monotonic() - begun))

    async def _ends_within(
        self, work: asyncio.Future[Any], seconds: float | None, signal: asyncio.Future[None] | None = None
    ) -> bool:
        """Whether the work has ended, within so many seconds, None is for ever, or before the signal."""
        waits = {work} if signal is None else {work, signal}
        if seconds is None:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return work.done()
        timer = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({*waits, timer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
        return work.done()


def _look_at(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()


def _log_late_end(task: asyncio.Task[Any]) -> None:
    """Look at the result, so that nobody complains that nobody did."""
    error = None if task.cancelled() else task.exception()
    if error is not None:
        _log.warning("%s failed while it was stopped", task.get_name(), exc_info=error)
