"""Reports periodically that nothing has arrived yet, for the user's view and the run's no-progress limit."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Literal, Self

from core.ports.clock import Clock
from core.ports.model import WaitStatus

# Less than the smallest no-progress limit of a run (settings: 10 s).
REPORT_INTERVAL_S = 5.0


class WaitReporter:
    """A context in which the callback is called repeatedly during every pause longer than `every_s`."""

    def __init__(
        self, clock: Clock, callback: Callable[[WaitStatus], None], every_s: float = REPORT_INTERVAL_S
    ) -> None:
        self._clock = clock
        self._callback = callback
        self._every_s = every_s
        self._timer: asyncio.TimerHandle | None = None
        self._since = 0.0
        self._status: WaitStatus = WaitStatus("answer", 0.0, 0.0)

    def __enter__(self) -> Self:
        self._schedule(self._every_s)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def begin(
        self, reason: Literal["answer", "retry"], limit_s: float, attempt: int, message: str | None = None
    ) -> None:
        """Set what is awaited from now on."""
        self._status = WaitStatus(reason, 0.0, limit_s, attempt, message)
        self.reset()

    def report_now(self) -> None:
        """Report immediately."""
        self._report(self._clock.monotonic() - self._since)

    def reset(self) -> None:
        """Restart the pause: something arrived."""
        self._since = self._clock.monotonic()

    def _schedule(self, delay_s: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._check)

    def _check(self) -> None:
        waited_s = self._clock.monotonic() - self._since
        remaining_s = self._every_s - waited_s
        if remaining_s <= 0.01:
            self._report(waited_s)
            remaining_s = self._every_s
        self._schedule(remaining_s)

    def _report(self, waited_s: float) -> None:
        status = self._status
        self._callback(WaitStatus(status.reason, waited_s, status.limit_s, status.attempt, status.message))
