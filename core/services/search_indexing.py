"""Keeps the full-text index in step with the store: follows changes, and catches up with what it missed.

The store is the truth. At the start the status of each run is compared with the index, so that runs written before a
crash, by another process, or restored from a backup are indexed then. A run is indexed together with its descendants,
and again when it has ended.
"""

import asyncio
import logging
import math
from collections import deque
from dataclasses import dataclass, replace
from typing import Self

from psygnal import Signal

from core.bus import Bus, Subscription, WorkflowChanged, WorkflowDeleted
from core.domain import events as facts
from core.domain.events import EventsPersisted
from core.domain.fold import replay
from core.domain.ids import RunId, WorkflowId
from core.domain.progress import call_results
from core.domain.run import Run, RunKind
from core.domain.text.search import text_digest
from core.errors import SearchFailed, StorageFailed
from core.ports import PAGE_ROWS, Clock, RunDocuments, SearchDocument, SearchIndex, Storage
from core.services.lookup import ignore_unreadable
from core.services.search_documents import documents_of
from core.stores.base import emit
from core.threads.pieces import in_thread

SOON_S, LATE_S = 5.0, 300.0
"""A run at work is indexed again after so long, and each time after twice as long."""
RETRY_INTERVAL_S = 60.0
BUSY_S, WAY_S = 1.0, 0.05
"""While something was kept less than the first ago, what was missed waits for the second between two runs."""

_IMMEDIATE_FACTS = (facts.RunCreated, facts.RunFinished)
_DELAYED_FACTS = (facts.MessageAdded, facts.ToolEnded, facts.StepFinished, facts.SubAgentText)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """The progress of indexing: `done` of `total` runs that were missing at the start. `is_stopped`: the user stopped
    catching up. `problem` is why nothing can be indexed now.
    """

    done: int = 0
    total: int = 0
    is_stopped: bool = False
    problem: str | None = None

    @property
    def is_behind(self) -> bool:
        """Whether runs are missing from the index."""
        return self.done < self.total


