"""One clock pulses for all: from the first dot to the last, and it repaints nothing but the dots."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from desktop.theme import LEAST_OPACITY, PulseClock

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


class Dot(QWidget):
    """Pulses in a corner while `is_on`; like a view, it paints only what it is asked to, which it remembers."""

    def __init__(self, clock: PulseClock) -> None:
        super().__init__()
        self.clock = clock
        self.is_on = True
        self.place = QRect(2, 2, 8, 8)
        self.painted: list[QRect] = []
        self.resize(100, 100)

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted.append(event.region().boundingRect())
        if self.is_on and event.region().intersects(self.place):
            self.clock.beat(self, self.place)


@pytest.fixture
def dot(qapp: QApplication, qtbot: QtBot) -> Dot:
    clock = PulseClock()
    dot = Dot(clock)
    clock.setParent(dot)
    qtbot.addWidget(dot)
    return dot


def tick(dot: Dot) -> None:
    dot.clock.tick()
    QApplication.processEvents()


def test_the_clock_runs_from_the_first_dot_on_and_repaints_nothing_else(dot: Dot) -> None:
    assert not dot.clock.is_running
    dot.show()
    tick(dot)
    dot.painted.clear()
    tick(dot)
    tick(dot)
    assert dot.clock.is_running
    assert dot.painted == [dot.place, dot.place]


@pytest.mark.parametrize("stop", [lambda dot: setattr(dot, "is_on", False), Dot.hide], ids=["finished", "hidden"])
def test_the_clock_stops_with_the_last_dot(dot: Dot, stop: Callable[[Dot], None]) -> None:
    dot.show()
    tick(dot)
    stop(dot)
    for _ in range(4):
        tick(dot)
    assert not dot.clock.is_running


def test_a_dot_that_was_moved_without_painting_is_found_again(dot: Dot) -> None:
    dot.show()
    tick(dot)
    dot.place = QRect(50, 50, 8, 8)  # as a view does that scrolls by copying pixels
    for _ in range(3):
        tick(dot)
    dot.painted.clear()
    tick(dot)
    assert dot.painted == [dot.place]


def test_a_widget_that_is_gone_does_not_disturb_the_clock(qapp: QApplication) -> None:
    clock = PulseClock()
    dot = Dot(clock)
    clock.beat(dot, dot.place)
    delete(dot)
    clock.tick()
    clock.tick()
    assert not clock.is_running


def test_under_reduced_motion_nothing_pulses(dot: Dot) -> None:
    dot.clock.reduced_motion = True
    dot.show()
    tick(dot)
    assert not dot.clock.is_running
    assert dot.clock.beat(dot, dot.place) == 1


def test_opacity_stays_between_its_bounds(dot: Dot) -> None:
    assert LEAST_OPACITY <= dot.clock.opacity <= 1
