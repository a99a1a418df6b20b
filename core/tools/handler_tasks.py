"""How a handler runs: in a task with an owner, within a time limit that pauses while the user is asked, and retried
once after a network failure (AGENTS_AND_TOOLS §3, §4).
"""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from core.domain.interruption import Interruption, InterruptionRequest
from core.domain.tool import Effect
from core.errors import NetworkFailed
from core.ports import Asker, Clock


class LimitPause:
    """The pause of a call's time limit. `is_on` while the user is being asked."""

    def __init__(self) -> None:
        # A count: a call may ask several questions at once, and is paused until the last is answered.
        self._asking = 0
        self._change: asyncio.Future[None] | None = None

    @property
    def is_on(self) -> bool:
        return self._asking > 0

    def change(self) -> asyncio.Future[None]:
        """Return a future that is done when the pause next starts or ends."""
        if self._change is None or self._change.done():
            self._change = asyncio.get_running_loop().create_future()
        return self._change

    def around(self, asker: Asker) -> Asker:
        """Return the asker, pausing the limit while it runs."""

        async def paused(ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
            self._count(1)
            try:
                return await asker(ask, anew=anew)
            finally:
                self._count(-1)

        return paused

    def _count(self, more: int) -> None:
        was_on = self.is_on
        self._asking += more
        if self.is_on != was_on and self._change is not None and not self._change.done():
            self._change.set_result(None)


GRACE_S = 1.0
"""The time for cancelled work to end: a cancel completes within 1 s (ENGINE §7)."""

_log = logging.getLogger(__name__)


class TimeLimitExceeded(Exception):
    """The work did not end within its limit."""


class HandlerTasks:
    """Owns the tasks of handlers. A task that ignores its cancellation is kept until it ends, whatever its outcome."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tasks: set[asyncio.Task[Any]] = set()

    async def run(
        self,
        work: Coroutine[Any, Any, Any],
        limit_s: float | None,
        name: str,
        late: Callable[[asyncio.Task[Any]], object] | None = None,
        pause: LimitPause | None = None,
        *,
        grace_s: float = GRACE_S,
    ) -> Any:
        """Return or raise what `work` does. Raises TimeLimitExceeded after `limit_s`, None for no limit; time within
        the pause does not count.

        By then, as when the caller is cancelled, the work has been cancelled and has ended, or is abandoned after
        `grace_s`: its outcome changes nothing any more. `late` is called with its task once it has ended after
        TimeLimitExceeded was raised.
        """
        # The work runs in its own task, not in the caller's: a handler that swallows its cancellation would hold the
        # run for ever. Such a task is abandoned after the grace, but stays owned until it ends or `close` is called.
        is_late = False
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            if not await self._ends_in_time(task, limit_s, pause or LimitPause()):
                is_late = True
                raise TimeLimitExceeded
            if task.cancelled():
                raise RuntimeError(f"{name} was cancelled from inside")
            return task.result()
        finally:
            if task.done():
                _retrieve_exception(task)  # it may have failed in the turn in which the caller was cancelled
            else:
                task.add_done_callback(_log_abandoned)
                task.cancel()
                if not await self._ends_within(task, grace_s):
                    _log.warning("%s ignores its cancellation; it is abandoned", name)
            if is_late and late is not None:
                task.add_done_callback(late)

    async def close(self) -> None:
        """Cancel abandoned tasks that still run, and wait for them up to the grace."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await self._ends_within(asyncio.gather(*self._tasks, return_exceptions=True), GRACE_S)

    async def _ends_in_time(self, task: asyncio.Task[Any], limit_s: float | None, pause: LimitPause) -> bool:
        if limit_s is None:
            return await self._ends_within(task, None)
        remaining_s = limit_s
        while True:
            change, started_s = pause.change(), self._clock.monotonic()
            if await self._ends_within(task, None if pause.is_on else remaining_s, change):
                return True
            if not change.done():
                return False
            if pause.is_on:  # a pause has just begun, so the time until now counts; the time of a pause never does
                remaining_s = max(0.0, remaining_s - (self._clock.monotonic() - started_s))

    async def _ends_within(
        self, work: asyncio.Future[Any], seconds: float | None, signal: asyncio.Future[None] | None = None
    ) -> bool:
        """Return whether the work has ended within `seconds`, None for ever, or before the signal."""
        waits = {work} if signal is None else {work, signal}
        if seconds is None:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return work.done()
        # The clock's sleep rather than `asyncio.timeout`, so that tests control the time.
        timer = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({*waits, timer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
        return work.done()


def _retrieve_exception(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()


def _log_abandoned(task: asyncio.Task[Any]) -> None:
    """Retrieve the exception, so that asyncio does not log it as never retrieved."""
    error = None if task.cancelled() else task.exception()
    if error is not None:
        _log.warning("%s failed after its cancellation", task.get_name(), exc_info=error)


# Nothing was sent, so that a repetition is harmless whatever the tool does.
_NO_CONNECTION = (ConnectionRefusedError, socket.gaierror)


async def retry_once(name: str, work: Callable[[], Awaitable[Any]], effect: Effect) -> Any:
    """Run the work, and repeat it once after a network failure: always if no connection was made, else only if the
    effect is repeatable, since a lost response may have had its effect.

    Raises NetworkFailed; its parameter `uncertain` means that the effect may have happened.
    """
    for is_last in (False, True):
        try:
            return await _run_translated(name, work)
        except NetworkFailed as error:
            if error.was_connected and effect is Effect.ONCE:
                raise _uncertain(error) from None
            if is_last:
                raise
    raise AssertionError


async def _run_translated(name: str, work: Callable[[], Awaitable[Any]]) -> Any:
    """Run the work, translating the system's network errors to NetworkFailed."""
    try:
        return await work()
    except _NO_CONNECTION as error:
        raise NetworkFailed(f"{name} found no connection: {_reason(error)}", was_connected=False) from error
    except ConnectionError as error:
        raise NetworkFailed(f"{name} lost its connection: {_reason(error)}", was_connected=True) from error


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__


def _uncertain(error: NetworkFailed) -> NetworkFailed:
    message = f"{error.message}; the effect may have happened"
    return NetworkFailed(message, was_connected=True, **{**error.parameters, "uncertain": True})
