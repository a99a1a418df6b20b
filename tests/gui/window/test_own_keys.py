"""Custom keys: set in the settings, applied at once everywhere, and never lost with invalid entries beside them."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton, QWidget

from desktop import window_state
from desktop.palette.entries import Kind
from desktop.settings.dialog import SettingsDialog
from desktop.settings.keys.key_editor import KeyBindingEditor, KeyRecorder
from desktop.settings.keys.keys_page import KeyBindingTree
from desktop.settings.parts.page import PageId
from desktop.settings.parts.undo_bar import UndoBar
from desktop.shortcuts.chords import with_keypad
from desktop.shortcuts.command import Command, KeyScope
from desktop.shortcuts.custom_keys import ProblemKind
from desktop.shortcuts.keymap import Keymap
from desktop.sidebar.list_view import SidebarList
from desktop.window.commands.command_table import COMMANDS
from tests.gui.window.rig import App, an_app

Until = Callable[..., Awaitable[None]]
Key, Mod = Qt.Key, Qt.KeyboardModifier
CONTROL, ALT, SHIFT = Mod.ControlModifier, Mod.AltModifier, Mod.ShiftModifier


class KeysPage:
    """The page of keys, driven by keyboard."""

    def __init__(self, app: App) -> None:
        app.content.preferences.open_at(PageId.KEYS)
        (self.dialog,) = app.window.findChildren(SettingsDialog)
        (self.tree,) = self.dialog.findChildren(KeyBindingTree)
        (self.card,) = self.dialog.findChildren(KeyBindingEditor)

    def press(
        self, command_id: str, key: Qt.Key, modifiers: Qt.KeyboardModifier = Mod.NoModifier, *, field: int = 0
    ) -> None:
        self.tree.choose(command_id)
        QTest.keyClick(self.field(field), key, modifiers)

    def field(self, number: int) -> KeyRecorder:
        found = self.card.findChildren(KeyRecorder)[number]
        found.setFocus()
        return found

    def click(self, words: str) -> None:
        buttons = self.dialog.findChildren(QPushButton)
        next(button for button in buttons if button.isVisible() and button.text().startswith(words)).click()

    def notice(self) -> str:
        (notice,) = self.dialog.findChildren(UndoBar)
        return notice.text


def kept(tmp_path: Path) -> object:
    return json.loads((tmp_path / "window.json").read_text("utf-8"))["keys"]


def action(app: App, command_id: str) -> QAction:
    found = app.window.findChild(QAction, command_id)
    assert isinstance(found, QAction)
    return found


async def test_a_key_that_is_given_works_at_once_and_is_named_everywhere(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        page = KeysPage(app)
        page.press("go.inbox", Key.Key_F4)
        assert page.notice() == "Inbox: F4"
        assert kept(tmp_path) == {"go.inbox": ["F4"]}
        assert action(app, "go.inbox").shortcuts() == [QKeySequence("F4")]
        assert page.tree.visible_bindings()["Inbox"] == "F4"
        app.window.activateWindow()
        app.content.chat.focus_composer()
        app.key(Key.Key_J, CONTROL | SHIFT)
        assert not app.content.command_palette.isVisible()
        app.key(Key.Key_F4)
        assert app.content.command_palette.isVisible()
        app.content.command_palette.open(Kind.COMMAND)
        assert {entry.title: entry.note for entry in app.content.command_palette.shown()}["Inbox"] == "F4"
        app.content.command_palette.open(Kind.HELP)
        assert {entry.title: entry.note for entry in app.content.command_palette.shown()}["Inbox"] == "F4"


async def test_every_command_has_something_to_do_and_stands_in_its_menu_with_its_keys(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        in_menus = [each for menu in app.window.menuBar().findChildren(QMenu) for each in menu.actions()]
        for command in COMMANDS:
            if command.is_everywhere:
                assert action(app, command.id).shortcuts() == with_keypad(app.content.keymap.keys(command.id))
            if command.menu is not None:
                assert action(app, command.id) in in_menus
        assert action(app, "workflow.rename").text() == "Rename workflow\tF2"
        app.content.keymap.use({"workflow.rename": ["F12"]})
        assert action(app, "workflow.rename").text() == "Rename workflow\tF12"


async def test_the_help_begins_with_the_keys_of_the_previous_focus(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 1 word")
        await app.core.engine.wait(run.id)
        (listed,) = app.content.sidebar.findChildren(SidebarList)
        await until(listed.isVisible)
        for focus, first in ((listed, "Rename workflow"), (app.content.chat.composer.text_box, "Send")):
            focus.setFocus()
            app.key(Key.Key_F1)
            assert app.content.command_palette.shown()[0].title == first
            app.key(Key.Key_F1)


async def test_a_key_of_another_command_is_taken_over_when_asked_and_comes_back_with_undo(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        page, keymap = KeysPage(app), app.content.keymap
        page.press("go.inbox", Key.Key_N, CONTROL)
        assert page.card.question == "Ctrl+N already does this: New workflow (Everywhere)."
        assert keymap.chords("go.inbox") == ("Ctrl+Shift+J",)
        QTest.keyClick(page.field(0), Key.Key_Escape)
        assert (page.card.question, page.field(0).chord, page.dialog.isVisible()) == ("", "Ctrl+Shift+J", True)
        page.press("go.inbox", Key.Key_N, CONTROL)
        page.click("Use it here")
        assert (keymap.chords("go.inbox"), keymap.chords("workflow.new")) == (("Ctrl+N",), ())
        assert kept(tmp_path) == {"workflow.new": [], "go.inbox": ["Ctrl+N"]}
        page.click("Undo")
        assert (keymap.chords("go.inbox"), keymap.chords("workflow.new")) == (("Ctrl+Shift+J",), ("Ctrl+N",))
        assert kept(tmp_path) == {}
        page.click("Redo")
        page.click("Reset to Ctrl+Shift+J")
        assert keymap.chords("go.inbox") == ("Ctrl+Shift+J",)
        page.click("Reset all")
        assert (keymap.chords("workflow.new"), kept(tmp_path)) == (("Ctrl+N",), {})


async def test_backspace_clears_tab_leaves_and_a_second_key_is_added(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        page, keymap = KeysPage(app), app.content.keymap
        page.press("view.sidebar", Key.Key_Backspace)
        assert keymap.chords("view.sidebar") == ("F9",)
        page.press("view.sidebar", Key.Key_F4, field=1)
        assert keymap.chords("view.sidebar") == ("F9", "F4")
        first = page.field(0)
        QTest.keyClick(first, Key.Key_Tab)
        assert page.dialog.focusWidget() is not first
        assert keymap.chords("view.sidebar") == ("F9", "F4")


async def test_what_cannot_be_a_key_is_refused_with_the_reason(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        page = KeysPage(app)
        refused = {
            (Key.Key_E, CONTROL | ALT): "type a character",
            (Key.Key_At, CONTROL | ALT): "type a character",
            (Key.Key_E, ALT): "opens a menu",
            (Key.Key_1, CONTROL | SHIFT): "digit",
            (Key.Key_E, Mod.NoModifier): "types a character",
            (Key.Key_E, SHIFT): "types a character",
            (Key.Key_Space, Mod.NoModifier): "types a character",
            (Key.Key_Return, Mod.NoModifier): "edits text",
            (Key.Key_Left, Mod.NoModifier): "edits text",
            (Key.Key_C, CONTROL): "edits text",
        }
        for (key, modifiers), why in refused.items():
            page.press("go.inbox", key, modifiers)
            assert why in page.card.problem, (key, modifiers)
        by_place = QKeyEvent(QEvent.Type.KeyPress, Key.Key_Exclam, CONTROL | SHIFT, 10, 0, 0)
        QApplication.sendEvent(page.field(0), by_place)
        assert "digit" in page.card.problem
        assert app.content.keymap.own == {}
        page.press("list.open", Key.Key_O)  # in the list of workflows nothing is written
        assert app.content.keymap.chords("list.open") == ("O",)


async def test_a_key_of_the_digit_row_is_meant_by_its_place(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        page = KeysPage(app)
        page.tree.choose("go.inbox")
        azerty = QKeyEvent(QEvent.Type.KeyPress, Key.Key_Ampersand, CONTROL, 10, 0, 0)
        QApplication.sendEvent(page.field(0), azerty)
        assert page.card.question == "Ctrl+1 already does this: Go to workflow 1 (Everywhere)."
        page.click("Use it here")
        app.window.activateWindow()
        app.content.chat.focus_composer()
        QApplication.sendEvent(app.focused(), QKeyEvent(QEvent.Type.KeyPress, Key.Key_Ampersand, CONTROL, 10, 0, 0))
        assert app.content.command_palette.isVisible()


async def test_a_disk_that_refuses_leaves_the_keys_as_they_are(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        page = KeysPage(app)
        app.session._state_file = tmp_path / "window.json" / "below"  # a file is no folder
        (tmp_path / "window.json").write_text("{}")
        page.press("go.inbox", Key.Key_F4)
        assert "disk did not take" in page.notice()
        assert app.content.keymap.chords("go.inbox") == ("Ctrl+Shift+J",)
        app.session._state_file = tmp_path / "window.json"


async def test_keys_are_found_by_name_and_by_key(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        page = KeysPage(app)
        find = next(
            field for field in page.dialog.findChildren(QLineEdit) if "command or a key" in field.placeholderText()
        )
        find.setFocus()
        QTest.keyClicks(find, "ctrl+k")
        assert page.tree.visible_bindings() == {"Go to anything": "Ctrl+K"}
        QTest.keyClick(find, Key.Key_Down)
        assert page.dialog.focusWidget() is page.tree
        QTest.keyClick(page.tree, Key.Key_Return)
        assert page.dialog.focusWidget() is page.card.findChildren(KeyRecorder)[0]


async def test_keys_of_a_place_reach_it_as_it_knows_them(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        one, two = [await app.say(f"say 1 word {number}") for number in range(2)]
        for run in (one, two):
            await app.core.engine.wait(run.id)
        own = {"composer.send": ["F4"], "composer.newline": ["Return"], "list.open": ["O"], "workflow.rename": ["F12"]}
        app.content.keymap.use(own)
        app.control(Key.Key_N)
        app.write("say")
        app.key(Key.Key_Return)
        app.write("1")
        app.key(Key.Key_F4)
        await until(lambda: app.turn_texts()[:1] == ["say\n1"])
        (listed,) = app.content.sidebar.findChildren(SidebarList)
        app.content.sidebar.take_focus()
        QTest.keyClick(listed, Key.Key_End)
        row = listed.cursor_row
        assert row is not None
        app.key(Key.Key_Return)
        assert app.viewed != row.id
        app.key(Key.Key_O)
        assert app.viewed == row.id
        app.content.sidebar.take_focus()
        app.key(Key.Key_F2)
        assert app.focused() is listed
        app.key(Key.Key_F12)
        assert isinstance(app.focused(), QLineEdit)
        QTest.keyClicks(app.focused(), "Foo o")  # while a name is written, letters are letters
        app.key(Key.Key_Return)
        await until(lambda: app.core.stores.workflows.get(row.id).workflow.title == "Foo o")  # type: ignore[union-attr]


async def test_the_key_that_sends_is_named_as_the_setting_is(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:

        def hints() -> list[str]:
            widgets: list[QWidget] = app.content.chat.composer.findChildren(QWidget)
            texts = [getattr(widget, "text", "") for widget in widgets]
            return [text for each in texts if "to send" in (text := str(each() if callable(each) else each))]

        app.content.chat.focus_composer()
        assert hints() == ["Enter to send"]
        app.content._on_enter_sends(False)
        assert hints() == ["Ctrl+Enter to send"]
        app.content.keymap.use({"composer.send": ["F4"]})
        assert hints() == ["F4 to send"]


def test_what_a_file_holds_that_cannot_be_used_is_reported_and_kept_and_takes_nothing_with_it(tmp_path: Path) -> None:
    file = tmp_path / "window.json"
    odd = {
        "go.anything": ["F4", "Bananas", 3, None],
        "go.inbox": "F12",
        "run.stop": ["Ctrl+Alt+S"],
        "run.start": ["F4"],
        "later.command": ["Ctrl+E", {"deep": [1]}],
        "view.zoom_in": [],
        "list.open": ["o"],
    }
    file.write_text(json.dumps({"zoom": 1.5, "keys": odd, "newer": 1}))
    state = window_state.read(file)
    keymap = Keymap(COMMANDS, state.keys, is_mac=False)
    told = {(problem.command_id, problem.kind) for problem in keymap.problems}
    assert told == {
        ("go.anything", ProblemKind.UNREADABLE),
        ("go.inbox", ProblemKind.UNREADABLE),
        ("run.stop", ProblemKind.REFUSED),
        ("run.start", ProblemKind.TAKEN),
        ("later.command", ProblemKind.UNKNOWN),
    }
    assert keymap.chords("go.anything") == ("F4",)
    assert keymap.chords("go.inbox") == ("Ctrl+Shift+J",)
    assert (keymap.chords("run.stop"), keymap.chords("run.start")) == (("Shift+F5",), ())
    assert (keymap.chords("view.zoom_in"), keymap.chords("list.open")) == ((), ("O",))
    window_state.write(file, state)
    again = json.loads(file.read_text("utf-8"))
    assert (again["keys"], again["zoom"], again["newer"]) == (odd, 1.5, 1)


def test_a_custom_key_takes_the_place_of_a_default_one() -> None:
    rows = [Command("a", "A", ("Ctrl+1",)), Command("b", "B", ("Ctrl+2",)), Command("c", "C", scopes=(KeyScope.TOAST,))]
    keymap = Keymap(rows, {"b": ["Ctrl+1"], "c": ["Ctrl+1"]})
    assert [keymap.chords(each) for each in "abc"] == [(), ("Ctrl+1",), ()]
    assert keymap.at("Ctrl+1", KeyScope.EVERYWHERE) is rows[1]
