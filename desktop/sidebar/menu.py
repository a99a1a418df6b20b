"""The context menu of a row."""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from core.domain.ids import WorkflowId
from desktop.sidebar.keys import Keys
from desktop.sidebar.rows import Row
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive


class RowMenu(Adaptive, QMenu):
    """One menu for all rows. Each signal carries the id of the row that it was opened for."""

    open_chosen = Signal(str)
    rename_chosen = Signal(str)
    stop_chosen = Signal(str)
    delete_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._row_id = WorkflowId("")
        self._open = self._add(theme, Icon.ARROW_RIGHT)
        self._rename = self._add(theme, Icon.PENCIL)
        self._stop = self._add(theme, Icon.CIRCLE_STOP)
        self.addSeparator()
        self._delete = self._add(theme, Icon.TRASH_2)
        self._open.triggered.connect(self._on_open)
        self._rename.triggered.connect(self._on_rename)
        self._stop.triggered.connect(self._on_stop)
        self._delete.triggered.connect(self._on_delete)
        self.adapt_to(theme)

    def set_keys(self, keys: Keys) -> None:
        """Name these beside what they do."""
        self._open.setShortcut(keys.open)
        self._rename.setShortcut(keys.rename)
        self._delete.setShortcut(keys.delete)

    def open_for(self, row: Row, place: QPoint, *, can_rename: bool) -> None:
        """At `place`, in the coordinates of the screen. Returns at once."""
        self._row_id = row.id
        self._stop.setVisible(row.is_live)
        self._rename.setVisible(can_rename)
        self.popup(place)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Actions of the workflow"))
        self._open.setText(self.tr("Open"))
        self._rename.setText(self.tr("Rename"))
        self._stop.setText(self.tr("Stop"))
        self._delete.setText(self.tr("Delete…"))

    def _add(self, theme: Theme, icon: Icon) -> QAction:
        action = QAction(theme.icon(icon), "", self)
        action.setShortcutVisibleInContextMenu(True)
        self.addAction(action)
        return action

    def _on_open(self) -> None:
        self.open_chosen.emit(self._row_id)

    def _on_rename(self) -> None:
        self.rename_chosen.emit(self._row_id)

    def _on_stop(self) -> None:
        self.stop_chosen.emit(self._row_id)

    def _on_delete(self) -> None:
        self.delete_chosen.emit(self._row_id)
