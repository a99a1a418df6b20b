"""Live runs and their viewers, which receive the state once and then events in batches (UI §2)."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from psygnal import Signal

from core.domain.events import Event
from core.domain.fold import apply, created_run
from core.domain.ids import RunId, WorkflowId
from core.domain.live_run import LiveRun
from core.domain.run import RunStatus
from core.errors import NotFound
from core.ports import Clock
from core.stores.base import emit

BATCH_EVENTS = 10
BATCH_S = 0.1
RELEASE_S = 20.0
"""How long the state of a finished run outlives its last viewer; UI §2 allows 30 s."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The events of a run since the previous batch, in order and without duplicates."""

    run_id: RunId
    events: tuple[Event, ...]


class Viewer:
    """A viewer of a run, until it is closed.

    `run` is the live state, which must not be changed. Its content at the time of attaching is the snapshot: batches
    continue from there, without gaps or duplicates.
    """

    batch = Signal(Batch)

    def __init__(self, watched: "WatchedRun") -> None:
        self._watched_run = watched
        self.run = watched.run

    @property
    def is_open(self) -> bool:
        """Whether it still receives batches."""
        return self in self._watched_run.viewers

    def close(self) -> None:
        """Stop receiving batches, at once. Closing again has no effect."""
        self._watched_run.detach(self)
        self.batch.disconnect()

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class WatchedRun:
    """A run, its viewers, and the open batch for them; without viewers there is no batch.

    `due` is the next time for `tick`; `due_changed` is called when it changes.
    """

    def __init__(self, run: LiveRun, clock: Clock, due_changed: Callable[[], object]) -> None:
        self.run = run
        self.viewers: tuple[Viewer, ...] = ()
        self.due: float | None = None
        self._clock = clock
        self._due_changed = due_changed
        self._batch: list[Event] = []

    def attach(self) -> Viewer:
        """Return a new viewer."""
        self.flush()  # what the state has in it already belongs to those who came before
        viewer = Viewer(self)
        self.viewers = (*self.viewers, viewer)
        self._set_due(None)
        return viewer

    def detach(self, viewer: Viewer) -> None:
        """Remove the viewer. The state of a finished run is released some time after its last viewer."""
        if viewer in self.viewers:
            self.viewers = tuple(other for other in self.viewers if other is not viewer)
            if not self.viewers:
                self._batch.clear()
                self._set_due(self._release_time())

    def apply(self, event: Event) -> bool:
        """Fold the event into the run and append it to the batch. Return False if it changed nothing."""
        was_final = self.run.status.is_final
        if not apply(self.run, event):
            return False
        if self.viewers:
            self._batch.append(event)
            # the end is sent at once, everything else in batches
            if self.run.status.is_final or len(self._batch) >= BATCH_EVENTS:
                self.flush()
            elif self.due is None:
                self._set_due(self._clock.monotonic() + BATCH_S)
        elif self.run.status.is_final and not was_final:
            self._set_due(self._release_time())
        return True

    def end(self, status: RunStatus, error: dict[str, Any] | None) -> None:
        """End the run without an event."""
        self.run.end(status, error, self._clock.now())
        self.flush()
        if not self.viewers:
            self._set_due(self._release_time())

    def flush(self) -> None:
        """Send the open batch to every viewer."""
        if self._batch:
            batch = Batch(self.run.run_id, tuple(self._batch))
            self._batch.clear()
            self._set_due(None)
            for viewer in self.viewers:
                if viewer.is_open:
                    emit(viewer.batch, batch)

    def tick(self, now: float) -> bool:
        """Do what is due. Return whether the state of the run was released."""
        if self.due is None or self.due > now:
            return False
        self.due = None
        if self.viewers:
            self.flush()
            return False
        self.run.release()
        return True

    def _release_time(self) -> float | None:
        is_idle = self.run.status.is_final and not self.run.is_released
        return self._clock.monotonic() + RELEASE_S if is_idle else None

    def _set_due(self, due: float | None) -> None:
        if due != self.due:
            self.due = due
            self._due_changed()


MAX_FORGOTTEN = 256


class LiveRuns:
    """Watched runs by id. `due_changed` is called when `due` changes."""

    def __init__(self, clock: Clock, due_changed: Callable[[], object]) -> None:
        self._clock = clock
        self._due_changed = due_changed
        self._watched: dict[RunId, WatchedRun] = {}
        self._forgotten: deque[RunId] = deque(maxlen=MAX_FORGOTTEN)

    def open(self, event: Event) -> LiveRun | None:
        """Return the run that this event creates, held from now on. None for any other event, and for a late one of a
        forgotten run.
        """
        if event.run_id in self._forgotten:
            return None
        run = created_run(event)
        if run is not None:
            self._watched[run.run_id] = WatchedRun(run, self._clock, self._due_changed)
        return run

    def get(self, run_id: RunId) -> WatchedRun | None:
        """Return the watched run, or None."""
        return self._watched.get(run_id)

    def below(self, workflow_id: WorkflowId) -> list[LiveRun]:
        """Return the held child runs of a workflow, in the order of their creation."""
        held = (watched.run for watched in self._watched.values())
        return [
            run for run in held if run.workflow_id == workflow_id and run.parent is not None and not run.is_released
        ]

    def attach(self, run_id: RunId) -> Viewer:
        """Return a viewer of the run. Raises NotFound if its state is no longer held."""
        watched = self._watched.get(run_id)
        if watched is None or watched.run.is_released:
            raise NotFound("run", run_id)
        return watched.attach()

    def forget(self, run_id: RunId) -> None:
        """Stop holding the run, and close its viewers."""
        watched = self._watched.pop(run_id, None)
        if watched is not None:
            # a late event must not create the run again
            self._forgotten.append(run_id)
            for viewer in watched.viewers:
                viewer.close()

    def forget_workflow(self, workflow_id: WorkflowId) -> None:
        """Forget all runs of the workflow."""
        for watched in tuple(self._watched.values()):
            if watched.run.workflow_id == workflow_id:
                self.forget(watched.run.run_id)

    def forget_all(self) -> None:
        """Forget all runs."""
        for run_id in tuple(self._watched):
            self.forget(run_id)

    @property
    def due(self) -> float | None:
        """The next time for `tick`, in monotonic seconds."""
        return min((watched.due for watched in self._watched.values() if watched.due is not None), default=None)

    def tick(self, now: float) -> list[LiveRun]:
        """Send due batches, and return the runs that were released."""
        return [watched.run for watched in tuple(self._watched.values()) if watched.tick(now)]
