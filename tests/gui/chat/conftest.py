"""A transcript in a window of 800×600, and the way to look into it."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.chat.transcript.transcript import Transcript
from desktop.theme.palette import Scheme
from desktop.theme.system import SystemLook
from desktop.theme.theme import Appearance, Theme
from desktop.theme.typography import load_fonts
from tests.gui.chat.conversation import NOW


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    load_fonts()
    theme = Theme(qapp, SystemLook(), Appearance(Scheme.LIGHT, reduced_motion=True))
    yield theme
    qapp.setStyleSheet("")
    theme.deleteLater()


@pytest.fixture
def transcript(theme: Theme, qtbot: QtBot) -> Transcript:
    made = Transcript(theme, lambda: NOW)
    qtbot.addWidget(made)
    made.resize(800, 600)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    return made
