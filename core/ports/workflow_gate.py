"""The workflow gate as the user sees it: how many workflows may be active at once (ENGINE §9)."""

from typing import Protocol

from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.template import ValidationMode


class WorkflowGate(Protocol):
    """Shows a workflow as active from the moment of its start, and refuses starts over the limit.

    The names are those of document 000 (`core.stores.background_workflows`).
    """

    def register(
        self, workflow_id: WorkflowId, agent_id: str | None, workflow_name: str, mode: ValidationMode | None = None
    ) -> object:
        """Take a place before the first event. Raises Refused: `workflow_busy`, `limit_reached`."""

    def mark_complete(self, workflow_id: WorkflowId, status: RunStatus) -> None:
        """Give the place of a failed start back."""
