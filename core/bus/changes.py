"""What changed in the core apart from runs, in the past tense."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.domain.agent import Agent
from core.domain.ids import WorkflowId
from core.domain.mcp_server import ServerStatus
from core.domain.messages import QueuedMessage, QueueHold
from core.domain.prompt import Prompt
from core.domain.run import RunStatus
from core.domain.settings import Settings
from core.domain.workflow import Workflow


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """These are the settings now."""

    settings: Settings


@dataclass(frozen=True, slots=True)
class AgentsChanged:
    """These are the agents now, by name."""

    agents: Sequence[Agent]


@dataclass(frozen=True, slots=True)
class PromptsChanged:
    """These are the prompts of the library now, by name."""

    prompts: Sequence[Prompt]


@dataclass(frozen=True, slots=True)
class MemoriesChanged:
    """A person changed or deleted what agents remember."""


@dataclass(frozen=True, slots=True)
class ServersChanged:
    """This is how the MCP servers are now, by name: one was added, changed, removed, started, or has ended."""

    servers: Sequence[ServerStatus]


@dataclass(frozen=True, slots=True)
class ConsentExceptionsChanged:
    """The exceptions of consent are others now."""


@dataclass(frozen=True, slots=True)
class WorkflowChanged:
    """The row of a workflow is this now: it was made, renamed, given another agent, archived or restored.

    `status` is that of its newest run where whoever hears it may know nothing of it, else None.
    """

    workflow: Workflow
    status: RunStatus | None = None


@dataclass(frozen=True, slots=True)
class WorkflowDeleted:
    """A workflow is gone with everything that belonged to it, or hidden until it is. Its run was cancelled before
    (UI §11). One that `can_return` is only hidden: a `WorkflowChanged` brings it back, or a second one of these tells
    that it is gone for good."""

    workflow_id: WorkflowId
    can_return: bool = False


class SaveState(StrEnum):
    """How far what runs tell is on disk."""

    SAVED = "saved"
    WRITING = "writing"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SaveStateChanged:
    """So is what runs tell now. `code`: why it could not be written, where it could not; it is tried again."""

    saving: SaveState
    code: str | None = None


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """These messages of a workflow wait now, in that order, and why they do where nothing is at work there."""

    workflow_id: WorkflowId
    messages: Sequence[QueuedMessage]
    held: QueueHold | None = None


@dataclass(frozen=True, slots=True)
class SearchIndexChanged:
    """The index of all texts is further on, or stands still."""
