"""Which facts become toasts: the link between the bus and the pile (UI §7)."""

from collections import deque

from core.bus import Bus, WorkflowDeleted
from core.domain.events import Event, RunFinished
from core.domain.ids import RunId
from core.domain.toast import ToastType
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.toasts import Toasts

TOLD_KEPT = 256


class ToastFeed:
    """Tells each end of a run once, viewed or not, and takes away what does not matter any more.

    Names are read from `background`, which therefore has to be subscribed to the bus before.
    """

    def __init__(self, bus: Bus, background: BackgroundWorkflows, toasts: Toasts) -> None:
        self._background = background
        self._toasts = toasts
        self._told: deque[RunId] = deque(maxlen=TOLD_KEPT)
        self._subscriptions = (bus.subscribe(Event, self._on_event), bus.subscribe(WorkflowDeleted, self._on_deleted))

    def close(self) -> None:
        for subscription in self._subscriptions:
            subscription.close()

    def _on_event(self, event: Event) -> None:
        fact, workflow_id = event.fact, event.workflow_id
        if not isinstance(fact, RunFinished) or event.run_id in self._told:
            return
        self._told.append(event.run_id)
        self._toasts.dismiss_for_workflow(workflow_id, ToastType.USER_QUESTION)
        execution = self._background.get_execution(workflow_id)
        if execution is not None and execution.run is not None and execution.run.run_id == event.run_id:
            self._toasts.add_workflow_complete(workflow_id, execution.workflow_name, fact.status, fact.error)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        self._toasts.dismiss_for_workflow(message.workflow_id)
