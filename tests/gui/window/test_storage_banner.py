"""A store that cannot be written: a banner and a toast say what is safe, and try again when asked."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from core.engine.log import journal
from tests.gui.window.rig import App, an_app
from tests.support.failing_storage import FailingMemory, Trouble

Until = Callable[..., Awaitable[None]]


def toast_button(app: App) -> QPushButton | None:
    """Return the visible button *Try now* of a toast."""
    buttons = app.content.toasts.findChildren(QPushButton, "retry")
    return next((button for button in buttons if button.isVisible()), None)


@pytest.mark.parametrize("place", ["banner", "toast"])
@pytest.mark.parametrize("code", ["storage_full", "storage_moved", "storage_stalled", "storage_not_writable"])
async def test_a_paused_store_is_tried_again_by_a_button(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch, place: str, code: str
) -> None:
    monkeypatch.setattr(journal, "RETRY_S", 10_000)  # by itself it is not tried again in the time of this test
    storage = FailingMemory()
    storage.trouble = Trouble(at=1, count=10_000, code=code)
    async with an_app(tmp_path, qapp, storage, size=(800, 600)) as app:
        banner = app.content.storage
        assert not banner.isVisible()
        run = await app.say("go", script=({"say": "word " * 60, "delay_ms": 20},))
        storage.trouble.is_on = True
        await until(lambda: banner.isVisible() and toast_button(app) is not None)
        assert "goes on by itself" in banner.text
        assert banner.button.accessibleDescription() == banner.text
        failed = storage.trouble.failed
        QTest.mouseClick(banner.button, Qt.MouseButton.LeftButton)
        await until(lambda: storage.trouble.failed > failed)
        assert banner.isVisible()
        storage.trouble.is_on = False
        button = banner.button if place == "banner" else toast_button(app)
        assert button is not None
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        await until(lambda: not banner.isVisible() and toast_button(app) is None)
        await app.core.engine.wait(run.id)
