"""Stores to widgets: a change of a store becomes one render, in the next frame.

    frames = Frames(report)                               # one for the window
    frames.bind(self, store.changed, self._render)        # in a widget's constructor

A render reads the store and takes no values: what it shows is the newest state, however often that changed.
"""

import inspect
import math
import time
import weakref
from collections.abc import Callable

from psygnal import SignalInstance
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget

FRAME_S = 0.033

Render = Callable[[], object]
Report = Callable[[Exception], object]


class Frames:
    """The clock of all renders: ticks at most every 33 ms, and only while there is something to render.

    `report` is told of a render's error; the other renders and the store are not.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._dirty: dict[Bind, None] = {}  # a set that keeps its order
        self._drawn_at = -math.inf
        self._timer = QTimer()
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.draw)

    def bind(self, owner: QObject, signal: SignalInstance | tuple[SignalInstance, ...], render: Render) -> "Bind":
        """Render now, that is in the next frame, and in the frame after each emission; until the owner is destroyed.

        While a widget is hidden it is not rendered; what it missed is made up when it shows, before it is painted.
        A bound method is held weakly, so that a bind keeps no owner alive.
        """
        return Bind(self, owner, signal if isinstance(signal, tuple) else (signal,), render)

    def draw(self) -> None:
        """Render what is due without waiting for the frame. What a render changes comes in the next one."""
        self._timer.stop()
        dirty, self._dirty = self._dirty, {}
        for bind in dirty:
            self.draw_one(bind)

    def draw_one(self, bind: "Bind") -> None:
        self._drawn_at = time.monotonic()
        try:
            bind.draw()
        except Exception as error:  # noqa: BLE001  # whatever a render does wrong is its own
            self._report(error)

    def add(self, bind: "Bind") -> None:
        self._dirty[bind] = None
        if not self._timer.isActive():
            wait_s = self._drawn_at + FRAME_S - time.monotonic()
            self._timer.start(math.ceil(max(0.0, wait_s) * 1000))


class Bind(QObject):
    """What ties a render to signals of stores. A child of its owner, it lives as long, or until it is closed."""

    def __init__(self, frames: Frames, owner: QObject, signals: tuple[SignalInstance, ...], render: Render) -> None:
        super().__init__(owner)
        self._frames = frames
        self._signals = signals
        self._render = weakref.WeakMethod(render) if inspect.ismethod(render) else lambda: render
        self._is_open = True
        self._is_waiting = False
        owner.destroyed.connect(self._leave)
        for signal in signals:
            signal.connect(self._mark)
        self._mark()

    def close(self) -> None:
        """Render no more, from now on. Closing again has no effect."""
        owner = self.parent() if self._is_open else None
        if owner is not None:
            self._leave()
            owner.removeEventFilter(self)
            self.setParent(None)

    def draw(self) -> None:
        """Render, unless that is to wait or came to its end. Raises what the render raises."""
        if self._is_open and not self._waits_for_show() and (render := self._render()) is not None:
            render()

    def eventFilter(self, owner: QObject, event: QEvent) -> bool:
        """Sees the owner's events, only while there is something to make up."""
        if event.type() == QEvent.Type.Show:
            owner.removeEventFilter(self)
            self._is_waiting = False
            self._frames.draw_one(self)
        return False

    def _mark(self) -> None:
        if not self._is_waiting and not self._waits_for_show():
            self._frames.add(self)

    def _waits_for_show(self) -> bool:
        """Whether the owner is hidden. From then on its events are watched."""
        owner = self.parent()
        if not isinstance(owner, QWidget) or owner.isVisible():
            return False
        owner.installEventFilter(self)
        self._is_waiting = True
        return True

    def _leave(self) -> None:
        self._is_open = False
        for signal in self._signals:
            signal.disconnect(self._mark, missing_ok=True)
