"""Wherever text can go: an input method has its keys for itself, and AltGr types its character and does nothing."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

from core.domain.run import Run
from desktop.settings.parts.page import PageId
from desktop.sidebar.list_view import SidebarList
from tests.gui.window.rig import App, an_app
from tests.gui.window.settings_rig import dialog, press
from tests.gui.window.test_attention import asking, card_of, waits
from tests.gui.window.test_random_keys import TimeByKeys
from tests.support import waiting
from tests.support.progress import stored_interruptions

Until = Callable[..., Awaitable[None]]
Key, Mod = Qt.Key, Qt.KeyboardModifier
CONTROL, ALT, SHIFT = Mod.ControlModifier, Mod.AltModifier, Mod.ShiftModifier
ANSWERS = {"type": "object", "properties": {"done": {"type": "string"}}}
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

SIGNS = "@#{[|\\^]}€"
ACTING = (
    *(Key.Key_Return, Key.Key_Enter, Key.Key_Escape, Key.Key_Tab, Key.Key_Backtab, Key.Key_Delete),
    *(Key.Key_Up, Key.Key_Down, Key.Key_Left, Key.Key_Right, Key.Key_PageDown, Key.Key_Home),
    *(Key.Key_1, Key.Key_9, Key.Key_Space, Key.Key_F1, Key.Key_F2, Key.Key_F5, Key.Key_F6, Key.Key_J, Key.Key_K),
)
"""What would choose, send, go, close or answer, alone or with Ctrl."""


def rename(app: App) -> None:
    (listed,) = app.content.sidebar.findChildren(SidebarList)
    listed.setFocus()
    app.key(Key.Key_F2)


def tab_to(app: App, kind: type[QWidget], within: Callable[[], QWidget]) -> None:
    """By Tab, to the next such field."""
    for _ in range(40):
        app.key(Key.Key_Tab)
        if isinstance(app.focused(), kind) and within().isAncestorOf(app.focused()):
            return
    raise AssertionError(kind)


def in_the_card(step: int, kind: type[QWidget]) -> Callable[[App], None]:
    """The card of a workflow that asks."""

    def go(app: App) -> None:
        app.control(Key(Key.Key_0 + step))
        app.key(Key.Key_A, CONTROL | SHIFT)
        if not isinstance(app.focused(), kind):
            tab_to(app, kind, lambda: card_of(app))

    return go


async def in_front(app: App, page: PageId) -> None:
    app.content.preferences.open_at(page)

    def is_active() -> bool:
        dialog(app).activateWindow()
        return dialog(app).isActiveWindow()

    await waiting.until(is_active)


def in_settings(page: PageId, *presses: str, kind: type[QWidget] = QLineEdit) -> Callable[[App], Awaitable[None]]:
    async def go(app: App) -> None:
        await in_front(app, page)
        for words in presses:
            press(app, words)
        if not isinstance(app.focused(), kind):
            tab_to(app, kind, lambda: dialog(app))

    return go


async def search_settings(app: App) -> None:
    await in_front(app, PageId.ABOUT)
    QTest.keyClick(dialog(app), Key.Key_F, CONTROL)


FIELDS: dict[str, Callable[[App], object]] = {
    "the composer": lambda app: app.control(Key.Key_N),
    "the palette": lambda app: app.control(Key.Key_K),
    "the inbox": lambda app: app.key(Key.Key_J, CONTROL | SHIFT),
    "the search": lambda app: app.key(Key.Key_F, CONTROL | SHIFT),
    "who answers": lambda app: app.key(Key.Key_M, CONTROL | SHIFT),
    "the find bar": lambda app: app.control(Key.Key_F),
    "the list's search": lambda app: app.content.sidebar._header.set_searching(True),
    "a name": rename,
    "a reason": in_the_card(2, QLineEdit),
    "an answer": in_the_card(3, QLineEdit),
    "an answer in JSON": in_the_card(4, QPlainTextEdit),
    "the settings' search": search_settings,
    "an agent's name": in_settings(PageId.AGENTS, "New agent"),
    "an agent's instructions": in_settings(PageId.AGENTS, kind=QPlainTextEdit),
    "a prompt": in_settings(PageId.PROMPTS, "New prompt"),
    "the search of memories": in_settings(PageId.MEMORY),
    "the search of keys": in_settings(PageId.KEYS),
}


def text_of(field: QWidget) -> str:
    assert isinstance(field, QLineEdit | QPlainTextEdit), field
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


def press_alt_gr(field: QWidget, modifiers: Qt.KeyboardModifier) -> None:
    for number, sign in enumerate(SIGNS, start=1):
        for kind in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            key = Qt.Key(ord(sign)) if sign != "€" else Key.Key_E
            QApplication.sendEvent(field, QKeyEvent(kind, key, modifiers, number + 9, 0x30 + number, 0, sign))


def compose(field: QWidget) -> None:
    """にほん is begun, keys are pressed, and 日本 comes of it."""
    QApplication.sendEvent(field, QInputMethodEvent("にほん", []))
    for key in ACTING:
        for modifiers in (Mod.NoModifier, CONTROL):
            QTest.keyClick(field, key, modifiers)
            assert QApplication.focusWidget() is field, (key, modifiers)
    done = QInputMethodEvent()
    done.setCommitString("日本")
    QApplication.sendEvent(field, done)


async def three_that_ask(app: App) -> list[Run]:
    """Return workflows with requests in slots 2 to 4; slot 1 has an answer."""
    said = await app.say("say 1 word")
    await app.core.engine.wait(said.id)
    asked = (
        asking("reason"),
        asking("answer", "local-execution", schema=ANSWERS),
        asking("json", "input-review"),
    )
    runs = [await app.start(step["name"], step) for step in asked]
    for run in runs:
        await waits(app, run)
    app.core.stores.toasts.clear()
    return [said, *runs]


async def test_an_input_method_and_alt_gr_have_their_keys_in_every_field(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, size=(1000, 700)) as app:
        said, *asked = await three_that_ask(app)
        time = TimeByKeys(card_of(app).guard)
        app.window.setUpdatesEnabled(False)  # nobody looks
        for name, go_there in FIELDS.items():
            app.content.opener.open(said.workflow_id)
            await until(app.window.isActiveWindow)
            if isinstance(going := go_there(app), Awaitable):
                await going
            await until(lambda: isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit))
            time.advance(1000)
            field = app.focused()
            assert name == "the composer" or field is not app.content.chat.composer.text_box, name
            app.control(Key.Key_A)
            app.key(Key.Key_Backspace)
            viewed, zoom = app.viewed, app.session.state.zoom
            windows = {window for window in QApplication.topLevelWidgets() if window.isVisible()}
            press_alt_gr(field, CONTROL | ALT)
            press_alt_gr(field, Mod.GroupSwitchModifier)
            compose(field)
            assert text_of(field) == f"{SIGNS}{SIGNS}日本", name
            assert (app.viewed, app.session.state.zoom, QApplication.activePopupWidget()) == (viewed, zoom, None), name
            assert {window for window in QApplication.topLevelWidgets() if window.isVisible()} == windows, name
            app.control(Key.Key_A)
            app.key(Key.Key_Backspace)
            app.key(Key.Key_Escape)
            if app.content.preferences._dialog is not None:
                app.content.preferences._dialog.hide()
        for run in asked:
            (asked_for,) = await stored_interruptions(app.core.storage, run.id)
            assert asked_for.answer is None
        assert {row.workflow.title for row in app.core.stores.workflows.rows} == {
            "say 1 word",
            *("reason", "answer", "json"),
        }


async def test_what_was_composed_is_sent_once(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        app.content.chat.focus_composer()
        box = app.content.chat.composer.text_box
        QApplication.sendEvent(box, QInputMethodEvent("にほん", []))
        app.key(Key.Key_Return)
        assert box.textCursor().block().layout().preeditAreaText() == "にほん"
        assert (box.text(), app.viewed) == ("", None)
        done = QInputMethodEvent()
        done.setCommitString("日本")
        QApplication.sendEvent(box, done)
        assert box.text() == "日本"
        app.key(Key.Key_Return)
        app.key(Key.Key_Return)
        await until(lambda: app.turn_texts()[:1] == ["日本"])
        assert len(app.core.stores.workflows.rows) == 1
