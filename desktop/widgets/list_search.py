"""A field that has the focus, and a list below it that the same keys go through: what a palette and a picker are."""

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
    """Binds a field to a list. Esc and Enter are theirs while the field has the focus, whatever else has these keys;
    Tab leads nowhere."""

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
        """Whether the focus came to no other program, and did not leave because the field itself goes away."""
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
    """Whether every word of the query stands in the text. No words: yes."""
    found = folded(text)
    return all(word in found for word in folded(query).split())


@lru_cache(maxsize=20_000)
def folded(text: str) -> str:
    """The text without case and accents. The last 20 000 are remembered: a list is searched at each key."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))
