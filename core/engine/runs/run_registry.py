"""The active runs of this process, and the queue for free slots (ENGINE §9)."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from core.domain.ids import RunId
from core.domain.interruption import Interruption
from core.domain.run import Run, Snapshot, StepKey
from core.domain.settings import Settings
from core.engine.log.run_journal import RunJournal
from core.engine.runs.driver import Driver, RecoveredState
from core.engine.runs.start_request import StartRequest
from core.errors import limit_reached, workflow_busy
from core.ports.storage import Storage


@dataclass(slots=True, eq=False)
class ActiveRun:
    """An active run in this process: being written, queued for a slot, or driven.

    `settled` is set while it waits for the user; `parent` is the driver and the step of the run that awaits this run.
    """

    run: Run
    snapshot: Snapshot
    log: RunJournal
    recovered: RecoveredState | None = None
    driver: Driver | None = None
    task: "asyncio.Task[None] | None" = None
    parent: tuple[Driver, StepKey] | None = None
    is_cancelled: bool = False
    is_finished: bool = False
    is_success: bool = False
    is_waiting: bool = False
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def has_own_slot(self) -> bool:
        """Whether the run uses a slot of its own, not that of another run."""
        return self.run.root is None

    @property
    def is_top_level(self) -> bool:
        """Whether no other run started it: it keeps its workflow busy and counts at the workflow gate."""
        return self.run.parent is None

    @property
    def is_driven(self) -> bool:
        """Whether the run has begun and not ended."""
        return self.driver is not None and not self.is_finished


class RunRegistry:
    """The active runs, and the queue of runs without a slot.

    A run that waits for the user uses no slot, and a child run uses the slot of its root.
    """

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._runs: dict[RunId, ActiveRun] = {}
        self._queue: list[ActiveRun] = []

    def __iter__(self) -> Iterator[ActiveRun]:
        return iter(tuple(self._runs.values()))

    def __contains__(self, run_id: RunId) -> bool:
        return run_id in self._runs

    def get(self, run_id: RunId) -> ActiveRun | None:
        return self._runs.get(run_id)

    def add(self, seat: ActiveRun) -> None:
        self._runs[seat.run.id] = seat

    def remove(self, seat: ActiveRun) -> None:
        """Remove a run that is over, or was not begun at all."""
        seat.is_finished = True
        seat.ended.set()
        seat.settled.set()
        del self._runs[seat.run.id]

    def descendants(self, run_id: RunId) -> list[Driver]:
        """Return the drivers of all descendants of the run."""
        found: list[Driver] = []
        for seat in self:
            if seat.run.parent == run_id and seat.driver is not None and not seat.has_own_slot:
                found += [seat.driver, *self.descendants(seat.run.id)]
        return found

    def detached_children(self, run_id: RunId) -> list[ActiveRun]:
        """Return the child runs that continue after the end of the run."""
        mine = [seat for seat in self if seat.run.parent == run_id and seat.is_driven]
        return [seat for seat in mine if not seat.run.awaited and not seat.has_own_slot]

    def require_slot(self, request: StartRequest) -> None:
        """Raise Refused `workflow_busy` or `limit_reached` if the run may not start.

        Call it in the same turn as `take`, so that two starts in one turn cannot both take the last slot.
        """
        active = [seat for seat in self if not seat.is_finished and seat.is_top_level]
        if any(seat.run.workflow_id == request.workflow.id for seat in active):
            raise workflow_busy(request.workflow.id, request.workflow.title)
        if request.gated and not request.queued:
            limit = self._settings().max_workflows(request.mode)
            if len(active) >= limit:
                raise limit_reached(request.mode, limit)

    def enqueue(self, seat: ActiveRun) -> None:
        """Add the run to the queue."""
        self._queue.append(seat)

    def dequeue(self, seat: ActiveRun) -> bool:
        """Remove the run from the queue, and return whether it was in it."""
        if seat not in self._queue:
            return False
        self._queue.remove(seat)
        return True

    def admit(self) -> list[ActiveRun]:
        """Remove and return the runs that get the free slots, first in first out. A gated run also waits for the
        workflow gate.
        """
        settings = self._settings()
        driven = [seat for seat in self if seat.is_driven]
        at_work = sum(seat.has_own_slot and not seat.is_waiting for seat in driven)
        active = sum(seat.is_top_level for seat in driven)
        admitted = []
        for seat in tuple(self._queue):
            if at_work >= settings.max_running_runs:
                break
            if seat.snapshot.gated and active >= settings.max_workflows(seat.snapshot.mode):
                continue
            self._queue.remove(seat)
            at_work, active = at_work + 1, active + seat.is_top_level
            admitted.append(seat)
        return admitted


async def ancestor_interruptions(run: Run, seats: RunRegistry, storage: Storage) -> list[Interruption]:
    """Return the interruptions of the ancestors of the run. Raises StorageFailed if a stored ancestor cannot be
    read."""
    found: list[Interruption] = []
    above = run.parent
    while above is not None:
        seat = seats.get(above)
        if seat is not None and seat.driver is not None:
            found += seat.driver.interruptions.all
            above = seat.run.parent
            continue
        found += await storage.interruptions.of_run(above)
        stored = await storage.runs.get(above)
        above = stored.parent if stored is not None else None
    return found
