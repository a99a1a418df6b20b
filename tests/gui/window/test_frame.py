"""The window before it has a content: its geometry on the screens that are there, its first frame, early keys."""

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from desktop.window.frame.main_window import MainWindow
from desktop.window_state import Geometry
from tests.gui.window.rig import an_app


class Screen:
    """The only screen that `QGuiApplication` reports."""

    def __init__(self, room: QRect) -> None:
        self._room = room

    def availableGeometry(self) -> QRect:
        return self._room


def place(geometry: Geometry | None, *screens: QRect) -> QRect:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QGuiApplication, "screens", lambda: [Screen(screen) for screen in screens])
        patch.setattr(QGuiApplication, "primaryScreen", lambda: Screen(screens[0]))
        window = MainWindow("#FFFFFF", geometry)
    box = window.geometry()
    window.deleteLater()
    return box


WIDE = QRect(0, 0, 1920, 1040)
BESIDE = QRect(1920, 0, 1280, 1024)
LAPTOP = QRect(0, 0, 911, 480)
"""What a panel leaves of 1366×768 at 150 %."""


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("x", "y"), [(-5000, 100), (100, 9000), (5000, -5000), (-790, 10), (300, -300), (1900, 10), (10, 1030)]
)
def test_a_window_off_the_screen_is_moved_onto_it(x: int, y: int) -> None:
    assert WIDE.contains(place(Geometry(x, y, 800, 600), WIDE))
    assert WIDE.contains(place(Geometry(x, y, 1, 1), WIDE))


@pytest.mark.usefixtures("qapp")
def test_a_window_that_can_be_reached_stays_where_it_was_left() -> None:
    for x, y in ((-300, 10), (1500, 900), (2000, 10)):
        assert place(Geometry(x, y, 900, 600), WIDE, BESIDE) == QRect(x, y, 900, 600)
    assert place(Geometry(100, 10, 3000, 900), WIDE, BESIDE) == QRect(100, 10, 3000, 900)


@pytest.mark.usefixtures("qapp")
def test_when_its_screen_is_gone_it_comes_to_the_one_that_is_left() -> None:
    assert WIDE.contains(place(Geometry(2500, 100, 1000, 700), WIDE))


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("geometry", [None, Geometry(20, 20, 1200, 800), Geometry(0, 0, 5000, 4000)])
def test_on_a_small_screen_it_is_whole(qapp: QApplication, geometry: Geometry | None) -> None:
    box = place(geometry, LAPTOP)
    assert (box.width(), box.height()) == (911, 480)
    if geometry is not None:
        assert LAPTOP.contains(box)


async def test_the_first_frame_says_that_it_is_opening_until_there_is_a_content(qapp: QApplication) -> None:
    def colors(window: MainWindow) -> int:
        image = window.grab().toImage()
        return len({image.pixel(x, image.height() // 2) for x in range(image.width())})

    window = MainWindow("#FFFFFF", None, "Opening…")
    assert colors(window) > 1
    window.setCentralWidget(QWidget())
    assert colors(window) == 1
    window.deleteLater()


@pytest.mark.parametrize("has_command", [False, True])
async def test_keys_of_a_cold_start_act_once_there_is_a_content(
    tmp_path: Path, qapp: QApplication, has_command: bool
) -> None:
    none, control = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
    keys = [(Qt.Key.Key_Return, none), *([(Qt.Key.Key_N, control)] if has_command else [])]
    async with an_app(tmp_path, qapp, early_keys=[*keys, (Qt.Key.Key_H, none), (Qt.Key.Key_I, none)]) as app:
        assert app.content.chat.composer.draft().text == "hi"
        assert not app.core.stores.workflows.rows  # Enter pressed nothing that was not there yet
        app.key(Qt.Key.Key_X)
        assert app.content.chat.composer.draft().text == "hix"
        assert app.window.early_keys.take() == []
