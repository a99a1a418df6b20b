"""A transcript in a window of 800×600, and queries of what it shows."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.chat.transcript.transcript import Transcript
from desktop.theme import Theme, load_fonts
from tests.gui.chat.conversation import NOW


@pytest.fixture(autouse=True)
def fonts(qapp: QApplication) -> None:
    """The app's fonts, loaded before the theme: what fits depends on them."""
    load_fonts()


@pytest.fixture
def transcript(theme: Theme, qtbot: QtBot) -> Transcript:
    made = Transcript(theme, lambda: NOW)
    qtbot.addWidget(made)
    made.resize(800, 600)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    return made
