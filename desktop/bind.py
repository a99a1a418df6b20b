"""Connects stores to widgets: changes of a store become one render in the next frame.

    frames = Frames(report)                               # a single clock per window
    frames.bind(self, store.changed, self._render)        # in a widget's constructor

A render reads the store and takes no values: it shows the newest state, however often that changed.
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
    """The clock of all renders: ticks at most every 33 ms, and only while a render is due.

    `report` receives the error of a render; other renders and the store are not affected.
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
        """Render in the next frame, and in the frame after each emission, until the owner is destroyed.

        A hidden widget is not rendered; a missed render is made up when it is shown, before it is painted. A bound
        method is held weakly, so that a binding keeps no owner alive.
        """
        return Bind(self, owner, signal if isinstance(signal, tuple) else (signal,), render)

    def draw(self) -> None:
        """Run the due renders without waiting for the frame. What a render changes is rendered in the next frame."""
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


def follow(owner: QObject, signal: SignalInstance, slot: Callable[[], object]) -> None:
    """Call a bound method at each emission, at once and without its values, until the owner is destroyed."""
    method = weakref.WeakMethod(slot)

    def call(*_values: object) -> None:
        if (target := method()) is not None:
            target()

    signal.connect(call)  # a function is held strongly, so it must go with the owner
    owner.destroyed.connect(lambda: signal.disconnect(call, missing_ok=True))


class Bind(QObject):
    """The connection of a render to signals of stores. Lives as long as its owner, or until it is closed."""

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
        """Stop rendering. Closing again has no effect."""
        owner = self.parent() if self._is_open else None
        if owner is not None:
            self._leave()
            owner.removeEventFilter(self)
            self.setParent(None)

    def draw(self) -> None:
        """Render, unless the owner is hidden or this is closed. Raises what the render raises."""
        if self._is_open and not self._waits_for_show() and (render := self._render()) is not None:
            render()

    def eventFilter(self, owner: QObject, event: QEvent) -> bool:
        """Watch the owner's events, only while a missed render is to be made up."""
        if event.type() == QEvent.Type.Show:
            owner.removeEventFilter(self)
            self._is_waiting = False
            self._frames.draw_one(self)
        return False

    def _mark(self) -> None:
        if not self._is_waiting and not self._waits_for_show():
            self._frames.add(self)

    def _waits_for_show(self) -> bool:
        """Return whether the owner is hidden; its events are watched from then on."""
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
