"""The bus: publishers and subscribers do not know each other, and cannot break each other.

It belongs to one loop and one thread. Messages are frozen objects, distinguished by class.
"""

import logging
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

log = logging.getLogger(__name__)

M = TypeVar("M")


class Subscription:
    """A handle that its owner closes to unsubscribe. As a context manager it closes at the end of the block."""

    def __init__(self, bus: "Bus", kind: type[Any], handler: Callable[[Any], object]) -> None:
        self.kind = kind
        self.handler = handler
        self._bus: Bus | None = bus

    @property
    def is_open(self) -> bool:
        """Whether messages are still delivered."""
        return self._bus is not None

    def close(self) -> None:
        """Unsubscribe at once, even during a delivery. Closing again has no effect."""
        if self._bus is not None:
            self._bus.remove(self)
            self._bus = None

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _log_error(error: Exception) -> None:
    log.error("a subscriber failed", exc_info=error)


class Bus:
    """Delivers each message to the subscribers of its class, at once and in the order of subscription.

    A message published during a delivery follows after it, so that every subscriber sees the same order. `report`
    receives exceptions of subscribers; other subscribers and the publisher do not.
    """

    def __init__(self, report: Callable[[Exception], None] = _log_error) -> None:
        self._report = report
        self._subscriptions: dict[type[Any], tuple[Subscription, ...]] = {}
        self._queue: deque[object] = deque()
        self._is_delivering = False

    def subscribe(self, kind: type[M], handler: Callable[[M], object]) -> Subscription:
        """Call `handler` with each message of exactly this class from now on, and return the subscription.

        The bus keeps the handler alive until the subscription is closed.
        """
        subscription = Subscription(self, kind, handler)
        self._subscriptions[kind] = (*self._subscriptions.get(kind, ()), subscription)
        return subscription

    def remove(self, subscription: Subscription) -> None:
        """Remove the subscription."""
        others = tuple(other for other in self._subscriptions[subscription.kind] if other is not subscription)
        self._subscriptions[subscription.kind] = others

    def publish(self, message: object) -> None:
        """Deliver the message. When this returns outside of a delivery, it and all messages that followed from it are
        delivered.
        """
        # queued even outside a delivery: handlers may publish, and all subscribers must see the same order
        self._queue.append(message)
        if self._is_delivering:
            return
        self._is_delivering = True
        try:
            while self._queue:
                self._deliver(self._queue.popleft())
        finally:
            self._is_delivering = False

    def _deliver(self, message: object) -> None:
        for subscription in self._subscriptions.get(type(message), ()):
            # closed by an earlier handler of the same message
            if not subscription.is_open:
                continue
            try:
                subscription.handler(message)
            except Exception as error:  # noqa: BLE001  # whatever a subscriber does wrong is its own
                self._report(error)
