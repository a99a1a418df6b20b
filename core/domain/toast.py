"""Toasts: short notices. The rules are data here; a store holds the stack, and the desktop draws it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType

from core.domain.ids import WorkflowId

ToastId = NewType("ToastId", str)

VIEWED_S = 2.0
BRIEF_S = 5.0
LONG_S = 10.0


class ToastType(StrEnum):
    """The kind of a toast, which decides its colour and duration."""

    SUCCESS = "success"
    ERROR = "error"
    INFO = "info"
    WARNING = "warning"
    USER_QUESTION = "user-question"

    @property
    def usual_duration_s(self) -> float | None:
        """The default duration in seconds; None: until closed (UI §7)."""
        return _DURATIONS_S[self]


_DURATIONS_S: Mapping[ToastType, float | None] = {
    ToastType.SUCCESS: BRIEF_S,
    ToastType.INFO: BRIEF_S,
    ToastType.WARNING: LONG_S,
    ToastType.ERROR: LONG_S,
    ToastType.USER_QUESTION: None,
}


@dataclass(frozen=True, slots=True)
class Toast:
    """A notice.

    `title` and `message` are the user's own texts (names, questions); `code` and `parameters` select the translated
    text. `duration_s` None: it stays until closed. `repeated` counts equal notices ("×3"). `is_viewed`: the user looked
    at its workflow when it came, so that it leads nowhere and gives way to the conversation.
    """

    id: ToastId
    type: ToastType
    code: str
    title: str
    message: str
    created_at: datetime
    workflow_id: WorkflowId | None = None
    duration_s: float | None = None
    repeated: int = 1
    parameters: tuple[tuple[str, Any], ...] = ()
    is_viewed: bool = False

    @property
    def persistent(self) -> bool:
        """Whether it stays until closed."""
        return self.duration_s is None

    @property
    def words(self) -> tuple[Any, ...]:
        """Everything that the user reads in it: equal values mean an equal notice."""
        return (self.type, self.code, self.title, self.message, self.workflow_id, self.parameters)
