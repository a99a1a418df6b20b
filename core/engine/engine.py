"""The engine: takes runs in, gives them places, drives them, and finds them again after a crash.

    start ──► enqueued ──(a place is free)──► a Driver ──► success | error | cancelled
    recover ──► enqueued                                 (its place goes to the next, first in first out)

Recovery goes through the same door as start, so doing it twice is harmless.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

from core.bus import Bus, SettingsChanged, WorkflowChanged
from core.domain.events import RunFinished
from core.domain.ids import RunId, id_from_key, new_id
from core.domain.run import ACTIVE, ErrorInfo, Run, RunStatus, Snapshot
from core.domain.settings import Settings
from core.domain.step import StepResult
from core.domain.workflow import Workflow
from core.engine.driver import Driver
from core.engine.journal import Journal
from core.engine.recovery import Remains, examine
from core.engine.run_log import Log
from core.engine.starting import StartRequest, creation
from core.engine.steps import StepRunner
from core.engine.validation import Validator
from core.errors import NotFound, Refused, StorageFailed
from core.ports.clock import Clock
from core.ports.schemas import Schemas
from core.ports.storage import ChangeRun, MarkUnreadable, ReleaseClaim, Storage, Write

log = logging.getLogger(__name__)

CLOSE_S = 1.0


@dataclass(slots=True, eq=False)
class _Seat:
    """An active run in this process: being written down, waiting for a place, or driven."""

    run: Run
    snapshot: Snapshot
    log: Log
    results: list[StepResult] | None = None
    driver: Driver | None = None
    task: "asyncio.Task[None] | None" = None
    is_cancelled: bool = False
    is_finished: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Engine:
    """All runs of one store. An async context manager: leaving it checkpoints what is still at work."""

    def __init__(
        self,
        storage: Storage,
        bus: Bus,
        clock: Clock,
        steps: StepRunner,
        validator: Validator,
        schemas: Schemas,
        settings: Callable[[], Settings],
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._bus = bus
        self._steps = steps
        self._validator = validator
        self._schemas = schemas
        self._settings = settings
        self._seats: dict[RunId, _Seat] = {}
        self._queue: list[_Seat] = []
        self._subscription = bus.subscribe(SettingsChanged, lambda changed: self._admit())
        self._is_closing = False
        self.journal = Journal(storage, bus, clock, text_interval_s=settings().stream_write_interval_s)

    async def __aenter__(self) -> Self:
        self._tasks = asyncio.TaskGroup()
        await self._tasks.__aenter__()
        self._writer = self._tasks.create_task(self.journal.run(), name="journal")
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._is_closing = True
        self._subscription.close()
        seats = list(self._seats.values())
        await asyncio.gather(*(seat.driver.checkpoint() for seat in seats if seat.driver is not None))
        tasks = [seat.task for seat in seats if seat.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_S)
        for task in tasks:
            task.cancel()
        self.journal.close()
        await self._tasks.__aexit__(None, None, None)

    # Starting

    async def start(self, request: StartRequest) -> Run:
        """Make a run and give it a place, or a place in the queue.

        The same key gives the same run, for ever. Raises InvalidTemplate, or Refused (`bad_input`,
        `workflow_busy`, `limit_reached`): then nothing is left of it. Raises StorageFailed likewise.
        """
        (await self._validator.check(request.template.as_json())).require()
        await self._check_input(request)
        run_id = RunId(id_from_key("run", request.key) if request.key is not None else new_id("run"))
        if request.key is not None and (known := await self._known(run_id)) is not None:
            return known
        newest = await self._storage.runs(workflow_id=request.workflow.id, limit=1)
        if request.key is not None and run_id in self._seats:
            return self._seats[run_id].run
        if newest and newest[0].status in ACTIVE:
            raise _busy(request.workflow)
        seat = self._reserve(run_id, request)
        try:
            facts, writes = creation(request, seat.run, seat.snapshot)
            lost = await seat.log.create(*facts, writes=writes)
        except BaseException:
            self._leave(seat)
            raise
        if lost:  # the same key, that began and ended while this start was looking
            self._leave(seat)
            return await self.wait(run_id)
        self._bus.publish(WorkflowChanged(replace(request.workflow, updated_at=seat.run.created_at)))
        self._queue.append(seat)
        if seat.is_cancelled:  # while it was written down
            await self._cancel_waiting(seat)
        self._admit()
        return seat.run

    async def _known(self, run_id: RunId) -> Run | None:
        seat = self._seats.get(run_id)
        return seat.run if seat is not None else await self._storage.run(run_id)

    async def _check_input(self, request: StartRequest) -> None:
        schema = request.template.input_schema
        if schema is None:
            return
        violations = await self._schemas.violations(schema, dict(request.input))
        if violations:
            told = "; ".join(f"{one.path or 'the input'}: {one.message}" for one in violations)
            raise Refused("bad_input", told, problems=[{"path": v.path, "message": v.message} for v in violations])

    def _reserve(self, run_id: RunId, request: StartRequest) -> _Seat:
        """Take a seat, or refuse: one step with the checks, so that two starts in one tick cannot both win."""
        if any(seat.run.workflow_id == request.workflow.id and not seat.is_finished for seat in self._seats.values()):
            raise _busy(request.workflow)
        if request.gated and not request.queued:
            limit = self._settings().max_workflows(request.mode)
            active = sum(not seat.is_finished for seat in self._seats.values())
            if active >= limit:
                message = f"Maximum concurrent workflows ({limit}) reached"
                raise Refused("limit_reached", message, mode=request.mode, limit=limit)
        run, snapshot = request.run(run_id, self._clock.now()), request.snapshot()
        seat = _Seat(run, snapshot, self.journal.open(run.id, run.workflow_id, run.message_id))
        self._seats[run_id] = seat
        return seat

    def _admit(self) -> None:
        """Give free places to those who wait, first in first out; a gated one waits for the gate too (ENGINE §9)."""
        settings = self._settings()
        driven = sum(seat.driver is not None and not seat.is_finished for seat in self._seats.values())
        for seat in tuple(self._queue):
            if driven >= settings.max_running_runs or self._is_closing:
                return
            if seat.snapshot.gated and driven >= settings.max_workflows(seat.snapshot.mode):
                continue
            self._queue.remove(seat)
            driven += 1
            self._begin(seat)

    def _begin(self, seat: _Seat) -> None:
        seat.driver = Driver(
            seat.run,
            seat.snapshot,
            seat.log,
            self._steps,
            self._clock,
            results=seat.results,
            on_finished=partial(self._free, seat),
        )
        seat.results = None
        seat.task = self._tasks.create_task(self._drive(seat, seat.driver), name=f"run {seat.run.id}")

    def _free(self, seat: _Seat) -> None:
        seat.is_finished = True
        self._admit()

    async def _drive(self, seat: _Seat, driver: Driver) -> None:
        try:
            await driver.drive()
        except Exception as error:
            log.exception("run %s broke", seat.run.id)
            info = ErrorInfo("internal", f"{type(error).__name__}: {error}", failed_during="engine")
            await self._end(seat, RunStatus.ERROR, info)
        finally:
            self._leave(seat)
            self._admit()

    def _leave(self, seat: _Seat) -> None:
        seat.is_finished = True
        seat.ended.set()
        del self._seats[seat.run.id]

    # Following and ending

    def drives(self, run_id: RunId) -> bool:
        """Whether the run is at work in this process, or waits here for a place."""
        return run_id in self._seats

    @property
    def is_at_work(self) -> bool:
        """Whether any run is driven, or waits here for a place."""
        return bool(self._seats)

    async def wait(self, run_id: RunId) -> Run:
        """Come back when the run has ended and nothing of it is in flight. Raises NotFound."""
        if (seat := self._seats.get(run_id)) is not None:
            await seat.ended.wait()
        run = await self._storage.run(run_id)
        if run is None:
            raise NotFound("run", run_id)
        return run

    async def cancel(self, run_id: RunId) -> Run:
        """End the run as cancelled, within a second. A finished run stays as it is. Raises NotFound."""
        seat = self._seats.get(run_id)
        if seat is None:
            await self._cancel_stored(run_id)
        elif seat.driver is not None:
            seat.driver.cancel()
        elif seat in self._queue:
            await self._cancel_waiting(seat)
        else:
            seat.is_cancelled = True
        return await self.wait(run_id)

    async def _cancel_waiting(self, seat: _Seat) -> None:
        self._queue.remove(seat)
        try:
            await self._end(seat, RunStatus.CANCELLED, None)
        finally:
            self._leave(seat)

    async def _cancel_stored(self, run_id: RunId) -> None:
        """Cancel a run that no process drives: what a crash left behind."""
        run = await self._storage.run(run_id)
        if run is None:
            raise NotFound("run", run_id)
        if run.status in ACTIVE:
            remains = await examine(run, self._storage, self._steps)
            await self._end(self._seat_of(remains), RunStatus.CANCELLED, None)

    async def _end(self, seat: _Seat, status: RunStatus, error: ErrorInfo | None, *more: Write) -> None:
        """Write the end of a run that has no driver."""
        run = seat.run
        change = ChangeRun(run.id, ACTIVE, status, finished_at=self._clock.now(), error=error)
        ended = RunFinished(status=status, error=error.as_dict() if error else None, active_ms=run.active_ms)
        await seat.log.record(ended, writes=[*more, change])

    # Recovering

    async def recover(self, only: RunId | None = None) -> list[RunId]:
        """Take in every unfinished run of the store (or `only` that one), oldest first, and give their ids.

        A run that cannot be read is marked `unreadable` and stops no other.
        """
        found = []
        for run in await self._storage.unfinished_runs():
            if run.id in self._seats or (only is not None and run.id != only):
                continue
            found.append(run.id)
            try:
                remains = await examine(run, self._storage, self._steps)
            except StorageFailed as error:
                if error.code != "unreadable":
                    raise
                log.warning("run %s cannot be read: %s", run.id, error.message)
                await self._storage.commit([MarkUnreadable(run.id, error.message)])
                continue
            await self._take_up(remains)
        self._admit()
        return found

    async def _take_up(self, remains: Remains) -> None:
        """Put the run back into the queue, unless it has ended since it was found."""
        seat = self._seat_of(remains)
        if remains.lost:
            self._tell_again(remains)
            await self._end_unknown(seat, remains)
            return
        unfinished = frozenset({RunStatus.RUNNING, RunStatus.ENQUEUED})
        back = ChangeRun(remains.run.id, unfinished, RunStatus.ENQUEUED)
        releases: list[Write] = [ReleaseClaim(remains.run.id, key) for key in remains.released]
        lost = await self._storage.commit([back, *releases])
        if 0 in lost or remains.run.id in self._seats:
            return
        self._tell_again(remains)
        seat.run = replace(seat.run, status=RunStatus.ENQUEUED)
        self._seats[seat.run.id] = seat
        self._queue.append(seat)

    def _tell_again(self, remains: Remains) -> None:
        """Those who watch know nothing of an earlier life; what they know already changes nothing."""
        for event in remains.events:
            self._bus.publish(event)

    async def _end_unknown(self, seat: _Seat, remains: Remains) -> None:
        """An effect may have happened: the run ends as `outcome_unknown` and names the step."""
        info = None
        for lost in remains.lost:
            info = lost.error
            seat.log.tell(*lost.facts(), writes=[lost.row(seat.run.id, self._clock.now())])
        await self._end(seat, RunStatus.ERROR, info)

    def _seat_of(self, remains: Remains) -> _Seat:
        run = remains.run
        journal = self.journal.open(run.id, run.workflow_id, run.message_id, remains.last_seq)
        return _Seat(run, remains.snapshot, journal, list(remains.results))


def _busy(workflow: Workflow) -> Refused:
    return Refused("workflow_busy", f"a run of {workflow.title!r} is active; it has to end first", workflow=workflow.id)
