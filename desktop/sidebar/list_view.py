"""The list of workflows: its keyboard and mouse handling."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from core.domain.ids import WorkflowId
from core.ports.clock import Clock
from desktop.shortcuts.chords import is_pressed
from desktop.sidebar.delegate import RowDelegate
from desktop.sidebar.model import SidebarModel
from desktop.sidebar.pointer_intent import PointerIntent, anchored_scroll
from desktop.sidebar.row_menu import (
    ARCHIVE,
    DELETE,
    FOLD,
    LEAVE,
    OPEN,
    PEEK,
    RENAME,
    UNDO,
    UNFOLD,
    RowMenu,
    SidebarKeys,
)
from desktop.sidebar.rows import Header, Item, Row, Section
from desktop.sidebar.time_refresher import TimeRefresher
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.menu_key import opens_menu

_Move = QAbstractItemView.CursorAction
_Select = QItemSelectionModel.SelectionFlag
_OF_ROWS = (OPEN, PEEK, RENAME, ARCHIVE, DELETE)


class SidebarList(Adaptive, QListView):
    """The selected row is the viewed workflow; keys move a separate cursor, and act on its row.

    While the user aims at a row, rows stay where they are: their texts are updated, and insertions, removals and moves
    follow when the pointer rests. `can_leave`: Esc has something to close; `is_cursor_held`: the cursor stays although
    another workflow is viewed.
    """

    open_requested = Signal(str)
    peek_requested = Signal(str)
    rename_requested = Signal(str, str)
    stop_requested = Signal(str)
    archive_requested = Signal(str)
    restore_requested = Signal(str)
    delete_requested = Signal(str)
    undo_requested = Signal()
    fold_requested = Signal(Section, bool)
    expand_requested = Signal(str)
    """A row is to be renamed for which there is no room."""
    left = Signal()
    """Esc, while there is something to leave."""
    end_reached = Signal(bool)
    """More rows are looked for: True, all that there are."""

    def __init__(self, theme: Theme, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewed: WorkflowId | None = None
        self._rows = SidebarModel(clock, self)
        self._delegate = RowDelegate(theme, clock, self)
        self._menu = RowMenu(theme, self)
        self._elapsing = TimeRefresher(self, self._rows, theme, clock)
        self._aim = PointerIntent(self)
        self._late: tuple[Sequence[Item], WorkflowId | None] | None = None
        self.can_leave = False
        self.is_cursor_held = False
        self.setModel(self._rows)
        self.setItemDelegate(self._delegate)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._on_clicked)
        self._aim.ended.connect(self._catch_up)
        self._delegate.renamed.connect(self.rename_requested)
        self._menu.open_chosen.connect(self.open_requested)
        self._menu.peek_chosen.connect(self.peek_requested)
        self._menu.rename_chosen.connect(self.rename)
        self._menu.stop_chosen.connect(self.stop_requested)
        self._menu.archive_chosen.connect(self.archive_requested)
        self._menu.restore_chosen.connect(self.restore_requested)
        self._menu.delete_chosen.connect(self.delete_requested)
        self.verticalScrollBar().valueChanged.connect(self._look_ahead)
        self.adapt_to(theme)

    def show_items(self, items: Sequence[Item], viewed: WorkflowId | None) -> None:
        """Show these items. The scroll position stays, except for a workflow that was not viewed before."""
        self._late = None
        if [item.key for item in items] == [item.key for item in self._rows.items]:
            self._rows.show_items(items)
        elif self._aim.is_active and self._rows.items:
            self._late = (items, viewed)
            fresh = {item.key: item for item in items}
            self._rows.show_items([fresh.get(item.key, item) for item in self._rows.items])
        else:
            with anchored_scroll(self, self._rows, self._aim.position):
                self._rows.show_items(items)
        index = self._rows.index_of(viewed)
        if not index.isValid():
            self.clearSelection()
        else:
            self.selectionModel().select(index, _Select.ClearAndSelect)
            if viewed != self._viewed and not self._is_editing and not self.is_cursor_held:
                self.setCurrentIndex(index)
        self._viewed = viewed
        self._elapsing.start()

    def set_keys(self, keys: SidebarKeys) -> None:
        """Set the shortcuts that the menu names."""
        self._menu.set_keys(keys)

    def set_collapsed(self, is_collapsed: bool) -> None:
        self._delegate.is_collapsed = is_collapsed
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if is_collapsed else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        with anchored_scroll(self, self._rows):
            self.setVerticalScrollBarPolicy(policy)
        self._elapsing.set_enabled(not is_collapsed)

    def rename(self, workflow_id: str) -> None:
        """Edit the title of this row; emit `expand_requested` in the collapsed sidebar."""
        index = self._rows.index_of(WorkflowId(workflow_id))
        if index.isValid() and self._delegate.is_collapsed:
            self.expand_requested.emit(workflow_id)
        elif index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def go_to_first(self) -> None:
        """Focus the list, with the cursor on the first row."""
        self.setCurrentIndex(self._nearest(0, 1))
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def go_to_section(self, section: Section) -> None:
        """Move the cursor to the section's header if it is folded, else to its first row."""
        place = self._rows.index_of(section).row()
        if place >= 0:
            self.setCurrentIndex(self._nearest(place, 1))

    def let_go(self) -> None:
        """Apply pending changes at once after an action of the user, wherever the pointer is."""
        self._aim.let_go()
        self._catch_up()

    @property
    def cursor_row(self) -> Row | None:
        """The row that keys act on."""
        return self._rows.row_at(self.currentIndex())

    def refresh_times(self) -> None:
        """Update the times; a timer does so regularly."""
        self._elapsing.refresh()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Workflows"))
        self._rows.retranslate()

    def apply_theme(self) -> None:
        self.scheduleDelayedItemsLayout()

    # Qt

    def event(self, event: QEvent) -> bool:
        """Claim the keys of a row, whatever shortcuts the window has for them."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not self._is_editing
            and self._is_own(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.let_go()
        header = self._rows.header_at(self.currentIndex())
        row = self.cursor_row
        if self._is_editing:
            super().keyPressEvent(event)
        elif is_pressed(UNDO, event):
            self.undo_requested.emit()
        elif is_pressed(LEAVE, event) and self.can_leave:
            self.left.emit()
        elif header is not None and any(is_pressed(keys, event) for keys in (UNFOLD, OPEN, PEEK)):
            self.fold_requested.emit(header.section, False)
        elif is_pressed(FOLD, event) or is_pressed(UNFOLD, event):
            if row is not None and is_pressed(FOLD, event):
                self.fold_requested.emit(row.section, True)
        elif row is None or not self._act(row, event):
            super().keyPressEvent(event)

    def _act(self, row: Row, event: QKeyEvent) -> bool:
        """Perform the key's action on a row. Return False if it has none."""
        if is_pressed(OPEN, event):
            self.open_requested.emit(row.id)
        elif is_pressed(PEEK, event):
            self.peek_requested.emit(row.id)
        elif is_pressed(RENAME, event):
            self.rename(row.id)
        elif is_pressed(DELETE, event) or (is_pressed(ARCHIVE, event) and row.is_archived):
            self.delete_requested.emit(row.id)
        elif is_pressed(ARCHIVE, event):
            self.archive_requested.emit(row.id)
        elif opens_menu(event):
            self._open_menu(row, self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center()))
        else:
            return False
        return True

    def _is_own(self, event: QKeyEvent) -> bool:
        """Return whether the key has a meaning in the list."""
        if is_pressed(UNDO, event) or (is_pressed(LEAVE, event) and self.can_leave):
            return True
        return self.currentIndex().isValid() and any(is_pressed(keys, event) for keys in _OF_ROWS)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            return  # the key itself was heard, and on some systems comes as this event too
        row = self._rows.row_at(self.indexAt(self.viewport().mapFromGlobal(event.globalPos())))
        if row is not None:
            self._open_menu(row, event.globalPos())

    def moveCursor(self, action: QAbstractItemView.CursorAction, _modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Move between rows and skip headers, which QListView does not for Home."""
        now, last = self.currentIndex().row(), len(self._rows.items) - 1
        page = max(1, self.viewport().height() // max(1, self.visualRect(self.currentIndex()).height()) - 1)
        match action:
            case _Move.MoveHome:
                self.scrollToTop()
                return self._nearest(0, 1)
            case _Move.MoveEnd:
                self.end_reached.emit(True)
                last = len(self._rows.items) - 1
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
        """Return no update: the selection shows the viewed workflow, whatever the user does in the list."""
        return _Select.NoUpdate

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._delegate.dots.clear()
        super().scrollContentsBy(dx, dy)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._delegate.paint_dots(event.region()):
            super().paintEvent(event)

    @property
    def _is_editing(self) -> bool:
        return self.state() is QAbstractItemView.State.EditingState

    def _nearest(self, place: int, step: int) -> QModelIndex:
        """Return the first row or folded section from `place` on in this direction, or the current index."""
        while 0 <= place < len(self._rows.items):
            index = self._rows.index(place)
            if self._rows.flags(index) & Qt.ItemFlag.ItemIsEnabled:
                return index
            place += step
        return self.currentIndex()

    def _on_clicked(self, index: QModelIndex) -> None:
        item = self._rows.item_at(index)
        self.let_go()
        if isinstance(item, Header):
            self.fold_requested.emit(item.section, not item.is_folded)
        else:
            self.open_requested.emit(item.id)

    def _catch_up(self) -> None:
        if self._late is not None:
            self.show_items(*self._late)

    def _look_ahead(self, at: int) -> None:
        bar = self.verticalScrollBar()
        if at + 2 * self.viewport().height() >= bar.maximum():
            self.end_reached.emit(False)

    def _open_menu(self, row: Row, place: QPoint) -> None:
        self.let_go()
        self._menu.open_for(row, place, can_rename=not self._delegate.is_collapsed)
