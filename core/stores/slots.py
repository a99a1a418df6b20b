"""The numbers 1 to 9 beside the rows, which keys go to (UI §3)."""

from core.domain.ids import WorkflowId

SLOTS = range(1, 10)


class Slots:
    """Gives each workflow the lowest free number, for as long as it is kept. Nothing renumbers."""

    def __init__(self) -> None:
        self._taken: dict[int, WorkflowId] = {}

    def take(self, workflow_id: WorkflowId) -> int | None:
        """The number the workflow has, else the lowest free one, else None: ten or more go without."""
        free = None
        for slot in SLOTS:
            holder = self._taken.get(slot)
            if holder == workflow_id:
                return slot
            if holder is None and free is None:
                free = slot
        if free is not None:
            self._taken[free] = workflow_id
        return free

    def free(self, workflow_id: WorkflowId) -> None:
        self._taken = {slot: holder for slot, holder in self._taken.items() if holder != workflow_id}

    def workflow_at(self, slot: int) -> WorkflowId | None:
        return self._taken.get(slot)
