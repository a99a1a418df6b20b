"""The actions of a row: their shortcuts, and the context menu that offers them."""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from core.domain.ids import WorkflowId
from desktop.shortcuts.key_strings import key_name
from desktop.sidebar.rows import Row
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive


class RowAction(StrEnum):
    """What can be done with a workflow in the list."""

    OPEN = "open"
    PEEK = "peek"
    RENAME = "rename"
    STOP = "stop"
    EXPORT = "export"
    ARCHIVE = "archive"
    RESTORE = "restore"
    DELETE = "delete"


ROW_KEYS = {
    RowAction.OPEN: "Return",
    RowAction.PEEK: "Space",
    RowAction.RENAME: "F2",
    RowAction.ARCHIVE: "Del",
    RowAction.DELETE: "Shift+Del",
}
UNDO_KEYS = "Ctrl+Z"
FOLD_KEYS = "Left"
UNFOLD_KEYS = "Right"
CLOSE_KEYS = "Esc"

_ICONS = {
    RowAction.OPEN: Icon.ARROW_RIGHT,
    RowAction.PEEK: Icon.EYE,
    RowAction.RENAME: Icon.PENCIL,
    RowAction.STOP: Icon.CIRCLE_STOP,
    RowAction.EXPORT: Icon.UPLOAD,
    RowAction.ARCHIVE: Icon.ARCHIVE,
    RowAction.RESTORE: Icon.UNDO_2,
    RowAction.DELETE: Icon.TRASH_2,
}


@dataclass(frozen=True, slots=True)
class SidebarKeys:
    """The shortcuts that the sidebar's buttons and menu name; they only are displayed."""

    new: QKeySequence
    settings: QKeySequence
    collapse: QKeySequence
    open: QKeySequence = field(default_factory=partial(QKeySequence, ROW_KEYS[RowAction.OPEN]))
    peek: QKeySequence = field(default_factory=partial(QKeySequence, ROW_KEYS[RowAction.PEEK]))
    rename: QKeySequence = field(default_factory=partial(QKeySequence, ROW_KEYS[RowAction.RENAME]))
    archive: QKeySequence = field(default_factory=partial(QKeySequence, ROW_KEYS[RowAction.ARCHIVE]))
    delete: QKeySequence = field(default_factory=partial(QKeySequence, ROW_KEYS[RowAction.DELETE]))


class RowMenu(Adaptive, QMenu):
    """One menu for all rows. `chosen` carries the id of the row that it was opened for."""

    chosen = Signal(RowAction, str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._row_id = WorkflowId("")
        self._open_keys = QKeySequence()
        self._actions: dict[RowAction, QAction] = {}
        for kind, icon in _ICONS.items():
            if kind is RowAction.EXPORT:
                self.addSeparator()
            action = self._actions[kind] = QAction(theme.icon(icon), "", self, shortcutVisibleInContextMenu=True)
            action.setData(kind)
            self.addAction(action)
        self.triggered.connect(self._on_triggered)
        self.adapt_to(theme)

    def set_keys(self, keys: SidebarKeys) -> None:
        """Set the shortcuts beside the actions."""
        self._open_keys = keys.open
        self._actions[RowAction.PEEK].setShortcut(keys.peek)
        self._actions[RowAction.RENAME].setShortcut(keys.rename)
        self._actions[RowAction.ARCHIVE].setShortcut(keys.archive)
        self._actions[RowAction.DELETE].setShortcut(keys.delete)
        self.retranslate()

    def open_for(self, row: Row, point: QPoint, *, can_rename: bool) -> None:
        """Open at `point`, in screen coordinates. Returns at once."""
        self._row_id = row.id
        self._actions[RowAction.STOP].setVisible(row.is_live)
        self._actions[RowAction.RENAME].setVisible(can_rename)
        self._actions[RowAction.ARCHIVE].setVisible(not row.is_archived)
        self._actions[RowAction.RESTORE].setVisible(row.is_archived)
        self.popup(point)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Actions of the workflow"))
        titles = {
            # the shortcut stands behind a tab, in its usual place: Qt would write Enter by an old name
            RowAction.OPEN: "\t".join(filter(None, (self.tr("Open"), key_name(self._open_keys)))),
            RowAction.PEEK: self.tr("Peek"),
            RowAction.RENAME: self.tr("Rename"),
            RowAction.STOP: self.tr("Stop"),
            RowAction.EXPORT: self.tr("Export…"),
            RowAction.ARCHIVE: self.tr("Archive"),
            RowAction.RESTORE: self.tr("Restore"),
            RowAction.DELETE: self.tr("Delete…"),
        }
        for kind, title in titles.items():
            self._actions[kind].setText(title)

    def _on_triggered(self, action: QAction) -> None:
        self.chosen.emit(RowAction(action.data()), self._row_id)
