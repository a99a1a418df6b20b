"""The order of recently viewed workflows, and the history behind Back and Forward."""

from collections.abc import Callable, Sequence

from core.domain.ids import WorkflowId

_MOST_VISITS = 100


class RecentWorkflows:
    """Workflows by last view, newest first.

    While a key is held (`is_walking`) the order is frozen, so that repeated Ctrl+Tab goes further back.
    """

    def __init__(self) -> None:
        self._order: list[WorkflowId] = []
        self._at: int | None = None

    @property
    def is_walking(self) -> bool:
        return self._at is not None

    def others_first(self) -> list[WorkflowId]:
        """Return the previously viewed workflow first and the current one last."""
        return [*self._order[1:], *self._order[:1]]

    def viewed(self, workflow_id: WorkflowId) -> None:
        """Move the workflow to the front, unless a walk is active."""
        if not self.is_walking:
            self._move_to_front(workflow_id)

    def retain(self, is_there: Callable[[WorkflowId], bool]) -> None:
        """Drop all other workflows. Must not be called during a walk."""
        self._order = [key for key in self._order if is_there(key)]

    def step(self, by: int) -> WorkflowId | None:
        """Move the walk by so many positions and return the workflow there. A walk begins at the current workflow."""
        if not self._order:
            return None
        self._at = ((self._at or 0) + by) % len(self._order)
        return self._order[self._at]

    @property
    def order(self) -> Sequence[WorkflowId]:
        """The workflows, the current one first."""
        return tuple(self._order)

    @property
    def place(self) -> int:
        """The position of the walk; 0 without a walk."""
        return self._at or 0

    def settle(self) -> WorkflowId | None:
        """End the walk and move its workflow to the front. Return None without a walk."""
        if self._at is None:
            return None
        reached, self._at = self._order[self._at], None
        self._move_to_front(reached)
        return reached

    def cancel(self) -> None:
        """End the walk without moving a workflow."""
        self._at = None

    def _move_to_front(self, workflow_id: WorkflowId) -> None:
        self._order = [workflow_id, *(key for key in self._order if key != workflow_id)]


class VisitHistory:
    """The history of viewed workflows with a current position, as in a browser."""

    def __init__(self) -> None:
        self._places: list[WorkflowId] = []
        self._at = -1

    def append(self, workflow_id: WorkflowId) -> None:
        """Append the workflow and drop the entries ahead, unless it is the current entry already."""
        if self._at >= 0 and self._places[self._at] == workflow_id:
            return
        self._places = [*self._places[: self._at + 1], workflow_id][-_MOST_VISITS:]
        self._at = len(self._places) - 1

    def step(self, by: int, is_there: Callable[[WorkflowId], bool]) -> WorkflowId | None:
        """Go back (-1) or forward (1), skipping removed workflows. Return None at the end."""
        at = self._at + by
        while 0 <= at < len(self._places):
            if is_there(self._places[at]):
                self._at = at
                return self._places[at]
            at += by
        return None


def next_in_ring(order: Sequence[WorkflowId], current: WorkflowId | None, by: int) -> WorkflowId | None:
    """Return the next (1) or previous (-1) item, wrapping around; the first or last if `current` is not in the list."""
    if not order:
        return None
    if current not in order:
        return order[0] if by > 0 else order[-1]
    return order[(order.index(current) + by) % len(order)]


def next_in_list(order: Sequence[WorkflowId], current: WorkflowId | None, by: int) -> WorkflowId | None:
    """Return the next (1) or previous (-1) item, stopping at the ends; the first or last if `current` is not in the
    list.
    """
    if not order:
        return None
    if current not in order:
        return order[0] if by > 0 else order[-1]
    return order[min(max(order.index(current) + by, 0), len(order) - 1)]
