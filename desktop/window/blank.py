"""What stands where nothing was said yet: what to do, and what the signs in the composer are for (UI §10)."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.empty_state import EmptyState


class Blank(EmptyState):
    """Lies over all of `ground`; clicks go through it."""

    def __init__(self, theme: Theme, ground: QWidget) -> None:
        super().__init__(theme, Icon.MESSAGE_CIRCLE, ground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        ground.installEventFilter(self)

    def retranslate(self) -> None:
        self.describe(
            self.tr("What is to be done?"),
            self.tr("Write it below. / names a template or a prompt, @ an agent, a model or a file."),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False
