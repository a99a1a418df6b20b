"""The clock of tests, and the loop whose time jumps over waits (the model is trio's MockClock with autojump)."""

import asyncio
import selectors
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

T = TypeVar("T")

START = datetime(2026, 1, 1, tzinfo=UTC)


class Timer:
    """A callback that `FakeClock.advance` calls when it is due."""

    def __init__(self, due: float, callback: Callable[[], object]) -> None:
        self.due = due
        self.callback = callback
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class FakeClock:
    """A `core.ports.clock.Clock` that a test moves.

    With a `loop` its durations are those of the loop, which jump if it is an AutojumpLoop. Without, they stand still
    until `advance`, except for `tick_s` at each reading; a sleep then returns at the next turn of the loop, after it
    has moved the clock, or, with `is_sleep_real`, takes its time and leaves the clock alone.
    """

    def __init__(
        self,
        start: datetime = START,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        tick_s: float = 0.0,
        is_sleep_real: bool = False,
    ) -> None:
        self.slept: list[float] = []
        self._loop = loop
        self._tick_s = tick_s
        self._is_sleep_real = is_sleep_real
        self._elapsed_s = 1000.0  # not 0, as no machine's clock reads 0
        self._start = start - timedelta(seconds=loop.time() if loop else self._elapsed_s)
        self._timers: list[Timer] = []

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        if self._loop is not None:
            return self._loop.time()
        self._elapsed_s += self._tick_s
        return self._elapsed_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if self._loop is not None or self._is_sleep_real:
            await asyncio.sleep(seconds)
        else:
            self.advance(seconds)
            await asyncio.sleep(0)

    def jump(self, seconds: float) -> None:
        """Set the wall clock forward or back; durations are not affected."""
        self._start += timedelta(seconds=seconds)

    def advance_to(self, moment: datetime) -> None:
        """Advance to a moment, unless it has passed."""
        self._elapsed_s = max(self._elapsed_s, (moment - self._start).total_seconds())

    # Timers

    def call_later(self, delay_s: float, callback: Callable[[], object]) -> Timer:
        timer = Timer(self._elapsed_s + delay_s, callback)
        self._timers.append(timer)
        return timer

    @property
    def timers(self) -> int:
        """The number of timers that are set."""
        return sum(not timer.is_cancelled for timer in self._timers)

    def advance(self, seconds: float) -> None:
        """Let time pass, and call each timer at its moment."""
        end = self._elapsed_s + seconds
        while True:
            self._timers = [timer for timer in self._timers if not timer.is_cancelled]
            due = min((timer for timer in self._timers if timer.due <= end), key=lambda timer: timer.due, default=None)
            if due is None:
                break
            self._timers.remove(due)
            self._elapsed_s = max(self._elapsed_s, due.due)
            due.callback()
        self._elapsed_s = end


def loop_clock() -> FakeClock:
    """Return a clock of the running loop, if there is one, whose wall clock begins at the present time."""
    return FakeClock(datetime.now(UTC), loop=asyncio._get_running_loop())


class AutojumpLoop(asyncio.SelectorEventLoop):
    """A plain loop with threads, sockets and processes, whose time goes on to the next timer when nothing is ready.

    So sleeps and time limits cost a test nothing, and hold at any load of the machine. Time does not jump while a
    thread of the executor is at work, a socket is open or a child process alive, since each may end a wait. Threads of
    libraries cannot be seen: tests that wait for the database are marked `real_time`.
    """

    def __init__(self) -> None:
        super().__init__(_JumpingSelector(self))
        self.busy_threads = 0
        self.jumped_s = 0.0

    def time(self) -> float:
        return super().time() + self.jumped_s

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        future: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        self.busy_threads += 1
        future.add_done_callback(self._on_thread_done)
        return future

    def _on_thread_done(self, _future: object) -> None:
        self.busy_threads -= 1


class _JumpingSelector(selectors.DefaultSelector):
    """Polls instead of waiting for a timer."""

    def __init__(self, loop: AutojumpLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if not timeout or timeout < 0 or self._may_be_woken():
            return super().select(timeout)
        events = super().select(0)
        if not events:
            self._loop.jumped_s += timeout
        return events

    def _may_be_woken(self) -> bool:
        if self._loop.busy_threads or len(self.get_map()) > 1:  # more than the loop's own wake-up pipe
            return True
        return any(thread.name.startswith("asyncio-waitpid") for thread in threading.enumerate())
