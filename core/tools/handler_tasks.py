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
from core.ports import Asker

EXTENDED_TIMES = 60
MAX_EXTENDED_S = 3600.0
"""The ceiling of an extended limit: sixty times the limit, and at most an hour, unless the limit itself is longer."""


class TimeLimit:
    """The time limit of a call, None for no limit. It is paused while the user is being asked.

    Each sign of progress begins an `is_extendable` limit anew, up to the ceiling: a limit is there for work that
    stands still, and work that goes on would be thrown away.
    """

    def __init__(self, limit_s: float | None, *, is_extendable: bool = False) -> None:
        self.limit_s = limit_s
        self.has_progressed = False
        self._left_s = limit_s
        limit = limit_s or 0.0
        self.ceiling_s = max(limit, min(EXTENDED_TIMES * limit, MAX_EXTENDED_S)) if is_extendable else limit
        self._rest_s = self.ceiling_s
        # A count: a call may ask several questions at once, and is paused until the last is answered.
        self._asking = 0
        self._on_over: Callable[[], object] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_at_ceiling(self) -> bool:
        """Whether no progress can extend it any more."""
        return self._rest_s - (self._left_s or 0.0) <= 0

    def begin_anew(self) -> None:
        """Count from the beginning again, within the ceiling."""
        if self.limit_s is None:
            return
        self.has_progressed = True
        is_counting = self._timer is not None
        self._hold()
        self._left_s = min(self.limit_s, self._rest_s)
        if is_counting:
            self._count_down()

    def start(self, on_over: Callable[[], object]) -> None:
        """Count from now on, and call `on_over` when the time is over."""
        self._on_over = on_over
        self._count_down()

    def stop(self) -> None:
        """Count no longer."""
        self._on_over = None
        self._hold()

    def around(self, asker: Asker) -> Asker:
        """Return the asker, pausing the limit while it runs."""

        async def paused(ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
            self._asking += 1
            self._hold()
            try:
                return await asker(ask, anew=anew)
            finally:
                self._asking -= 1
                self._count_down()

        return paused

    def _count_down(self) -> None:
        if self._on_over is not None and self._left_s is not None and not self._asking:
            self._timer = asyncio.get_running_loop().call_later(self._left_s, self._on_over)

    def _hold(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
            before_s = self._left_s or 0.0
            self._left_s = max(0.0, timer.when() - asyncio.get_running_loop().time())
            self._rest_s -= before_s - self._left_s


GRACE_S = 1.0
"""The time for cancelled work to end: a cancel completes within 1 s (ENGINE §7)."""

_log = logging.getLogger(__name__)


class TimeLimitExceeded(Exception):
    """The work did not end within its limit."""


class HandlerTasks:
    """Runs handlers in tasks. A task that ignores its cancellation is kept until it ends, whatever its outcome."""

    def __init__(self) -> None:
        self._abandoned: set[asyncio.Task[Any]] = set()

    async def run(
        self,
        work: Coroutine[Any, Any, Any],
        limit: TimeLimit,
        name: str,
        late: Callable[[asyncio.Task[Any]], object] | None = None,
        *,
        grace_s: float = GRACE_S,
    ) -> Any:
        """Return or raise what `work` does. Raises TimeLimitExceeded when the limit is over.

        By then, as when the caller is cancelled, the work has been cancelled and has ended, or is abandoned after
        `grace_s`: its outcome changes nothing any more. `late` is called with its task once it has ended after
        TimeLimitExceeded was raised.
        """
        # The work runs in its own task, not in the caller's: a handler that swallows its cancellation would hold the
        # run for ever. The caller owns the task until it is abandoned after the grace; from then on this object does,
        # until it ends or `close` is called.
        is_late = False
        task = asyncio.create_task(work, name=name)
        try:
            if not await _ends_within(task, limit):
                is_late = True
                raise TimeLimitExceeded
            if task.cancelled():
                raise RuntimeError(f"{name} was cancelled from inside")
            return task.result()
        finally:
            if task.done():
                _retrieve_exception(task)  # it may have failed in the turn in which the caller was cancelled
            else:
                self._abandoned.add(task)
                task.add_done_callback(self._abandoned.discard)
                task.add_done_callback(_log_abandoned)
                task.cancel()
                if not await _ends_within(task, TimeLimit(grace_s)):
                    _log.warning("%s ignores its cancellation; it is abandoned", name)
            if is_late and late is not None:
                task.add_done_callback(late)

    async def close(self) -> None:
        """Cancel abandoned tasks that still run, and wait for them up to the grace."""
        for task in self._abandoned:
            task.cancel()
        if self._abandoned:
            await asyncio.wait(self._abandoned, timeout=GRACE_S)


async def _ends_within(task: asyncio.Task[Any], limit: TimeLimit) -> bool:
    """Return whether the task has ended before its time is over."""
    is_over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake(_task: object = None) -> None:
        if not is_over.done():
            is_over.set_result(None)

    task.add_done_callback(wake)
    limit.start(wake)
    try:
        await is_over
    finally:
        limit.stop()
    return task.done()


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


async def run_handler(name: str, work: Callable[[], Awaitable[Any]], effect: Effect) -> Any:
    """Run the work of a handler, and repeat it once after a network failure: always if no connection was made, else
    only if the effect is repeatable, since a lost response may have had its effect.

    SystemExit and its like, raised by a library inside it, fail the call and not the process. Raises NetworkFailed; its
    parameter `uncertain` means that the effect may have happened.
    """
    try:
        return await _contained(work)
    except (NetworkFailed, OSError) as error:
        failed = _network_failure(name, error)
        if failed.was_connected and effect is Effect.ONCE:
            raise _uncertain(failed) from None
    try:
        return await _contained(work)
    except OSError as error:
        raise _network_failure(name, error) from error


async def _contained(work: Callable[[], Awaitable[Any]]) -> Any:
    try:
        return await work()
    except (Exception, asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise RuntimeError(f"it ended with {type(error).__name__}") from error


def _network_failure(name: str, error: NetworkFailed | OSError) -> NetworkFailed:
    """Translate the network errors of the system. Raises any other error again."""
    if isinstance(error, NetworkFailed):
        return error
    if isinstance(error, _NO_CONNECTION):
        return NetworkFailed(f"{name} found no connection: {_reason(error)}", was_connected=False)
    if isinstance(error, ConnectionError):
        return NetworkFailed(f"{name} lost its connection: {_reason(error)}", was_connected=True)
    raise error


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__


def _uncertain(error: NetworkFailed) -> NetworkFailed:
    message = f"{error.message}; the effect may have happened"
    return NetworkFailed(message, was_connected=True, **{**error.parameters, "uncertain": True})
