"""What changed in the core apart from runs, in the past tense."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.agent import Agent
from core.domain.ids import WorkflowId
from core.domain.mcp_server import ServerStatus
from core.domain.prompt import Prompt
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
class ServersChanged:
    """This is how the MCP servers are now, by name: one was added, changed, removed, started, or has ended."""

    servers: Sequence[ServerStatus]


@dataclass(frozen=True, slots=True)
class ExceptionsChanged:
    """The exceptions of consent are others now."""


@dataclass(frozen=True, slots=True)
class WorkflowChanged:
    """The row of a workflow is this now: it was made, renamed, or given another agent."""

    workflow: Workflow


@dataclass(frozen=True, slots=True)
class WorkflowDeleted:
    """A workflow is gone with everything that belonged to it. Its run was cancelled before (UI §11)."""

    workflow_id: WorkflowId


@dataclass(frozen=True, slots=True)
class SearchIndexChanged:
    """The index of all texts is further on, or stands still."""
