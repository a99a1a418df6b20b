"""A search field with a list below it that the arrow keys move through: the base of palette, search and picker."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QHideEvent, QKeyEvent, QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from core.domain.text.search import strip_accents
from desktop.theme import Icon, Theme
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.layouts import Surface
from desktop.widgets.shadow import Shadow

T = TypeVar("T")

ROW_ROLE = Qt.ItemDataRole.UserRole
"""The row itself."""

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_TAB = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_OWN = (Qt.Key.Key_Escape, *_ENTER)
_OF_LIST = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ListSearch(QObject):
    """Connects a field to a list. While the field has focus, Esc and Enter belong to it, whatever other shortcut has
    these keys; Tab does nothing.
    """

    escaped = Signal()
    tabbed = Signal()
    taken = Signal(QModelIndex)
    """By Enter or a click; invalid where the list has no current row."""
    abandoned = Signal()
    """The focus went elsewhere in the window."""

    def __init__(self, theme: Theme, field: QLineEdit, list_: QListView) -> None:
        super().__init__(field)
        self._field = field
        self._list = list_
        field.addAction(theme.icon(Icon.SEARCH), QLineEdit.ActionPosition.LeadingPosition)
        field.installEventFilter(self)
        list_.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        list_.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the field has the keys
        list_.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        list_.setMouseTracking(True)
        list_.clicked.connect(self.taken)

    def eventFilter(self, _field: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.FocusOut if self._stays_in_window():
                self.abandoned.emit()
            case QEvent.Type.ShortcutOverride if isinstance(event, QKeyEvent) and event.key() in _OWN:
                event.accept()
            case QEvent.Type.KeyPress if isinstance(event, QKeyEvent):
                return self._on_key(event)
        return False

    def _stays_in_window(self) -> bool:
        """Return whether the focus stayed in this program and the field is not about to be hidden."""
        return isValid(self._field) and QApplication.activeWindow() is self._field.window()

    def _on_key(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key in _ENTER:
            self.taken.emit(self._list.currentIndex())
        elif key in _OF_LIST:
            QApplication.sendEvent(self._list, event)
        elif key in _TAB:
            self.tabbed.emit()
        else:
            return False
        return True


class RowModel(QAbstractListModel, Generic[T]):
    """Rows that are replaced as a whole, each with its accessible text. `is_selectable` is True of all if absent."""

    def __init__(
        self, text_of: Callable[[T], str], parent: QObject, is_selectable: Callable[[T], bool] = lambda row: True
    ) -> None:
        super().__init__(parent)
        self._text_of = text_of
        self._is_selectable = is_selectable
        self.rows: Sequence[T] = ()

    def show(self, rows: Sequence[T]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def find(self, matches: Callable[[T], bool]) -> QModelIndex:
        """Return the first row that matches; invalid if there is none."""
        at = next((at for at, row in enumerate(self.rows) if matches(row)), -1)
        return self.index(at) if at >= 0 else QModelIndex()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        return self._text_of(row) if is_text else None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not self._is_selectable(self.rows[index.row()]):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


class SearchOverlay(Adaptive, Surface):
    """A field over the window with its results below. It closes by choosing a row, on Esc, and when focus leaves it.

    A subclass implements `_fit`, which sets its geometry, and `_take`, which handles the chosen row.
    """

    chosen = Signal(object)
    """The row."""
    closed = Signal()
    """Closed without a choice: the focus should go back."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self._theme = theme
        self._ground = parent
        self._field = QLineEdit(self)
        self._list = QListView(self)
        self._column = QVBoxLayout(self)
        self._shadow = Shadow(theme, parent)
        self._keys = ListSearch(theme, self._field, self._list)
        self._keys.taken.connect(self._take)
        self._keys.escaped.connect(self.close_up)
        self.destroyed.connect(self._shadow.deleteLater)
        parent.installEventFilter(self)
        self.hide()

    def set_rows(self, model: QAbstractItemModel, delegate: QAbstractItemDelegate, *widgets: QWidget) -> None:
        """Set the model and the delegate of the list, and stack the widgets below it."""
        self._list.setModel(model)
        self._list.setItemDelegate(delegate)
        self._list.selectionModel().currentChanged.connect(self._announce_current)
        for widget in (self._field, self._list, *widgets):
            self._column.addWidget(widget)

    def show_field(self) -> None:
        """Show the overlay in front, with the focus in the field."""
        self.show()
        self._fit()
        self._shadow.raise_()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def close_up(self) -> None:
        """Close without a choice."""
        if self.isVisible():
            self.hide()
            self.closed.emit()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_s, sizes.space_s, sizes.space_s, sizes.space_s)
        self._column.setSpacing(sizes.space_xs)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cast_shadow()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._cast_shadow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._cast_shadow()
        self._shadow.show()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._shadow.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._ground and event.type() == QEvent.Type.Resize and self.isVisible():
            self._fit()
        return False

    def _cast_shadow(self) -> None:
        self._shadow.cast(self.geometry(), [self.rect()])

    def _take(self, index: _Index) -> None:
        raise NotImplementedError

    def _fit(self) -> None:
        raise NotImplementedError

    def _announce_current(self, index: _Index) -> None:
        # The focus stays in the field, so that a screen reader would not read the current row by itself.
        if index.isValid() and self.isVisible():
            announce(self, str(index.data(Qt.ItemDataRole.AccessibleTextRole)))


def matches(query: str, text: str) -> bool:
    """Return whether the text contains every word of the query; True for an empty query."""
    haystack = folded(text)
    return all(word in haystack for word in folded(query).split())


@lru_cache(maxsize=20_000)
def folded(text: str) -> str:
    """Return the text without case and accents. The last 20 000 results are cached: a list is searched at each key."""
    return text.lower() if text.isascii() else strip_accents(text)
