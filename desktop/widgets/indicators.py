"""Indicators: the state of a workflow or step, and the number of requests that wait for the user.

Each state has its own shape and its own colour, so that either suffices to distinguish it.
"""

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import QCoreApplication, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QSizePolicy, QWidget

from desktop.theme import Icon, Theme
from desktop.tokens import ColorName
from desktop.widgets.adaptive import Adaptive


class Indicator(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    SUCCESS = "success"
    ERROR = "error"
    CANCELLED = "cancelled"
    IDLE = "idle"


_ICONS: dict[Indicator, tuple[Icon, ColorName]] = {
    Indicator.QUEUED: (Icon.CLOCK, "sign_idle"),
    Indicator.WAITING: (Icon.MESSAGE_CIRCLE_QUESTION_MARK, "sign_warn"),
    Indicator.PAUSED: (Icon.TRIANGLE_ALERT, "sign_warn"),
    Indicator.SUCCESS: (Icon.CIRCLE_CHECK, "sign_ok"),
    Indicator.ERROR: (Icon.CIRCLE_X, "sign_error"),
    Indicator.CANCELLED: (Icon.CIRCLE_STOP, "sign_idle"),
}

_HALO_OPACITY = 0.22


def indicator_text(indicator: Indicator) -> str:
    """Return the state as a word, for a row and for a screen reader."""
    match indicator:
        case Indicator.QUEUED:
            return QCoreApplication.translate("Indicator", "Waiting for a place")
        case Indicator.RUNNING:
            return QCoreApplication.translate("Indicator", "Running")
        case Indicator.WAITING:
            return QCoreApplication.translate("Indicator", "Waiting for you")
        case Indicator.PAUSED:
            return QCoreApplication.translate("Indicator", "Paused")
        case Indicator.SUCCESS:
            return QCoreApplication.translate("Indicator", "Done")
        case Indicator.ERROR:
            return QCoreApplication.translate("Indicator", "Failed")
        case Indicator.CANCELLED:
            return QCoreApplication.translate("Indicator", "Stopped")
        case Indicator.IDLE:
            return QCoreApplication.translate("Indicator", "Not running")


def unread_text() -> str:
    """Return what the mark of an unread workflow means, for a screen reader."""
    return QCoreApplication.translate("Indicator", "not looked at yet")


def paint_unread(painter: QPainter, theme: Theme, center: QPointF) -> None:
    """Paint the mark of a workflow that has finished and was not looked at since."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("accent"))
    painter.drawEllipse(center, theme.sizes.dot / 2, theme.sizes.dot / 2)
    painter.restore()


def paint_sign(painter: QPainter, theme: Theme, indicator: Indicator, box: QRect, widget: QWidget | None) -> QRect:
    """Paint an indicator at the left of a row's box, and return the remaining box. `widget` is the list."""
    side = theme.sizes.icon_s
    canvas = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
    if canvas is not None:
        paint_indicator(painter, theme, indicator, QPointF(box.left() + side / 2, box.center().y() + 0.5), canvas)
    return box.adjusted(side + theme.sizes.space_s, 0, 0, 0)


def paint_unread_mark(painter: QPainter, theme: Theme, box: QRect) -> QRect:
    """Paint the mark of an unread workflow at the right of a row's box, and return the remaining box."""
    side = theme.sizes.dot
    paint_unread(painter, theme, QPointF(box.right() - side / 2, box.center().y() + 0.5))
    return box.adjusted(0, 0, -side - theme.sizes.space_s, 0)


def paint_indicator(painter: QPainter, theme: Theme, indicator: Indicator, center: QPointF, widget: QWidget) -> None:
    """Paint the indicator around `center`; all fit into a square of `icon_s`.

    `widget` is the painted widget (for a view, its viewport), in whose coordinates `center` is. A running indicator
    registers its rectangle with the theme's pulse clock.
    """
    if indicator is Indicator.RUNNING:
        paint_dots(painter, theme, [center], theme.pulse.beat(widget, dot_place(theme, center)))
    elif indicator is Indicator.IDLE:
        _paint_ring(painter, theme, center)
    else:
        icon, color = _ICONS[indicator]
        size = theme.sizes.icon_s
        pixmap = theme.pixmap(icon, color, size, widget.devicePixelRatioF())
        painter.drawPixmap(QPointF(center.x() - size / 2, center.y() - size / 2), pixmap)


def paint_pulsing_ring(painter: QPainter, theme: Theme, box: QRectF, radius: float, widget: QWidget) -> None:
    """Paint a green ring inside `box`, pulsing with the dots: a running workflow in the collapsed sidebar."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(painter.opacity() * theme.pulse.beat(widget, box.toAlignedRect()))
    painter.setPen(QPen(theme.color("sign_ok"), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), radius - 1, radius - 1)
    painter.restore()


def dot_place(theme: Theme, center: QPointF) -> QRect:
    """Return the rectangle of a running dot with its halo."""
    halo = theme.sizes.icon_s / 2
    return QRectF(center.x() - halo, center.y() - halo, halo * 2, halo * 2).toAlignedRect()


def paint_dots(painter: QPainter, theme: Theme, centers: Sequence[QPointF], opacity: float) -> None:
    """Paint the dots of running workflows, all at the current opacity."""
    halo, dot = theme.sizes.icon_s / 2 - 0.5, theme.sizes.dot / 2
    color = theme.color("sign_ok")
    soft = QColor(color)
    soft.setAlphaF(_HALO_OPACITY)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(painter.opacity() * opacity)
    painter.setPen(Qt.PenStyle.NoPen)
    for brush, radius in ((soft, halo), (color, dot)):
        painter.setBrush(brush)
        for center in centers:
            painter.drawEllipse(center, radius, radius)
    painter.restore()


def _paint_ring(painter: QPainter, theme: Theme, center: QPointF) -> None:
    radius = theme.sizes.dot / 2
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("sign_idle"), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(center, radius - 0.5, radius - 0.5)
    painter.restore()


class StatusDot(Adaptive, QWidget):
    """An indicator as a widget. Its accessible name is the state as a word."""

    def __init__(self, theme: Theme, indicator: Indicator = Indicator.IDLE, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._indicator = indicator
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.adapt_to(theme)

    @property
    def indicator(self) -> Indicator:
        return self._indicator

    def set_indicator(self, indicator: Indicator) -> None:
        self._indicator = indicator
        self.retranslate()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.sizes.icon_s, self._theme.sizes.icon_s)

    def retranslate(self) -> None:
        self.setAccessibleName(indicator_text(self._indicator))

    def apply_theme(self) -> None:
        self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        center = QPointF(self.width() / 2, self.height() / 2)
        paint_indicator(QPainter(self), self._theme, self._indicator, center, self)


_MOST = 99


def badge_size(theme: Theme, count: int) -> QSize:
    height = theme.sizes.radius_badge * 2
    width = QFontMetricsF(theme.font("badge")).horizontalAdvance(_shown(count)) + theme.sizes.space_s
    return QSize(max(height, round(width)), height)


def paint_badge(painter: QPainter, theme: Theme, count: int, box: QRectF) -> None:
    """Fill `box`, which has the size of `badge_size`; paint nothing for a count of 0."""
    if count < 1:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("badge"))
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    painter.setPen(theme.color("on_badge"))
    painter.setFont(theme.font("badge"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _shown(count))
    painter.restore()


def _shown(count: int) -> str:
    return str(count) if count <= _MOST else f"{_MOST}+"
