"""What stores share: subscriptions, a timer for deadlines, and signals whose listeners cannot break them."""

import logging
from collections.abc import Callable, Collection
from contextlib import ExitStack
from typing import Any, Protocol, TypeVar

from psygnal import EmitLoopError, SignalInstance

from core.bus import Bus
from core.domain.events import Fact
from core.ports import Clock

M = TypeVar("M")

log = logging.getLogger(__name__)


class Timer(Protocol):
    """A pending call, such as an `asyncio.TimerHandle`."""

    def cancel(self) -> None: ...


CallLater = Callable[[float, Callable[[], None]], Timer]
"""`call_later(delay_s, callback)`, such as that of an event loop."""


class Alarm:
    """A single timer for all deadlines of a store; it calls `ring` at the earliest. Times are monotonic seconds."""

    def __init__(self, clock: Clock, call_later: CallLater, ring: Callable[[float], object]) -> None:
        self._clock = clock
        self._call_later = call_later
        self._ring = ring
        self._at: float | None = None
        self._timer: Timer | None = None

    def set(self, at: float | None) -> None:
        """Ring once, at this time instead of any other; None cancels."""
        if at == self._at:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._at = at
        if at is not None:
            self._timer = self._call_later(max(0.0, at - self._clock.monotonic()), self._due)

    def _due(self) -> None:
        at, self._at, self._timer = self._at, None, None
        now = self._clock.monotonic()
        self._ring(now if at is None else max(at, now))  # a timer may be early by a rounding error


class Store:
    """The base of stores: owns what a store listens to, until it is closed."""

    def __init__(self) -> None:
        self._resources = ExitStack()

    def close(self) -> None:
        """Close subscriptions, connections and timers."""
        self._resources.close()

    def _subscribe(
        self, bus: Bus, message: type[M], handler: Callable[[M], object], facts: Collection[type[Fact]] | None = None
    ) -> None:
        self._resources.callback(bus.subscribe(message, handler, facts).close)

    def _connect(self, signal: SignalInstance, handler: Callable[..., Any]) -> None:
        signal.connect(handler)
        self._resources.callback(signal.disconnect, handler, missing_ok=True)

    def _make_alarm(self, clock: Clock, call_later: CallLater, ring: Callable[[float], object]) -> Alarm:
        alarm = Alarm(clock, call_later, ring)
        # a timer would keep the store alive, and ring after it is closed
        self._resources.callback(alarm.set, None)
        return alarm


def emit(signal: SignalInstance, *values: object) -> None:
    """Emit the signal. An exception of a listener is logged and never reaches the code that changed the store.

    Listeners that are bound methods are held weakly. Listeners behind a failing listener miss this emission.
    """
    if not signal:  # nobody listens: to find that out, `emit` takes five times as long
        return
    try:
        signal.emit(*values)
    except EmitLoopError:
        log.exception("a listener of %s failed", signal.name)
