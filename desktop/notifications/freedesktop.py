"""The notification service of a Linux desktop: `org.freedesktop.Notifications` on D-Bus.

https://specifications.freedesktop.org/notification-spec/1.3/ defines the calls and the signals. A service that is
missing, dies, restarts or does not respond costs its notifications, never more: they go to `on_undelivered`.
"""

import asyncio
import html
import logging
from collections.abc import Callable
from typing import Any

from jeepney import DBusAddress, MatchRule

from core.ports import Clock
from desktop.notifications import DesktopNotification
from desktop.notifications.session_bus import BusFailed, BusRefused, SessionBus, open_bus

log = logging.getLogger(__name__)

NAME = "org.freedesktop.Notifications"
_SERVICE = DBusAddress("/org/freedesktop/Notifications", bus_name=NAME, interface=NAME)
_SIGNALS = MatchRule(type="signal", sender=NAME, interface=NAME, path="/org/freedesktop/Notifications")
_BUS = "org.freedesktop.DBus"
_OWNERS = MatchRule(type="signal", sender=_BUS, interface=_BUS, member="NameOwnerChanged")
_OWNERS.add_arg_condition(0, NAME)

RETRY_S = 30.0
"""The pause after a failure."""

MAX_REMEMBERED = 200
"""How many notifications are remembered for later clicks."""

CLOSE_TIMEOUT_S = 0.3
_DISMISSED_BY_USER = 2  # why a notification was closed, in the specification