class SearchIndexer:
    """Works between `begin` and the end of its `async with` block. `changed` is emitted when `state` changes."""

    changed = Signal()

    def __init__(self, index: SearchIndex, storage: Storage, bus: Bus, clock: Clock) -> None:
        self._index = index
        self._storage = storage
        self._bus = bus
        self._clock = clock
        self.state = IndexProgress()
        self._subscriptions: tuple[Subscription, ...] = ()
        self._deletions: deque[WorkflowId] = deque()
        self.deleted_workflows: set[WorkflowId] = set()
        self._titles: dict[WorkflowId, str] = {}
        self._runs: dict[RunId, None] = {}
        self._backlog: deque[RunId] = deque()
        self._timers: dict[RunId, asyncio.TimerHandle] = {}
        self._delays: dict[RunId, float] = {}
        self._retry_timer: list[asyncio.TimerHandle] = []
        self._last_write_at = -math.inf
        self._is_swept = self._is_broken = False
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        for subscription in self._subscriptions:
            subscription.close()
        for timer in (*self._timers.values(), *self._retry_timer):
            timer.cancel()
        if self._task is not None:
            self._task.cancel()
        if kind is not GeneratorExit:  # an abandoned generator cannot await
            if self._task is not None:
                await asyncio.wait([self._task])
            await self._index.close()

    def start(self) -> None:
        """Start to catch up with the store and to follow it. A second call has no effect."""
        if self._task is None:
            self._subscriptions = (
                self._bus.subscribe(WorkflowDeleted, self._on_deleted),
                self._bus.subscribe(WorkflowChanged, self._on_changed),
                self._bus.subscribe(EventsPersisted, self._on_kept),
            )
            self._task = asyncio.create_task(self._work(), name="index the texts")
            self._wake.set()

    def stop(self) -> None:
        """Stop catching up; new runs are still indexed."""
        self._set_state(replace(self.state, is_stopped=self.state.is_behind))

    def resume(self) -> None:
        """Resume catching up, and retry after a problem."""
        self._set_state(replace(self.state, is_stopped=False, problem=None))
        self._wake.set()

    def rebuild(self) -> None:
        """Rebuild the index: a search found it broken."""
        self._is_broken = True
        self._wake.set()

    def wake(self) -> None:
        """Look for work: something was deleted."""
        self._wake.set()

    def sweep_again(self) -> None:
        """Compare the index with the store again."""
        self._is_swept = False
        self._wake.set()

    # Events

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        self.deleted_workflows.add(message.workflow_id)
        self._deletions.append(message.workflow_id)
        self._titles.pop(message.workflow_id, None)
        self._wake.set()

    def _on_changed(self, message: WorkflowChanged) -> None:
        """Queue the title. A deleted workflow that exists again is swept, to find all of its runs."""
        workflow_id = message.workflow.id
        if workflow_id in self.deleted_workflows:
            self.deleted_workflows.discard(workflow_id)
            self._is_swept = False
        self._titles[workflow_id] = message.workflow.title
        self._wake.set()

    def _on_kept(self, message: EventsPersisted) -> None:
        self._last_write_at = self._clock.monotonic()
        run_id, kinds = message.events[0].run_id, {type(event.fact) for event in message.events}
        # a whole run is indexed each time, so that a long run is indexed ever more rarely while it grows
        if not kinds.isdisjoint(_IMMEDIATE_FACTS):
            self._enqueue(run_id)
        elif run_id not in self._timers and not kinds.isdisjoint(_DELAYED_FACTS):
            wait_s = self._delays.get(run_id, SOON_S)
            self._delays[run_id] = min(2 * wait_s, LATE_S)
            self._timers[run_id] = asyncio.get_running_loop().call_later(wait_s, self._enqueue, run_id)
        if facts.RunFinished in kinds:
            self._delays.pop(run_id, None)

    def _enqueue(self, run_id: RunId) -> None:
        timer = self._timers.pop(run_id, None)
        if timer is not None:
            timer.cancel()
        self._runs[run_id] = None
        self._wake.set()

    # Working

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._prepare()
                is_done = False
                while not is_done:
                    is_done = await self._do_next()
                    await asyncio.sleep(0)  # other tasks run between two texts
                if self.state.problem is not None:
                    self._set_state(replace(self.state, problem=None))
            except (SearchFailed, StorageFailed) as error:
                self._on_error(error)
            except Exception as error:  # what one run holds must not keep the others from being found
                log.exception("a text cannot be indexed")
                self._on_error(SearchFailed("search_unavailable", f"{type(error).__name__}: {error}"))

    async def _prepare(self) -> None:
        if self._is_broken:
            await self._index.reset()
            self._is_broken = self._is_swept = False
            self._set_state(IndexProgress())
        await self._index.open()

    async def _do_next(self) -> bool:
        """Do the next piece of work; what the user may search for next comes before what was missed. Return whether
        nothing is left.
        """
        # first of all, and removed from the queue only when done: deleted text must never be found
        if self._deletions:
            await self._index.remove_workflow(self._deletions[0])
            self._deletions.popleft()
        elif not self._is_swept:
            await self._sweep()
            self._is_swept = True
        elif self._titles:
            workflow_id, title = next(iter(self._titles.items()))
            if workflow_id not in self.deleted_workflows:
                await self._index.put_title(workflow_id, title)
            # it may have been renamed while the title was written
            if self._titles.get(workflow_id) == title:
                del self._titles[workflow_id]
        elif self._runs:
            run_id = next(iter(self._runs))
            del self._runs[run_id]  # it may change again while it is read
            await self._index_or_requeue(run_id)
        elif self._backlog and not self.state.is_stopped:
            # indexing competes with active runs for the disk and the interpreter lock
            if self._clock.monotonic() - self._last_write_at < BUSY_S:
                await self._clock.sleep(WAY_S)
            self._backlog.rotate(-1)  # where it fails, it is the last one to be tried again
            await self._index_run(self._backlog[-1])
            self._backlog.pop()
            self._set_state(replace(self.state, done=self.state.done + 1))
            if not self._backlog:
                self._set_state(IndexProgress())
        else:
            return not await self._index.purge_deleted()
        return False

    async def _index_or_requeue(self, run_id: RunId) -> None:
        """Index the run; if that fails, keep it in the queue."""
        try:
            await self._index_run(run_id)
        except BaseException:
            self._runs[run_id] = None
            raise

    async def _sweep(self) -> None:
        """Compare the index with the store."""
        await self._storage.memories.update_index()
        indexed = await self._index.indexed()
        workflows = {workflow.id: workflow.title for workflow in await self._storage.workflows.all()}
        for workflow_id in indexed.titles.keys() - workflows.keys():
            await self._index.remove_workflow(workflow_id)
        changed = {name: title for name, title in workflows.items() if indexed.titles.get(name) != text_digest(title)}
        self._titles = {**changed, **self._titles}
        missed: list[RunId] = []
        stored: set[RunId] = set()
        before: RunId | None = None
        # by pages: the loop is free in between, and the list of runs may be long
        while page := await self._storage.runs.page(limit=PAGE_ROWS, before=before):
            for run in page:
                stored.add(run.id)
                if run.kind is not RunKind.RECORDING and indexed.runs.get(run.id) != run.status:
                    missed.append(run.id)
            before = page[-1].id
        await self._index.remove_runs([run_id for run_id in indexed.runs if run_id not in stored])
        self._backlog = deque(missed)
        self._set_state(IndexProgress(total=len(missed)))

    async def _index_run(self, run_id: RunId) -> None:
        """Index the texts of the run's root and of all of its descendants."""
        run = await self._storage.runs.get(run_id)
        # children are indexed with their root: a hit in a child is shown in the root's message
        if run is not None and run.root is not None:
            run = await self._storage.runs.get(run.root)
        if run is None or run.kind is RunKind.RECORDING:
            return
        documents = await self._texts(run)
        below = [run]
        while below:
            for child in await self._storage.runs.children(below.pop().id):
                if child.root == run.id:
                    documents += await self._texts(child)
                    below.append(child)
        # it may have been deleted while its texts were read
        if run.workflow_id not in self.deleted_workflows:
            await self._index.put_runs(run.workflow_id, [RunDocuments(run.id, run.status, documents)])

    async def _texts(self, run: Run) -> list[SearchDocument]:
        """Return the documents of a run; empty if the run is unreadable."""
        with ignore_unreadable():
            events = await self._storage.events.of_run(run.id)
            live = replay(events)
            return [] if live is None else await in_thread(documents_of(live, call_results(events)))
        return []

    def _on_error(self, error: SearchFailed | StorageFailed) -> None:
        """Rebuild a broken index at once; retry later after any other problem."""
        log.warning("the texts cannot be indexed: %s", error.message)
        # a rebuild that fails again waits for the retry, instead of rebuilding in a loop
        if error.code == "search_broken" and not self._is_broken:
            self.rebuild()
            return
        self._set_state(replace(self.state, problem=error.message))
        self._retry_timer = [asyncio.get_running_loop().call_later(RETRY_INTERVAL_S, self._wake.set)]

    def _set_state(self, state: IndexProgress) -> None:
        if state != self.state:
            self.state = state
            emit(self.changed)
