"""The time that a run may use: its deadline in active time, and how long it may go without progress (ENGINE §7).

Durations are monotonic: a jump of the wall clock neither fires nor loses one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from core.domain.run import ErrorInfo, StepKey
from core.errors import StepFailed


class RunLimits:
    """`active_s` is the active time so far; `quiet_s` how long nothing of the run and of those below it was told,
    0 while something in flight will end by itself; `overdue` ends the run."""

    def __init__(
        self,
        timeout_ms: int | None,
        no_progress_s: float,
        active_s: Callable[[], float],
        quiet_s: Callable[[], float],
        overdue: Callable[[ErrorInfo], None],
    ) -> None:
        self._timeout_s = timeout_ms / 1000 if timeout_ms is not None else None
        self._no_progress_s = no_progress_s
        self._active_s = active_s
        self._quiet_s = quiet_s
        self._overdue = overdue
        self._deadline: asyncio.TimerHandle | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._unbounded: set[StepKey] = set()

    def time_left_s(self) -> float | None:
        """What the run may still use, None without a deadline."""
        return None if self._timeout_s is None else max(0.0, self._timeout_s - self._active_s())

    def go_on(self) -> None:
        """The run is active from now on."""
        left_s = self.time_left_s()
        if left_s is not None:
            self._deadline = asyncio.get_running_loop().call_later(left_s, self._is_over)
        self._be_patient()

    def stand_still(self) -> None:
        """The run waits for a person, or is over."""
        for timer in (self._deadline, self._patience):
            if timer is not None:
                timer.cancel()
        self._deadline = self._patience = None

    def watch_progress(self, key: StepKey) -> None:
        """That call may go on for ever: it has no time limit."""
        self._unbounded.add(key)
        if self._patience is None:
            self._be_patient()

    def ended(self, key: StepKey) -> None:
        """That call has ended."""
        self._unbounded.discard(key)

    def _be_patient(self, for_s: float | None = None) -> None:
        if self._unbounded:
            delay_s = self._no_progress_s if for_s is None else for_s
            self._patience = asyncio.get_running_loop().call_later(delay_s, self._look)

    def _look(self) -> None:
        self._patience = None
        quiet_s = self._quiet_s()
        if self._unbounded and quiet_s >= self._no_progress_s:
            message = f"nothing has happened for {self._no_progress_s:g} s"
            self._overdue(ErrorInfo("no_progress", message, failed_during="engine"))
        else:
            self._be_patient(max(0.01, self._no_progress_s - quiet_s))

    def _is_over(self) -> None:
        self._deadline = None
        left_s = self.time_left_s() or 0.0
        if left_s > 0:  # a timer may come early by a tick
            self._deadline = asyncio.get_running_loop().call_later(left_s, self._is_over)
            return
        message = f"the run was active for longer than its {self._timeout_s:g} s"
        self._overdue(ErrorInfo("deadline_exceeded", message, failed_during="engine"))


P = ParamSpec("P")
T = TypeVar("T")


class PausableTimeout:
    """For one piece of work. `limit_s` None is no limit; `what` names the work in the error."""

    def __init__(self, limit_s: float | None, what: str) -> None:
        self._limit_s = limit_s
        self._what = what
        self._left_s = limit_s
        self._asking = 0
        self._timeout = asyncio.timeout(None)

    async def over(self, work: Awaitable[T]) -> T:
        """The result of the work. After the limit it is cancelled and has ended; raises StepFailed `timeout` then."""
        try:
            async with self._timeout:
                self._go_on()
                try:
                    return await work
                finally:
                    self._left_s = None
        except TimeoutError:
            if not self._timeout.expired():
                raise
            message = f"{self._what} did not end within {self._limit_s:g} s"
            raise StepFailed("timeout", message, timeout_s=self._limit_s) from None

    def standing_still(self, ask: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        """The same, without its time being counted."""

        async def asking(*args: P.args, **kwargs: P.kwargs) -> T:
            self._stand_still()
            try:
                return await ask(*args, **kwargs)
            finally:
                self._asking -= 1
                self._go_on()

        return asking

    def _stand_still(self) -> None:
        self._asking += 1
        due = self._timeout.when()
        if due is not None and not self._timeout.expired():
            self._left_s = max(0.0, due - asyncio.get_running_loop().time())
            self._timeout.reschedule(None)

    def _go_on(self) -> None:
        if self._asking == 0 and self._left_s is not None and not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time() + self._left_s)
