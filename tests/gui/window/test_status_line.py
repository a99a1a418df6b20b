"""The line at the bottom: what runs, what waits, what is on disk."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.engine.log import journal
from core.stores import indicators
from tests.gui.window.rig import an_app
from tests.support.failing_storage import FailingMemory, Trouble
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
ASKS = {**tool_step("ask", "calculator", expression="1"), "interrupt": {"kind": "approval"}}


async def test_it_shows_what_runs_and_waits_and_nothing_at_its_right_moves(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indicators, "SETTLE_S", 0.1)
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        line = app.content.status
        await until(lambda: line.accessibleName() == "Nothing at work. Saved")
        assert line.minimumSizeHint().width() < 500
        places = line._saving.geometry(), line._speed.geometry()
        run = await app.say("go " * 60, script=({"say": "word " * 400, "delay_ms": 20},))
        asking = await app.start("A name " * 30, ASKS)
        await until(lambda: line._running.text().startswith("1 at work: go") and line._waiting.isVisible())
        await until(lambda: line._saving.text() == "Writing…" and line._speed.text().endswith("tokens/s"))
        assert line._waiting.text() == "1 needs you"
        assert (line._saving.geometry(), line._speed.geometry()) == places
        assert line._waiting.geometry().right() < line._saving_icon.geometry().left()
        QTest.mouseClick(line._waiting, Qt.MouseButton.LeftButton)
        assert app.content.command_palette.isVisible()
        assert any(entry.key == asking.workflow_id for entry in app.content.command_palette.shown())
        await app.core.engine.cancel(run.id)
        await app.core.engine.cancel(asking.id)
        await until(lambda: line.accessibleName() == "Nothing at work. Saved")


async def test_a_full_disk_is_shown_until_there_is_room(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "RETRY_S", 0.05)
    storage = FailingMemory()
    storage.trouble = Trouble(at=1, count=10_000)
    async with an_app(tmp_path, qapp, storage) as app:
        line = app.content.status
        run = await app.say("go " * 60, script=({"say": "word " * 60, "delay_ms": 20},))
        storage.trouble.is_on = True
        await until(lambda: line._saving.text() == "Not saved")
        assert "disk is full" in line._saving.accessibleDescription()
        storage.trouble.is_on = False
        await until(lambda: line._saving.text() == "Saved")
        await app.core.engine.wait(run.id)
