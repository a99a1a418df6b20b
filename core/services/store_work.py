"""Work on the whole store, at the user's request and by itself: how far it is, and the task that sees to it."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Any, Self

from psygnal import Signal

from core.services.outcome import Failed
from core.stores.base import emit


@dataclass(frozen=True, slots=True)
class WorkState:
    """What is at work: `done` of `total` rows, None if nothing is. `failure` is why it failed last."""

    done: int | None = None
    total: int = 0
    failure: Failed | None = None


class StoreWork:
    """The base of such a service: an async context manager. `changed` is emitted when `state` has changed."""

    changed = Signal()

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self.state = WorkState()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if self._task is not None:
            self._task.cancel()
            if kind is not GeneratorExit:  # an abandoned generator cannot await
                await asyncio.wait([self._task])

    def _begin(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Do this in the background until the end."""
        self._task = asyncio.create_task(work, name=name)

    def _on_progress(self, progress: dict[str, Any]) -> None:
        """Take over {rows, of}; {} says only that the work has begun."""
        if progress:
            self._set_state(replace(self.state, done=progress["rows"], total=progress["of"]))

    def _set_state(self, state: WorkState) -> None:
        self.state = state
        emit(self.changed)
