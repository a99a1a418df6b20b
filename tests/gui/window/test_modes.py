"""Changing the validation mode by key during work: active runs keep their mode, pending requests stay pending."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from core.domain.interruption import Action
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.sidebar.list_view import SidebarList
from desktop.sidebar.model import SidebarModel
from desktop.sidebar.rows import Row, Section
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import card_of, take_card, waits
from tests.gui.window.test_new_from_template import keep
from tests.support.progress import stored_interruptions

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
SHIFT_CONTROL = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


async def choose(app: App, mode: ValidationMode, until: Until) -> None:
    """By Ctrl+Shift+D, the arrows and Enter."""
    app.key(Key.Key_D, SHIFT_CONTROL)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    for _ in range(3):
        if menu.activeAction().data() != mode:
            _press(menu, Key.Key_Down)
    assert menu.activeAction().data() == mode
    _press(menu, Key.Key_Return)
    await until(lambda: app.core.settings.current.validation_mode is mode)
    app.window.activateWindow()  # the offscreen platform gives it back to nobody
    await until(app.window.isActiveWindow)


def _press(menu: QMenu, key: Qt.Key) -> None:
    QApplication.sendEvent(menu, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))


def running(app: App) -> list[tuple[str, ValidationMode | None, int]]:
    """The rows of *Running*: whose, the mode of its own, and how many requests wait."""
    (view,) = app.content.sidebar.findChildren(SidebarList)
    model = view.model()
    assert isinstance(model, SidebarModel)
    rows = [item for item in model.items if isinstance(item, Row) and item.section is Section.RUNNING]
    return [(row.id, row.mode, row.waiting) for row in rows]


def refusal(app: App) -> str:
    """Why a start has to wait, as it is shown by the composer; empty if nothing was refused."""
    strip = app.content.chat.footer.limit
    return strip.limit.reason if strip.limit is not None and strip.isVisible() else ""


async def test_three_that_run_keep_their_mode_and_a_fourth_is_refused_until_it_may(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        runs = [await app.say(f"say 4000 words {number}") for number in range(20, 23)]
        app.content.opener.open(runs[0].workflow_id)
        await until(app.content.header.isVisible)
        await keep(app, "In manual mode", "manual")
        await choose(app, ValidationMode.MANUAL, until)
        for run in runs:
            row = app.row(run.workflow_id)
            assert row is not None
            assert row.mode is ValidationMode.AUTO
        app.control(Key.Key_N)
        QTest.keyClicks(app.focused(), "say 4 words")
        app.key(Key.Key_Return)
        await until(lambda: "One workflow at a time. In manual mode" in refusal(app))
        assert app.content.chat.composer.draft().text == "say 4 words"
        app.control(Key.Key_1)
        app.key(Key.Key_F5, SHIFT)
        await until(lambda: app.core.stores.background.running_count == 2)
        app.control(Key.Key_N)
        app.key(Key.Key_Return)
        await until(lambda: "manual mode" in refusal(app))
        await choose(app, ValidationMode.AUTO, until)
        app.control(Key.Key_N)
        app.key(Key.Key_N, SHIFT_CONTROL)
        await until(lambda: "In manual mode" in [entry.title for entry in app.content.command_palette.shown()])
        QTest.keyClicks(app.focused(), "in manual")
        app.key(Key.Key_Return)
        # its own mode, not that of the settings
        await until(lambda: "manual mode" in refusal(app) and not app.content.chat.footer.limit.auto.isVisible())
        app.control(Key.Key_N)
        app.key(Key.Key_Return)
        await until(
            lambda: app.core.stores.background.running_count == 3 or "a workflow is running" in app.turn_texts()
        )
        for run in runs:
            await app.core.engine.cancel(run.id)


async def test_what_waits_for_an_approval_still_does_in_automatic_mode(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, mode=ValidationMode.MANUAL) as app:
        sent = await app.core.chat.send('/tool calculator {"expression": "6*7"}', mode=ValidationMode.MANUAL)
        assert isinstance(sent, Ok)
        run = sent.data
        await waits(app, run)
        app.content.opener.open(run.workflow_id)
        await choose(app, ValidationMode.AUTO, until)
        await until(lambda: running(app) == [(run.workflow_id, ValidationMode.MANUAL, 1)])
        (asked,) = await stored_interruptions(app.core.storage, run.id)
        assert (asked.answer, app.core.stores.questions.count(run.workflow_id)) == (None, 1)
        await take_card(app)
        for _ in range(8):
            if app.focused() is not card_of(app).button(Action.APPROVE):
                app.key(Key.Key_Tab)
        app.key(Key.Key_Return)
        await until(lambda: not app.core.stores.questions.all)
        assert (await app.core.engine.wait(run.id)).status is RunStatus.SUCCESS
        assert not card_of(app).isVisible()
