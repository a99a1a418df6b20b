"""Notifications while another window is active, and the way back. The bus is real, the service is the test's."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from core.domain.run import Run, RunStatus
from core.domain.settings import NotifyLevel
from core.services.outcome import Ok
from core.stores import notifications
from desktop.settings.general.setting_pages import NotificationsPage
from desktop.settings.parts.page import PageId
from desktop.settings.sources.notifier import NotificationChannel
from desktop.widgets import ChoiceCard
from desktop.window.frame.notifications import one_line
from tests.gui.window.rig import App, an_app
from tests.support.notification_service import HAS_DBUS, NotificationService, Shown, a_bus
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
ASKS = {**tool_step("ask", "calculator", expression="1"), "interrupt": {"kind": "approval", "prompt": "Shall I <b>?"}}
needs_dbus = pytest.mark.skipif(not HAS_DBUS, reason="needs dbus-daemon")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "GROUPING_S", 0.05)


@pytest.fixture
async def service(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[NotificationService]:
    async with a_bus() as address, NotificationService(address) as service:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield service


async def look_elsewhere(app: App, until: Until) -> QWidget:
    """Activate another window."""
    other = QWidget()
    other.show()
    other.activateWindow()
    await until(lambda: not app.core.stores.notifications._is_present)
    return other


async def ended(app: App, run: Run) -> None:
    await app.core.engine.wait(run.id)


def told(service: NotificationService, title: str) -> list[Shown]:
    return [shown for shown in service.told if shown.title == title]


class Forward(QObject):
    """Counts whatever would bring the app to the front: windows that are shown, raised or activated."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (QEvent.Type.Show, QEvent.Type.ZOrderChange, QEvent.Type.WindowActivate)
        if event.type() in kinds and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(f"{type(watched).__name__} {event.type().name}")
        return False


@needs_dbus
async def test_the_desktop_shows_what_the_window_cannot_and_a_click_leads_to_it(
    tmp_path: Path, qapp: QApplication, until: Until, service: NotificationService
) -> None:
    async with an_app(tmp_path, qapp) as app:
        assert app.core.settings.current.notify is NotifyLevel.EVERYTHING
        await ended(app, await app.say("say 2 words"))
        await look_elsewhere(app, until)
        forward, focus = Forward(), QApplication.focusWidget()
        qapp.installEventFilter(forward)
        finished = await app.start("Alpha", tool_step("add", "calculator", expression="1+1"))
        await until(lambda: told(service, "Alpha"))
        asking = await app.start("Beta", ASKS)
        await until(lambda: told(service, "Beta"))
        failed = await app.start("Gamma", tool_step("bad", "calculator", expression="1/0"))
        await until(lambda: told(service, "Gamma"))
        stopped = await app.say("say 400 words 50")
        await app.core.engine.cancel(stopped.id)
        await asyncio.sleep(0.2)
        qapp.removeEventFilter(forward)
        assert (forward.seen, QApplication.focusWidget()) == ([], focus)
        assert [shown.title for shown in service.told] == ["Alpha", "Beta", "Gamma"]
        assert told(service, "Alpha")[0].body == "Finished"
        assert told(service, "Beta")[0].body == "Waiting for you: Shall I &lt;b&gt;?"
        assert told(service, "Gamma")[0].body.startswith("Failed: ")

        app.window.showMinimized()
        await service.click(told(service, "Alpha")[0].number, "token")
        await until(lambda: app.viewed == finished.workflow_id)
        assert not app.window.isMinimized()
        assert "XDG_ACTIVATION_TOKEN" not in os.environ
        assert len(service.seen) == 2
        await service.click(told(service, "Beta")[0].number)
        await until(lambda: app.viewed == asking.workflow_id and app.content.chat.card.isVisible())
        await until(lambda: app.content.chat.card.isAncestorOf(app.focused()))
        await until(lambda: app.core.stores.notifications._is_present)
        app.content.workflow_actions.show(failed.workflow_id)
        await until(lambda: not service.seen)


@needs_dbus
async def test_the_window_notifies_while_active_and_else_the_desktop_once(
    tmp_path: Path, qapp: QApplication, until: Until, service: NotificationService
) -> None:
    async with an_app(tmp_path, qapp) as app:
        other = await app.say("say 2 words")
        await ended(app, other)
        app.core.stores.toasts.clear()
        for is_shown in (True, False):
            run = await app.say("say 30 words 10")
            app.content.opener.open((run if is_shown else other).workflow_id)
            await ended(app, run)
            await until(
                lambda: (
                    [card.accessibleName() for card in app.content.toasts.cards] == ["Done. say 30 words 10. Finished"]
                )
            )
            app.core.stores.toasts.clear()
            await until(lambda: not app.content.toasts.cards)
        await asyncio.sleep(0.2)
        assert service.told == []
        app.window.showMinimized()
        await look_elsewhere(app, until)
        await ended(app, await app.say("say 30 words 11"))
        await until(lambda: service.told)
        stopped = await app.say("say 4000 words 20")
        await app.core.engine.cancel(stopped.id)
        await asyncio.sleep(0.3)
        assert [(shown.title, shown.body) for shown in service.told] == [("say 30 words 11", "Finished")]


