"""The context menu of a row, and the shortcuts of the list."""

from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from core.domain.ids import WorkflowId
from desktop.shortcuts.key_strings import key_name
from desktop.sidebar.rows import Row
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive

OPEN = "Return"
PEEK = "Space"
RENAME = "F2"
ARCHIVE = "Del"
DELETE = "Shift+Del"
UNDO = "Ctrl+Z"
FOLD = "Left"
UNFOLD = "Right"
LEAVE = "Esc"


@dataclass(frozen=True, slots=True)
class SidebarKeys:
    """The shortcuts that the sidebar's buttons and menu name; they only are displayed."""

    new: QKeySequence
    settings: QKeySequence
    collapse: QKeySequence
    open: QKeySequence = field(default_factory=partial(QKeySequence, OPEN))
    peek: QKeySequence = field(default_factory=partial(QKeySequence, PEEK))
    rename: QKeySequence = field(default_factory=partial(QKeySequence, RENAME))
    archive: QKeySequence = field(default_factory=partial(QKeySequence, ARCHIVE))
    delete: QKeySequence = field(default_factory=partial(QKeySequence, DELETE))


class RowMenu(Adaptive, QMenu):
    """One menu for all rows. Each signal carries the id of the row that it was opened for."""

    open_chosen = Signal(str)
    peek_chosen = Signal(str)
    rename_chosen = Signal(str)
    stop_chosen = Signal(str)
    archive_chosen = Signal(str)
    restore_chosen = Signal(str)
    delete_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._row_id = WorkflowId("")
        self._open_keys = QKeySequence()
        self._open = self._add(theme, Icon.ARROW_RIGHT)
        self._peek = self._add(theme, Icon.EYE)
        self._rename = self._add(theme, Icon.PENCIL)
        self._stop = self._add(theme, Icon.CIRCLE_STOP)
        self.addSeparator()
        self._archive = self._add(theme, Icon.ARCHIVE)
        self._restore = self._add(theme, Icon.UNDO_2)
        self._delete = self._add(theme, Icon.TRASH_2)
        self.triggered.connect(self._on_triggered)
        self.adapt_to(theme)

    def set_keys(self, keys: SidebarKeys) -> None:
        """Set the shortcuts beside the actions."""
        self._open_keys = keys.open
        self._peek.setShortcut(keys.peek)
        self._rename.setShortcut(keys.rename)
        self._archive.setShortcut(keys.archive)
        self._delete.setShortcut(keys.delete)
        self.retranslate()

    def open_for(self, row: Row, place: QPoint, *, can_rename: bool) -> None:
        """Open at `place`, in screen coordinates. Returns at once."""
        self._row_id = row.id
        self._stop.setVisible(row.is_live)
        self._rename.setVisible(can_rename)
        self._archive.setVisible(not row.is_archived)
        self._restore.setVisible(row.is_archived)
        self.popup(place)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Actions of the workflow"))
        named = key_name(self._open_keys)  # behind a tab, it stands where keys do: Qt has an old name for Enter
        self._open.setText("\t".join(filter(None, (self.tr("Open"), named))))
        self._peek.setText(self.tr("Peek"))
        self._rename.setText(self.tr("Rename"))
        self._stop.setText(self.tr("Stop"))
        self._archive.setText(self.tr("Archive"))
        self._restore.setText(self.tr("Restore"))
        self._delete.setText(self.tr("Delete…"))

    def _add(self, theme: Theme, icon: Icon, keys: QKeySequence | None = None) -> QAction:
        action = QAction(theme.icon(icon), "", self)
        action.setShortcutVisibleInContextMenu(True)
        if keys is not None:
            action.setShortcut(keys)
        self.addAction(action)
        return action

    def _on_triggered(self, action: QAction) -> None:
        chosen = {
            self._open: self.open_chosen,
            self._peek: self.peek_chosen,
            self._rename: self.rename_chosen,
            self._stop: self.stop_chosen,
            self._archive: self.archive_chosen,
            self._restore: self.restore_chosen,
            self._delete: self.delete_chosen,
        }
        chosen[action].emit(self._row_id)
