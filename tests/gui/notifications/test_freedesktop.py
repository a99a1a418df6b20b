"""The notification service of a Linux desktop: a real bus, and a service of ours at its far end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from desktop.notifications import DesktopNotification, session_bus
from desktop.notifications.freedesktop import FreedesktopNotifier
from tests.support.clock import FakeClock
from tests.support.notification_service import HAS_DBUS, NotificationService, a_bus

pytestmark = pytest.mark.skipif(not HAS_DBUS, reason="needs dbus-daemon")

Until = Callable[..., Awaitable[None]]
ASKS = DesktopNotification("A <b>title</b>", "Which & <img src=x>?", "Open")


class Told:
    """A client at work, and its callbacks."""

    def __init__(self) -> None:
        self.time = FakeClock()
        self.heard: list[tuple[str, ...]] = []
        self.client = FreedesktopNotifier(
            self.time,
            on_activated=lambda key, token: self.heard.append(("activated", key, token)),
            on_dismissed=lambda key: self.heard.append(("dismissed", key)),
            on_shown=lambda key: None,
            on_undelivered=lambda key, message: self.heard.append(("undelivered", key, message.title)),
            on_changed=lambda: None,
        )


@asynccontextmanager
async def at_work(told: Told) -> AsyncIterator[FreedesktopNotifier]:
    running = asyncio.create_task(told.client.run())
    try:
        yield told.client
    finally:
        running.cancel()
        await asyncio.wait((running,))
        assert running.cancelled()


@pytest.fixture
async def bus(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    async with a_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address


@pytest.fixture
def told() -> Told:
    return Told()


async def test_it_is_shown_replaced_clicked_and_taken_away(bus: str, told: Told, until: Until) -> None:
    async with NotificationService(bus) as service:
        async with at_work(told) as client:
            client.show("a", ASKS)
            await until(lambda: service.seen)
            (first,) = service.told
            assert (first.title, first.body) == ("A <b>title</b>", "Which &amp; &lt;img src=x&gt;?")
            assert first.actions == ("default", "Open")
            assert first.hints["desktop-entry"] == "metier"
            client.show("a", DesktopNotification("Newer", "", "Open", is_quiet=True))
            await until(lambda: len(service.told) == 2)
            assert (service.told[1].replaces, service.told[1].hints["suppress-sound"]) == (first.number, True)
            await service.click(first.number, "token-1")
            await until(lambda: told.heard)
            client.show("b", ASKS)
            await until(lambda: len(service.told) == 3)
            client.close("b")
            client.close("b")
            await until(lambda: not service.seen)
            client.show("c", ASKS)
            await until(lambda: service.seen)
            await service.dismiss(service.told[-1].number)
            await until(lambda: len(told.heard) == 3)
            client.show("left", ASKS)
            await until(lambda: service.seen)
        await until(lambda: not service.seen)  # the service is asked, and takes it away a moment later
    assert told.heard == [("activated", "a", "token-1"), ("dismissed", "a"), ("dismissed", "c")]
    assert service.seen == {}


async def test_a_service_with_few_abilities_gets_what_it_can_show(bus: str, told: Told, until: Until) -> None:
    async with NotificationService(bus, ()) as service, at_work(told) as client:
        client.show("a", ASKS)
        await until(lambda: service.told)
        assert (service.told[0].title, service.told[0].body) == (f"{ASKS.title}: {ASKS.body}", "")
        assert service.told[0].actions == ()
    async with NotificationService(bus, ("body",)) as plain, at_work(told) as client:
        client.show("a", ASKS)
        await until(lambda: plain.told)
        assert plain.told[0].body == ASKS.body


async def test_a_restarted_service_is_connected_again_and_a_click_on_an_old_id_is_ignored(
    bus: str, told: Told, until: Until
) -> None:
    async with at_work(told) as client:
        async with NotificationService(bus) as service:
            client.show("a", ASKS)
            await until(lambda: service.told)
        await until(lambda: client.is_available is False)
        async with NotificationService(bus) as other:
            await until(lambda: client.is_available)
            other.seen[1] = service.told[0]
            await other.click(1)
            client.show("b", ASKS)
            await until(lambda: other.told)
            assert other.told[0].replaces == 0
            assert told.heard == []


async def test_what_is_not_shown_is_reported_and_a_silent_service_stops_nothing(
    bus: str, told: Told, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_bus, "REPLY_TIMEOUT_S", 0.1)
    async with at_work(told) as client:
        await until(lambda: client.is_available is False)
        client.show("none", ASKS)
        await until(lambda: told.heard)
        async with NotificationService(bus) as service:
            told.time.advance(60)
            client.show("shown", ASKS)
            await until(lambda: service.told)
            service.refuses = True
            client.show("refused", ASKS)
            await until(lambda: len(told.heard) == 2)
            service.refuses, service.is_silent = False, True
            client.show("silent", ASKS)
            client.show("behind", ASKS)
            await until(lambda: len(told.heard) == 4)
    assert [key for _, key, _ in told.heard] == ["none", "refused", "silent", "behind"]


async def test_a_service_that_hangs_does_not_hold_up_the_end(
    told: Told, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        async with NotificationService(address) as service, at_work(told) as client:
            client.show("a", ASKS)
            await until(lambda: service.told)
            service.is_silent = True
            began = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began < 2
        assert service.seen


async def test_without_a_bus_or_when_it_dies_it_is_reported_too(
    told: Told, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "")
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    async with at_work(told) as client:
        await until(lambda: client.is_available is False)
        async with a_bus() as address:
            monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
            async with NotificationService(address) as service:
                told.time.advance(60)
                client.show("a", ASKS)
                await until(lambda: service.told)
        await until(lambda: client.is_available is False)
        told.time.advance(60)
        client.show("b", ASKS)
        await until(lambda: told.heard)
        told.time.advance(60)
        for address in ("", "unix:path=/nowhere", "tcp:host=x", "nonsense"):
            monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
            client.show(address, ASKS)
            await until(lambda: not client._pending)
            told.time.advance(60)
    assert [key for _, key, _ in told.heard] == ["b", "", "unix:path=/nowhere", "tcp:host=x", "nonsense"]
