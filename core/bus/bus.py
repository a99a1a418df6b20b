"""The bus: publishers and subscribers do not know each other, and cannot break each other.

It belongs to one loop and one thread. Messages are frozen objects, distinguished by class; events of runs also by the
class of their fact, since most subscribers need only a few facts, and a run emits thousands of others a second.
"""

import logging
from collections import deque
from collections.abc import Callable, Collection
from types import TracebackType
from typing import Any, TypeVar

from core.domain.events import Event, Fact

log = logging.getLogger(__name__)

M = TypeVar("M")


class Subscription:
    """A handle that its owner closes to unsubscribe. As a context manager it closes at the end of the block."""

    __slots__ = ("__weakref__", "_bus", "facts", "handler", "is_open", "kind")

    def __init__(
        self, bus: "Bus", kind: type[Any], handler: Callable[[Any], object], facts: Collection[type[Fact]] | None
    ) -> None:
        self.kind = kind
        self.handler = handler
        self.facts = facts
        self.is_open = True
        self._bus = bus

    def close(self) -> None:
        """Unsubscribe at once, even during a delivery. Closing again has no effect."""
        if self.is_open:
            self.is_open = False
            self._bus.remove(self)

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
        self._subscriptions: list[Subscription] = []
        # by the class of the message, or of its fact: who receives it, in the order of subscription
        self._routes: dict[type[Any], tuple[Subscription, ...]] = {}
        self._queue: deque[object] = deque()
        self._is_delivering = False

    def subscribe(
        self, kind: type[M], handler: Callable[[M], object], facts: Collection[type[Fact]] | None = None
    ) -> Subscription:
        """Call `handler` with each message of exactly this class from now on, and return the subscription.

        `facts` limits a subscription to Event to those with facts of exactly these classes. The bus keeps the handler
        alive until the subscription is closed.
        """
        subscription = Subscription(self, kind, handler, facts)
        self._subscriptions.append(subscription)
        self._routes.clear()
        return subscription

    def remove(self, subscription: Subscription) -> None:
        """Remove the subscription."""
        self._subscriptions.remove(subscription)
        self._routes.clear()

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
        topic = type(message.fact) if isinstance(message, Event) else type(message)
        route = self._routes.get(topic)
        if route is None:
            route = self._routes[topic] = self._route(type(message), topic)
        for subscription in route:
            # closed by an earlier handler of the same message
            if not subscription.is_open:
                continue
            try:
                subscription.handler(message)
            except Exception as error:  # noqa: BLE001  # whatever a subscriber does wrong is its own
                self._report(error)

    def _route(self, kind: type[object], topic: type[object]) -> tuple[Subscription, ...]:
        return tuple(
            subscription
            for subscription in self._subscriptions
            if subscription.kind is kind and (subscription.facts is None or topic in subscription.facts)
        )
