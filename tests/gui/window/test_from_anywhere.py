"""From anywhere to the answer: Ctrl+J, a choice, Enter; unfinished text stays where it is (UI §6)."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from core.domain.interruption import Action
from core.domain.run import RunStatus
from core.domain.toast import ToastType
from desktop.settings.parts.page import PageId
from desktop.sidebar.list_view import SidebarList
from tests.gui.window.rig import App, an_app
from tests.gui.window.settings_rig import press
from tests.gui.window.test_attention import CONTROL_SHIFT, asking, card_of, ended
from tests.gui.window.test_random_keys import TimeByKeys

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
ALT = Qt.KeyboardModifier.AltModifier
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def at(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> Callable[[App], None]:
    return lambda app: app.key(key, modifiers)


def rows(app: App) -> SidebarList:
    (found,) = app.content.sidebar.findChildren(SidebarList)
    found.setFocus()
    return found


def composer(app: App) -> QWidget:
    return app.content.chat.composer.text_box


def in_a_row(key: Qt.Key) -> Callable[[App], None]:
    return lambda app: QTest.keyClick(rows(app), key)


def writing(text: str) -> Callable[[App], None]:
    def go(app: App) -> None:
        app.control(Key.Key_N)
        app.control(Key.Key_A)
        app.key(Key.Key_Backspace)
        app.write(text)

    return go


def in_the_menu_bar(app: App) -> None:
    app.key(Key.Key_F10)
    QTest.keyClick(app.window.menuBar(), Key.Key_Down)


def finding(app: App) -> None:
    app.control(Key.Key_F)
    QTest.keyClicks(app.focused(), "word")


def in_a_toast(app: App) -> None:
    app.core.stores.toasts.add(ToastType.WARNING, "mode_is_auto")
    app.content.toasts._render()
    app.content.toasts.take_focus()


def in_a_preview(app: App) -> None:
    writing("")(app)
    QGuiApplication.clipboard().setText("z" * 20_001)
    app.control(Key.Key_V)
    app.key(Key.Key_Up)
    app.key(Key.Key_Return)


def deleting(app: App) -> None:
    QTest.keyClick(rows(app), Key.Key_Delete, Qt.KeyboardModifier.ShiftModifier)


def in_a_form(app: App) -> None:
    app.content.preferences.open_at(PageId.AGENTS)
    press(app, "New agent")
    QTest.keyClicks(app.focused(), "Begun")


def in_settings(page: PageId, app: App) -> None:
    app.content.preferences.open_at(page)


PLACES: dict[str, Callable[[App], object]] = {
    "an empty workflow": at(Key.Key_N, Qt.KeyboardModifier.ControlModifier),
    "the composer": lambda app: app.write("words"),
    "the transcript": lambda app: app.content.chat.transcript.setFocus(),
    "a message": at(Key.Key_Up, ALT),
    "the sidebar": rows,
    "a name that is written": in_a_row(Key.Key_F2),
    "a row's menu": in_a_row(Key.Key_Menu),
    "a row that is peeked at": in_a_row(Key.Key_Space),
    "the search of the list": lambda app: app.content.sidebar._header.set_searching(True),
    "the menu bar": in_the_menu_bar,
    "the activity": lambda app: app.content.activity.take_focus(),
    "a toast": in_a_toast,
    "the palette": at(Key.Key_K, Qt.KeyboardModifier.ControlModifier),
    "the commands": at(Key.Key_P, CONTROL_SHIFT),
    "the inbox": at(Key.Key_J, CONTROL_SHIFT),
    "the keys": at(Key.Key_F1),
    "the templates": at(Key.Key_N, CONTROL_SHIFT),
    "the search": at(Key.Key_F, CONTROL_SHIFT),
    "the find bar": finding,
    "who answers": at(Key.Key_M, CONTROL_SHIFT),
    "the modes": at(Key.Key_D, CONTROL_SHIFT),
    "the names that are offered": writing("/"),
    "those that can be asked": writing("@"),
    "what goes along": in_a_preview,
    "a form": in_a_form,
    "a question of the window": deleting,
    **{f"settings, {page}": partial(in_settings, page) for page in PageId},
}


def is_elsewhere(app: App, place: str) -> bool:
    """Return whether the keys go to this place and not to the composer of the viewed workflow."""
    if place in ("the composer", "the modes"):
        return QApplication.focusWidget() is not None
    in_menu = QApplication.activePopupWidget() is not None
    return in_menu or (QApplication.focusWidget() or app.window) not in (app.window, composer(app)) or not app.viewed


def shows_all(app: App) -> bool:
    request = card_of(app).request
    return request is not None and request.is_ready


async def test_from_anywhere_it_takes_ctrl_j_a_choice_and_enter(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, size=(1000, 700)) as app:
        said = await app.say("say 1 word")
        await app.core.engine.wait(said.id)
        time = TimeByKeys(card_of(app).guard)
        app.window.setUpdatesEnabled(False)  # nobody looks
        for place, go_there in PLACES.items():
            app.content.workflow_actions.show(said.workflow_id)
            app.content.chat.focus_composer()
            run = await app.start(place, asking("send"))
            await until(lambda run=run: app.core.stores.questions.count(run.workflow_id))
            go_there(app)
            await until(partial(is_elsewhere, app, place))
            target: QWidget = QApplication.activePopupWidget() or app.focused()
            QTest.keyClick(target, Key.Key_J, Qt.KeyboardModifier.ControlModifier)
            above = QApplication.activePopupWidget() or QApplication.activeModalWidget()
            assert (app.viewed, above) == (run.workflow_id, None), place
            app.window.activateWindow()
            await until(lambda: card_of(app).has_focus and shows_all(app))
            assert app.focused() is card_of(app).button(Action.REJECT), place
            time.advance(1000)
            app.key(Key.Key_Tab)
            app.key(Key.Key_Return)
            assert (await ended(app, run)).status is RunStatus.SUCCESS, place
            await until(lambda: not app.core.stores.questions.all)
        titles = {row.workflow.title for row in app.core.stores.workflows.rows}
        assert titles == {"say 1 word", *PLACES}  # nothing was deleted, renamed or sent on the way
