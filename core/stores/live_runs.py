"""The live states of runs, held for as long as somebody needs them."""

from collections import deque
from collections.abc import Callable

from core.domain.events import Event
from core.domain.fold import begin
from core.domain.ids import RunId, WorkflowId
from core.domain.live_run import LiveRun
from core.errors import NotFound
from core.ports.clock import Clock
from core.stores.viewers import Audience, Viewer

FORGOTTEN_KEPT = 256


class LiveRuns:
    """Audiences by run. `due_changed` is called when `due` is another time."""

    def __init__(self, clock: Clock, due_changed: Callable[[], object]) -> None:
        self._clock = clock
        self._due_changed = due_changed
        self._audiences: dict[RunId, Audience] = {}
        self._forgotten: deque[RunId] = deque(maxlen=FORGOTTEN_KEPT)

    def open(self, event: Event) -> LiveRun | None:
        """The run that this event creates, held from now on. None if it tells of something else, or comes late."""
        if event.run_id in self._forgotten:
            return None
        run = begin(event)
        if run is not None:
            self._audiences[run.run_id] = Audience(run, self._clock, self._due_changed)
        return run

    def audience(self, run_id: RunId) -> Audience | None:
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
