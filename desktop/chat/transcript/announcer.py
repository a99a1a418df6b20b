"""What a screen reader is told by itself: that an answer has begun and ended. Never its words, piece by piece."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from core.domain.ids import MessageId
from core.domain.message import MessageState, Role
from desktop.chat.values import Failure, Turn

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


class Announcer:
    """Knows which answer is open, and has a sentence for each change of that."""

    def __init__(self) -> None:
        self._open: MessageId | None = None

    def reset(self, turns: Sequence[Turn]) -> None:
        """Another conversation is shown: what it is at is no news."""
        last = turns[-1] if turns else None
        self._open = last.id if last is not None and last.state is MessageState.OPEN else None

    def notice(self, turn: Turn) -> str | None:
        """The turn is new or has changed: what there is to say about it."""
        is_open = turn.role is Role.ASSISTANT and turn.state is MessageState.OPEN
        if is_open and self._open != turn.id:
            self._open = turn.id
            return translate("Announcer", "Answer started")
        if is_open or self._open != turn.id:
            return None
        self._open = None
        if any(isinstance(part, Failure) for part in turn.parts):
            return translate("Announcer", "Answer failed")
        if turn.state is MessageState.INTERRUPTED:
            return translate("Announcer", "Answer stopped")
        return translate("Announcer", "Answer finished")
