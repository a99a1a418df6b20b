"""What tests of the window share: they need no screen, and run on the Qt loop."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from desktop.loop import Loop, new_loop
from desktop.theme.palette import Scheme, SystemLook
from desktop.theme.theme import Appearance, Theme
from desktop.translation.languages import Language, Translation

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"  # no test speaks to the desktop of whoever runs it


@pytest.fixture(autouse=True)
def _locale() -> None:
    """Numbers and dates as in English, whatever this machine's locale is and whichever test came before."""
    QLocale.setDefault(QLocale("en_US"))


@pytest.fixture
def loop_factory(qapp: QApplication) -> Callable[[], Loop]:
    """Makes the loop of a test."""
    return lambda: new_loop(qapp)


@pytest.fixture
def until() -> Callable[..., Awaitable[None]]:
    """`await until(predicate, timeout_s=5)`: the loop and Qt go on until the predicate holds, else TimeoutError."""

    async def wait(predicate: Callable[[], object], timeout_s: float = 5.0) -> None:
        async with asyncio.timeout(timeout_s):
            while not predicate():  # noqa: ASYNC110  # what it looks at has no event to wait for
                await asyncio.sleep(0.002)

    return wait


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    """Light and still, whatever this machine prefers."""
    theme = Theme(qapp, SystemLook(), Appearance(Scheme.LIGHT, reduced_motion=True))
    yield theme
    qapp.setStyleSheet("")
    theme.deleteLater()


@pytest.fixture
def translation(qapp: QApplication) -> Iterator[Translation]:
    """English, until a test changes it."""
    translation = Translation(qapp, Language.ENGLISH)
    yield translation
    translation.set_language(Language.ENGLISH)
    translation.retire()
    translation.deleteLater()
