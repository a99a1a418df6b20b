"""Keeps rows still while the user aims at them, and anchors the scroll position while the list changes."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from desktop.sidebar.model import SidebarModel
from desktop.sidebar.rows import Row

POINTER_INTENT_MS = 700
_Type = QEvent.Type


class PointerIntent(QObject):
    """The pointer over a list, a child of its view. Emits `ended` when the user no longer aims."""

    ended = Signal()

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._position: QPoint | None = None
        self._is_down = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.ended)
        view.viewport().setMouseTracking(True)
        view.viewport().installEventFilter(self)

    @property
    def position(self) -> QPoint | None:
        """The position of the pointer in the viewport."""
        return self._position

    @property
    def is_active(self) -> bool:
        """Whether the pointer has moved within the last 0.7 s, or a button is down."""
        return self._is_down or self._timer.isActive()

    def reset(self) -> None:
        """Reset after an action of the user, whose effect is to be seen at once."""
        self._is_down = False
        self._timer.stop()

    def eventFilter(self, _viewport: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (_Type.MouseMove, _Type.MouseButtonPress) and isinstance(event, QMouseEvent):
            self._position = event.position().toPoint()
            self._is_down = bool(event.buttons())
            self._timer.start(POINTER_INTENT_MS)
        elif kind == _Type.MouseButtonRelease:
            self._is_down = False
            self._timer.start(0)  # later, since the list is still to handle the release at this point
        elif kind in (_Type.Leave, _Type.Hide):
            self._position, self._is_down = None, False
            self._timer.start(0)
        return False


def visible_rows(view: QListView, model: SidebarModel) -> Iterator[Row]:
    """Yield the visible rows from the top down."""
    viewport = view.viewport().rect()
    number = view.indexAt(QPoint(0, 0)).row()
    while 0 <= number < len(model.items) and view.visualRect(model.index(number)).intersects(viewport):
        if (row := model.row_at(model.index(number))) is not None:
            yield row
        number += 1


@contextmanager
def anchored_scroll(view: QListView, model: SidebarModel, pointer: QPoint | None = None) -> Iterator[None]:
    """Anchor the scroll position around a change of the list: the row under the `pointer` stays where it is, else the
    row of the cursor, else the topmost visible row; each while it stays in its section.

    At the top of the list without a pointer, the top stays visible instead, so that new rows are seen.
    """
    bar = view.verticalScrollBar()
    is_at_top = bar.value() == bar.minimum()
    rows = list(visible_rows(view, model))
    under = model.row_at(view.indexAt(pointer)) if pointer is not None else None
    cursor = model.row_at(view.currentIndex()) if view.hasFocus() else None
    preferred = [row for row in (under, cursor) if row is not None and row in rows]
    before = {row.key: (row.section, _top(view, model, row.key)) for row in (*preferred, *rows)}
    yield
    # Qt lays out lazily, and positions are needed now
    view.doItemsLayout()
    if is_at_top and under is None:
        bar.setValue(bar.minimum())
        return
    sections = {item.key: item.section for item in model.items if isinstance(item, Row)}
    for key, (section, top) in before.items():
        if sections.get(key) is section:
            bar.setValue(bar.value() + _top(view, model, key) - top)
            return


def _top(view: QListView, model: SidebarModel, key: Hashable) -> int:
    return view.visualRect(model.index_of(key)).top()
