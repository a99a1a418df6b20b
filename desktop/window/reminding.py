"""What the window knows of reminders: which requests somebody looks at, and which one they put off (UI §6)."""

from PySide6.QtCore import QObject

from core.domain.ids import WorkflowId
from core.wiring import Core
from desktop.attention.card import AttentionCard
from desktop.toasts.words import INBOX
from desktop.window.finding import Finding


class Reminding(QObject):
    """A card that is unfolded in the active window is looked at. Coming back to the window is a time to look at the
    clock, which may have jumped."""

    def __init__(self, core: Core, card: AttentionCard, finding: Finding, parent: QObject) -> None:
        super().__init__(parent)
        self._stores = core.stores
        self._card = card
        self._finding = finding
        card.put_off.connect(self._on_put_off)

    def begin(self) -> None:
        """Remind from now on."""
        self._stores.reminders.begin(self._is_seen)
        self._stores.background.window_active_changed.connect(self._stores.reminders.look)

    def leave(self) -> None:
        """Remind no more."""
        self._stores.background.window_active_changed.disconnect(self._stores.reminders.look, missing_ok=True)
        self._stores.reminders.close()

    def act(self, action: str) -> None:
        """The button of a reminder of several workflows."""
        if action == INBOX:
            self._finding.inbox()

    def _is_seen(self, workflow_id: WorkflowId) -> bool:
        is_there = self._card.workflow_id == workflow_id and self._card.isVisible() and not self._card.is_folded
        return is_there and self._stores.background.is_watched(workflow_id)

    def _on_put_off(self) -> None:
        if self._card.workflow_id is not None:
            self._stores.reminders.put_off(self._card.workflow_id)
