"""Changes in the core apart from runs, in the past tense."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.domain.ids import WorkflowId
from core.domain.messages import QueuedMessage, QueueHold
from core.domain.run import RunStatus
from core.domain.settings import Settings
from core.domain.workflow import Workflow


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The settings changed."""

    settings: Settings


@dataclass(frozen=True, slots=True)
class WorkflowChanged:
    """A workflow was created, renamed, assigned another agent, archived or restored.

    `status` is that of its newest run if subscribers may not know it, else None.
    """

    workflow: Workflow
    status: RunStatus | None = None


@dataclass(frozen=True, slots=True)
class WorkflowDeleted:
    """A workflow and all its data were deleted or hidden. Its run was cancelled before (UI §11).

    If it `can_return` it is only hidden: a `WorkflowChanged` restores it, or a second WorkflowDeleted reports that it
    is gone for good.
    """

    workflow_id: WorkflowId
    can_return: bool = False


class SaveState(StrEnum):
    """Whether the events of runs are on disk."""

    SAVED = "saved"
    WRITING = "writing"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SaveStateChanged:
    """The save state changed. `code`: why a write failed; it is retried."""

    saving: SaveState
    code: str | None = None


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The queue of a workflow changed: its messages in order, and why they are held, if they are."""

    workflow_id: WorkflowId
    messages: Sequence[QueuedMessage]
    held: QueueHold | None = None
