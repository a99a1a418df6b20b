"""A workflow: an entry of the sidebar, a conversation bound to one agent. It owns messages and runs."""

from dataclasses import dataclass
from datetime import datetime

from core.domain.ids import WorkflowId


@dataclass(frozen=True, slots=True)
class Workflow:
    """The row of a workflow. Its status is not kept: it is that of its newest run, `idle` without one."""

    id: WorkflowId
    title: str
    agent: str
    created_at: datetime
    updated_at: datetime
