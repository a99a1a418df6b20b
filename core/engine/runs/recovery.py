"""Takes over the runs that a previous process left unfinished (ENGINE §10).

Recovery uses the same entry point as a start, the queue, so repeating it is harmless.
"""

import asyncio
import logging
from collections.abc import Collection, Sequence

from core.bus import Bus
from core.domain.ids import RunId
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus
from core.engine.interruptions.interruptions import Interruptions
from core.engine.log.journal import Journal
from core.engine.runs.recovered_run import (
    MAX_UNCLEAN_ENDS,
    RESTORED,
    RESTORED_MARK,
    RecoveredRun,
    close_interrupted_steps,
    load_recovered_run,
    recovery_exhausted,
)
from core.engine.runs.run_registry import ActiveRun
from core.engine.runs.scheduler import Scheduler
from core.errors import StorageFailed
from core.ports import Clock, MarkUnreadable, Storage

log = logging.getLogger(__name__)

RECOVERY_BATCH = 50


class Recovery:
    """Recovers unfinished runs of the store, and ends runs that nothing continues."""

    def __init__(self, storage: Storage, bus: Bus, clock: Clock, journal: Journal, scheduler: Scheduler) -> None:
        self._storage = storage
        self._bus = bus
        self._clock = clock
        self._journal = journal
        self._scheduler = scheduler

    async def recover(self, only: RunId | None = None, exclude: Collection[RunId] = ()) -> list[RunId]:
        """Recover the unfinished runs of the store, oldest first, and return the ids of the roots, and of `only`.

        `only` limits recovery to a run and its descendants; `exclude` leaves out runs with their descendants. A run
        whose parent has ended meanwhile ends too, or continues as a root. A run that cannot be read is marked
        `unreadable`; a run that was in flight at three unclean ends without progress ends as `recovery_exhausted`, and
        a run that was at work in a backup that was restored as `restored`. None of them stops the others.
        """
        unfinished = [
            run
            for run in await self._storage.runs.unfinished()
            if run.id not in self._scheduler.registry
            and run.kind is not RunKind.RECORDING  # it has no driver, and waits indefinitely
            and (only is None or only in (run.id, run.root))
            and run.id not in exclude
            and run.root not in exclude
        ]
        new_roots: set[RunId] = set()
        for start in range(0, len(unfinished), RECOVERY_BATCH):
            batch = unfinished[start : start + RECOVERY_BATCH]
            loaded = await asyncio.gather(*(self._load(run) for run in batch))
            new_roots |= await self._resume([recovered for recovered in loaded if recovered is not None])
        self._scheduler.admit()
        return [run.id for run in unfinished if run.root is None or run.id in new_roots or run.id == only]

    async def cancel(self, run: Run) -> None:
        """Write the end of an unfinished run that no process drives."""
        await self._end(await load_recovered_run(run, self._storage), RunStatus.CANCELLED)

    async def _load(self, run: Run) -> RecoveredRun | None:
        """Return the recovered run; None if it cannot be read, which is then stored."""
        try:
            return await load_recovered_run(run, self._storage)
        except StorageFailed as error:
            if error.code != "unreadable":
                raise
            log.warning("run %s cannot be read: %s", run.id, error.message)
            await self._storage.commit([MarkUnreadable(run.id, error.message)])
            return None

    async def _resume(self, batch: Sequence[RecoveredRun]) -> set[RunId]:
        """Enqueue the recovered runs, unless they have ended since. Returns the ids of runs that became roots.

        The compare-and-set in the store comes first, in a single commit: a run that another caller ended or recovered
        between the read and this point is lost there and left alone. Only then are its events published and its end,
        its new root or its place in the queue decided. A run that waited for the user gets its driver at once and keeps
        waiting.
        """
        resumable, new_roots = [], set[RunId]()
        for recovered in batch:
            if recovered.run.unclean_ends == RESTORED_MARK:
                self._republish(recovered)
                await self._end(recovered, RunStatus.ERROR, RESTORED)
            elif recovered.unclean_ends >= MAX_UNCLEAN_ENDS:
                self._republish(recovered)
                await self._end(recovered, RunStatus.ERROR, recovery_exhausted(recovered))
            else:
                resumable.append(recovered)
        changes = [recovered.takeover for recovered in resumable]
        lost = await self._storage.commit(changes) if changes else frozenset()
        for position, recovered in enumerate(resumable):
            run, parent = recovered.run, await self._parent_of(recovered.run)
            if position in lost or run.id in self._scheduler.registry:
                continue
            self._republish(recovered)
            if ends_with_parent(run, parent):
                await self._end(recovered, RunStatus.CANCELLED)
                continue
            active = self._activate(recovered)
            self._scheduler.registry.add(active)
            if (root := current_root(run, parent)) != run.root:
                self._scheduler.change_root(active, root)
                new_roots |= {run.id} if root is None else set()
            if run.status is RunStatus.WAITING or not active.has_own_slot:
                self._scheduler.begin(active)
            else:
                self._scheduler.queue.add(active)
        return new_roots

    async def _parent_of(self, run: Run) -> Run | None:
        """Return the row of the parent run."""
        if run.parent is None:
            return None
        active = self._scheduler.registry.get(run.parent)
        return active.run if active is not None and not active.is_finished else await self._storage.runs.get(run.parent)

    def _republish(self, recovered: RecoveredRun) -> None:
        """Publish the events of a previous process: observers have not seen them, and repeated events change
        nothing."""
        for event in recovered.events:
            self._bus.publish(event)

    def _activate(self, recovered: RecoveredRun) -> ActiveRun:
        run = recovered.run
        journal = self._journal.open(run.id, run.workflow_id, run.message_id, recovered.last_seq)
        return ActiveRun(
            recovered.as_resumed, recovered.snapshot, journal, recovered.state, allowances=recovered.allowances
        )

    async def _end(self, recovered: RecoveredRun, status: RunStatus, error: ErrorInfo | None = None) -> None:
        active = self._activate(recovered)
        Interruptions(recovered.run, active.log, self._clock, recovered.state.interruptions).cancel_open()
        await self._scheduler.end(active, status, error, *close_interrupted_steps(recovered, self._clock.now()))


def ends_with_parent(run: Run, parent: Run | None) -> bool:
    """Return whether the end of the parent run ends this run too: the parent failed, or it was waiting for this run.

    `parent` is the row of the parent. The state of an unreadable parent is unknown, so the run continues (ENGINE §12).
    """
    if parent is None or not parent.status.is_final or _is_unreadable(parent):
        return False
    return parent.status is not RunStatus.SUCCESS or run.awaited


def current_root(run: Run, parent: Run | None) -> RunId | None:
    """Return the root of a recovered run: the top of its chain; None if its parent has ended and it is a root
    itself."""
    if parent is None or _is_unreadable(parent):
        return run.root
    return None if parent.status.is_final else parent.root or parent.id


def _is_unreadable(run: Run) -> bool:
    return run.error is not None and run.error.code == "unreadable"
