"""Keys of a scope: options by number and toasts, on any layout (UI §4)."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QCheckBox

from core.domain.toast import ToastType
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import card_of, take_card, view, waits

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


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
        app.content.keymap.use({"attention.pick.1": [], "attention.pick.3": ["F7"]})
        app.key(Key.Key_1)
        app.key(Key.Key_F7)
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
