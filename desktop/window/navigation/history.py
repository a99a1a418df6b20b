"""Going from workflow to workflow: which were viewed last, and which come next in the list."""

from collections.abc import Callable, Sequence

from core.domain.ids import WorkflowId

_MOST_VISITS = 100


class RecentWorkflows:
    """Workflows in the order in which they were viewed, the last one first.

    While a key is held (`is_walking`) the order stands still, so that Ctrl+Tab again goes further back.
    """

    def __init__(self) -> None:
        self._order: list[WorkflowId] = []
        self._at: int | None = None

    @property
    def is_walking(self) -> bool:
        return self._at is not None

    def others_first(self) -> list[WorkflowId]:
        """The one viewed before the present one first, the present one last."""
        return [*self._order[1:], *self._order[:1]]

    def viewed(self, workflow_id: WorkflowId) -> None:
        """Somebody looks at it now."""
        if not self.is_walking:
            self._move_to_front(workflow_id)

    def keep(self, is_there: Callable[[WorkflowId], bool]) -> None:
        """Forget the others. Not while the walk goes on: the order stands still then."""
        self._order = [one for one in self._order if is_there(one)]

    def step(self, by: int) -> WorkflowId | None:
        """The one that many places further back than where the walk is; the walk begins at the one viewed now."""
        if not self._order:
            return None
        self._at = ((self._at or 0) + by) % len(self._order)
        return self._order[self._at]

    @property
    def order(self) -> Sequence[WorkflowId]:
        """The one viewed now first, the one before it second."""
        return tuple(self._order)

    @property
    def place(self) -> int:
        """Where in the order the walk is; 0 where there is none."""
        return self._at or 0

    def settle(self) -> WorkflowId | None:
        """The key was let go: the one that was reached is the last viewed. None: there was no walk."""
        if self._at is None:
            return None
        reached, self._at = self._order[self._at], None
        self._move_to_front(reached)
        return reached

    def cancel(self) -> None:
        """The walk is over, and has led nowhere."""
        self._at = None

    def _move_to_front(self, workflow_id: WorkflowId) -> None:
        self._order = [workflow_id, *(one for one in self._order if one != workflow_id)]


class VisitHistory:
    """The places that were gone to, and where in them one is: back and forward as in a browser."""

    def __init__(self) -> None:
        self._places: list[WorkflowId] = []
        self._at = -1

    def went_to(self, workflow_id: WorkflowId) -> None:
        """Somebody looks at it now. What was ahead is forgotten, unless this was a step back or forward."""
        if self._at >= 0 and self._places[self._at] == workflow_id:
            return
        self._places = [*self._places[: self._at + 1], workflow_id][-_MOST_VISITS:]
        self._at = len(self._places) - 1

    def step(self, by: int, is_there: Callable[[WorkflowId], bool]) -> WorkflowId | None:
        """Back (-1) or forward (1), over what is gone; None at the end."""
        at = self._at + by
        while 0 <= at < len(self._places):
            if is_there(self._places[at]):
                self._at = at
                return self._places[at]
            at += by
        return None


def next_in_ring(order: Sequence[WorkflowId], current: WorkflowId | None, by: int) -> WorkflowId | None:
    """The next (1) or the one before (-1), going around; from elsewhere the first or the last."""
    if not order:
        return None
    if current not in order:
        return order[0] if by > 0 else order[-1]
    return order[(order.index(current) + by) % len(order)]


def next_in_list(order: Sequence[WorkflowId], current: WorkflowId | None, by: int) -> WorkflowId | None:
    """The next (1) or the one before (-1) in a list; from nowhere the first or the last, at an end the same."""
    if not order:
        return None
    if current not in order:
        return order[0] if by > 0 else order[-1]
    return order[min(max(order.index(current) + by, 0), len(order) - 1)]
