"""What tests of the window share: they need no screen, and run on the Qt loop."""

import os
from collections.abc import Awaitable, Callable, Iterator

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from desktop.loop import Loop, new_loop
from desktop.theme import Appearance, Scheme, SystemLook, Theme
from desktop.translation import Language, Translation
from tests.support import waiting

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
    """`await until(condition, limit_s=20)`: the loop and Qt go on until the condition holds, else TimeoutError."""

    return waiting.until


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
