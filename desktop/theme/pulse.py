"""The clock shared by everything that pulses.

Painting registers: a dot painted as running registers its rectangle, and the next tick repaints that rectangle and
nothing else. A dot that is hidden, scrolled away or finished is no longer painted, so it drops out by itself; the timer
stops with the last dot and starts with the first.
"""

from math import cos, pi

from PySide6.QtCore import QElapsedTimer, QObject, QRect, QTimer
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

FRAMES_PER_S = 12
PERIOD_MS = 2000
LEAST_OPACITY = 0.4


class PulseClock(QObject):
    """Animates the opacity 1 → 0.4 → 1 in 2 s, in phase for all dots. Under reduced motion it stays 1 and nothing is
    repainted.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reduced_motion = False
        self._painted: dict[QWidget, QRegion] = {}  # since the last tick
        self._asked: dict[QWidget, QRegion] = {}  # at the last tick
        self._elapsed = QElapsedTimer()
        self._elapsed.start()
        self._timer = QTimer(self)
        self._timer.setInterval(1000 // FRAMES_PER_S)
        self._timer.timeout.connect(self.tick)

    @property
    def is_running(self) -> bool:
        return self._timer.isActive()

    @property
    def opacity(self) -> float:
        if self.reduced_motion:
            return 1.0
        phase = self._elapsed.elapsed() % PERIOD_MS / PERIOD_MS
        return LEAST_OPACITY + (1 - LEAST_OPACITY) * (1 + cos(2 * pi * phase)) / 2

    def beat(self, widget: QWidget, place: QRect | QRegion) -> float:
        """Return the opacity to paint with now and register the rectangle for the next tick.

        Called within a paint event of `widget` (for a view: its viewport), in its coordinates.
        """
        if not self.reduced_motion:
            self._painted[widget] = self._painted.get(widget, QRegion()).united(place)
            if not self._timer.isActive():
                self._timer.start()
        return self.opacity

    def tick(self) -> None:
        """Repaint everything that was painted since the last tick."""
        painted, self._painted = self._painted, {}
        asked, self._asked = self._asked, {}
        for widget in painted.keys() | asked.keys():
            if isValid(widget):
                self._repaint(widget, painted.get(widget, QRegion()), asked.get(widget, QRegion()))
        if not painted and not asked:
            self._timer.stop()

    def _repaint(self, widget: QWidget, painted: QRegion, asked: QRegion) -> None:
        if asked.subtracted(painted).isEmpty():
            widget.update(painted)
            self._asked[widget] = painted
        else:
            widget.update()  # a dot is gone from its place: finished, or moved by scrolling, which paints nothing anew
