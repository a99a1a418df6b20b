"""Starts, drives and ends the active runs of this process (ENGINE §9).

    start ──► enqueued ──(a slot is free)──► a Driver ──► success | error | cancelled
    recover ──► enqueued                       │ ▲          (the slot goes to the next run, first in first out)
                                               ▼ │
                                             waiting (holds no slot)

A child run starts at once: it uses the slot of its root.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

from core.bus import Bus, SettingsChanged
from core.domain.events import Fact, RootChanged, RunFinished
from core.domain.ids import RunId
from core.domain.interruption import Interruption
from core.domain.progress import progress_of
from core.domain.run import ACTIVE_STATUSES, ErrorInfo, Run, RunKind, RunStatus
from core.domain.settings import Settings
from core.domain.template import WorkflowCall
from core.engine.log.journal import Journal
from core.engine.plan.dispatch import StepCall
from core.engine.runs.driver import Driver
from core.engine.runs.recovered_run import closing_message
from core.engine.runs.run_registry import ActiveRun, AdmissionQueue, RunRegistry, stored_run
from core.engine.runs.start_request import StartRequest, creation_records
from core.engine.runs.step_runner import StepRunner
from core.errors import StorageFailed
from core.ports import (
    NO_RECORDER,
    CallRecorder,
    ChangeRoot,
    ChangeRun,
    Clock,
    PutMessage,
    RunRecordings,
    Storage,
    Write,
)

log = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 1.0

RunChild = Callable[[Driver, StepCall, int, WorkflowCall], Awaitable[Any]]


class Scheduler:
    """The active runs and their tasks; the `core.engine.runs.driver.RunHost` of their drivers.

    `run_child` runs a step that consists of another template. An async context manager: leaving it checkpoints the
    active runs.
    """

    def __init__(
        self,
        storage: Storage,
        bus: Bus,
        clock: Clock,
        journal: Journal,
        steps: StepRunner,
        recordings: RunRecordings,
        settings: Callable[[], Settings],
        run_child: RunChild,
    ) -> None:
        self.registry = RunRegistry()
        self.queue = AdmissionQueue(self.registry, settings)
        self.is_closing = False
        self._storage = storage
        self._clock = clock
        self._journal = journal
        self._steps = steps
        self._recordings = recordings
        self._settings = settings
        self._run_child = run_child
        self._cleanups: set[asyncio.Task[None]] = set()
        self._subscription = bus.subscribe(SettingsChanged, lambda changed: self.admit())

    async def __aenter__(self) -> Self:
        self.tasks = asyncio.TaskGroup()
        await self.tasks.__aenter__()
        self._writer = self.tasks.create_task(self._journal.run(), name="journal")
        return self

    async def __aexit__(self, *exception: object) -> None:
        self.is_closing = True
        self._subscription.close()
        runs = list(self.registry)
        await asyncio.gather(*(active.driver.checkpoint() for active in runs if active.driver is not None))
        tasks = [active.task for active in runs if active.task is not None] + list(self._cleanups)
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_TIMEOUT_S)
        for task in tasks:
            task.cancel()
        # the journal closes last: the checkpoints above are still to be written
        self._journal.close()
        await self.tasks.__aexit__(None, None, None)

    # Starting

    def register(self, run_id: RunId, request: StartRequest) -> ActiveRun:
        """Return a new active run, which counts from now on. Nothing is written yet."""
        run = request.run(run_id, self._clock.now())
        journal = self._journal.open(run.id, run.workflow_id, run.message_id)
        active = ActiveRun(run, request.snapshot(), journal, allowances=request.allowances)
        self.registry.add(active)
        return active

    async def create(self, active: ActiveRun, request: StartRequest, more: Sequence[Fact] = ()) -> bool:
        """Write the new run. Returns False if a run of that id exists already; nothing is left then."""
        try:
            facts, writes = creation_records(request, active.run, active.snapshot)
            is_ours = partial(self.is_stored, active.run)
            lost = await active.log.create(*facts, *more, writes=writes, is_ours=is_ours, companion=request.companion)
        except BaseException:
            self.registry.remove(active)
            raise
        if lost:
            self.registry.remove(active)
        return not lost

    async def is_stored(self, run: Run) -> bool | None:
        """Return whether this very run is on disk, not another with the same key; None if the store cannot be read."""
        try:
            stored = await self._storage.runs.get(run.id)
        except StorageFailed:
            return None
        return stored is not None and stored.message_id == run.message_id

    def enqueue(self, active: ActiveRun) -> None:
        """Start the run as soon as a slot is free."""
        self.queue.add(active)
        self.admit()

    def admit(self) -> None:
        """Start the queued runs for which a slot is free."""
        if not self.is_closing:
            for active in self.queue.admit():
                self.begin(active)

    def begin(self, active: ActiveRun) -> None:
        """Start the driver of the run."""
        driver = Driver(
            active.run,
            active.snapshot,
            active.log,
            self._steps,
            self._clock,
            self,
            recovered=active.recovered,
            allowances=active.allowances,
            no_progress_s=self._settings().no_progress_s,
        )
        self.registry.begin(active, driver)
        active.recovered = None
        active.is_waiting = driver.is_waiting
        active.task = self.tasks.create_task(self._drive(active, driver), name=f"run {active.run.id}")

    async def _drive(self, active: ActiveRun, driver: Driver) -> None:
        try:
            await driver.drive()
            if active.is_finished:
                # outcomes that arrived after the end of the run were emitted, and may not be on disk yet
                await active.log.commit()
        except Exception as error:
            log.exception("run %s broke", active.run.id)
            info = ErrorInfo("internal", f"{type(error).__name__}: {error}", failed_during="engine")
            await self.end(active, RunStatus.ERROR, info)
        finally:
            self.registry.remove(active)
            self.admit()

    # Ending

    async def cancel(self, active: ActiveRun) -> None:
        """Cancel an active run in whatever state it is; `ActiveRun.ended` is set once that is done."""
        if active.driver is not None:
            active.driver.cancel()
        elif self.queue.remove(active):
            await self.cancel_queued(active)
        else:
            active.is_cancelled = True  # its creation is being written: the writer of it looks at this flag

    async def cancel_queued(self, active: ActiveRun) -> None:
        """Write the end of a run that has left the queue without starting."""
        try:
            await self.end(active, RunStatus.CANCELLED, None)
        finally:
            self.registry.remove(active)

    def spawn_cleanup(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work that outlives its caller and is awaited when the engine closes."""
        task = self.tasks.create_task(work)
        self._cleanups.add(task)
        task.add_done_callback(self._cleanups.discard)

    async def end(
        self,
        active: ActiveRun,
        status: RunStatus,
        error: ErrorInfo | None,
        facts: Sequence[Fact] = (),
        rows: Sequence[Write] = (),
    ) -> None:
        """Commit the end of a run that has no driver, with its message, after the given facts and rows."""
        run = active.run
        change = ChangeRun(run.id, ACTIVE_STATUSES, status, finished_at=self._clock.now(), error=error)
        ended = RunFinished(status=status, error=error.as_dict() if error else None, active_ms=run.active_ms)
        writes: list[Write] = [*rows, change]
        has_message = any(isinstance(row, PutMessage) and row.message.id == run.message_id for row in rows)
        if run.parent is None and not has_message:
            message = await closing_message(run, status, self._storage)
            writes += [PutMessage(message)] if message is not None else []
        await active.log.commit(*facts, ended, writes=writes)

    # The host of the drivers

    def on_waiting(self, run: Run, written: "asyncio.Future[Any] | None") -> None:
        active = self.registry[run.id]
        active.is_waiting = written is not None
        if active.parent is not None:
            parent, key = active.parent
            parent.set_child_waiting(key, is_waiting=active.is_waiting)
        if written is None:
            active.settled.clear()
            return
        # code that waits for the run reads its row next, so the row has to be written first
        written.add_done_callback(lambda _: active.settled.set() if active.is_waiting else None)
        self.admit()

    def on_ended(self, run: Run, *, is_success: bool) -> None:
        """Handle the end of a run.

        After a success, children that are not awaited continue as roots of their own; otherwise they are cancelled.
        """
        ended = self.registry[run.id]
        ended.is_finished, ended.is_success = True, is_success
        if is_success:
            for child in self.registry.detached_children(run.id):
                self.change_root(child, None)
        else:
            for driver in self.descendants(run.id):
                driver.cancel()
        self.admit()

    def change_root(self, active: ActiveRun, root: RunId | None) -> None:
        """Move an active run, with its descendants, below another root; None makes it a root."""
        active.run = replace(active.run, root=root)
        if active.driver is not None:
            active.driver.run = active.run
        active.log.commit(RootChanged(root_run_id=root), writes=[ChangeRoot(active.run.id, root)])
        # children that already are roots of their own keep their descendants
        for child in self.registry.children(active.run.id):
            if child.is_driven and not child.has_own_slot:
                self.change_root(child, root or active.run.id)

    def recorder(self, run: Run, *, is_fresh: bool) -> CallRecorder:
        """Return the recorder of the run's agent calls.

        A child run has none: the call that started it is the recorded step.
        """
        if run.kind is not RunKind.CHAT or run.parent is not None:
            return NO_RECORDER
        return self._recordings.recorder(run, is_fresh=is_fresh)

    async def is_claimed(self, run_id: RunId) -> bool:
        return (await stored_run(self._storage, run_id)).status is RunStatus.RUNNING

    async def ancestor_interruptions(self, run: Run) -> list[Interruption]:
        """Return the interruptions of the ancestors of the run.

        Raises StorageFailed if an ancestor is not active and cannot be read.
        """
        interruptions: list[Interruption] = []
        ancestor = run.parent
        while ancestor is not None:
            active = self.registry.get(ancestor)
            if active is not None and active.driver is not None:
                interruptions += active.driver.interruptions.all
                ancestor = active.run.parent
                continue
            interruptions += progress_of(ancestor, await self._storage.events.of_run(ancestor)).interruptions
            stored = await self._storage.runs.get(ancestor)
            ancestor = stored.parent if stored is not None else None
        return interruptions

    def descendants(self, run_id: RunId) -> list[Driver]:
        return self.registry.descendants(run_id)

    async def run_child(self, parent: Driver, call: StepCall, attempt: int, workflow: WorkflowCall) -> Any:
        return await self._run_child(parent, call, attempt, workflow)
