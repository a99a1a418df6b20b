"""The list of the activity panel: icons, model, delegate and view. No state is shown by colour alone."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QHideEvent, QKeyEvent, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.stores.activity_items import ActivityItem, ActivityKind, ActivityState
from desktop.activity.activity_strings import item_outcome, item_title
from desktop.theme import Icon, Theme, tool_icon
from desktop.tokens import ColorName
from desktop.translation import ago
from desktop.widgets import (
    Adaptive,
    Indicator,
    background_color,
    paint_cursor,
    paint_ground,
    paint_indicator,
    paint_text,
    plain_tool_tip,
)

_STATE_ICONS: dict[ActivityState, tuple[Icon, ColorName]] = {
    ActivityState.WAITING: (Icon.MESSAGE_CIRCLE_QUESTION_MARK, "sign_warn"),
    ActivityState.DONE: (Icon.CIRCLE_CHECK, "sign_ok"),
    ActivityState.FAILED: (Icon.CIRCLE_X, "sign_error"),
    ActivityState.SKIPPED: (Icon.SKIP_FORWARD, "sign_idle"),
    ActivityState.CANCELLED: (Icon.CIRCLE_STOP, "sign_idle"),
    ActivityState.UNKNOWN: (Icon.CIRCLE_QUESTION_MARK, "sign_warn"),
    ActivityState.RUNNING: (Icon.CIRCLE_DOT, "sign_ok"),
    ActivityState.PENDING: (Icon.CIRCLE, "sign_idle"),
    ActivityState.BLOCKED: (Icon.CLOCK, "sign_idle"),
    ActivityState.DELETED: (Icon.TRASH_2, "sign_idle"),
}

_SHOWN_STATES = (ActivityState.WAITING, ActivityState.FAILED)

_STATE_COLORS: dict[ActivityState, ColorName] = {ActivityState.FAILED: "error", ActivityState.UNKNOWN: "warn"}


def icon_of(item: ActivityItem) -> tuple[Icon, ColorName]:
    """Return the icon and its colour: the tool while all is well, or how it ended, or that it waits for the user; how a
    step ended; how a task stands; an agent.
    """
    if item.kind in (ActivityKind.STEP, ActivityKind.TASK) or item.state in _SHOWN_STATES:
        return _STATE_ICONS.get(item.state, (Icon.CIRCLE, "sign_idle"))
    if item.kind is ActivityKind.AGENT:
        return Icon.BOT, "accent"
    if item.kind is ActivityKind.REASONING:
        return Icon.BRAIN, "muted"
    return tool_icon(item.name), "muted"


def outcome_color(item: ActivityItem) -> ColorName:
    return _STATE_COLORS.get(item.state, "muted")


Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class ActivityModel(QAbstractListModel):
    """The items, newest first. New items are inserted above, so that selection and scroll position stay on theirs."""

    def __init__(self, now: Callable[[], datetime], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._now = now
        self._items: list[ActivityItem] = []

    def show(self, items: Sequence[ActivityItem]) -> None:
        """Replace the items. Unchanged items are the same objects as before."""
        more = len(items) - len(self._items)
        # another workflow, or another filter: nothing of the list can be kept
        if more < 0 or any(old.id != new.id for old, new in zip(self._items, items[more:], strict=False)):
            self.beginResetModel()
            self._items = list(items)
            self.endResetModel()
            return
        if more > 0:
            self.beginInsertRows(QModelIndex(), 0, more - 1)
            self._items = [*items[:more], *self._items]
            self.endInsertRows()
        for row in range(more, len(items)):
            if self._items[row] is not items[row]:
                self._items[row] = items[row]
                self.dataChanged.emit(self.index(row), self.index(row))

    def item(self, index: Index) -> ActivityItem | None:
        return self._items[index.row()] if index.isValid() and index.row() < len(self._items) else None

    def row_of(self, item_id: str) -> int | None:
        return next((row for row, item in enumerate(self._items) if item.id == item_id), None)

    def age(self, item: ActivityItem) -> str:
        """Return how long ago the item began."""
        return ago(max(0.0, (self._now() - item.at).total_seconds()))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        item = self.item(index)
        if item is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return item_title(item)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tool_tip(f"{item_title(item)}\n{item_outcome(item)}")
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join((item_title(item), item_outcome(item), self.age(item)))
            case _:
                return None


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
        color = background_color(option)
        if color is not None:
            paint_ground(painter, theme, box, sizes.radius_row, color)
        paint_cursor(painter, theme, option, box, sizes.radius_row)
        inner = box.adjusted(sizes.space_s, sizes.space_m // 2, -sizes.space_s, -(sizes.space_m // 2))
        upper = QRect(inner.left(), inner.top(), inner.width(), round(sizes.text_m * sizes.body_line))
        self._paint_sign(painter, item, upper)
        text = inner.adjusted(sizes.icon_s + sizes.space_s, 0, 0, 0)
        age = self._model.age(item)
        age_width = QFontMetrics(theme.font("meta")).horizontalAdvance(age)
        title_box = QRect(text.left(), upper.top(), text.width() - age_width - sizes.space_s, upper.height())
        is_thought = item.kind is ActivityKind.REASONING
        elide = Qt.TextElideMode.ElideRight if is_thought else Qt.TextElideMode.ElideMiddle
        paint_text(painter, theme, item_title(item), title_box, "row", "text", cut=elide)
        age_box = QRect(text.right() + 1 - age_width, upper.top(), age_width, upper.height())
        paint_text(painter, theme, age, age_box, "meta", "muted", cut=Qt.TextElideMode.ElideNone)
        lower = QRect(text.left(), upper.bottom() + 1, text.width(), inner.bottom() - upper.bottom())
        paint_text(painter, theme, item_outcome(item), lower, "secondary", outcome_color(item))

    def _paint_sign(self, painter: QPainter, item: ActivityItem, line: QRect) -> None:
        size = self._theme.sizes.icon_s
        center = QPointF(line.left() + size / 2, line.top() + line.height() / 2)
        # a task in progress may have no active run, so that it must not pulse
        if item.state is ActivityState.RUNNING and item.kind is not ActivityKind.TASK:
            paint_indicator(painter, self._theme, Indicator.RUNNING, center, self._canvas)
            return
        pixmap = self._theme.pixmap(*icon_of(item), size, self._canvas.devicePixelRatioF())
        painter.drawPixmap(QPointF(center.x() - size / 2, center.y() - size / 2), pixmap)


# How often the ages are repainted; they are shown in minutes.
_AGE_MS = 20_000

_OPEN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class ActivityList(Adaptive, QListView):
    """The items of the activity. The arrows emit `reached`; Enter, Space or a click emit `opened`."""

    opened = Signal(str)
    reached = Signal(str)

    def __init__(self, theme: Theme, now: Callable[[], datetime], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.items = ActivityModel(now, self)
        self.setModel(self.items)
        self.setItemDelegate(ActivityDelegate(theme, self.items, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._ages = QTimer(self, interval=_AGE_MS)
        self._ages.timeout.connect(self.viewport().update)
        self.clicked.connect(self._open)
        self.adapt_to(theme)

    def select(self, item_id: str | None) -> None:
        """Select the opened item, or none."""
        row = None if item_id is None else self.items.row_of(item_id)
        if row is None:
            self.clearSelection()
        else:
            flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(self.items.index(row), flag)

    def show_items(self, items: list[ActivityItem]) -> None:
        """Show the items, newest first. The selected item stays selected while it exists."""
        chosen = self.items.item(self.currentIndex()) if self.selectedIndexes() else None
        self.items.show(items)
        if chosen is not None and not self.currentIndex().isValid():
            self.select(chosen.id)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Activity"))
        self.viewport().update()

    def apply_theme(self) -> None:
        margin = self._theme.sizes.space_s
        self.setViewportMargins(margin, 0, margin, 0)
        self.scheduleDelayedItemsLayout()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        item = self.items.item(current)
        if item is not None:
            self.reached.emit(item.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _OPEN_KEYS and self.currentIndex().isValid():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.selectedIndexes():
            self.scrollTo(self.currentIndex())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ages.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ages.stop()

    def _open(self, index: Index) -> None:
        item = self.items.item(index)
        if item is not None:
            self.opened.emit(item.id)
