"""A workflow: an entry of the sidebar, a conversation bound to one agent. It owns messages and runs."""

from dataclasses import dataclass
from datetime import datetime

from core.domain.agent import Answering
from core.domain.ids import WorkflowId


@dataclass(frozen=True, slots=True)
class Workflow:
    """The row of a workflow. Its status is not kept: it is that of its newest run, `idle` without one.

    `agent` is the name of who answered last. `answering` is who answers next; None in a row that no turn and no choice
    has written since there are agents.
    """

    id: WorkflowId
    title: str
    agent: str
    created_at: datetime
    updated_at: datetime
    answering: Answering | None = None
