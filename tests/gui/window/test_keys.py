"""Keys that go somewhere or change how the window is, by real key events."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from core.domain.run import Run
from core.domain.template import ValidationMode
from desktop.settings.parts.page import PageId
from desktop.shortcuts.chords import digit_of
from desktop.shortcuts.command import handlers_of
from desktop.shortcuts.key_strings import key_names
from desktop.window.commands.command_table import COMMANDS
from tests.gui.window.rig import App, an_app
from tests.gui.window.settings_rig import settings

Until = Callable[..., Awaitable[None]]
Key, Mod = Qt.Key, Qt.KeyboardModifier
CONTROL, ALT, SHIFT = Mod.ControlModifier, Mod.AltModifier, Mod.ShiftModifier
ROW = (
    *(Key.Key_Ampersand, Key.Key_Eacute, Key.Key_QuoteDbl, Key.Key_Apostrophe, Key.Key_ParenLeft, Key.Key_Minus),
    *(Key.Key_Egrave, Key.Key_Underscore, Key.Key_Ccedilla),
)
"""What the digit row of AZERTY gives without Shift."""


def physical(number: int, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, modifiers, number + 9, 0, 0)


async def finished(app: App, count: int) -> list[Run]:
    runs = [await app.say(f"say 1 word {number}") for number in range(count)]
    for run in runs:
        await app.core.engine.wait(run.id)
    return runs


async def test_nine_slots_are_reached_by_the_physical_keys_of_another_layout(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """On AZERTY, where no key of the row writes a digit, and that of 6 writes `-`, which means *Smaller* with Ctrl."""
    async with an_app(tmp_path, qapp, size=(900, 600)) as app:
        runs = await finished(app, 9)
        app.control(Key.Key_N)
        app.write("mine")
        for modifier in (CONTROL, ALT):
            for number, key in enumerate(ROW, start=1):
                app.content.workflow_actions.show(None)
                zoom = app.session.state.zoom
                if (number, modifier) == (6, CONTROL):
                    app.key(key, modifier)
                    assert (app.viewed, app.session.state.zoom < zoom) == (None, True)
                    continue
                QApplication.sendEvent(app.focused(), physical(number, key, modifier))
                assert (app.viewed, app.session.state.zoom) == (runs[number - 1].workflow_id, zoom)
        assert app.content.chat.composer.draft().text == ""  # the draft stays where it was written
        app.control(Key.Key_0)


@pytest.mark.parametrize("modifiers", [Mod.NoModifier, SHIFT, CONTROL | ALT, CONTROL | SHIFT, Mod.GroupSwitchModifier])
def test_what_types_characters_is_left_alone(modifiers: Qt.KeyboardModifier) -> None:
    """AltGr is Ctrl+Alt on Windows, and a group on X11."""
    for number, key in enumerate(ROW, start=1):
        assert digit_of(physical(number, key, modifiers), "xcb") is None


def test_windows_reports_the_key_by_its_virtual_code() -> None:
    event = QKeyEvent(QEvent.Type.KeyPress, Key.Key_Ampersand, CONTROL, 2, 0x31, 0)
    assert digit_of(event, "windows") == 1
    assert digit_of(event, "xcb") is None


async def test_a_key_that_means_something_by_its_character_keeps_it(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """Ctrl with the AZERTY key `6/-` is Ctrl+-: smaller."""
    async with an_app(tmp_path, qapp) as app:
        runs = await finished(app, 1)
        app.content.workflow_actions.show(runs[0].workflow_id)
        app.control(Key.Key_Minus)
        assert app.session.state.zoom == pytest.approx(0.9)
        app.control(Key.Key_Equal)
        app.control(Key.Key_Equal)
        assert app.session.state.zoom == pytest.approx(1.1)
        app.control(Key.Key_0)
        assert app.session.state.zoom == 1.0


async def test_the_help_names_what_can_be_pressed_on_this_keyboard(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """The AZERTY key of 6 writes `-`, and Ctrl+- is smaller: slot 6 is reached with Alt."""
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        keymap = app.content.keymap
        assert key_names(keymap.shown("go.slot.6")) == "Ctrl+6 or Alt+6"
        app.content.chat.focus_composer()
        for number, key in enumerate(ROW, start=1):
            QApplication.sendEvent(app.focused(), physical(number, key, Mod.NoModifier))
        assert key_names(keymap.shown("go.slot.6")) == "Alt+6"
        assert key_names(keymap.shown("go.slot.1")) == "Ctrl+1 or Alt+1"
        keymap.use({"view.zoom_out": ["F7"]})
        assert key_names(keymap.shown("go.slot.6")) == "Ctrl+6 or Alt+6"


async def test_the_zoom_ends_where_the_settings_do(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        for _ in range(20):
            app.control(Key.Key_Minus)
        assert app.session.state.zoom == 0.8
        for _ in range(20):
            app.control(Key.Key_Equal)
        assert app.session.state.zoom == 2.0
        app.control(Key.Key_0)


async def test_back_and_forward_follow_the_way_that_was_taken(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        a, b, c = (run.workflow_id for run in await finished(app, 3))
        for one in (a, b, c):
            app.content.workflow_actions.show(one)
        app.key(Key.Key_Left, ALT)
        assert app.viewed == b
        app.key(Key.Key_Left, ALT)
        assert app.viewed == a
        app.key(Key.Key_Left, ALT)
        assert app.viewed == a
        app.key(Key.Key_Right, ALT)
        assert app.viewed == b
        app.delete(c)
        await until(lambda: app.core.stores.workflows.get(c) is None)
        app.key(Key.Key_Right, ALT)
        assert app.viewed == b  # what is gone is passed over


async def test_f6_goes_through_the_panes_and_back(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        (run,) = await finished(app, 1)
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: app.turn_texts() != [])
        await finished(app, 1)  # of a workflow that is not viewed there is a toast
        await until(lambda: app.content.toasts.cards)
        app.write("")

        def pane() -> QWidget:
            content = app.content
            panes = (content.sidebar, content.chat.transcript, content.chat.composer, content.activity, content.toasts)
            return next(each for each in panes if each.isAncestorOf(app.focused()) or each is app.focused())

        way = []
        for _ in range(5):
            app.key(Key.Key_F6)
            way.append(pane())
        content = app.content
        beside = [content.activity, content.toasts, content.sidebar]
        assert way == [*beside, content.chat.transcript, content.chat.composer]
        app.key(Key.Key_F6, SHIFT)
        assert pane() is content.chat.transcript


async def test_the_mode_is_chosen_by_keys_and_automatic_mode_can_be_undone(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, mode=ValidationMode.MANUAL) as app:
        app.control(Key.Key_N)
        app.key(Key.Key_D, CONTROL | SHIFT)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        assert menu.activeAction().isChecked()
        while menu.activeAction().data() != ValidationMode.AUTO:
            _press(menu, Key.Key_Up)
        _press(menu, Key.Key_Return)
        await until(lambda: app.core.settings.current.validation_mode is ValidationMode.AUTO)
        (toast,) = app.core.stores.toasts.visible
        assert toast.code == "mode_is_auto"
        app.content.workflow_actions.toasts.run("undo", toast.id)
        await until(lambda: app.core.settings.current.validation_mode is ValidationMode.MANUAL)


async def test_run_again_sends_the_last_message_again(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        (run,) = await finished(app, 1)
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: len(app.turn_texts()) == 2)
        app.key(Key.Key_F5)
        await until(lambda: len(app.turn_texts()) == 4)
        assert app.turn_texts()[2] == "say 1 word 0"


async def test_closing_the_view_stops_nothing(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 300 words 5")
        app.content.workflow_actions.show(run.workflow_id)
        app.control(Key.Key_W)
        assert app.viewed is None
        assert app.core.engine.is_at_work
        await app.core.engine.cancel(run.id)


def _press(widget: QWidget, key: Qt.Key) -> None:
    QApplication.sendEvent(widget, QKeyEvent(QEvent.Type.KeyPress, key, Mod.NoModifier))


async def test_every_command_that_holds_everywhere_or_in_a_menu_has_a_handler(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        expected = {row.id for row in COMMANDS if row.is_everywhere or row.menu is not None}
        assert set(handlers_of(app.content._controllers())) == expected
        assert all(app.window.findChild(QAction, command_id) is not None for command_id in expected)


async def test_keys_of_the_window_work_in_the_settings_and_bring_it_to_the_front(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        first, second = await finished(app, 2)
        app.content.workflow_actions.show(first.workflow_id)
        for key, modifiers, is_done in (
            (Key.Key_N, CONTROL, lambda: app.viewed is None and app.content.chat.composer.text_box.hasFocus()),
            (Key.Key_2, CONTROL, lambda: app.viewed in (first.workflow_id, second.workflow_id)),
            (Key.Key_K, CONTROL, app.content.command_palette.isVisible),
        ):
            await settings(app, PageId.LIMITS, until)
            assert app.focused().window() is not app.window
            app.key(key, modifiers)
            await until(is_done)
            await until(lambda: QApplication.activeWindow() is app.window)
