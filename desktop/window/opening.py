"""Opening a workflow, or a new one, in the window: from wherever it is named."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from core.domain.ids import WorkflowId
from desktop.window.actions import Actions
from desktop.window.centre import Centre
from desktop.window.chat_pane import ChatPane
from desktop.window.peeking import Peeking


class Opening:
    """What is opened has the focus, in the window that is in front then."""

    def __init__(self, deeds: Actions, peeking: Peeking, centre: Centre, chat: ChatPane, window: QWidget) -> None:
        self._deeds = deeds
        self._peeking = peeking
        self._centre = centre
        self._chat = chat
        self._window = window

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {"workflow.new": self.open_new, "view.close": self.open_new}

    def open(self, workflow_id: str) -> None:
        """To where one writes in it."""
        self._deeds.show(WorkflowId(workflow_id))
        self._peeking.open()
        self._window.activateWindow()
        self._chat.focus_composer()

    def open_asking(self, workflow_id: str) -> None:
        """To what it asks, where it does."""
        self.open(workflow_id)
        self._chat.focus_card()

    def open_new(self) -> None:
        """The empty one, which begins with the first message."""
        self._centre.begin_new()
        self._deeds.show(None)
        self._centre.show_now()
        self._chat.focus_composer()

    def open_chat(self) -> None:
        """Have something in front in which one can write: a new one where there is none."""
        if not self._centre.is_chat:
            self.open_new()
