"""The window reminds the user of an open question, as the setting says."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton

from core.app import Core
from core.domain.toast import ToastType
from core.stores.notifications import GROUPING_S, Notification
from core.threads.system_clock import SystemClock
from desktop.attention.time_left import TimeLeft
from desktop.settings.parts.page import PageId
from desktop.toasts.card import ToastCard
from desktop.toasts.toast_strings import toast_text
from desktop.translation import Language
from tests.gui.window.rig import App, an_app
from tests.gui.window.settings_rig import control, notice, settings, undo
from tests.gui.window.test_attention import asking, card_of, section, take_card, view, waits
from tests.support.in_memory.storage import InMemoryStorage

Until = Callable[..., Awaitable[None]]


@pytest.fixture
def pass_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[App, float], None]:
    """Advance the clock by so many minutes and activate the window."""
    now, passed = SystemClock.now, [timedelta(0)]
    monkeypatch.setattr(SystemClock, "now", lambda clock: now(clock) + passed[0])

    def wait(app: App, minutes: float) -> None:
        passed[0] += timedelta(minutes=minutes)
        app.core.stores.reminders.check()

    return wait


def reminders(app: App) -> list[tuple[str, str]]:
    """Return titles and texts of the stacked reminders."""
    told = [toast for toast in app.core.stores.toasts.visible if toast.code == "question_reminder"]
    return [(toast_text(each).title, toast_text(each).message) for each in told]


def ending(app: App) -> list[tuple[str, str]]:
    """Return titles and texts of the reminders of an end."""
    shown = [toast for toast in app.core.stores.toasts.visible if toast.code == "question_ending"]
    return [(toast_text(each).title, toast_text(each).message) for each in shown]


def told(core: Core) -> list[Notification]:
    """What the desktop is given from now on."""
    given: list[Notification] = []

    def take(notification: Notification) -> None:
        given.append(notification)

    core.stores.notifications.shown.connect(take)
    return given


async def reminder_card(app: App, until: Until) -> ToastCard:
    def found() -> list[ToastCard]:
        return [card for card in app.content.toasts.cards if card.toast.code == "question_reminder"]

    await until(found)
    return found()[0]


async def ask(app: App, question: str) -> str:
    run = await app.say(f'/tool ask_user {{"question": "{question}"}}')
    await waits(app, run)
    return run.workflow_id


async def test_a_question_without_a_limit_is_repeated_until_it_is_answered(
    tmp_path: Path, qapp: QApplication, until: Until, pass_time: Callable[[App, float], None]
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say('/tool ask_user {"question": "Which colour?"}')
        await waits(app, run)
        pass_time(app, 29)
        assert reminders(app) == []
        pass_time(app, 2)
        (title, words) = reminders(app)[0]
        assert title.startswith("/tool ask_user")
        assert words.startswith("Waiting since ")
        assert words.endswith("Which colour?")
        assert len([toast for toast in app.core.stores.toasts.visible if toast.type is ToastType.USER_QUESTION]) == 1
        assert [badge for _, badge in section(app)] == [1]
        pass_time(app, 10)
        assert len(reminders(app)) == 1
        (await reminder_card(app, until)).take_focus()
        QTest.keyClick(app.focused(), Qt.Key.Key_Return)  # Go to workflow
        await until(lambda: card_of(app).has_focus)
        assert app.viewed == run.workflow_id
        assert reminders(app) == [], "the card is in front"
        await take_card(app)
        app.key(Qt.Key.Key_Escape)
        pass_time(app, 31)
        assert len(reminders(app)) == 1, "the card was put off"
        await take_card(app)
        assert reminders(app) == []
        QTest.keyClicks(app.focused(), "Blue")
        app.control(Qt.Key.Key_Return)
        await until(lambda: not section(app))
        assert reminders(app) == []


async def test_several_are_one_toast_that_leads_to_the_inbox(
    tmp_path: Path, qapp: QApplication, until: Until, pass_time: Callable[[App, float], None]
) -> None:
    async with an_app(tmp_path, qapp) as app:
        for question in ("One?", "Two?", "Three?"):
            await ask(app, question)
        pass_time(app, 31)
        ((title, names),) = reminders(app)
        assert title == "3 requests still wait for you"
        assert names.count("/tool ask_user") == 3
        card = await reminder_card(app, until)
        assert "Show all" in [button.text() for button in card.findChildren(QPushButton) if button.isVisible()]
        card.take_focus()
        QTest.keyClick(app.focused(), Qt.Key.Key_Return)
        await until(app.content.command_palette.isVisible)


async def test_an_open_card_is_not_reminded_of_but_a_postponed_one_is(
    tmp_path: Path, qapp: QApplication, pass_time: Callable[[App, float], None]
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say('/tool ask_user {"question": "Which colour?"}')
        await waits(app, run)
        await view(app, run)
        pass_time(app, 31)
        assert reminders(app) == []
        await take_card(app)
        app.key(Qt.Key.Key_Escape)
        assert card_of(app).is_folded
        pass_time(app, 25)
        assert reminders(app) == []
        pass_time(app, 40)
        assert len(reminders(app)) == 1


async def test_before_the_time_of_a_request_ends_there_is_one_reminder_unless_its_card_is_open(
    tmp_path: Path, qapp: QApplication, until: Until, pass_time: Callable[[App, float], None]
) -> None:
    async with an_app(tmp_path, qapp) as app:
        asked = [
            await app.start(title, asking("send", prompt=f"Send {title}?", timeoutMs=3_600_000)) for title in ("A", "B")
        ]
        for run in asked:
            await waits(app, run)
        await view(app, asked[0])
        pass_time(app, 44)
        assert ending(app) == []
        QApplication.sendEvent(app.window, QEvent(QEvent.Type.WindowDeactivate))
        app.core.stores.notifications.set_present(False)
        given = told(app.core)
        QApplication.sendEvent(app.window, QEvent(QEvent.Type.WindowActivate))
        pass_time(app, 2)
        ((title, words),) = ending(app)
        assert title == "B"
        assert words.startswith("Ends at ")
        assert words.endswith(", then it is rejected: Send B?")
        await until(lambda: given, GROUPING_S + 5)
        assert [(each.toasts[0].code, each.workflows) for each in given] == [
            ("question_ending", (asked[1].workflow_id,))
        ]
        pass_time(app, 5)
        assert len(ending(app)) == 1
        toast = next(each for each in app.core.stores.toasts.visible if each.code == "question_ending")
        app.session.translation.set_language(Language.FRENCH)
        assert toast_text(toast).message.endswith("puis la demande est refusée : Send B?".replace(" :", "\u00a0:"))
        late = replace(toast, created_at=datetime.fromisoformat(dict(toast.parameters)["ends_at"]))
        assert toast_text(late).message.startswith("Prend fin dans moins d’une minute")
        await app.core.engine.cancel(asked[1].id)
        await until(lambda: not ending(app))


async def test_in_another_program_the_desktop_notifies_unless_that_is_off(
    tmp_path: Path, qapp: QApplication, until: Until, pass_time: Callable[[App, float], None]
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await ask(app, "Which colour?")
        QApplication.sendEvent(app.window, QEvent(QEvent.Type.WindowDeactivate))
        app.core.stores.notifications.set_present(False)
        given = told(app.core)
        pass_time(app, 31)
        await until(lambda: given, GROUPING_S + 5)
        assert [each.toasts[0].code for each in given] == ["question_reminder"]
        QApplication.sendEvent(app.window, QEvent(QEvent.Type.WindowActivate))


async def test_the_setting_is_chosen_by_keys_and_can_be_undone(
    tmp_path: Path, qapp: QApplication, until: Until, pass_time: Callable[[App, float], None]
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await ask(app, "Which colour?")
        pass_time(app, 11)
        await settings(app, PageId.NOTIFICATIONS, until)
        box = control(app, "Remind me of an open question after")
        assert isinstance(box, QComboBox)
        assert box.currentText() == "30\N{NO-BREAK SPACE}min"
        box.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(box, Qt.Key.Key_Up)
        await until(lambda: app.core.settings.current.remind_after_min == 10)
        assert notice(app) == "Remind me of an open question after: 10\N{NO-BREAK SPACE}min"
        assert len(reminders(app)) == 1
        undo(app)
        await until(lambda: app.core.settings.current.remind_after_min == 30)


async def test_a_restart_makes_no_flood_and_leaves_the_deadline(
    tmp_path: Path, qapp: QApplication, until: Until, pass_time: Callable[[App, float], None]
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        timed = await app.say('/tool ask_user {"question": "Soon?", "timeout_seconds": 3600}')
        await waits(app, timed)
        for question in ("One?", "Two?"):
            await ask(app, question)
        (before,) = [each.expires_at for each in app.core.stores.questions.all if each.expires_at is not None]
        pass_time(app, 20)
    async with an_app(tmp_path, qapp, storage) as app:
        await until(lambda: len(section(app)) == 3)
        (after,) = [each.expires_at for each in app.core.stores.questions.all if each.expires_at is not None]
        assert after == before
        await view(app, timed)
        (left,) = card_of(app).findChildren(TimeLeft)
        assert left.text() == "40 minutes left, then it goes on without an answer."
        pass_time(app, 15)
        assert reminders(app) == []
        pass_time(app, 20)
        assert len(reminders(app)) == 1
        await asyncio.sleep(0)
