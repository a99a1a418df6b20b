"""Who is active in this process, who waits for a place, and who gets the next (ENGINE §9)."""

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
    """An active run in this process: being written down, waiting for a place, or driven. `settled` is set while it
    waits for a person; `parent` is the driver and the step of another run that awaits this one."""

    run: Run
    snapshot: Snapshot
    log: RunJournal
    remains: RecoveredState | None = None
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
    def is_root(self) -> bool:
        """Whether it holds a place: it runs in no other's."""
        return self.run.root is None

    @property
    def is_start(self) -> bool:
        """Whether no other run began it: it keeps its workflow busy, and counts at the gate."""
        return self.run.parent is None

    @property
    def is_driven(self) -> bool:
        """Whether it was begun and has not ended."""
        return self.driver is not None and not self.is_finished


class RunRegistry:
    """The active runs, and the queue of those without a place.

    A run that waits for a person holds no place, and a child runs in its root's.
    """

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._taken: dict[RunId, ActiveRun] = {}
        self._queue: list[ActiveRun] = []

    def __iter__(self) -> Iterator[ActiveRun]:
        return iter(tuple(self._taken.values()))

    def __contains__(self, run_id: RunId) -> bool:
        return run_id in self._taken

    def get(self, run_id: RunId) -> ActiveRun | None:
        return self._taken.get(run_id)

    def take(self, seat: ActiveRun) -> None:
        self._taken[seat.run.id] = seat

    def leave(self, seat: ActiveRun) -> None:
        """The run is over, or was not begun at all."""
        seat.is_finished = True
        seat.ended.set()
        seat.settled.set()
        del self._taken[seat.run.id]

    def below(self, run_id: RunId) -> list[Driver]:
        """The drivers of the run's children, and of theirs."""
        found: list[Driver] = []
        for seat in self:
            if seat.run.parent == run_id and seat.driver is not None and not seat.is_root:
                found += [seat.driver, *self.below(seat.run.id)]
        return found

    def unawaited(self, run_id: RunId) -> list[ActiveRun]:
        """The children of the run that go on without it."""
        mine = [seat for seat in self if seat.run.parent == run_id and seat.is_driven]
        return [seat for seat in mine if not seat.run.awaited and not seat.is_root]

    def require_place(self, request: StartRequest) -> None:
        """Raises Refused `workflow_busy`, `limit_reached`. To be called in one step with `take`, so that two starts
        of one tick cannot both win."""
        active = [seat for seat in self if not seat.is_finished and seat.is_start]
        if any(seat.run.workflow_id == request.workflow.id for seat in active):
            raise workflow_busy(request.workflow.id, request.workflow.title)
        if request.gated and not request.queued:
            limit = self._settings().max_workflows(request.mode)
            if len(active) >= limit:
                raise limit_reached(request.mode, limit)

    def queue(self, seat: ActiveRun) -> None:
        """The run waits for a place."""
        self._queue.append(seat)

    def unqueue(self, seat: ActiveRun) -> bool:
        """It waits no longer; whether it did."""
        if seat not in self._queue:
            return False
        self._queue.remove(seat)
        return True

    def admitted(self) -> list[ActiveRun]:
        """Those that get the free places, first in first out; a gated one waits for the gate too."""
        settings = self._settings()
        driven = [seat for seat in self if seat.is_driven]
        at_work = sum(seat.is_root and not seat.is_waiting for seat in driven)
        active = sum(seat.is_start for seat in driven)
        admitted = []
        for seat in tuple(self._queue):
            if at_work >= settings.max_running_runs:
                break
            if seat.snapshot.gated and active >= settings.max_workflows(seat.snapshot.mode):
                continue
            self._queue.remove(seat)
            at_work, active = at_work + 1, active + seat.is_start
            admitted.append(seat)
        return admitted


async def ancestor_interruptions(run: Run, seats: RunRegistry, storage: Storage) -> list[Interruption]:
    """What the runs above that one have asked. Raises StorageFailed where one is not at work and cannot be read."""
    found: list[Interruption] = []
    above = run.parent
    while above is not None:
        seat = seats.get(above)
        if seat is not None and seat.driver is not None:
            found += seat.driver.interruptions.all
            above = seat.run.parent
            continue
        found += await storage.interruptions(above)
        stored = await storage.run(above)
        above = stored.parent if stored is not None else None
    return found
