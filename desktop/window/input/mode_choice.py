"""The validation mode: chosen in a menu of the header, shown on rows whose run has another mode (UI §4)."""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from core.domain.ids import WorkflowId
from core.domain.template import ValidationMode
from desktop.shortcuts.command import command
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.window.base.context import Controller, WindowContext
from desktop.window.conversation.header import Header


class ModeMenu(Adaptive, QMenu):
    """Lists the validation modes with a check mark at the current one and emits `chosen`."""

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
        """Open without blocking at `place`, in screen coordinates, with the check mark at `mode`."""
        self._actions[mode].setChecked(True)
        self.popup(place)
        self.setActiveAction(self._actions[mode])

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Validation mode"))
        self._actions[ValidationMode.AUTO].setText(self.tr("Automatic: no approvals, several workflows at once"))
        self._actions[ValidationMode.SELECTIVE].setText(self.tr("Selective: some approvals, one workflow at a time"))
        self._actions[ValidationMode.MANUAL].setText(
            self.tr("Manual: every call needs approval, one workflow at a time")
        )

    def _choose(self, action: QAction) -> None:
        self.chosen.emit(ValidationMode(action.data()))


class ModeChoice(Controller):
    """Opens the menu of modes from the header."""

    chosen = Signal(object)
    """The ValidationMode."""

    def __init__(self, context: WindowContext, header: Header) -> None:
        super().__init__(context)
        self._menu = ModeMenu(context.theme, header)
        self._menu.chosen.connect(self.chosen)
        self._header = header
        self._settings = context.core.settings
        header.mode_requested.connect(self.open)

    @command("validation.mode")
    def open(self) -> None:
        """Open the menu at the header's mode button."""
        if self._header.isVisible():
            self._menu.open_at(self._header.mode_place, self._settings.current.validation_mode)

    def divergent_mode(self, workflow_id: WorkflowId) -> ValidationMode | None:
        """Return the mode of a workflow's run if it differs from the settings."""
        execution = self._stores.background.get_execution(workflow_id)
        mode = execution.run.mode if execution is not None and execution.run is not None else None
        return mode if mode is not self._settings.current.validation_mode else None
