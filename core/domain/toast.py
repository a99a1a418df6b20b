"""A toast: a short notice. Its rules are data here; the stack of them is a store; drawing it is the desktop's."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType

from core.domain.ids import WorkflowId

ToastId = NewType("ToastId", str)


class ToastType(StrEnum):
    SUCCESS = "success"
    ERROR = "error"
    INFO = "info"
    WARNING = "warning"
    USER_QUESTION = "user-question"


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
