"""A store in doubt: what happened, what each choice does, and what came of it, in the window."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QRadioButton

from core.app import Core, Folders
from core.domain.doubt import Repair, Repaired
from core.errors import StorageFailed
from desktop.arguments import Arguments
from desktop.session import Session
from desktop.window.frame.doubt_page import DoubtPage
from desktop.window.frame.main_window import MainWindow
from desktop.window_state import WindowState
from tests.gui.screens.filled import DOUBT

Until = Callable[..., Awaitable[None]]


@asynccontextmanager
async def refuse(*_: object) -> AsyncIterator[Core]:
    raise StorageFailed("store_doubtful", "the store is older", **DOUBT)
    yield  # a generator, which never gets here


class Window:
    """A window whose store is in doubt, and whose repairs end as `outcomes` say."""

    def __init__(self, app: QApplication, folder: Path, *outcomes: Repaired | StorageFailed) -> None:
        self.chosen: list[Repair] = []
        self._outcomes = list(outcomes)
        self.main = MainWindow("#FFFFFF", None)
        self.main.show()
        given, folders = Arguments(language="en", theme="light"), Folders.choose(str(folder))
        state = WindowState()
        self.session = Session(app, self.main, given, folders, refuse, folder / "window.json", state, 0.0, self.repair)
        self.session._end = asyncio.Event()
        self.living = asyncio.create_task(self.session._live_once())

    async def repair(self, _: Folders, choice: Repair, on_progress: Callable[[dict[str, Any]], object]) -> Repaired:
        self.chosen.append(choice)
        on_progress({"rows": 1200})
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, StorageFailed):
            raise outcome
        return outcome

    @property
    def page(self) -> DoubtPage:
        page = self.main.centralWidget()
        assert isinstance(page, DoubtPage)
        return page

    def shown(self) -> str:
        return " ".join(label.text() for label in self.page.findChildren(QLabel) if label.isVisibleTo(self.page))

    def press(self, text: str) -> None:
        next(button for button in self.page.findChildren(QPushButton) if button.text() == text).click()

    def choose(self, title: str) -> None:
        next(card for card in self.page.findChildren(QRadioButton) if card.accessibleName() == title).click()

    def dispose(self) -> None:
        self.session.translation.retire()
        self.main.deleteLater()


@pytest.fixture
async def window(tmp_path: Path, qapp: QApplication, until: Until) -> AsyncIterator[Window]:
    missing = ("rows of message, at 2 damaged places",)
    salvaged = Repaired(Repair.SALVAGE, tmp_path / "store.aside", 17, missing)
    window = Window(qapp, tmp_path, StorageFailed("storage_full", "no room"), salvaged)
    await until(lambda: isinstance(window.main.centralWidget(), DoubtPage))
    yield window
    window.dispose()


async def test_it_shows_what_is_known_and_every_choice(window: Window) -> None:
    shown = window.shown()
    for words in ("older than", "3 of 18 runs", "Nothing was changed", "/data/store", "17 runs, made"):
        assert words in shown
    cards = [card.accessibleName() for card in window.page.findChildren(QRadioButton)]
    assert cards == [
        "Go on with this data",
        "Restore the newest backup",
        "Save what can be read",
        "Start with empty data",
    ]
    window.press("Quit")
    assert await asyncio.wait_for(window.living, 20) is False
    assert window.chosen == []


async def test_after_a_failure_another_choice_leads_on_and_what_is_missing_is_shown(
    window: Window, until: Until
) -> None:
    window.choose("Restore the newest backup")
    window.press("Continue")
    await until(lambda: "The disk is full" in window.shown())
    window.choose("Save what can be read")
    window.press("Continue")
    await until(lambda: "rows of message, at 2 damaged places" in window.shown())
    assert "store.aside" in window.shown()
    assert window.chosen == [Repair.BACKUP, Repair.SALVAGE]
    window.press("Open Metier")
    assert await asyncio.wait_for(window.living, 20) is True
