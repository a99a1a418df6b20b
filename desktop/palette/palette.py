"""The palette: a field over the window with its results below, closed with Esc or by choosing an entry."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListView, QVBoxLayout, QWidget

from desktop.palette.entries import Entry, Heading, Kind, Query, parse_query
from desktop.palette.entry_list import EntryDelegate, EntryModel, accessible_text
from desktop.theme.theme import Theme
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.labels import Label
from desktop.widgets.list_search import ListSearch
from desktop.widgets.surfaces import Surface

EntrySearch = Callable[[Query], Sequence[Heading | Entry]]
"""What a query finds, in the order in which it is shown."""

_Index = QModelIndex | QPersistentModelIndex
_MAX_ROWS = 12


class Palette(Adaptive, Surface):
    """Shown by `open`. Closes when an entry is chosen, on Esc, and when focus leaves it."""

    chosen = Signal(object)
    """The Entry."""
    left = Signal()
    """It was closed without a choice: focus is to go where it was."""

    def __init__(self, theme: Theme, search: EntrySearch, parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self.setObjectName("palette")
        self._theme = theme
        self._search = search
        self._ground = parent
        self._field = QLineEdit(self)
        self._rows = EntryModel(self)
        self._list = QListView(self)
        self._nothing = Label("", "secondary", "muted", parent=self)
        self._hint = Label("", "meta", "muted", parent=self)
        self._column = QVBoxLayout(self)
        for widget in (self._field, self._list, self._nothing, self._hint):
            self._column.addWidget(widget)
        self._list.setModel(self._rows)
        self._list.setItemDelegate(EntryDelegate(theme, self._list))
        self._field.textChanged.connect(self._find)
        keys = ListSearch(theme, self._field, self._list)
        keys.taken.connect(self._take)
        keys.escaped.connect(self.close_up)
        keys.abandoned.connect(self.hide)
        self._list.selectionModel().currentChanged.connect(self._tell_current)
        parent.installEventFilter(self)
        self.hide()
        self.adapt_to(theme)

    def open(self, kind: Kind = Kind.WORKFLOW) -> None:
        """Show the palette with the list of `kind`; the same shortcut again closes it."""
        if self.isVisible() and parse_query(self._field.text()).kind is kind:
            self.close_up()
            return
        self._field.setText(kind.value)
        self._find()
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def refresh(self) -> None:
        """Search again after a change of the entries, and keep the current row."""
        if not self.isVisible():
            return
        before = self._list.currentIndex()
        current = self._rows.entries[before.row()] if before.isValid() else None
        scrolled = self._list.verticalScrollBar().value()
        self._find()
        again = self._rows.place_of(current)
        if again.isValid():
            self._list.setCurrentIndex(again)
            self._list.verticalScrollBar().setValue(scrolled)

    def close_up(self) -> None:
        """Close without a choice."""
        if self.isVisible():
            self.hide()
            self.left.emit()

    def shown(self) -> list[Entry]:
        """Return the selectable entries."""
        return [entry for entry in self._rows.entries if isinstance(entry, Entry)]

    def retranslate(self) -> None:
        self._field.setPlaceholderText(self.tr("Go to a workflow by its name"))
        self._field.setAccessibleName(self.tr("Go to anything"))
        self._list.setAccessibleName(self.tr("What was found"))
        self.setAccessibleName(self.tr("Go to anything"))
        self._hint.setText(self.tr("> commands    # templates    @ who answers    ! inbox    ? keys"))
        if self.isVisible():
            self._find()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_s, sizes.space_s, sizes.space_s, sizes.space_s)
        self._column.setSpacing(sizes.space_xs)
        for label in (self._nothing, self._hint):
            label.setContentsMargins(sizes.space_s, sizes.space_xs, sizes.space_s, sizes.space_xs)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._ground and event.type() == QEvent.Type.Resize and self.isVisible():
            self._fit()
        return False

    def _find(self) -> None:
        query = parse_query(self._field.text())
        self._rows.show(self._search(query))
        first = self._rows.first()
        self._list.setCurrentIndex(first)
        self._list.scrollToTop()
        is_empty_inbox = query.kind is Kind.INBOX and not query.words
        nothing = (
            self.tr("Nothing has happened yet. What needs you, finishes or fails stands here. Esc goes back.")
            if is_empty_inbox
            else self.tr("Nothing has that name. Fewer letters find more; Esc goes back.")
        )
        self._nothing.setText(nothing)
        self._nothing.setVisible(not first.isValid())
        self._list.setVisible(first.isValid())
        self._fit()
        if self.isVisible() and not first.isValid():
            announce(self, self._nothing.text())

    def _take(self, index: _Index) -> None:
        entry = self._rows.entries[index.row()] if index.isValid() else None
        if isinstance(entry, Entry):
            self.hide()
            self.chosen.emit(entry)

    def _tell_current(self, index: _Index) -> None:
        if index.isValid() and self.isVisible():
            announce(self, accessible_text(self._rows.entries[index.row()]))

    def _fit(self) -> None:
        """Centre in the window's upper part, as high as the rows, up to twelve, and the window allow."""
        sizes, ground = self._theme.sizes, self._ground
        width = min(sizes.chat_column, ground.width() - 2 * sizes.space_l)
        top = max(sizes.space_l, ground.height() // 10)
        rows = min(_MAX_ROWS, self._rows.rowCount())
        height = sum(self._list.sizeHintForRow(row) for row in range(rows)) + 2 * self._list.frameWidth()
        margins = self._column.contentsMargins()
        others = [widget for widget in (self._field, self._nothing, self._hint) if not widget.isHidden()]
        rest = margins.top() + margins.bottom() + sum(one.sizeHint().height() for one in others)
        rest += len(others) * self._column.spacing()
        room = ground.height() - top - sizes.space_l
        height = max(0, min(height, room - rest))
        self._list.setFixedHeight(height)
        self.setGeometry((ground.width() - width) // 2, top, width, rest + (height if rows else 0))
