"""Which finished workflows the user has looked at. What they have not is marked in every list (UI §1).

Looked at is what is viewed in the active window, at the end of its newest run or later.
"""

from contextlib import AsyncExitStack
from typing import Any, Self

from core.ports import Clock, MarkLookedAt, Storage
from core.services.late_writes import LateWrites
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.workflows import Workflows


class LookMarks:
    """Takes the mark from the workflow that the user looks at, for good. An async context manager."""

    def __init__(self, storage: Storage, background: BackgroundWorkflows, workflows: Workflows, clock: Clock) -> None:
        self._background = background
        self._workflows = workflows
        self._clock = clock
        self._writes = LateWrites(storage, "look marks")
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._writes)
        watched = (self._background.viewed_changed, self._background.window_active_changed, self._workflows.changed)
        for signal in watched:
            signal.connect(self._look)
            self._stack.callback(signal.disconnect, self._look, missing_ok=True)
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self._stack.__aexit__(*exception)

    def _look(self) -> None:
        viewed = self._background.viewed_workflow_id
        listed = self._workflows.get(viewed) if viewed is not None else None
        if viewed is not None and listed is not None and listed.is_unread and self._background.is_watched(viewed):
            self._workflows.mark_read(viewed)
            execution = self._background.get_execution(viewed)
            ended = execution.completed_at if execution is not None else None
            now = self._clock.now()
            # the clock may have been set back since the end
            self._writes.add(viewed, MarkLookedAt(viewed, max(now, ended) if ended is not None else now))