class FreedesktopNotifier:
    """Shows notifications while `run` is running.

    `on_activated(key, token)` is called on a click, with the token that lets a window come to the front on Wayland, or
    ""; `on_dismissed(key)` when the user dismissed a notification; `on_shown(key)` when the service accepted it,
    `on_undelivered(key, message)` when it was not shown; `on_changed()` when the service came, went, or changed its
    capabilities.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        on_activated: Callable[[str, str], object],
        on_dismissed: Callable[[str], object],
        on_shown: Callable[[str], object],
        on_undelivered: Callable[[str, DesktopNotification], object],
        on_changed: Callable[[], object],
    ) -> None:
        self._clock = clock
        self._on_activated = on_activated
        self._on_dismissed = on_dismissed
        self._on_shown = on_shown
        self._on_undelivered = on_undelivered
        self._on_changed = on_changed
        self._pending: dict[str, DesktopNotification | None] = {}
        self._wake = asyncio.Event()
        self._ids: dict[str, int] = {}
        self._keys: dict[int, str] = {}
        self._tokens: dict[int, str] = {}
        self._owner = ""
        self._failed_at: float | None = None
        self.is_available: bool | None = None
        """Whether there is a service; None before that is known."""
        self.capabilities: frozenset[str] = frozenset()
        """What the service can do, by the names of the specification."""

    def show(self, key: str, message: DesktopNotification) -> None:
        """Show a notification, replacing the visible notification with this key."""
        self._pending[key] = message
        self._wake.set()

    def hurry(self) -> None:
        """Retry a failed service at once: the user has looked into it."""
        self._failed_at = None

    def close(self, key: str) -> None:
        """Close the notification, if it is still visible."""
        if key in self._pending or key in self._ids:
            self._pending[key] = None
            self._wake.set()

    async def run(self) -> None:
        """Serve until cancelled; then close all visible notifications."""
        while True:
            try:
                async with open_bus(self._on_signal, self._wake.set) as bus:
                    await self._connect(bus)
                    await self._serve(bus)
            except BusFailed as error:
                self._fail(error)
            await self._wait_to_retry()

    # A connection

    async def _connect(self, bus: SessionBus) -> None:
        await bus.listen(_SIGNALS)
        await bus.listen(_OWNERS)
        capabilities = (await bus.call(_SERVICE, "GetCapabilities"))[0]  # starts the service where the bus knows how
        self._owner = await bus.owner_of(NAME)
        self._set_state(is_available=True, capabilities=frozenset(map(str, capabilities)))

    async def _serve(self, bus: SessionBus) -> None:
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                if bus.has_ended:
                    raise BusFailed("the connection is gone")
                if not self._owner and self._pending:  # the service has gone; the bus may start another
                    await self._connect(bus)
                while self._pending:
                    key = next(iter(self._pending))
                    await self._send(bus, key, self._pending[key])
        except asyncio.CancelledError:
            await self._close_all(bus)
            raise

    async def _send(self, bus: SessionBus, key: str, message: DesktopNotification | None) -> None:
        """Send a notification or its removal; a later request for the same key is sent afterwards."""
        id_ = self._ids.get(key, 0)
        try:
            if message is not None:
                (notification_id,) = await bus.call(_SERVICE, "Notify", "susssasa{sv}i", *self._arguments(id_, message))
                self._remember(key, int(notification_id))
                self._on_shown(key)
            elif id_:
                self._ids.pop(key, None)
                await bus.call(_SERVICE, "CloseNotification", "u", id_)
        except BusRefused as error:  # it has gone already, or there are too many
            log.info("the notification service refused: %s", error)
            if message is not None:
                self._on_undelivered(key, message)
        if self._pending.get(key) is message:
            self._pending.pop(key, None)

    def _arguments(self, id_: int, message: DesktopNotification) -> tuple[Any, ...]:
        has_body = "body" in self.capabilities
        body = html.escape(message.body, quote=False) if "body-markup" in self.capabilities else message.body
        title = message.title if has_body or not message.body else f"{message.title}: {message.body}"
        actions = ["default", message.open_words] if "actions" in self.capabilities else []
        hints: dict[str, tuple[str, Any]] = {"desktop-entry": ("s", "metier"), "urgency": ("y", 1)}
        if message.is_quiet:
            hints["suppress-sound"] = ("b", True)
        return "Metier", id_, "metier", title, body if has_body else "", actions, hints, -1

    def _remember(self, key: str, id_: int) -> None:
        self._ids[key] = id_
        self._keys.pop(id_, None)
        self._keys[id_] = key
        for oldest in list(self._keys)[:-MAX_REMEMBERED]:
            del self._keys[oldest]

    async def _close_all(self, bus: SessionBus) -> None:
        """Close visible notifications, which would lead nowhere. There is no time to wait long for that."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                for id_ in list(self._ids.values()):
                    await bus.call(_SERVICE, "CloseNotification", "u", id_)
        except (BusFailed, TimeoutError) as error:
            log.info("notifications stay open: %s", error)

    # Signals

    def _on_signal(self, sender: str, name: str, values: tuple[Any, ...]) -> None:
        match name, values:
            case "NameOwnerChanged", (str(), str(), str(owner)) if sender == _BUS:
                self._on_owner(owner)
            case "ActivationToken", (int(id_), str(token)) if sender == self._owner and id_ in self._keys:
                self._tokens[id_] = token
            case "ActionInvoked", (int(id_), str()) if sender == self._owner and id_ in self._keys:
                self._on_activated(self._keys[id_], self._tokens.pop(id_, ""))
            case "NotificationClosed", (int(id_), int(reason)) if sender == self._owner:
                self._on_closed(id_, reason)

    def _on_closed(self, id_: int, reason: int) -> None:
        key = self._keys.get(id_)
        if key is not None and self._ids.get(key) == id_:
            del self._ids[key]
            if reason == _DISMISSED_BY_USER:
                self._on_dismissed(key)

    def _on_owner(self, owner: str) -> None:
        """Forget the notifications of the previous service: a new service does not have them."""
        if owner != self._owner:
            self._forget()
            self._set_state(is_available=bool(owner), capabilities=self.capabilities if owner else frozenset())

    # Failures

    def _fail(self, error: BusFailed) -> None:
        log.info("no notification service: %s", error)
        self._failed_at = self._clock.monotonic()
        self._forget()
        self._set_state(is_available=False, capabilities=frozenset())
        self._drop_pending()

    def _forget(self) -> None:
        self._owner = ""
        self._ids.clear()
        self._keys.clear()
        self._tokens.clear()

    def _drop_pending(self) -> None:
        pending, self._pending = self._pending, {}
        self._wake.clear()
        for key, message in pending.items():
            if message is not None:
                self._on_undelivered(key, message)

    async def _wait_to_retry(self) -> None:
        """Wait for the next notification after the retry pause; notifications during the pause are undelivered."""
        while True:
            await self._wake.wait()
            if self._failed_at is None or self._clock.monotonic() - self._failed_at >= RETRY_S:
                return
            self._drop_pending()

    def _set_state(self, *, is_available: bool, capabilities: frozenset[str]) -> None:
        if (is_available, capabilities) != (self.is_available, self.capabilities):
            self.is_available, self.capabilities = is_available, capabilities
            self._on_changed()
