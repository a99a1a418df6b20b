"""The active and recently finished workflows: the only place that receives run events (UI §2).

Each event is folded into the live state of its run, viewed or not; everything that shows a run is derived from here.
Method names are those of UI §2.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from psygnal import Signal

from core.bus import Bus, SettingsChanged, WorkflowChanged, WorkflowDeleted
from core.domain.events import Event, Fact, RunCreated
from core.domain.ids import RunId, WorkflowId
from core.domain.live_run import LiveRun
from core.domain.run import RunKind, RunStatus
from core.domain.settings import Settings
from core.domain.template import ValidationMode
from core.domain.workflow import Workflow
from core.errors import limit_reached, workflow_busy
from core.ports import Clock
from core.stores.base import CallLater, emit
from core.stores.execution import (
    CALL_FACTS,
    PROGRESS_FACTS,
    QUESTION_FACTS,
    ROW_FACTS,
    Execution,
    Slots,
    changes_progress,
)
from core.stores.watched_runs import LiveRuns, Viewer
from core.stores.workflows import ViewedWorkflow

log = logging.getLogger(__name__)

RECENT_S = 600.0
SWEEP_INTERVAL_S = 60.0
PROGRESS_INTERVAL_S = 0.03


@dataclass(frozen=True, slots=True)
class SweepReport:
    """The result of a sweep: runs released since the last sweep, rows removed, rows that stay."""

    released: int
    timed_out: int
    kept: int


class BackgroundWorkflows(ViewedWorkflow):
    """Live states by workflow.

    `changed(workflow_id)` is emitted when a row must be redrawn. A change of only the progress (`3/7`) is emitted 30 ms
    later, once for all steps of that time: a run may take thousands of steps a second.
    """

    changed = Signal(WorkflowId)

    def __init__(self, bus: Bus, clock: Clock, call_later: CallLater, settings: Settings) -> None:
        super().__init__()
        self._clock = clock
        self._settings = settings
        self._executions: dict[WorkflowId, Execution] = {}
        self._names: dict[WorkflowId, str] = {}
        self._slots = Slots()
        self._released = 0
        self._sweep_at: float | None = None
        self._alarm = self._make_alarm(clock, call_later, self.tick)
        self._progress_alarm = self._make_alarm(clock, call_later, self._emit_progress)
        self._progress_pending: dict[WorkflowId, None] = {}
        self._runs = LiveRuns(clock, self._arm)
        self._resources.callback(self._runs.forget_all)
        self._subscribe(bus, Event, self.update_from_chunk)
        self._subscribe(bus, SettingsChanged, self._on_settings)
        self._subscribe(bus, WorkflowChanged, self._on_workflow)
        self._subscribe(bus, WorkflowDeleted, self._on_deleted)

    def set_titles(self, workflows: Iterable[Workflow]) -> None:
        """Set the titles of workflows: a run bears the name of its workflow, not that of its template."""
        for workflow in workflows:
            self._names[workflow.id] = workflow.title
            execution = self._executions.get(workflow.id)
            if execution is not None and execution.workflow_name != workflow.title:
                execution.workflow_name = workflow.title
                emit(self.changed, workflow.id)

    # Starting

    def can_start(self, mode: ValidationMode) -> bool:
        """Return whether the gate admits another workflow of this mode; those that wait do not count (ENGINE §9)."""
        at_work = sum(execution.status is not RunStatus.WAITING for execution in self.running_workflows)
        return at_work < self._settings.max_workflows(mode)

    @property
    def can_start_new(self) -> bool:
        """`can_start` in the mode of the settings."""
        return self.can_start(self._settings.validation_mode)

    def register(
        self, workflow_id: WorkflowId, agent_id: str | None, workflow_name: str, mode: ValidationMode | None = None
    ) -> Execution:
        """Take a slot before the first event. `mode` defaults to that of the settings.

        Raises Refused and changes nothing: `workflow_busy`, or `limit_reached` with mode and limit. If the start fails
        afterwards, `mark_complete` frees the slot.
        """
        mode = self._settings.validation_mode if mode is None else mode
        before = self._executions.get(workflow_id)
        if before is not None and before.is_active:
            raise workflow_busy(workflow_id, workflow_name)
        if not self.can_start(mode):
            raise limit_reached(mode, self._settings.max_workflows(mode))
        self._names[workflow_id] = workflow_name
        return self._show(Execution(workflow_id, agent_id, workflow_name, self._clock.now(), before=before))

    # Events

    def update_from_chunk(self, event: Event) -> None:
        """Fold the event into its run. Duplicate and late events, and events of unknown runs, change nothing."""
        # the hot path: one lookup, and most events only append text or change a step
        watched = self._runs.get(event.run_id)
        if watched is None:
            if isinstance(event.fact, RunCreated) and event.fact.kind is RunKind.RECORDING:
                return  # it stands beside the conversation, and is no active run of its workflow (ENGINE §1)
            run = self._runs.open(event)
            if run is not None and run.parent is None:
                self._begin(run)
            elif run is not None and (root := self._row_of_child(run)) is not None:  # a child shows in its root's row
                root.below.append(run)
                self._emit_soon(run.workflow_id)
            return
        was_final = watched.run.status.is_final
        if watched.apply(event) and type(event.fact) in ROW_FACTS:
            self._update_row(watched.run, event.fact, is_end=not was_final and watched.run.status.is_final)

    def _update_row(self, run: LiveRun, fact: Fact, *, is_end: bool) -> None:
        """Redraw the row that shows the run, after a fact that may have changed it."""
        execution = self._row_of(run)
        if execution is not None:
            if is_end:
                self._finish(execution)
            elif changes_progress(fact):
                self._emit_soon(run.workflow_id)
            elif type(fact) not in PROGRESS_FACTS:
                emit(self.changed, run.workflow_id)
        elif (root := self._row_of_child(run)) is not None:
            if run.status.is_final and run in root.below:
                root.below.remove(run)
                emit(self.changed, run.workflow_id)
            elif type(fact) in CALL_FACTS:
                self._emit_soon(run.workflow_id)
            elif type(fact) in QUESTION_FACTS:
                emit(self.changed, run.workflow_id)

    def _emit_soon(self, workflow_id: WorkflowId) -> None:
        if not self._progress_pending:
            self._progress_alarm.set(self._clock.monotonic() + PROGRESS_INTERVAL_S)
        self._progress_pending[workflow_id] = None

    def _emit_progress(self, _now: float) -> None:
        progressed, self._progress_pending = self._progress_pending, {}
        for workflow_id in progressed:
            if workflow_id in self._executions:
                emit(self.changed, workflow_id)

    def mark_complete(self, workflow_id: WorkflowId, status: RunStatus, error: dict[str, Any] | None = None) -> None:
        """End a workflow without an event: its start failed, or its run was lost.

        A slot without a run leaves no trace. Does nothing if the workflow is not active.
        """
        execution = self._executions.get(workflow_id)
        if execution is None or not execution.is_active:
            return
        watched = self._runs.get(execution.run.run_id) if execution.run else None
        if watched is not None:
            watched.end(status, error)
            execution.below.clear()
            self._finish(execution)
        elif execution.before is not None:
            self._show(execution.before)
        else:
            self._remove(execution)

    # Reading

    @property
    def running_workflows(self) -> list[Execution]:
        """The active workflows, in the order of their start."""
        return [execution for execution in self._executions.values() if execution.is_active]

    @property
    def recently_completed_workflows(self) -> list[Execution]:
        """The section *Recently finished*, newest first."""
        return sorted(self._ended, key=lambda execution: execution.recent_since or 0.0, reverse=True)

    @property
    def running_count(self) -> int:
        """The number of active workflows."""
        return len(self.running_workflows)

    def get_execution(self, workflow_id: WorkflowId) -> Execution | None:
        """Return the live state of an active or recently finished workflow."""
        return self._executions.get(workflow_id)

    def workflow_at(self, slot: int) -> WorkflowId | None:
        """Return the workflow with the number 1–9."""
        return self._slots.workflow_at(slot)

    @property
    def viewed_execution(self) -> Execution | None:
        """The live state of the viewed workflow."""
        return self._executions.get(self._viewed) if self._viewed is not None else None

    def live_run(self, run_id: RunId) -> LiveRun | None:
        """Return the live state of a run, which must not be changed; None if it is no longer held."""
        watched = self._runs.get(run_id)
        return watched.run if watched is not None else None

    def runs_below(self, workflow_id: WorkflowId) -> list[LiveRun]:
        """Return the child runs of a workflow, as `live_run` does, oldest first."""
        return self._runs.below(workflow_id)

    def attach(self, run_id: RunId) -> Viewer:
        """Return a viewer of the run. Raises NotFound if its state is no longer held; the store still has it."""
        return self._runs.attach(run_id)

    def viewer_count(self, run_id: RunId) -> int:
        """Return the number of viewers of a run."""
        watched = self._runs.get(run_id)
        return len(watched.viewers) if watched else 0

    # Time

    def tick(self, now: float) -> float | None:
        """Do what is due at this monotonic time, and return the next due time. Called by the alarm."""
        for run in self._runs.tick(now):
            self._released += 1
            if self._row_of(run) is None:
                self._runs.forget(run.run_id)
        if self._sweep_at is not None and self._sweep_at <= now:
            self.cleanup(now)
        return self._arm()

    def cleanup(self, now: float) -> SweepReport:
        """Remove rows from *Recently finished* after 10 minutes. Runs every minute while there are any.

        A row with an open question below it stays.
        """
        ended = [execution for execution in self._ended if not execution.has_pending_question]
        over = [execution for execution in ended if (execution.recent_since or 0.0) + RECENT_S <= now]
        for execution in over:
            self._remove(execution)
        sweep = SweepReport(self._released, len(over), len(self._ended))
        log.info("swept: %d released, %d timed out, %d kept", sweep.released, sweep.timed_out, sweep.kept)
        self._released = 0
        self._sweep_at = now + SWEEP_INTERVAL_S
        return sweep

    def _arm(self) -> float | None:
        # nothing to sweep: no timer keeps the process busy
        if all(execution.is_active for execution in self._executions.values()):
            self._sweep_at = None
        due = min((due for due in (self._runs.due, self._sweep_at) if due is not None), default=None)
        self._alarm.set(due)
        return due

    # Rows

    @property
    def _ended(self) -> list[Execution]:
        return [execution for execution in self._executions.values() if not execution.is_active]

    def _row_of(self, run: LiveRun) -> Execution | None:
        execution = self._executions.get(run.workflow_id)
        return execution if execution is not None and execution.run is run else None

    def _row_of_child(self, child: LiveRun) -> Execution | None:
        """Return the row that shows a child run: that of its root, or else of its workflow."""
        execution = self._executions.get(child.workflow_id)
        return execution if execution is not None and execution.shows(child) else None

    def _show(self, execution: Execution) -> Execution:
        """Make this the live state of its workflow. A row keeps its number."""
        workflow_id = execution.workflow_id
        execution.workflow_name = self._names.get(workflow_id, execution.workflow_name)
        execution.slot = self._slots.take(workflow_id)
        # to the end: rows are in the order of their start
        self._executions.pop(workflow_id, None)
        self._executions[workflow_id] = execution
        emit(self.changed, workflow_id)
        return execution

    def _begin(self, run: LiveRun) -> None:
        workflow_id = run.workflow_id
        known = self._executions.get(workflow_id)
        if known is not None and known.run is None:
            # the slot was taken before the run's first event
            before, known.run, known.before = known.before, run, None
            emit(self.changed, workflow_id)
        else:
            before = known
            self._show(Execution(workflow_id, run.agent, run.workflow_name, self._clock.now(), run=run))
        if before is not None:
            # children that no run awaits continue in the row of the next run
            self._executions[workflow_id].below += before.independent_runs
            self._forget_released(before)

    def _finish(self, execution: Execution) -> None:
        execution.recent_since = self._clock.monotonic()
        if self._sweep_at is None:
            self._sweep_at = execution.recent_since + SWEEP_INTERVAL_S
        self._arm()
        emit(self.changed, execution.workflow_id)

    def _remove(self, execution: Execution) -> None:
        del self._executions[execution.workflow_id]
        self._slots.free(execution.workflow_id)
        self._forget_released(execution)
        self._arm()
        emit(self.changed, execution.workflow_id)

    def _forget_released(self, execution: Execution) -> None:
        """Forget the run if it is released; otherwise it stays until then. No row shows it."""
        if execution.run is not None and execution.run.is_released:
            self._runs.forget(execution.run.run_id)

    # Other changes

    def _on_settings(self, message: SettingsChanged) -> None:
        self._settings = message.settings

    def _on_workflow(self, message: WorkflowChanged) -> None:
        """Update the title. An archived workflow leaves *Recently finished*; its active run stays visible."""
        self.set_titles((message.workflow,))
        execution = self._executions.get(message.workflow.id)
        # an active run stays visible, since it can still ask something
        if message.workflow.is_archived and execution is not None and not execution.is_active:
            self._remove(execution)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        self._names.pop(message.workflow_id, None)
        self._runs.forget_workflow(message.workflow_id)
        if (execution := self._executions.get(message.workflow_id)) is not None:
            self._remove(execution)
        if self._viewed == message.workflow_id:
            self.set_viewed(None)
