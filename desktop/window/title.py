"""What the viewed workflow is called."""

from core.stores.view_cache import ViewCache
from core.stores.workflows import Workflows


def viewed_title(view: ViewCache, workflows: Workflows) -> str:
    """As the list has it, else as its run does; empty where none is viewed, or nothing is known of it yet."""
    listed = workflows.get(view.workflow_id) if view.workflow_id is not None else None
    if listed is not None:
        return listed.workflow.title
    return view.execution.workflow_name if view.execution is not None else ""
