"""Whether the window is active: one that is not watches nothing."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from core.stores.background_workflows import BackgroundWorkflows


class Activation(QObject):
    """Tells the store from when it is made, as long as `parent` lives."""

    def __init__(self, window: QWidget, background: BackgroundWorkflows, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        window.installEventFilter(self)
        background.set_window_active(window.isActiveWindow())

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate):
            self._background.set_window_active(event.type() == QEvent.Type.WindowActivate)
        return False
