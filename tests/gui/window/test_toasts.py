"""Toasts over the real window: each is read and closed by key and covers nothing in use."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QPlainTextEdit, QWidget

from core.domain.toast import ToastType
from desktop.toasts.card import ToastCard
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import asking, card_of, waits

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier
HUGE = ("one single paragraph of an error " * 1300)[:40_000]


def place(app: App, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(app.window, QPoint(0, 0)), widget.size())


def press(app: App, card: ToastCard, words: str) -> None:
    """By Tab and Space."""
    for _ in range(20):
        focus = app.focused()
        if isinstance(focus, QAbstractButton) and card.isAncestorOf(focus) and _says(focus, words):
            app.key(Key.Key_Space)
            return
        app.key(Key.Key_Tab)
    raise AssertionError(words)


def _says(button: QAbstractButton, words: str) -> bool:
    return words in (button.text(), button.accessibleName())


async def test_a_huge_error_is_read_copied_and_closed_by_key(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp, size=(900, 600)) as app:
        run = await app.say("go", script=({"fail": HUGE},))
        await app.core.engine.wait(run.id)
        await until(lambda: app.content.toasts.cards)
        await app.drawn()
        (card,) = app.content.toasts.cards
        assert card.height() < 140
        (close,) = [
            button for button in card.findChildren(QAbstractButton) if button.accessibleName().startswith("Close")
        ]
        await until(lambda: app.window.rect().contains(place(app, close)))
        app.content.toasts.take_focus()
        press(app, card, "Details")
        text = card.findChild(QPlainTextEdit)
        assert isinstance(text, QPlainTextEdit)
        await until(lambda: len(text.toPlainText()) >= len(HUGE))
        await until(lambda: app.window.rect().contains(place(app, card)))
        assert app.window.rect().contains(place(app, close))
        press(app, card, "Copy")
        assert HUGE.strip() in QApplication.clipboard().text()
        app.key(Key.Key_Escape)
        await until(lambda: not app.content.toasts.cards)


async def test_what_stands_beside_toasts_can_be_clicked(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp, size=(1440, 900)) as app:
        said = await app.say("say 30 words")
        await app.core.engine.wait(said.id)
        app.content.opener.open(said.workflow_id)
        app.core.stores.toasts.clear()
        for number in range(3):
            app.core.stores.toasts.add(ToastType.WARNING, "note", title=f"Note {number}")
        await until(lambda: len(app.content.toasts.cards) == 3)
        overlay = app.content.toasts
        await until(lambda: not overlay._leaving and all(card.pos() == card.glide._target for card in overlay.cards))
        drawn = [place(app, card) for card in overlay.cards]
        buttons = [each for each in app.window.findChildren(QAbstractButton) if each.isVisible() and each.isEnabled()]
        for button in buttons:
            centre = place(app, button).center()
            if overlay.isAncestorOf(button) or any(card.contains(centre) for card in drawn):
                continue
            reached = app.window.childAt(centre)
            assert reached is not None
            assert reached is button or button.isAncestorOf(reached), button
        for area in (app.content.chat.composer, app.content.header, app.window.menuBar(), app.content.status):
            assert not any(card.intersects(place(app, area)) for card in drawn)
        app.write("say 2 words")
        (send,) = [each for each in app.content.chat.composer.findChildren(QAbstractButton) if each.text() == "Send"]
        QTest.mouseClick(app.window.windowHandle(), Qt.MouseButton.LeftButton, pos=place(app, send).center())
        await until(lambda: "a workflow" in app.turn_texts())


async def test_of_thirty_events_in_a_second_five_are_seen_and_all_are_in_the_inbox(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        runs = [await app.start(f"Letters {number}", asking("send")) for number in range(3)]
        for run in runs:
            await waits(app, run)
        for number in range(27):
            app.core.stores.toasts.add(ToastType.WARNING, "note", title=f"Note {number // 3}")
            await asyncio.sleep(0.01)
            assert len(app.content.toasts.cards) <= 5
        await until(lambda: len(app.content.toasts.cards) == 5)
        visible = app.core.stores.toasts.visible
        assert [toast.title for toast in visible if toast.type is ToastType.USER_QUESTION] == [
            f"Letters {number}" for number in range(3)
        ]
        assert [(toast.title, toast.repeated) for toast in visible if toast.type is ToastType.WARNING] == [
            ("Note 7", 3),
            ("Note 8", 3),
        ]
        told = {toast.title for toast in (*app.core.stores.toasts.history, *visible)}
        assert {f"Note {number}" for number in range(9)} <= told
        for run in runs:
            await app.core.engine.cancel(run.id)
        app.core.stores.toasts.clear()
        await until(lambda: not app.content.toasts.cards)
        await until(lambda: not app.content.toasts.findChildren(ToastCard))
        assert not card_of(app).isVisible()
