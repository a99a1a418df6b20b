"""The list of workflows: its keyboard and mouse handling."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from core.domain.ids import WorkflowId
from core.ports import Clock
from desktop.shortcuts.chords import is_pressed
from desktop.sidebar.delegate import RowDelegate
from desktop.sidebar.model import SidebarModel
from desktop.sidebar.pointer_intent import PointerIntent, anchored_scroll
from desktop.sidebar.row_menu import (
    CLOSE_KEYS,
    FOLD_KEYS,
    ROW_KEYS,
    UNDO_KEYS,
    UNFOLD_KEYS,
    RowAction,
    RowMenu,
    SidebarKeys,
)
from desktop.sidebar.rows import Header, Item, Row, Section
from desktop.sidebar.time_refresher import TimeRefresher
from desktop.theme import Theme
from desktop.widgets import Adaptive, opens_menu

_Move = QAbstractItemView.CursorAction
_Select = QItemSelectionModel.SelectionFlag
_UNFOLDING_KEYS = (UNFOLD_KEYS, ROW_KEYS[RowAction.OPEN], ROW_KEYS[RowAction.PEEK])


class SidebarList(Adaptive, QListView):
    """The selected row is the viewed workflow; keys move a separate cursor, and act on its row.

    While the user aims at a row, rows stay where they are: their texts are updated, and insertions, removals and moves
    follow when the pointer rests. `can_leave`: Esc has something to close; `is_cursor_held`: the cursor stays although
    another workflow is viewed.
    """

    row_requested = Signal(RowAction, str)
    """An action on the workflow of this id; never RENAME, which edits the title here."""
    rename_requested = Signal(str, str)
    """The id and the new title."""
    undo_requested = Signal()
    fold_requested = Signal(Section, bool)
    expand_requested = Signal(str)
    """The title of this workflow is to be edited, and the collapsed sidebar has no space for it."""
    left = Signal()
    """Esc was pressed while `can_leave`."""
    end_reached = Signal(bool)
    """More rows are needed: all that there are (True), or a page."""

    def __init__(self, theme: Theme, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewed: WorkflowId | None = None
        self._rows = SidebarModel(clock, self)
        self._delegate = RowDelegate(theme, clock, self)
        self._menu = RowMenu(theme, self)
        self._times = TimeRefresher(self, self._rows, theme, clock)
        self._intent = PointerIntent(self)
        self._pending: tuple[Sequence[Item], WorkflowId | None] | None = None
        self.can_leave = False
        self.is_cursor_held = False
        self.setModel(self._rows)
        self.setItemDelegate(self._delegate)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._on_clicked)
        self._intent.ended.connect(self._apply_pending)
        self._delegate.renamed.connect(self.rename_requested)
        self._menu.chosen.connect(self._perform)
        self.verticalScrollBar().valueChanged.connect(self._load_ahead)
        self.adapt_to(theme)

    def show_items(self, items: Sequence[Item], viewed: WorkflowId | None) -> None:
        """Show these items. The scroll position stays, except for a workflow that was not viewed before."""
        self._pending = None
        if [item.key for item in items] == [item.key for item in self._rows.items]:
            self._rows.show_items(items)
        elif self._intent.is_active and self._rows.items:
            self._pending = (items, viewed)
            # rows are updated in place; insertions, removals and moves wait until the pointer rests
            fresh = {item.key: item for item in items}
            self._rows.show_items([fresh.get(item.key, item) for item in self._rows.items])
        else:
            with anchored_scroll(self, self._rows, self._intent.position):
                self._rows.show_items(items)
        index = self._rows.index_of(viewed)
        if not index.isValid():
            self.clearSelection()
        else:
            self.selectionModel().select(index, _Select.ClearAndSelect)
            # moving the cursor would close an open editor
            if viewed != self._viewed and not self._is_editing and not self.is_cursor_held:
                self.setCurrentIndex(index)
        self._viewed = viewed
        self._times.start()

    def set_keys(self, keys: SidebarKeys) -> None:
        """Set the shortcuts that the menu names."""
        self._menu.set_keys(keys)

    def set_collapsed(self, is_collapsed: bool) -> None:
        self._delegate.is_collapsed = is_collapsed
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if is_collapsed else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        with anchored_scroll(self, self._rows):
            self.setVerticalScrollBarPolicy(policy)
        self._times.set_enabled(not is_collapsed)

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
        number = self._rows.index_of(section).row()
        if number >= 0:
            self.setCurrentIndex(self._nearest(number, 1))

    def settle(self) -> None:
        """Apply pending changes at once after an action of the user, wherever the pointer is."""
        self._intent.reset()
        self._apply_pending()

    @property
    def cursor_row(self) -> Row | None:
        """The row that keys act on."""
        return self._rows.row_at(self.currentIndex())

    def refresh_times(self) -> None:
        """Update the times; a timer does so regularly."""
        self._times.refresh()

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
        self.settle()
        header = self._rows.header_at(self.currentIndex())
        row = self.cursor_row
        if self._is_editing:
            super().keyPressEvent(event)
        elif is_pressed(UNDO_KEYS, event):
            self.undo_requested.emit()
        elif is_pressed(CLOSE_KEYS, event) and self.can_leave:
            self.left.emit()
        elif header is not None and any(is_pressed(keys, event) for keys in _UNFOLDING_KEYS):
            self.fold_requested.emit(header.section, False)
        elif is_pressed(FOLD_KEYS, event) or is_pressed(UNFOLD_KEYS, event):
            if row is not None and is_pressed(FOLD_KEYS, event):
                self.fold_requested.emit(row.section, True)
        elif row is None or not self._act(row, event):
            super().keyPressEvent(event)

    def _act(self, row: Row, event: QKeyEvent) -> bool:
        """Perform the key's action on a row. Return False if it has none."""
        action = next((action for action, keys in ROW_KEYS.items() if is_pressed(keys, event)), None)
        if action is RowAction.ARCHIVE and row.is_archived:
            action = RowAction.DELETE  # the same key goes one step further in the archive
        if action is not None:
            self._perform(action, row.id)
        elif opens_menu(event):
            self._open_menu(row, self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center()))
        else:
            return False
        return True

    def _perform(self, action: RowAction, workflow_id: str) -> None:
        if action is RowAction.RENAME:
            self.rename(workflow_id)
        else:
            self.row_requested.emit(action, workflow_id)

    def _is_own(self, event: QKeyEvent) -> bool:
        """Return whether the key has a meaning in the list."""
        if is_pressed(UNDO_KEYS, event) or (is_pressed(CLOSE_KEYS, event) and self.can_leave):
            return True
        return self.currentIndex().isValid() and any(is_pressed(keys, event) for keys in ROW_KEYS.values())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            return  # keyPressEvent handles the key, which some systems also send as this event
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

    def _nearest(self, number: int, step: int) -> QModelIndex:
        """Return the first row or folded section from `number` on in this direction, or the current index."""
        while 0 <= number < len(self._rows.items):
            index = self._rows.index(number)
            if self._rows.flags(index) & Qt.ItemFlag.ItemIsEnabled:
                return index
            number += step
        return self.currentIndex()

    def _on_clicked(self, index: QModelIndex) -> None:
        item = self._rows.item_at(index)
        self.settle()
        if isinstance(item, Header):
            self.fold_requested.emit(item.section, not item.is_folded)
        else:
            self._perform(RowAction.OPEN, item.id)

    def _apply_pending(self) -> None:
        if self._pending is not None:
            self.show_items(*self._pending)

    def _load_ahead(self, at: int) -> None:
        bar = self.verticalScrollBar()
        # a page ahead, so that scrolling does not stop at the end of what is loaded
        if at + 2 * self.viewport().height() >= bar.maximum():
            self.end_reached.emit(False)

    def _open_menu(self, row: Row, point: QPoint) -> None:
        self.settle()
        self._menu.open_for(row, point, can_rename=not self._delegate.is_collapsed)
