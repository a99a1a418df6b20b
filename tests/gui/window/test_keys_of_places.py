"""Keys of a scope: options by number and toasts, on any layout (UI §4)."""

from collections.abc import Awaitable, Callable
from itertools import takewhile
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtWidgets import QApplication, QCheckBox

from core.domain.interruption import Action
from core.domain.toast import ToastType
from desktop.attention import card as attention_card
from desktop.palette.entries import Entry, Heading
from desktop.widgets import Button
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import asking, card_of, ended, take_card, view, waits

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


def ticked(app: App) -> list[str]:
    return [box.text() for box in card_of(app).findChildren(QCheckBox) if box.isVisible() and box.isChecked()]


async def test_options_are_chosen_by_number_arrows_and_space(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say('/tool ask_user {"question": "Which?", "options": ["red", "green", "blue"]}')
        await waits(app, run)
        await view(app, run)
        await take_card(app)
        app.key(Key.Key_2)
        assert ticked(app) == ["green"]
        app.key(Key.Key_Down)
        app.key(Key.Key_Space)
        assert ticked(app) == ["green", "blue"]
        app.key(Key.Key_2, SHIFT)  # as AZERTY writes it
        assert ticked(app) == ["blue"]
        app.key(Key.Key_2)
        app.key(Key.Key_9)
        assert ticked(app) == ["green", "blue"]
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(app.focused(), QKeyEvent(kind, Key.Key_Ampersand, NONE, 10, 0, 0, "&"))
        assert ticked(app) == ["red", "green", "blue"]
        app.content.keymap.use({"attention.pick.1": [], "attention.pick.3": ["F12"]})
        app.key(Key.Key_1)
        app.key(Key.Key_F12)
        assert ticked(app) == ["red", "green"]
        assert app.core.stores.questions.count(run.workflow_id) == 1


async def test_a_number_in_a_text_of_the_card_is_a_number(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say('/tool ask_user {"question": "Which?", "options": ["red", "green"]}')
        await waits(app, run)
        await view(app, run)
        await take_card(app)
        while not hasattr(app.focused(), "toPlainText"):
            app.key(Key.Key_Tab)
        app.key(Key.Key_2)
        assert (ticked(app), app.focused().property("plainText")) == ([], "2")


def keys_on_buttons(app: App) -> dict[str, str]:
    """The visible buttons of the card with words, and the keys on them."""
    shown = [button for button in card_of(app)._footer.findChildren(Button) if button.isVisible()]
    return {button.text(): button.shown_keys for button in shown}


def help_of(app: App) -> list[tuple[str, str]]:
    """The titles and keys of the first group of the help."""
    app.key(Key.Key_F1)
    first, *others = app.content.command_palette._rows.rows
    assert isinstance(first, Heading)
    app.key(Key.Key_Escape)
    entries = takewhile(lambda at: isinstance(at, Entry), others)
    return [(first.title, ""), *((entry.title, entry.note) for entry in entries if isinstance(entry, Entry))]


async def test_each_button_of_a_card_has_its_key_and_the_help_begins_with_what_acts_on_it(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send", prompt="Send?"))
        await waits(app, run)
        await view(app, run)
        await take_card(app)
        assert keys_on_buttons(app) == {"Later": "Esc", "Reject": "Ctrl+D", "Approve": "Ctrl+Enter"}
        assert help_of(app) == [
            ("Approval", ""),
            ("Approve", "Ctrl+Enter"),
            ("Reject", "Ctrl+D"),
            ("Later", "Esc"),
            ("Confirm", "Enter"),
            ("Toggle or press the focused control", "Space"),
        ]
        app.content.keymap.use({"attention.reject": ["F12"]})
        assert keys_on_buttons(app)["Reject"] == "F12"
        # where the row is too narrow for all keys, none is shown, and the words keep their room
        footer = card_of(app)._footer
        footer.resize(footer.minimumSizeHint().width(), footer.height())
        assert set(keys_on_buttons(app).values()) == {""}
        footer.resize(card_of(app).width(), footer.height())
        assert "F12" in keys_on_buttons(app).values()
        await take_card(app)
        app.key(Key.Key_D, CONTROL)
        assert app.core.stores.questions.count(run.workflow_id) == 1  # it has another key now
        app.key(Key.Key_F12)
        done = await ended(app, run)
        assert done.error is not None
        assert done.error.code == "rejected"


async def test_the_help_of_a_question_names_its_options_and_no_key_discards_what_is_written(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        call = '{"question": "Which?", "options": ["red", "green"], "max_choices": 1}'
        run = await app.say(f"/tool ask_user {call}\n/tool ask_user {call}")
        await waits(app, run, 2)
        await view(app, run)
        await take_card(app)
        assert help_of(app) == [
            ("Question", ""),
            ("Answer", "Ctrl+Enter"),
            ("Skip", "Ctrl+D"),
            ("Later", "Esc"),
            ("Choose and answer", "Enter"),
            ("Toggle or press the focused control", "Space"),
            ("Option above", "Up"),
            ("Option below", "Down"),
            ("Choose option 1", "1"),
            ("Choose option 2", "2"),
            ("Next request", "PgDown"),
            ("Previous request", "PgUp"),
        ]
        await take_card(app)
        app.key(Key.Key_2)
        app.key(Key.Key_D, CONTROL)
        assert app.focused() is card_of(app).button(Action.SKIP)
        assert app.core.stores.questions.count(run.workflow_id) == 2
        app.key(Key.Key_Return)
        await waits(app, run)
        await take_card(app)
        app.key(Key.Key_D, CONTROL)
        assert "skipped" in ((await ended(app, run)).output_json or "")


async def test_tab_goes_through_a_card_and_a_screen_reader_hears_which_request_it_is(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(attention_card, "queue_announcement", lambda _widget, words, **_how: said.append(words))
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Sum", *(asking(name, prompt=f"Add {name}?", timeoutMs=3_600_000) for name in "ab"))
        await waits(app, run, 2)
        card = await view(app, run)
        await take_card(app)
        said.clear()
        app.key(Key.Key_PageDown)
        assert [words.partition(" 1 hour")[0] for words in said] == ["Approval, Sum \u203a b, 2 of 2. Add b?"]
        stops = [app.focused()]
        while card.has_focus and len(stops) < 20:
            app.key(Key.Key_Tab)
            stops.append(app.focused())
        *inside, _ = stops
        header = card._header
        assert inside == [
            card.button(Action.REJECT),
            card.button(Action.APPROVE),
            header._previous,
            header._next,
            header.whole_button,
        ]
        interfaces = [QAccessible.queryAccessibleInterface(stop) for stop in inside]
        assert all(each is not None and each.text(QAccessible.Text.Name) for each in interfaces)
        assert [card.button(action).accessibleDescription() for action in (Action.REJECT, Action.APPROVE)] == [
            "Ctrl+D",
            "Ctrl+Enter",
        ]


async def test_a_notification_is_taken_up_by_enter_and_closed_by_delete(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 1 word")
        await app.core.engine.wait(run.id)
        await until(lambda: app.content.toasts.cards)
        app.core.stores.toasts.add(ToastType.WARNING, "nothing_to_retry")
        await until(lambda: len(app.content.toasts.cards) == 2)
        app.content.toasts.take_focus()
        app.key(Key.Key_Return)  # it offers nothing
        assert len(app.core.stores.toasts.visible) == 2
        app.key(Key.Key_Delete)
        await until(lambda: len(app.content.toasts.cards) == 1)
        app.key(Key.Key_Return)
        assert app.viewed == run.workflow_id
        await until(lambda: not app.content.toasts.cards)
