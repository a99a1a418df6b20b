"""Moving a card to its place, at once or within a moment."""

from PySide6.QtCore import QEasingCurve, QObject, QPoint, QPropertyAnimation, Signal
from PySide6.QtWidgets import QWidget


class Glide(QObject):
    """`moved` tells each step on the way, `arrived` the end of it; both come also where no time is taken."""

    moved = Signal()
    arrived = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._target: QPoint | None = None
        self._animation = QPropertyAnimation(widget, b"pos", self)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._tell)
        self._animation.finished.connect(self.arrived)

    def to(self, target: QPoint, duration_ms: int) -> None:
        """Where it is there, or under way to that place, already, it goes on as it does."""
        if target == self._target:
            return
        self._target = target
        self._animation.stop()
        if duration_ms > 0 and target != self._widget.pos():
            self._animation.setDuration(duration_ms)
            self._animation.setStartValue(self._widget.pos())
            self._animation.setEndValue(target)
            self._animation.start()
        else:
            self._widget.move(target)
            self.moved.emit()
            self.arrived.emit()

    def _tell(self) -> None:
        self.moved.emit()
