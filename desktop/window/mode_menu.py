"""The menu that sets the validation mode from the header (UI §4)."""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from core.domain.template import ValidationMode
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive


class ModeMenu(Adaptive, QMenu):
    """`chosen` carries the mode that is wanted; the check stays at the one that holds."""

    chosen = Signal(object)
    """The ValidationMode."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._group = QActionGroup(self)
        self._actions: dict[ValidationMode, QAction] = {}
        for mode in ValidationMode:
            action = QAction(self)
            action.setCheckable(True)
            action.setData(mode)
            self._group.addAction(action)
            self.addAction(action)
            self._actions[mode] = action
        self._group.triggered.connect(self._choose)
        self.adapt_to(theme)

    def open_at(self, place: QPoint, mode: ValidationMode) -> None:
        """At `place`, in the coordinates of the screen, with a check at `mode`. Returns at once."""
        self._actions[mode].setChecked(True)
        self.popup(place)
        self.setActiveAction(self._actions[mode])

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Validation mode"))
        self._actions[ValidationMode.AUTO].setText(self.tr("Automatic: nothing is asked, several at once"))
        self._actions[ValidationMode.SELECTIVE].setText(self.tr("Selective: some things are asked, one at a time"))
        self._actions[ValidationMode.MANUAL].setText(self.tr("Manual: every call is asked, one at a time"))

    def _choose(self, action: QAction) -> None:
        self.chosen.emit(ValidationMode(action.data()))
