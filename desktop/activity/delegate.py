"""How a line of the activity is painted: icon, what was done and how long ago, and below what came of it."""

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem

from core.stores.activity_items import ActivityItem, ActivityKind, ActivityState
from desktop.activity.model import ActivityModel, Index
from desktop.activity.signs import outcome_color, sign
from desktop.activity.words import outcome, title
from desktop.theme.theme import Theme
from desktop.widgets.indicator import Indicator, paint_indicator
from desktop.widgets.painting import ground_color, paint_cursor, paint_ground, paint_words


class ActivityDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, model: ActivityModel, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._canvas = view.viewport()
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
        theme, sizes = self._theme, self._theme.sizes
        box: QRect = option.rect
        color = ground_color(option)
        if color is not None:
            paint_ground(painter, theme, box, sizes.radius_row, color)
        paint_cursor(painter, theme, option, box, sizes.radius_row)
        inner = box.adjusted(sizes.space_s, sizes.space_m // 2, -sizes.space_s, -(sizes.space_m // 2))
        upper = QRect(inner.left(), inner.top(), inner.width(), round(sizes.text_m * sizes.body_line))
        self._paint_sign(painter, item, upper)
        text = inner.adjusted(sizes.icon_s + sizes.space_s, 0, 0, 0)
        age = self._model.age(item)
        age_width = QFontMetrics(theme.font("meta")).horizontalAdvance(age)
        words = QRect(text.left(), upper.top(), text.width() - age_width - sizes.space_s, upper.height())
        is_thought = item.kind is ActivityKind.REASONING
        cut = Qt.TextElideMode.ElideRight if is_thought else Qt.TextElideMode.ElideMiddle
        paint_words(painter, theme, title(item), words, "row", "text", cut=cut)
        place = QRect(text.right() + 1 - age_width, upper.top(), age_width, upper.height())
        paint_words(painter, theme, age, place, "meta", "muted", cut=Qt.TextElideMode.ElideNone)
        lower = QRect(text.left(), upper.bottom() + 1, text.width(), inner.bottom() - upper.bottom())
        paint_words(painter, theme, outcome(item), lower, "secondary", outcome_color(item))

    def _paint_sign(self, painter: QPainter, item: ActivityItem, line: QRect) -> None:
        size = self._theme.sizes.icon_s
        center = QPointF(line.left() + size / 2, line.top() + line.height() / 2)
        if item.state is ActivityState.RUNNING and item.kind is not ActivityKind.TASK:  # nobody may be at work on it
            paint_indicator(painter, self._theme, Indicator.RUNNING, center, self._canvas)
            return
        pixmap = self._theme.pixmap(*sign(item), size, self._canvas.devicePixelRatioF())
        painter.drawPixmap(QPointF(center.x() - size / 2, center.y() - size / 2), pixmap)
