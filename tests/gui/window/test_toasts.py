"""Toasts over the real window: each is read and closed by key and covers nothing in use."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QPlainTextEdit, QPushButton, QWidget

from core.domain.template import ValidationMode
from core.domain.toast import VIEWED_S, ToastType
from core.services.outcome import Ok
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


async def test_toasts_do_not_tell_of_what_is_looked_at(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp, size=(1100, 800)) as app:
        toasts, content = app.core.stores.toasts, app.content
        await until(content.start.isVisible)
        toasts.add(ToastType.WARNING, "limit_reached", parameters=[("mode", "auto"), ("limit", 3)])
        toasts.add(ToastType.INFO, "note", title="Note")
        for size in ((1100, 800), (800, 600)):
            app.window.resize(*size)
            await until(lambda: content.toasts.cards and all(each.isVisible() for each in content.toasts.cards))
            await app.drawn()
            for card in content.toasts.cards:
                await until(lambda card=card: card.pos() == card.glide._target)
                assert not any(place(app, card).intersects(place(app, part)) for part in content.start.parts)
        toasts.clear()

        app.window.resize(1100, 800)
        run = await app.say("say 4 words", script=({"say": "short"},))
        content.opener.open(run.workflow_id)
        await app.core.engine.wait(run.id)
        await until(lambda: toasts.visible)
        (toast,) = toasts.visible
        assert (toast.is_viewed, toast.duration_s) == (True, VIEWED_S)
        await until(lambda: content.toasts.cards and content.toasts.cards[0].isVisible())
        (card,) = content.toasts.cards
        assert not [each for each in card.findChildren(QPushButton) if each.isVisible()]
        script = ({"say": "line\n\n" * 60},)
        again = await app.core.chat.send("again", run.workflow_id, mode=ValidationMode.AUTO, script=script)
        assert isinstance(again, Ok)
        assert toasts.find(toast.id) is None, "the next turn has begun"
        await until(lambda: toasts.visible)
        await app.drawn()
        text = QRect(content.chat.transcript.text_area())
        text.moveTopLeft(content.chat.transcript.viewport().mapTo(app.window, text.topLeft()))
        assert text.height() > 300
        assert not any(each.isVisible() for each in content.toasts.cards), "it would stand over the text"

        asks = await app.start("Letters", asking("send"))
        await waits(app, asks)
        await until(lambda: [each.title for each in toasts.visible if each.workflow_id == asks.workflow_id])
        content.opener.open(asks.workflow_id)
        await until(lambda: card_of(app).isVisible())
        assert not [each for each in toasts.visible if each.workflow_id == asks.workflow_id]
        await app.core.engine.cancel(asks.id)


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
