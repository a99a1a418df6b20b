"""A toast: a short notice. Its rules are data here; the stack of them is a store; drawing it is the desktop's."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType, assert_never

from core.domain.ids import WorkflowId

ToastId = NewType("ToastId", str)

BRIEF_S = 5.0
LONG_S = 10.0


class ToastType(StrEnum):
    SUCCESS = "success"
    ERROR = "error"
    INFO = "info"
    WARNING = "warning"
    USER_QUESTION = "user-question"

    @property
    def usual_duration_s(self) -> float | None:
        """How long such a toast stays unless it is told otherwise; None: until closed (UI §7)."""
        match self:
            case ToastType.SUCCESS | ToastType.INFO:
                return BRIEF_S
            case ToastType.WARNING | ToastType.ERROR:
                return LONG_S
            case ToastType.USER_QUESTION:
                return None
            case _:
                assert_never(self)


@dataclass(frozen=True, slots=True)
class Toast:
    """What is said. `title` and `message` are the person's own words (names, questions) or codes for the
    translator in `code` and `parameters`. `duration_s` is None while it stays until closed; `repeated` counts
    how often the same was said ("×3")."""

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

    @property
    def persistent(self) -> bool:
        return self.duration_s is None

    @property
    def words(self) -> tuple[Any, ...]:
        """All that a person reads in it: where they are equal, the same was said again."""
        return (self.type, self.code, self.title, self.message, self.workflow_id, self.parameters)
