"""The middle of the window: the first page while there is nothing to look at, else the chat (UI §1)."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from core.wiring import Stores
from desktop.window.chat_pane import ChatPane
from desktop.window.start_page import StartPage


class Centre(QStackedWidget):
    """Until `settle`, nobody knows yet whether there is anything: then it is the chat."""

    def __init__(self, start: StartPage, chat: ChatPane, stores: Stores, parent: QWidget) -> None:
        super().__init__(parent)
        self._start = start
        self._chat = chat
        self._stores = stores
        self._is_settled = False
        self._is_new_wanted = False
        self.addWidget(start)
        self.addWidget(chat)

    @property
    def is_chat(self) -> bool:
        return self.currentWidget() is self._chat

    def settle(self) -> None:
        """What there is, is known now."""
        self._is_settled = True
        self.show_now()

    def begin_new(self) -> None:
        """From when nothing is viewed, the chat, though nothing was said yet."""
        self._is_new_wanted = True

    def show_now(self) -> None:
        stores = self._stores
        viewed = stores.view.workflow_id
        if viewed is not None:
            self._is_new_wanted = False
        is_empty = viewed is None and not stores.workflows.rows and not stores.background.running_workflows
        is_start = is_empty and self._is_settled and not self._is_new_wanted
        self.setCurrentWidget(self._start if is_start else self._chat)

    def take_focus(self) -> bool:
        """To where one goes on; always True."""
        if self.is_chat:
            self._chat.focus_composer()
        else:
            self._start.setFocus(Qt.FocusReason.OtherFocusReason)
        return True
