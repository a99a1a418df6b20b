"""Ctrl+Tab: a tap opens the previously viewed workflow, a held key the list of recent workflows (UI §4)."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.ids import WorkflowId
from tests.gui.window.rig import App, an_app

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


async def viewed_in_turn(app: App, count: int) -> list[WorkflowId]:
    """Return workflows that were viewed one after the other; the last is still viewed."""
    runs = [await app.say(f"say 1 word {number}") for number in range(count)]
    for run in runs:
        await app.core.engine.wait(run.id)
        app.content.workflow_actions.show(run.workflow_id)
    app.content.chat.focus_composer()
    return [run.workflow_id for run in runs]


def hold(app: App, modifiers: Qt.KeyboardModifier = CONTROL) -> None:
    """Press Ctrl+Tab, and let go of Tab alone."""
    focus = app.focused()
    QApplication.sendEvent(focus, QKeyEvent(QEvent.Type.KeyPress, Key.Key_Control, CONTROL))
    QTest.keyPress(focus, Key.Key_Tab, modifiers)


def let_go(app: App) -> None:
    QApplication.sendEvent(
        app.focused(), QKeyEvent(QEvent.Type.KeyRelease, Key.Key_Control, Qt.KeyboardModifier.NoModifier)
    )


async def test_a_tap_goes_between_the_last_two(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        _, b, c = await viewed_in_turn(app, 3)
        app.control(Key.Key_Tab)
        assert (app.viewed, app.content.switcher.recent_list.isVisible()) == (b, False)
        app.control(Key.Key_Tab)
        assert app.viewed == c
        found = app.window.findChild(QAction, "go.recent")
        assert isinstance(found, QAction)
        found.trigger()  # from the menu nothing is held
        assert app.viewed == b


async def test_a_held_key_goes_through_the_list_and_arrives_when_it_is_let_go(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        a, b, c, d = await viewed_in_turn(app, 4)
        shown, focus = app.content.switcher.recent_list, app.focused()
        hold(app)
        assert (app.viewed, shown.isVisible()) == (d, False)
        await until(shown.isVisible)
        assert len(shown.shown()) == 4
        hold(app)
        hold(app)
        hold(app, CONTROL | SHIFT)
        QTest.keyPress(focus, Key.Key_Down, CONTROL)
        QTest.keyPress(focus, Key.Key_Up, CONTROL)
        assert (app.viewed, app.focused()) == (d, focus)
        hold(app)
        let_go(app)
        assert (app.viewed, shown.isVisible()) == (a, False)
        for expected in (d, a):
            app.control(Key.Key_Tab)
            assert app.viewed == expected
        assert {b, c} == set(app.content.switcher.viewed_before[1:3])


async def test_esc_another_key_and_another_window_leave_the_list_without_switching(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        _, b, c = await viewed_in_turn(app, 3)
        shown = app.content.switcher.recent_list

        def give_up_by(what: Callable[[], object]) -> None:
            hold(app)
            hold(app)
            assert shown.isVisible()
            what()
            assert not shown.isVisible()
            let_go(app)
            assert app.viewed == c

        give_up_by(lambda: app.key(Key.Key_Escape, CONTROL))
        give_up_by(lambda: QTest.keyPress(app.focused(), Key.Key_X))
        give_up_by(lambda: QApplication.sendEvent(app.window, QEvent(QEvent.Type.WindowDeactivate)))
        hold(app)
        app.content.workflow_actions.show(b)
        let_go(app)
        assert app.viewed == b
