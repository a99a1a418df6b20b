"""The sign of a row: the shape that says how its workflow stands."""

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from desktop.sidebar.rows import Row, Section, State
from desktop.theme.theme import Theme
from desktop.widgets.indicator import Indicator, paint_indicator

_INDICATORS = {
    State.QUEUED: Indicator.QUEUED,
    State.RUNNING: Indicator.RUNNING,
    State.WAITING: Indicator.WAITING,
    State.PAUSED: Indicator.PAUSED,
    State.COMPLETED: Indicator.SUCCESS,
    State.FAILED: Indicator.ERROR,
    State.STOPPED: Indicator.CANCELLED,
}


def sign_of(row: Row) -> Indicator:
    """What ended is told by a shape only while it is new; then it is a ring, and its words tell."""
    return Indicator.IDLE if row.section in (Section.WORKFLOWS, Section.ARCHIVED) else _INDICATORS[row.state]


def paint_sign(painter: QPainter, theme: Theme, row: Row, center: QPointF, widget: QWidget) -> None:
    """Paints it in a square of `icon_s` around `center`, on `widget` (see `paint_indicator`)."""
    paint_indicator(painter, theme, sign_of(row), center, widget)
