"""Suggestions behind a slash or an at sign: a popup above the composer while a name is typed.

The text keeps the focus and all keys except the arrows, Page Up and Page Down, Tab, Enter and Esc. The popup is hidden
while an input method composes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QInputMethodEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Surface, announce, background_color, paint_ground, paint_text

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_MAX_ROWS = 7
_SUGGESTION = Qt.ItemDataRole.UserRole
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_MOVE_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_ACCEPT_KEYS = (Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggestion. `key` identifies it for its source; `kind` names its kind in a word."""

    key: object
    title: str
    kind: str
    about: str
    icon: Icon


class CompletionPopup(Adaptive, Surface):
    """A popup above `anchor`, within `pane`, while there are suggestions for the text in `text_box`. It is a child of
    the pane's window.
    """

    accepted = Signal(object)
    """Carries the Suggestion."""
    closed = Signal()
    """Esc was pressed, or the focus moved elsewhere."""

    def __init__(
        self, theme: Theme, text_box: QWidget, anchor: QWidget, pane: QWidget, name: str = "completion"
    ) -> None:
        super().__init__("raised", parent=pane.window())
        self.setObjectName(name)
        self._theme = theme
        self._text_box = text_box
        self._anchor = anchor
        self._pane = pane
        self._rows = _Rows(self)
        self._list = QListView(self)
        self._list.setModel(self._rows)
        self._list.setItemDelegate(_SuggestionDelegate(theme, self._list))
        self._list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setMouseTracking(True)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._list)
        self._list.clicked.connect(self._accept)
        self._list.selectionModel().currentChanged.connect(self._announce_current)
        text_box.installEventFilter(self)
        for widget in (anchor, pane):
            widget.installEventFilter(self)
        self.hide()
        self.adapt_to(theme)

    def suggest(self, suggestions: Sequence[Suggestion]) -> None:
        """Show the suggestions with the first selected; hide the popup if there are none."""
        # the same suggestions keep the row that the user has moved to
        if list(suggestions) == list(self._rows.suggestions) and self.isVisible():
            return
        self._rows.show(suggestions)
        if not suggestions:
            self.hide()
            return
        self._fit()
        self.show()
        self.raise_()
        self._list.setCurrentIndex(self._rows.index(0))
        self._list.scrollToTop()

    def shown(self) -> Sequence[Suggestion]:
        """Return the suggestions that can be accepted now."""
        return self._rows.suggestions if self.isVisible() else ()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Suggestions"))
        self._list.setAccessibleName(self.tr("Suggestions"))
        if self.isVisible():
            self._close()  # its words are in the other language

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_xs, sizes.space_xs, sizes.space_xs, sizes.space_xs)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self.isVisible():
            return False
        if watched is not self._text_box:
            if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
                self._fit()
            elif event.type() == QEvent.Type.Hide:
                self._close()
            return False
        if isinstance(event, QInputMethodEvent) and event.preeditString():
            self.hide()
        elif event.type() == QEvent.Type.FocusOut:
            self._close()
        elif isinstance(event, QKeyEvent) and self._is_own(event):
            # claimed here, or a shortcut of the window would take the key before the popup gets it
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._on_key(event)
                return True
        return False

    def _is_own(self, event: QKeyEvent) -> bool:
        keys = (*_MOVE_KEYS, *_ACCEPT_KEYS, Qt.Key.Key_Escape)
        return event.modifiers() in _PLAIN and event.key() in keys

    def _on_key(self, event: QKeyEvent) -> None:
        key, row = event.key(), self._list.currentIndex().row()
        if key == Qt.Key.Key_Escape:
            self._close()
        elif key in _ACCEPT_KEYS:
            self._accept(self._list.currentIndex())
        else:
            page = _MAX_ROWS - 1
            by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
            last = self._rows.rowCount() - 1
            self._list.setCurrentIndex(self._rows.index(min(max(row + by[Qt.Key(key)], 0), last)))

    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    def _accept(self, index: _Index) -> None:
        if index.isValid():
            self.hide()
            self.accepted.emit(self._rows.suggestions[index.row()])

    def _announce_current(self, index: _Index) -> None:
        if index.isValid():
            announce(self, _accessible_text(self._rows.suggestions[index.row()]))

    def _fit(self) -> None:
        """Set the geometry: as wide as `anchor`, above it, as high as the rows and the space allow."""
        sizes = self._theme.sizes
        top = self._anchor.mapTo(self._pane, QPoint(0, 0))
        rows = min(_MAX_ROWS, self._rows.rowCount())
        height = sum(self._list.sizeHintForRow(row) for row in range(rows)) + 2 * self._list.frameWidth()
        margins = self._column.contentsMargins()
        height += margins.top() + margins.bottom() + 2 * self.frameWidth()
        height = max(0, min(height, top.y() - sizes.space_s - sizes.space_xs))
        corner = self._pane.mapTo(self._pane.window(), QPoint(top.x(), top.y() - sizes.space_xs - height))
        self.setGeometry(QRect(corner, QSize(self._anchor.width(), height)))


class _Rows(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.suggestions: Sequence[Suggestion] = ()

    def show(self, suggestions: Sequence[Suggestion]) -> None:
        self.beginResetModel()
        self.suggestions = tuple(suggestions)
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.suggestions)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        suggestion = self.suggestions[index.row()]
        if role == _SUGGESTION:
            return suggestion
        spoken = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        return _accessible_text(suggestion) if role in spoken else None


class _SuggestionDelegate(QStyledItemDelegate):
    """Paints the title with the kind at the right, and below it a line of description if there is one."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        sizes = self._theme.sizes
        return QSize(sizes.control, sizes.row if index.data(_SUGGESTION).about else sizes.control + sizes.space_xs)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        suggestion, sizes, theme = index.data(_SUGGESTION), self._theme.sizes, self._theme
        box = QRect(option.rect)
        if (color := background_color(option)) is not None:
            paint_ground(painter, theme, box, sizes.radius_row, color)
        inner = box.adjusted(sizes.space_s, sizes.space_xs, -sizes.space_s, -sizes.space_xs)
        side = sizes.icon_s
        first = QRect(inner.left(), inner.top(), inner.width(), inner.height())
        if suggestion.about:
            first.setHeight(inner.height() // 2)
        pixmap = theme.pixmap(suggestion.icon, "muted", side, painter.device().devicePixelRatio())
        painter.drawPixmap(first.left(), first.top() + (first.height() - side) // 2, pixmap)
        first.setLeft(first.left() + side + sizes.space_s)
        kind = QFontMetrics(theme.font("secondary")).horizontalAdvance(suggestion.kind) + 1
        paint_text(painter, theme, suggestion.kind, first, "secondary", "muted", Qt.AlignmentFlag.AlignRight)
        title = first.adjusted(0, 0, -kind - sizes.space_m, 0)
        paint_text(painter, theme, " ".join(suggestion.title.split()), title, "row", "text")
        if suggestion.about:
            below = QRect(first.left(), first.bottom() + 1, first.width(), inner.bottom() - first.bottom())
            paint_text(painter, theme, " ".join(suggestion.about.split()), below, "secondary", "muted")


def _accessible_text(suggestion: Suggestion) -> str:
    return ", ".join(part for part in (suggestion.title, suggestion.kind, suggestion.about) if part)
