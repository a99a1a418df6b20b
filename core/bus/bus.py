"""The bus: who publishes does not know who listens, and nobody can harm the others.

It belongs to one loop and one thread. Messages are frozen objects, told apart by their class.
"""

import logging
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

log = logging.getLogger(__name__)

M = TypeVar("M")


class Subscription:
    """What its owner closes to hear no more. As a context manager it closes at the end of the block."""

    def __init__(self, bus: "Bus", kind: type[Any], handler: Callable[[Any], object]) -> None:
        self.kind = kind
        self.handler = handler
        self._bus: Bus | None = bus

    @property
    def is_open(self) -> bool:
        return self._bus is not None

    def close(self) -> None:
        """Hear nothing from now on, the message being delivered included. Closing again has no effect."""
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

    A message published during a delivery follows after it, so every subscriber sees one order.
    `report` is told of a subscriber's error; the other subscribers and the publisher are not.
    """

    def __init__(self, report: Callable[[Exception], None] = _log_error) -> None:
        self._report = report
        self._subscriptions: dict[type[Any], tuple[Subscription, ...]] = {}
        self._queue: deque[object] = deque()
        self._is_delivering = False

    def subscribe(self, kind: type[M], handler: Callable[[M], object]) -> Subscription:
        """Have `handler` called with each message of exactly this class that is delivered from now on.

        The bus keeps the handler alive until the subscription is closed.
        """
        subscription = Subscription(self, kind, handler)
        self._subscriptions[kind] = (*self._subscriptions.get(kind, ()), subscription)
        return subscription

    def remove(self, subscription: Subscription) -> None:
        others = tuple(other for other in self._subscriptions[subscription.kind] if other is not subscription)
        self._subscriptions[subscription.kind] = others

    def publish(self, message: object) -> None:
        """Deliver the message. When this returns outside a delivery, all have seen it and what followed from it."""
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
            if not subscription.is_open:
                continue
            try:
                subscription.handler(message)
            except Exception as error:  # noqa: BLE001  # whatever a subscriber does wrong is its own
                self._report(error)
