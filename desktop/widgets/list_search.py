"""A search field with a list below it that the arrow keys move through: the base of palette and picker."""

import unicodedata
from functools import lru_cache

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QListView
from shiboken6 import isValid

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme

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


def matches(query: str, text: str) -> bool:
    """Return whether the text contains every word of the query; True for an empty query."""
    haystack = folded(text)
    return all(word in haystack for word in folded(query).split())


@lru_cache(maxsize=20_000)
def folded(text: str) -> str:
    """Return the text without case and accents. The last 20 000 results are cached: a list is searched at each key."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))
