"""The sign of a row: the shape that says how its workflow stands."""

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from desktop.sidebar.rows import Row, Section, State
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.widgets.indicator import Indicator, paint_indicator

_INDICATORS = {
    State.RUNNING: Indicator.RUNNING,
    State.WAITING: Indicator.WAITING,
    State.COMPLETED: Indicator.SUCCESS,
    State.FAILED: Indicator.ERROR,
    State.STOPPED: Indicator.CANCELLED,
}
_ICONS: dict[State, tuple[Icon, ColorName]] = {
    State.QUEUED: (Icon.CLOCK, "sign_idle"),
    State.PAUSED: (Icon.TRIANGLE_ALERT, "sign_warn"),
}


def paint_sign(painter: QPainter, theme: Theme, row: Row, center: QPointF, widget: QWidget) -> None:
    """Paints it in a square of `icon_s` around `center`, on `widget` (see `paint_indicator`).

    What ended is told by a shape only while it is new; then it is a ring, and its words tell.
    """
    if row.section is Section.WORKFLOWS:
        paint_indicator(painter, theme, Indicator.IDLE, center, widget)
    elif row.state in _ICONS:
        icon, color = _ICONS[row.state]
        size = theme.sizes.icon_s
        pixmap = theme.pixmap(icon, color, size, widget.devicePixelRatioF())
        painter.drawPixmap(QPointF(center.x() - size / 2, center.y() - size / 2), pixmap)
    else:
        paint_indicator(painter, theme, _INDICATORS[row.state], center, widget)