@needs_dbus
async def test_sub_agents_never_ring_and_a_request_that_is_gone_takes_its_notification_along(
    tmp_path: Path, qapp: QApplication, until: Until, service: NotificationService
) -> None:
    tasks = {"tasks": [{"prompt": "say 2 words", "name": f"Agent {number}"} for number in range(3)]}
    at_once: dict[str, object] = {"call": "parallel_tasks", "arguments": tasks}
    alone: dict[str, object] = {"call": "spawn_agent", "arguments": {"prompt": "say 2 words"}}
    last: dict[str, object] = {"say": "All of them are done."}
    script = (at_once, at_once, at_once, alone, last)
    async with an_app(tmp_path, qapp) as app:
        await look_elsewhere(app, until)
        done = await app.core.engine.wait((await app.say("Ten of them", script=script)).id)
        await until(lambda: told(service, "Ten of them"))
        assert (done.status, told(service, "Ten of them")[0].body) == (RunStatus.SUCCESS, "Finished")
        asking = await app.start("Beta", ASKS)
        await until(lambda: told(service, "Beta"))
        assert [shown.title for shown in service.told] == ["Ten of them", "Beta"]
        shown_before = len(service.seen)
        await app.core.engine.cancel(asking.id)
        await until(lambda: len(service.seen) < shown_before)
        assert not any(toast.workflow_id == asking.workflow_id for toast in app.core.stores.toasts.visible)


@needs_dbus
async def test_several_lead_to_the_inbox_and_one_that_is_gone_to_words(
    tmp_path: Path, qapp: QApplication, until: Until, service: NotificationService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "GROUPING_S", 0.4)
    async with an_app(tmp_path, qapp) as app:
        other = await look_elsewhere(app, until)
        for count in (2, 3, 4):
            await app.say(f"say {count} words")
        await until(lambda: service.told)
        assert (service.told[0].title, len(service.told)) == ("3 workflows finished", 1)
        await service.click(1)
        await until(app.content.command_palette.isVisible)
        app.key(Qt.Key.Key_Escape)
        other.activateWindow()
        await until(lambda: not app.core.stores.notifications._is_present)
        last = await app.say("say 2 words")
        await until(lambda: len(service.told) == 2)
        (key,) = (notification.key for notification in app.core.stores.notifications.standing)
        assert isinstance(await app.core.workflows.delete(last.workflow_id), Ok)
        await until(lambda: not service.seen)
        app.content.notifier._on_activated(key, "")  # the click was on its way already
        await until(lambda: any(toast.code == "workflow_gone" for toast in app.core.stores.toasts.visible))


async def test_the_page_shows_once_that_they_are_not_shown_and_the_level_can_be_undone(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await until(lambda: app.content.notifier.channel is NotificationChannel.NONE)
        app.content.preferences.open_at(PageId.NOTIFICATIONS)
        (page,) = app.window.findChildren(NotificationsPage)
        assert "No notification service was found" in page._channel.text()
        page._test_button.click()
        await until(lambda: "Nobody showed it" in page._result.text())
        levels = [button for button in page.findChildren(ChoiceCard) if button.accessibleName() == "Questions"]
        levels[0].click()
        await until(lambda: app.core.settings.current.notify is NotifyLevel.QUESTIONS)
        assert not app.core.stores.toasts.visible
        page.window().activateWindow()
        await until(lambda: not app.window.isActiveWindow())
        assert app.core.stores.notifications._is_present  # in the settings, a person is with us


@pytest.mark.qt_log_ignore("systemTrayWindowChanged", extend=True)
async def test_without_a_service_the_tray_notifies_and_its_click_leads_there_too(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "supportsMessages", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _, title, text, _icon: told.append((title, text)))
    async with an_app(tmp_path, qapp) as app:
        await look_elsewhere(app, until)
        asking = await app.start("Beta", ASKS)
        await until(lambda: told)
        assert told == [("Beta", "Waiting for you: Shall I <b>?")]
        assert app.content.notifier.channel is NotificationChannel.TRAY
        app.content.tray._icon.messageClicked.emit()
        await until(lambda: app.viewed == asking.workflow_id)


def test_words_that_leave_the_window_are_short_plain_and_without_secrets() -> None:
    assert one_line("two\n\n lines\t\u202eand\u0007 more", 80) == "two lines ⟨U+202E⟩and⟨U+0007⟩ more"
    assert one_line("key sk-abcdefgh1234567890abcdefgh here", 80) == "key [secret-not-kept] here"
    assert one_line("x" * 5_000_000, 80) == "x" * 79 + "…"
    assert one_line("👩‍👩‍👧 e\u0301", 80) == "👩‍👩‍👧 e\u0301"
