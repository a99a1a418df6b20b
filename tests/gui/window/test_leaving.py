"""Closing the window: asked about while something is at work, and nothing is lost."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QSystemTrayIcon

from core.domain.template import ValidationMode
from desktop.aio import Tasks
from desktop.session import StateWriter
from desktop.window.frame.main_window import MainWindow
from desktop.window_state import read
from tests.gui.window.rig import App, an_app
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
ASKS = {**tool_step("ask", "calculator", expression="1"), "interrupt": {"kind": "approval"}}


def question(app: App) -> QMessageBox | None:
    boxes = app.window.findChildren(QMessageBox, "close_question")
    return next((box for box in boxes if box.isVisible()), None)


def press(app: App, name: str) -> None:
    box = question(app)
    assert box is not None
    button = box.findChild(QPushButton, name)
    assert button is not None
    button.click()


async def in_front(app: App, until: Until) -> None:
    """As a window manager brings it there."""
    app.window.activateWindow()
    await until(app.window.isActiveWindow)


def has_ended(app: App) -> bool:
    return app.session._end.is_set()


@pytest.fixture
def tray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)


async def test_with_nothing_at_work_it_closes_unasked(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.session._end = asyncio.Event()
        waits = await app.start("Publish", ASKS)  # it loses nothing: it waits on
        await app.core.engine.wait(waits.id)
        app.control(Qt.Key.Key_Q)
        assert has_ended(app)


@pytest.mark.usefixtures("tray")
@pytest.mark.qt_log_ignore("systemTrayWindowChanged", extend=True)  # the offscreen platform has no tray
async def test_whichever_way_one_closes_it_asks_once_and_staying_is_what_enter_and_esc_do(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.session._end = asyncio.Event()
        runs = [await app.say("say 4000 words 5") for _ in range(2)]
        await app.start("Publish", ASKS)
        await until(lambda: app.core.stores.questions.workflows)
        ways = {
            "the window's button": app.window.close,
            "Ctrl+Q": lambda: app.control(Qt.Key.Key_Q),
            "the tray": app.content.tray._quit.trigger,
        }
        for way, close in ways.items():
            for key in (Qt.Key.Key_Escape, Qt.Key.Key_Return):
                await in_front(app, until)
                close()
                first = question(app)
                assert first is not None, way
                assert first.text() == "2 workflows are at work. 1 waits for you."
                assert {button.text() for button in first.buttons()} == {"Keep running", "Stop and quit", "Stay"}
                app.content.quit_guard.ask()
                assert question(app) is first
                QTest.keyClick(first, key)
                await until(lambda: question(app) is None)
                assert not has_ended(app)
        assert app.core.stores.background.running_count == 3
        await in_front(app, until)
        app.control(Qt.Key.Key_Q)
        box = question(app)
        assert box is not None
        stop = next(button for button in box.buttons() if button.objectName() == "stop_and_quit")
        await until(box.isActiveWindow)
        for _ in range(3):
            if not stop.hasFocus():
                QTest.keyClick(QApplication.focusWidget() or box, Qt.Key.Key_Tab)
        QTest.keyClick(stop, Qt.Key.Key_Return)
        await until(lambda: has_ended(app))
        for run in runs:
            await app.core.engine.cancel(run.id)


async def test_without_a_tray_there_is_no_way_back_and_none_is_offered(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 400 words 5")
        app.control(Qt.Key.Key_Q)
        box = question(app)
        assert box is not None
        assert box.findChild(QPushButton, "keep_running") is None
        box.reject()
        await app.core.engine.cancel(run.id)


@pytest.mark.usefixtures("tray")
@pytest.mark.qt_log_ignore("systemTrayWindowChanged", extend=True)  # the offscreen platform has no tray
async def test_what_keeps_running_is_come_back_to_from_the_tray(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.session._end = asyncio.Event()
        run = await app.say("say 400 words 5")
        app.control(Qt.Key.Key_Q)
        press(app, "keep_running")
        assert not app.window.isVisible()
        assert not has_ended(app)
        assert app.core.engine.is_at_work
        await until(lambda: "1 workflow at work" in app.content.tray._icon.toolTip())
        app.content.tray._icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
        assert app.window.isVisible()
        await app.core.engine.cancel(run.id)


@pytest.mark.qt_log_ignore("systemTrayWindowChanged", extend=True)  # the offscreen platform has no tray
async def test_a_tray_that_comes_later_has_the_icon_and_one_that_goes_takes_the_app_with_its_last_run(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.session._end = asyncio.Event()
        run = await app.say("a long one", script=({"say": "a b c", "delay_ms": 120_000},))
        icon = app.content.tray._icon
        assert not icon.isVisible()
        monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
        app.control(Qt.Key.Key_Q)
        assert icon.isVisible()
        press(app, "keep_running")
        monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: False)
        assert not has_ended(app)
        await app.core.engine.cancel(run.id)
        await until(lambda: has_ended(app))


async def test_logging_out_asks_nothing(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.session._end = asyncio.Event()
        run = await app.say("say 400 words 5")
        app.session.end()
        assert question(app) is None
        assert has_ended(app)
        await app.core.engine.cancel(run.id)


async def test_an_end_while_the_session_begins_does_not_wait_for_that(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_: object) -> None:
        await asyncio.Event().wait()

    async with an_app(tmp_path, qapp) as app:
        app.session._end = asyncio.Event()
        monkeypatch.setattr(app.session, "_begin", hang)
        beginning = asyncio.create_task(app.session._begin_unless_ended(app.core, app.content))
        await asyncio.sleep(0)
        app.session.end()
        await asyncio.wait_for(beginning, 20)


async def test_how_the_window_was_left_comes_back(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 2 words")
        app.content.workflow_actions.show(run.workflow_id)
        app.control(Qt.Key.Key_B)
        app.window.setGeometry(0, 40, 800, 560)
        app.session._keep_state(app.core, app.content)
        kept = read(tmp_path / "window.json")
        await app.core.engine.wait(run.id)
    assert (kept.viewed_workflow, kept.is_sidebar_collapsed, kept.is_activity_collapsed) == (
        run.workflow_id,
        True,
        False,
    )
    window = MainWindow("#FFFFFF", kept.geometry)
    assert window.geometry().getRect() == (0, 40, 800, 560)
    window.deleteLater()


async def test_the_viewed_workflow_is_saved_while_the_window_is_open(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        writer = StateWriter(app.session, app.core, app.content, Tasks(app.session.presenter.report))
        run = await app.say("say 2 words")
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: read(tmp_path / "window.json").viewed_workflow == run.workflow_id)
        await app.core.engine.wait(run.id)
        await writer.close()


async def test_what_was_shown_is_in_the_inbox_after_a_restart(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        app.content.mode.set_mode(ValidationMode.SELECTIVE)
        await until(lambda: app.core.settings.current.validation_mode is ValidationMode.SELECTIVE)
        app.content.mode.set_mode(ValidationMode.AUTO)
        await until(lambda: [notice.code for notice in app.core.stores.inbox.notices] == ["mode_is_auto"])
    async with an_app(tmp_path, qapp, storage) as app:
        assert [notice.code for notice in app.core.stores.inbox.notices] == ["mode_is_auto"]
        assert app.core.stores.toasts.visible == ()
