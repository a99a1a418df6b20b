"""Whether somebody is about to click in a list: then nothing moves away under the pointer."""

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractItemView

AIM_MS = 700
_Type = QEvent.Type


class Aim(QObject):
    """The pointer over a list, a child of its view. `rested` tells that `is_taken` holds no more."""

    rested = Signal()

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._place: QPoint | None = None
        self._is_down = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.rested)
        view.viewport().setMouseTracking(True)
        view.viewport().installEventFilter(self)

    @property
    def place(self) -> QPoint | None:
        """Where the pointer is, in the viewport."""
        return self._place

    @property
    def is_taken(self) -> bool:
        """Whether the pointer has moved within the last 0.7 s, or a button is down."""
        return self._is_down or self._timer.isActive()

    def let_go(self) -> None:
        """The person has done something in the list: what comes of it is to be seen at once."""
        self._is_down = False
        self._timer.stop()

    def eventFilter(self, _viewport: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (_Type.MouseMove, _Type.MouseButtonPress) and isinstance(event, QMouseEvent):
            self._place = event.position().toPoint()
            self._is_down = bool(event.buttons())
            self._timer.start(AIM_MS)
        elif kind == _Type.MouseButtonRelease:
            self._is_down = False
            self._timer.start(0)  # not yet: the list still looks where the button went up
        elif kind in (_Type.Leave, _Type.Hide):
            self._place, self._is_down = None, False
            self._timer.start(0)
        return False
