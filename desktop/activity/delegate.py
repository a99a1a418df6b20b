"""How a line of the activity is painted: icon, what was done and how long ago, and below what came of it."""

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.stores.activity import ActivityItem, ActivityState
from desktop.activity.model import ActivityModel, Index
from desktop.activity.signs import outcome_color, sign
from desktop.activity.words import outcome, title
from desktop.theme.drawing import paint_focus_ring
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.theme.typography import TextRole
from desktop.widgets.indicator import Indicator, paint_indicator

_State = QStyle.StateFlag


class ActivityDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, model: ActivityModel, view: QWidget) -> None:
        super().__init__(view)
        self._theme = theme
        self._model = model

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        sizes = self._theme.sizes
        lines = (sizes.text_m + sizes.text_s) * sizes.body_line
        return QSize(sizes.activity_collapsed, round(lines) + sizes.space_m)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = self._model.item(index)
        if item is None:
            return
        sizes = self._theme.sizes
        box: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option)
        inner = box.adjusted(sizes.space_s, sizes.space_m // 2, -sizes.space_s, -(sizes.space_m // 2))
        upper = QRect(inner.left(), inner.top(), inner.width(), round(sizes.text_m * sizes.body_line))
        self._paint_sign(painter, item, upper, option)
        text = inner.adjusted(sizes.icon_s + sizes.space_s, 0, 0, 0)
        age = self._model.age(item)
        age_width = QFontMetrics(self._theme.font("meta")).horizontalAdvance(age)
        words = QRect(text.left(), upper.top(), text.width() - age_width - sizes.space_s, upper.height())
        self._paint_text(painter, words, title(item), "row", "text", Qt.TextElideMode.ElideMiddle)
        place = QRect(text.right() + 1 - age_width, upper.top(), age_width, upper.height())
        self._paint_text(painter, place, age, "meta", "muted", Qt.TextElideMode.ElideNone)
        lower = QRect(text.left(), upper.bottom() + 1, text.width(), inner.bottom() - upper.bottom())
        self._paint_text(painter, lower, outcome(item), "secondary", outcome_color(item), Qt.TextElideMode.ElideRight)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        radius, box = self._theme.sizes.radius_row, QRectF(option.rect)
        ground: ColorName | None = None
        if option.state & _State.State_Selected:
            ground = "selected"
        elif option.state & _State.State_MouseOver:
            ground = "hover"
        if ground is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color(ground))
            painter.drawRoundedRect(box, radius, radius)
        if option.state & _State.State_HasFocus:
            paint_focus_ring(painter, box, radius, self._theme.color("accent"), self._theme.sizes.focus_ring)

    def _paint_sign(self, painter: QPainter, item: ActivityItem, line: QRect, option: QStyleOptionViewItem) -> None:
        size = self._theme.sizes.icon_s
        center = QPointF(line.left() + size / 2, line.top() + line.height() / 2)
        widget = option.widget
        if item.state is ActivityState.RUNNING and widget is not None:
            paint_indicator(painter, self._theme, Indicator.RUNNING, center, _painted(widget))
            return
        pixmap = self._theme.pixmap(*sign(item), size, painter.device().devicePixelRatio())
        painter.drawPixmap(QPointF(center.x() - size / 2, center.y() - size / 2), pixmap)

    def _paint_text(
        self, painter: QPainter, box: QRect, text: str, role: TextRole, color: ColorName, mode: Qt.TextElideMode
    ) -> None:
        font = self._theme.font(role)
        painter.setFont(font)
        painter.setPen(self._theme.color(color))
        line = QFontMetrics(font).elidedText(text, mode, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, line)


def _painted(view: QWidget) -> QWidget:
    """Of a scroll area its viewport."""
    viewport = getattr(view, "viewport", None)
    return viewport() if viewport is not None else view
