"""Time limits of runs and of attempts: deadline, progress, timeouts that pause (ENGINE §7, AGENTS_AND_TOOLS §4).

Durations are monotonic: a jump of the wall clock neither fires nor loses a timer.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from core.domain.run import ErrorInfo, StepKey
from core.errors import StepFailed


class RunLimits:
    """The deadline of a run in active time, and its limit on time without progress.

    `active_s` returns the active time so far; `idle_s` the seconds since the last fact of the run and its descendants,
    0 while something in flight ends by itself; `overdue` is called with the error that ends the run.
    """

    def __init__(
        self,
        timeout_ms: int | None,
        no_progress_s: float,
        active_s: Callable[[], float],
        idle_s: Callable[[], float],
        overdue: Callable[[ErrorInfo], None],
    ) -> None:
        self._timeout_s = timeout_ms / 1000 if timeout_ms is not None else None
        self._no_progress_s = no_progress_s
        self._active_s = active_s
        self._idle_s = idle_s
        self._overdue = overdue
        self._deadline_timer: asyncio.TimerHandle | None = None
        self._progress_timer: asyncio.TimerHandle | None = None
        self._unbounded: set[StepKey] = set()

    def time_left_s(self) -> float | None:
        """Return the remaining active time of the run, None without a deadline."""
        return None if self._timeout_s is None else max(0.0, self._timeout_s - self._active_s())

    def start(self) -> None:
        """Start the timers: the run is active from now on."""
        left_s = self.time_left_s()
        if left_s is not None:
            self._deadline_timer = asyncio.get_running_loop().call_later(left_s, self._on_deadline)
        self._check_later()

    def stop(self) -> None:
        """Stop the timers: the run waits for the user, or is over."""
        for timer in (self._deadline_timer, self._progress_timer):
            if timer is not None:
                timer.cancel()
        self._deadline_timer = self._progress_timer = None

    def watch(self, key: StepKey) -> None:
        """Watch the progress of a call that has no time limit."""
        self._unbounded.add(key)
        if self._progress_timer is None:
            self._check_later()

    def unwatch(self, key: StepKey) -> None:
        """Stop watching a call that has ended."""
        self._unbounded.discard(key)

    def _check_later(self, for_s: float | None = None) -> None:
        if self._unbounded:
            delay_s = self._no_progress_s if for_s is None else for_s
            self._progress_timer = asyncio.get_running_loop().call_later(delay_s, self._check_progress)

    def _check_progress(self) -> None:
        self._progress_timer = None
        idle_s = self._idle_s()
        if self._unbounded and idle_s >= self._no_progress_s:
            message = f"nothing has happened for {self._no_progress_s:g} s"
            self._overdue(ErrorInfo("no_progress", message, failed_during="engine"))
        else:
            # not sooner than 10 ms: a clock that stands still in between must not turn this into a busy loop
            self._check_later(max(0.01, self._no_progress_s - idle_s))

    def _on_deadline(self) -> None:
        self._deadline_timer = None
        left_s = self.time_left_s() or 0.0
        if left_s > 0:  # the timer of the loop may fire a tick early
            self._deadline_timer = asyncio.get_running_loop().call_later(left_s, self._on_deadline)
            return
        message = f"the run was active for longer than its {self._timeout_s:g} s"
        self._overdue(ErrorInfo("deadline_exceeded", message, failed_during="engine"))


P = ParamSpec("P")
T = TypeVar("T")


class PausableTimeout:
    """A timeout that pauses while the user is asked. `limit_s` None is no limit; `what` names the work in the error."""

    def __init__(self, limit_s: float | None, what: str) -> None:
        self._limit_s = limit_s
        self._what = what
        self._left_s = limit_s
        self._asking = 0
        self._timeout = asyncio.timeout(None)

    async def run(self, work: Awaitable[T]) -> T:
        """Return the result of the work. Raises StepFailed `timeout` after the limit, when the work is cancelled and
        has ended.
        """
        try:
            async with self._timeout:
                self._continue()
                try:
                    return await work
                finally:
                    self._left_s = None
        except TimeoutError:
            if not self._timeout.expired():  # a TimeoutError of the work itself
                raise
            message = f"{self._what} did not end within {self._limit_s:g} s"
            raise StepFailed("timeout", message, timeout_s=self._limit_s) from None

    def pausing(self, ask: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        """Return a version of `ask` during which the time is not counted."""

        async def paused(*args: P.args, **kwargs: P.kwargs) -> T:
            self._pause()
            try:
                return await ask(*args, **kwargs)
            finally:
                self._asking -= 1
                self._continue()

        return paused

    def _pause(self) -> None:
        # several calls of an agent may ask at once: the time runs again when the last of them is answered
        self._asking += 1
        due = self._timeout.when()
        if due is not None and not self._timeout.expired():
            self._left_s = max(0.0, due - asyncio.get_running_loop().time())
            self._timeout.reschedule(None)

    def _continue(self) -> None:
        if self._asking == 0 and self._left_s is not None and not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time() + self._left_s)
