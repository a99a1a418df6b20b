"""A data folder that cannot be opened: what happened, what is safe, what to do, and again once it is seen to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from core.app import Core, Folders
from core.errors import StorageFailed
from desktop.arguments import Arguments
from desktop.session import Session
from desktop.window.frame.failure_page import FailurePage
from desktop.window.frame.main_window import MainWindow
from desktop.window_state import WindowState

Until = Callable[..., Awaitable[None]]


@asynccontextmanager
async def refuse(*_: object) -> AsyncIterator[Core]:
    raise StorageFailed("storage_full", "disk full, token=ghp_abcdefghijklmnopqrstuvwxyz")
    yield  # a generator, which never gets here


async def test_it_shows_which_folder_what_is_safe_and_can_be_tried_again(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    window = MainWindow("#FFFFFF", None)
    window.show()
    given = Arguments(language="en", theme="light")
    folders = Folders.choose(str(tmp_path))
    session = Session(qapp, window, given, folders, refuse, tmp_path / "window.json", WindowState(), 0.0)
    session._end = asyncio.Event()
    living = asyncio.create_task(session._live_once())
    await until(lambda: isinstance(window.centralWidget(), FailurePage))
    page = window.centralWidget()
    assert isinstance(page, FailurePage)
    said = " ".join(label.text() for label in page.findChildren(QLabel))
    assert str(tmp_path) in said
    assert "What was saved is safe. Make room" in said
    assert "ghp_" not in said
    buttons = {button.text(): button for button in page.findChildren(QPushButton)}
    buttons["Copy details"].click()
    assert str(tmp_path) in QGuiApplication.clipboard().text()
    buttons["Try again"].click()
    assert await asyncio.wait_for(living, 20) is True
    living = asyncio.create_task(session._live_once())
    await until(lambda: window.centralWidget() is not page)
    session.end()
    assert await asyncio.wait_for(living, 20) is False
    session.translation.retire()
    window.deleteLater()
