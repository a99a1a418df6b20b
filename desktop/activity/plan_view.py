"""The plan of the agents, on top of the activity: its progress, and its tasks."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListView,
    QProgressBar,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.stores.activity_items import ActivityItem, ActivityState
from core.stores.task_plan import TaskPlan
from desktop.activity.activity_list import icon_of
from desktop.activity.activity_strings import item_state_text
from desktop.theme import Icon, TextRole, Theme
from desktop.tokens import ColorName
from desktop.translation import number
from desktop.widgets import (
    ROW_ROLE,
    Adaptive,
    IconButton,
    Label,
    RowModel,
    Surface,
    background_color,
    paint_cursor,
    paint_ground,
    paint_text,
)

_Index = QModelIndex | QPersistentModelIndex
_OPEN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_LOOKS: dict[ActivityState, tuple[TextRole, ColorName]] = {
    ActivityState.RUNNING: ("row_unread", "text"),
    ActivityState.DONE: ("row", "muted"),
}
MOST_ROWS = 7
"""Shown at once; a longer plan scrolls."""


class TaskDelegate(QStyledItemDelegate):
    """Paints the state of a task as a shape, and its name."""

    def __init__(self, theme: Theme, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        sizes = self._theme.sizes
        return QSize(sizes.activity_collapsed, round(sizes.text_m * sizes.body_line) + sizes.space_s)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        task, theme, sizes = index.data(ROW_ROLE), self._theme, self._theme.sizes
        if not isinstance(task, ActivityItem):
            return
        box = QRect(option.rect)
        if (color := background_color(option)) is not None:
            paint_ground(painter, theme, box, sizes.radius_small, color)
        paint_cursor(painter, theme, option, box, sizes.radius_small)
        icon, tint = icon_of(task)
        size = sizes.icon_s
        left = box.left() + sizes.space_s
        pixmap = theme.pixmap(icon, tint, size, painter.device().devicePixelRatio())
        painter.drawPixmap(QPointF(left, box.top() + (box.height() - size) / 2), pixmap)
        role, color = _LOOKS.get(task.state, ("row", "text"))
        text = box.adjusted(sizes.space_s + size + sizes.space_s, 0, -sizes.space_s, 0)
        paint_text(painter, theme, task.name, text, role, color)


class TaskListView(QListView):
    """The tasks. Enter, Space or a click emit `opened`."""

    opened = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.tasks: RowModel[ActivityItem] = RowModel(_accessible_text, self)
        self.setModel(self.tasks)
        self.setItemDelegate(TaskDelegate(theme, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.clicked.connect(self._open)

    def show_tasks(self, tasks: tuple[ActivityItem, ...]) -> None:
        """Show these tasks, and scroll to the task in progress where that has changed. The cursor stays on its task."""
        if tasks == self.tasks.rows:
            return
        before = self.currentIndex().data(ROW_ROLE) if self.currentIndex().isValid() else None
        scrolled = self.verticalScrollBar().value()
        current = _current(tasks)
        has_moved = current != _current(self.tasks.rows)
        self.tasks.show(tasks)
        if isinstance(before, ActivityItem):
            self.setCurrentIndex(self.tasks.find(lambda task: task.id == before.id))
        self.verticalScrollBar().setValue(scrolled)
        if has_moved and current is not None and not self.hasFocus():
            self.scrollTo(self.tasks.find(lambda task: task.id == current))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _OPEN_KEYS and self.currentIndex().isValid():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _open(self, index: _Index) -> None:
        task = index.data(ROW_ROLE)
        if isinstance(task, ActivityItem):
            self.opened.emit(task.id)


class PlanView(Adaptive, Surface):
    """Hidden without a plan. It folds when the plan is done, and unfolds when a task is added, unless the user does;
    `opened` carries the id of a task.
    """

    opened = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self.setObjectName("plan")
        self._theme = theme
        self._plan: TaskPlan | None = None
        self._is_folded = False
        self._title = Label("", "strong", parent=self)
        self._count = Label("", "meta", "muted", parent=self)
        self._fold = IconButton(theme, Icon.CHEVRON_UP, parent=self)
        self._fold.clicked.connect(self._toggle)
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._list = TaskListView(theme, self)
        self._list.opened.connect(self.opened)
        self._head = QHBoxLayout()
        self._head.addWidget(self._title, 1)
        self._head.addWidget(self._count)
        self._head.addWidget(self._fold)
        self._column = QVBoxLayout(self)
        self._column.addLayout(self._head)
        self._bar_row = QHBoxLayout()
        self._bar_row.addWidget(self._bar)
        self._column.addLayout(self._bar_row)
        self._column.addWidget(self._list)
        self.hide()
        self.adapt_to(theme)

    def show_plan(self, plan: TaskPlan | None, *, is_other: bool) -> None:
        """Show a plan, or none. `is_other`: it is the plan of another workflow."""
        before, self._plan = self._plan, plan
        if plan is not None and (is_other or before is None or before.is_done != plan.is_done):
            self._is_folded = plan.is_done
        self._show()

    def set_room(self, height: int) -> None:
        """Take at most so much height for the tasks; at least three are shown."""
        row = self._list.itemDelegate().sizeHint(QStyleOptionViewItem(), QModelIndex()).height()
        rows = len(self._plan.tasks) if self._plan is not None else 0
        fitting = min(rows, MOST_ROWS, max(3, height // max(1, row)))
        self._list.setFixedHeight(fitting * row + 2 * self._list.frameWidth())

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Plan"))
        self._title.setText(self.tr("Plan"))
        self._list.setAccessibleName(self.tr("Plan"))
        plan = self._plan
        if plan is None:
            return
        done, total = number(plan.done), number(len(plan.tasks))
        self._count.setText(self.tr("{done} of {total}").format(done=done, total=total))
        spoken = self.tr("{done} of {total} tasks done").format(done=done, total=total)
        self._count.setAccessibleName(spoken)
        self._bar.setAccessibleName(spoken)
        self._fold.describe(self.tr("Show the plan") if self._is_folded else self.tr("Hide the plan"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_s, sizes.space_xs, sizes.space_s, sizes.space_s)
        self._column.setSpacing(sizes.space_xs)
        self._head.setContentsMargins(sizes.space_s, 0, 0, 0)
        self._head.setSpacing(sizes.space_xs)
        self._bar_row.setContentsMargins(sizes.space_s, 0, sizes.space_s, 0)

    def _toggle(self) -> None:
        self._is_folded = not self._is_folded
        self._show()

    def _show(self) -> None:
        plan = self._plan
        self.setVisible(plan is not None)
        if plan is None:
            return
        self._bar.setRange(0, len(plan.tasks))
        self._bar.setValue(plan.done)
        self._list.setVisible(not self._is_folded)
        self._list.show_tasks(plan.tasks)
        self._fold.set_icon(Icon.CHEVRON_DOWN if self._is_folded else Icon.CHEVRON_UP)
        self.retranslate()


def _accessible_text(task: ActivityItem) -> str:
    return f"{task.name}, {item_state_text(task)}"


def _current(tasks: object) -> str | None:
    """Return the id of the first task in progress."""
    rows = tasks if isinstance(tasks, tuple) else ()
    return next((task.id for task in rows if task.state is ActivityState.RUNNING), None)
