"""What can be done with a message, as buttons at its upper right corner while the mouse or the focus is on it."""

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.chat.transcript.message_actions import MessageAction, action_words
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import IconButton
from desktop.widgets.surfaces import Surface

_ICONS = {
    MessageAction.COPY: Icon.COPY,
    MessageAction.COPY_MARKDOWN: Icon.FILE_TEXT,
    MessageAction.RETRY: Icon.ROTATE_CCW,
    MessageAction.EDIT: Icon.PENCIL,
}
_COPIED_MS = 1500


class MessageBar(Adaptive, Surface):
    """For the mouse: Tab passes it over, since the message's menu has the same by key."""

    chosen = Signal(object)
    """A MessageAction."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self._theme = theme
        self._buttons = {action: IconButton(theme, icon, parent=self) for action, icon in _ICONS.items()}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(1, 1, 1, 1)
        self._row.setSpacing(0)
        for action, button in self._buttons.items():
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(partial(self.chosen.emit, action))
            self._row.addWidget(button)
        self._restore = QTimer(self)
        self._restore.setSingleShot(True)
        self._restore.setInterval(_COPIED_MS)
        self._restore.timeout.connect(self.retranslate)
        self.hide()
        self.adapt_to(theme)

    def offer(self, actions: Collection[MessageAction]) -> None:
        """Show these."""
        for action, button in self._buttons.items():
            button.setVisible(action in actions)
        self.adjustSize()

    def say_copied(self, action: MessageAction) -> None:
        """Show for a moment that it is done."""
        self._buttons[action].set_icon(Icon.CHECK, "ok")
        self._buttons[action].describe(self.tr("Copied"))
        self._restore.start()

    def retranslate(self) -> None:
        self._restore.stop()
        self.setAccessibleName(self.tr("Message"))
        for action, button in self._buttons.items():
            button.set_icon(_ICONS[action])
            button.describe(action_words(action))
