"""Who watches a run, and what they are sent: its state once, then its events in batches (UI §2)."""

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
from core.ports.clock import Clock
from core.stores.base import emit

BATCH_EVENTS = 10
BATCH_S = 0.1
RELEASE_S = 20.0
"""How long the state of a finished run outlives its last viewer; UI §2 allows 30 s."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What happened in a run since the batch before, in order and without duplicates."""

    run_id: RunId
    events: tuple[Event, ...]


class Viewer:
    """One who watches a run until it closes.

    `run` is the live state, to be read and never changed. What it says at the time of attaching is the
    snapshot: the batches go on from there, with no gap and no duplicate.
    """

    batch = Signal(Batch)

    def __init__(self, audience: "WatchedRun") -> None:
        self._audience = audience
        self.run = audience.run

    @property
    def is_open(self) -> bool:
        return self in self._audience.viewers

    def close(self) -> None:
        """Leave the count and hear nothing more, at once. Closing again has no effect."""
        self._audience.leave(self)
        self.batch.disconnect()

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class WatchedRun:
    """A run, its viewers, and the batch that is open for them; no viewer, no batch.

    `due` is when `tick` has something to do; `due_changed` is called when that is another time.
    """

    def __init__(self, run: LiveRun, clock: Clock, due_changed: Callable[[], object]) -> None:
        self.run = run
        self.viewers: tuple[Viewer, ...] = ()
        self.due: float | None = None
        self._clock = clock
        self._due_changed = due_changed
        self._batch: list[Event] = []

    def attach(self) -> Viewer:
        self.flush()  # what the state has in it already belongs to those who came before
        viewer = Viewer(self)
        self.viewers = (*self.viewers, viewer)
        self._set_due(None)
        return viewer

    def leave(self, viewer: Viewer) -> None:
        if viewer in self.viewers:
            self.viewers = tuple(other for other in self.viewers if other is not viewer)
            if not self.viewers:
                self._batch.clear()
                self._set_due(self._release_time())

    def take(self, event: Event) -> bool:
        """Fold the event into the run and put it into the batch. False: it changed nothing."""
        was_final = self.run.status.is_final
        if not apply(self.run, event):
            return False
        if self.viewers:
            self._batch.append(event)
            if self.run.status.is_final or len(self._batch) >= BATCH_EVENTS:
                self.flush()
            elif self.due is None:
                self._set_due(self._clock.monotonic() + BATCH_S)
        elif self.run.status.is_final and not was_final:
            self._set_due(self._release_time())
        return True

    def end(self, status: RunStatus, error: dict[str, Any] | None) -> None:
        """The run is over although no event says so."""
        self.run.end(status, error, self._clock.now())
        self.flush()
        if not self.viewers:
            self._set_due(self._release_time())

    def flush(self) -> None:
        """Send the open batch, the same to every viewer."""
        if self._batch:
            batch = Batch(self.run.run_id, tuple(self._batch))
            self._batch.clear()
            self._set_due(None)
            for viewer in self.viewers:
                if viewer.is_open:
                    emit(viewer.batch, batch)

    def tick(self, now: float) -> bool:
        """Do what is due. True: the state of the run was released."""
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
    """Audiences by run. `due_changed` is called when `due` is another time."""

    def __init__(self, clock: Clock, due_changed: Callable[[], object]) -> None:
        self._clock = clock
        self._due_changed = due_changed
        self._audiences: dict[RunId, WatchedRun] = {}
        self._forgotten: deque[RunId] = deque(maxlen=MAX_FORGOTTEN)

    def open(self, event: Event) -> LiveRun | None:
        """The run that this event creates, held from now on. None if it tells of something else, or comes late."""
        if event.run_id in self._forgotten:
            return None
        run = created_run(event)
        if run is not None:
            self._audiences[run.run_id] = WatchedRun(run, self._clock, self._due_changed)
        return run

    def audience(self, run_id: RunId) -> WatchedRun | None:
        return self._audiences.get(run_id)

    def below(self, workflow_id: WorkflowId) -> list[LiveRun]:
        """The runs of a workflow that others have begun, in the order of their beginnings, as far as they are held."""
        held = (audience.run for audience in self._audiences.values())
        return [
            run for run in held if run.workflow_id == workflow_id and run.parent is not None and not run.is_released
        ]

    def attach(self, run_id: RunId) -> Viewer:
        """Watch a run. Raises NotFound where its state is not held any more."""
        audience = self._audiences.get(run_id)
        if audience is None or audience.run.is_released:
            raise NotFound("run", run_id)
        return audience.attach()

    def forget(self, run_id: RunId) -> None:
        """Hold the run no longer; those who watch it are sent away."""
        audience = self._audiences.pop(run_id, None)
        if audience is not None:
            self._forgotten.append(run_id)
            for viewer in audience.viewers:
                viewer.close()

    def forget_workflow(self, workflow_id: WorkflowId) -> None:
        for audience in tuple(self._audiences.values()):
            if audience.run.workflow_id == workflow_id:
                self.forget(audience.run.run_id)

    def forget_all(self) -> None:
        for run_id in tuple(self._audiences):
            self.forget(run_id)

    @property
    def due(self) -> float | None:
        """When `tick` has something to do next, in monotonic seconds."""
        return min((one.due for one in self._audiences.values() if one.due is not None), default=None)

    def tick(self, now: float) -> list[LiveRun]:
        """Send the batches that are due, and give the runs that were released."""
        return [one.run for one in tuple(self._audiences.values()) if one.tick(now)]
