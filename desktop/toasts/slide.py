"""Moves a card to its position, at once or animated."""

from PySide6.QtCore import QEasingCurve, QObject, QPoint, QPropertyAnimation, Signal
from PySide6.QtWidgets import QWidget


class Slide(QObject):
    """Emits `moved` at each step and `arrived` at the end; both also without animation."""

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
        """Move to a target; no effect if the card is there or on its way there."""
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
