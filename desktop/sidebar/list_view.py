"""The list of workflows: what keys and pointer do in it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from core.domain.ids import WorkflowId
from core.ports.clock import Clock
from desktop.sidebar.delegate import RowDelegate
from desktop.sidebar.elapsing import Elapsing
from desktop.sidebar.keys import DELETE, OPEN, RENAME, Keys, is_menu_key, is_pressed
from desktop.sidebar.menu import RowMenu
from desktop.sidebar.model import SidebarModel
from desktop.sidebar.place import kept_place
from desktop.sidebar.rows import Item, Row
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive

_Move = QAbstractItemView.CursorAction
_Select = QItemSelectionModel.SelectionFlag


class SidebarList(Adaptive, QListView):
    """The selected row is the viewed one; keys move a cursor of their own, and open where it stands."""

    open_requested = Signal(str)
    rename_requested = Signal(str, str)
    stop_requested = Signal(str)
    delete_requested = Signal(str)

    def __init__(self, theme: Theme, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewed: WorkflowId | None = None
        self._rows = SidebarModel(clock, self)
        self._delegate = RowDelegate(theme, clock, self)
        self._menu = RowMenu(theme, self)
        self._elapsing = Elapsing(self, self._rows, theme, clock)
        self.setModel(self._rows)
        self.setItemDelegate(self._delegate)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._on_clicked)
        self._delegate.renamed.connect(self.rename_requested)
        self._menu.open_chosen.connect(self.open_requested)
        self._menu.rename_chosen.connect(self.rename)
        self._menu.stop_chosen.connect(self.stop_requested)
        self._menu.delete_chosen.connect(self.delete_requested)
        self.adapt_to(theme)

    def show_items(self, items: Sequence[Item], viewed: WorkflowId | None) -> None:
        """Have the list be this one. Nothing jumps, except to a workflow that was not viewed before."""
        if [item.key for item in items] == [item.key for item in self._rows.items]:
            self._rows.show_items(items)
        else:
            with kept_place(self, self._rows):
                self._rows.show_items(items)
        index = self._rows.index_of(viewed)
        if not index.isValid():
            self.clearSelection()
        else:
            self.selectionModel().select(index, _Select.ClearAndSelect)
            if viewed != self._viewed and not self._is_editing:
                self.setCurrentIndex(index)
        self._viewed = viewed
        self._elapsing.start()

    def set_keys(self, keys: Keys) -> None:
        """The menu of a row names these."""
        self._menu.set_keys(keys)

    def set_collapsed(self, is_collapsed: bool) -> None:
        self._delegate.is_collapsed = is_collapsed
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if is_collapsed else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        with kept_place(self, self._rows):
            self.setVerticalScrollBarPolicy(policy)
        self._elapsing.set_wanted(not is_collapsed)

    def rename(self, workflow_id: str) -> None:
        """Let the title of this row be written; without effect where there is no room for it."""
        index = self._rows.index_of(WorkflowId(workflow_id))
        if index.isValid() and not self._delegate.is_collapsed:
            self.setCurrentIndex(index)
            self.edit(index)

    def go_to_first(self) -> None:
        """Take the focus, with the cursor on the first row."""
        self.setCurrentIndex(self._nearest(0, 1))
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def order(self) -> list[WorkflowId]:
        """The workflows from the top down, each where it has its own row."""
        return [item.id for item in self._rows.items if isinstance(item, Row) and not item.is_repeated]

    @property
    def cursor_row(self) -> Row | None:
        """Where the keys act."""
        return self._rows.row_at(self.currentIndex())

    def tick(self) -> None:
        """Bring the times up to date; a timer calls it by itself."""
        self._elapsing.tick()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Workflows"))
        self._rows.retranslate()

    def dress(self) -> None:
        self.scheduleDelayedItemsLayout()

    # Qt

    def event(self, event: QEvent) -> bool:
        """Here the row's keys act on the row, whatever the window does with them elsewhere."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.cursor_row is not None
            and any(is_pressed(keys, event) for keys in (OPEN, RENAME, DELETE))
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.cursor_row
        if row is None or self._is_editing:
            super().keyPressEvent(event)
        elif is_pressed(OPEN, event):
            self.open_requested.emit(row.id)
        elif is_pressed(RENAME, event):
            self.rename(row.id)
        elif is_pressed(DELETE, event):
            self.delete_requested.emit(row.id)
        elif is_menu_key(event):
            self._open_menu(row, self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center()))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            return  # the key itself was heard, and on some systems comes as this event too
        row = self._rows.row_at(self.indexAt(self.viewport().mapFromGlobal(event.globalPos())))
        if row is not None:
            self._open_menu(row, event.globalPos())

    def moveCursor(self, action: QAbstractItemView.CursorAction, _modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """From row to row, over headers, as QListView alone does not for Home."""
        now, last = self.currentIndex().row(), len(self._rows.items) - 1
        page = max(1, self.viewport().height() // max(1, self.visualRect(self.currentIndex()).height()) - 1)
        match action:
            case _Move.MoveHome:
                self.scrollToTop()
                return self._nearest(0, 1)
            case _Move.MoveEnd:
                return self._nearest(last, -1)
            case _Move.MovePageUp:
                return self._nearest(max(0, now - page), 1)
            case _Move.MovePageDown:
                return self._nearest(min(last, now + page), -1)
            case _Move.MoveUp | _Move.MovePrevious | _Move.MoveLeft:
                return self._nearest(now - 1, -1)
            case _:
                return self._nearest(now + 1, 1)

    def selectionCommand(
        self, _index: QModelIndex | QPersistentModelIndex, _event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        """Nothing that a person does in the list selects: what is viewed is selected."""
        return _Select.NoUpdate

    def paintEvent(self, event: QPaintEvent) -> None:
        self._delegate.wanted = event.region()
        super().paintEvent(event)

    @property
    def _is_editing(self) -> bool:
        return self.state() is QAbstractItemView.State.EditingState

    def _nearest(self, place: int, step: int) -> QModelIndex:
        """The first row from `place` on, in this direction; where there is none, the cursor stays."""
        while 0 <= place < len(self._rows.items):
            index = self._rows.index(place)
            if self._rows.row_at(index) is not None:
                return index
            place += step
        return self.currentIndex()

    def _on_clicked(self, index: QModelIndex) -> None:
        if (row := self._rows.row_at(index)) is not None:
            self.open_requested.emit(row.id)

    def _open_menu(self, row: Row, place: QPoint) -> None:
        self._menu.open_for(row, place, can_rename=not self._delegate.is_collapsed)
