"""The row of an active or recently finished workflow (UI §1, §2)."""

from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any

from core.domain.events import (
    Fact,
    InterruptionClosed,
    InterruptionRaised,
    RunContinued,
    RunFinished,
    RunPaused,
    RunResumed,
    RunStarted,
    RunWaiting,
    StepFinished,
    StepSkipped,
    ToolEnded,
    ToolStarted,
)
from core.domain.ids import WorkflowId
from core.domain.live_run import LiveCall, LiveInterruption, LiveRun
from core.domain.run import RunKind, RunStatus
from core.stores.activity_items import target_of


@dataclass(frozen=True, slots=True)
class Doing:
    """What a run does now: the newest call that has not ended, since when, and its most telling argument."""

    tool: str
    target: str
    since: datetime


@dataclass(slots=True, eq=False)
class Execution:
    """The live state of a workflow, read from its newest run; only its store changes it.

    Before the run's first event `run` is None: the slot is taken, and `before` is what the row showed until then.
    `slot` is its number 1–9 or None. `recent_since` is when it became *Recently finished*, in monotonic seconds.
    `below` are the active descendants of its run; a child that no run awaits may outlive it, and then continues as a
    root.
    """

    workflow_id: WorkflowId
    agent_id: str | None
    workflow_name: str
    registered_at: datetime
    run: LiveRun | None = None
    slot: int | None = None
    recent_since: float | None = None
    before: "Execution | None" = None
    below: list[LiveRun] = field(default_factory=list)

    @property
    def status(self) -> RunStatus:
        """The status of the run; enqueued before it begins."""
        return self.run.status if self.run else RunStatus.ENQUEUED

    @property
    def is_active(self) -> bool:
        """Whether its run has not ended; one that waits for the user does not count at the workflow gate."""
        return not self.status.is_final

    @property
    def content(self) -> str:
        """The text of the run so far."""
        return self.run.content if self.run else ""

    @property
    def tools(self) -> list[LiveCall]:
        """The tool calls, oldest first."""
        return list(self.run.calls.values()) if self.run else []

    @property
    def tokens_received(self) -> int:
        """The number of tokens received."""
        return self.run.tokens_received if self.run else 0

    @property
    def error(self) -> dict[str, Any] | None:
        """The error of the run."""
        return self.run.error if self.run else None

    @property
    def started_at(self) -> datetime:
        """The start of the run, else its creation, else when the slot was taken."""
        return (self.run.started_at or self.run.created_at) if self.run else self.registered_at

    @property
    def completed_at(self) -> datetime | None:
        """The end of the run."""
        return self.run.completed_at if self.run else None

    @property
    def progress(self) -> tuple[int, int] | None:
        """Finished steps and all steps (`3/7`) of a template's run, else None."""
        if self.run is None or self.run.kind is not RunKind.WORKFLOW:
            return None
        return self.run.steps_done, len(self.run.steps)

    @property
    def doing(self) -> Doing | None:
        """The newest call in flight of its run and of the runs below it; None while none is."""
        runs = [run for run in (self.run, *self.below) if run is not None and run.status is RunStatus.RUNNING]
        # only those in flight: rows are redrawn often, and a run may have thousands of calls
        calls = (call for run in runs for call in run.calls_in_flight.values())
        call = max(calls, key=attrgetter("started_at"), default=None)
        return Doing(call.tool, target_of(call.tool, call.arguments), call.started_at) if call is not None else None

    @property
    def independent_runs(self) -> list[LiveRun]:
        """The active runs of `below` that continue without its run, with their descendants."""
        roots = {run.run_id for run in self.below if run.root is None}
        independent = [run for run in self.below if run.root is None or run.root in roots]
        return [run for run in independent if not run.status.is_final]

    def shows(self, child: LiveRun) -> bool:
        """Return whether this row shows the child run."""
        roots = (self.run, *self.independent_runs) if self.run is not None else self.independent_runs
        is_on_its_own = child.root is None and child.parent is not None
        return is_on_its_own or child.root in {run.run_id for run in roots}

    @property
    def open_interruptions(self) -> list[tuple[LiveRun, LiveInterruption]]:
        """The open interruptions of its run and of the runs below it, with the asking run; oldest first."""
        runs = self.below if self.run is None else (self.run, *self.below)
        asking = [
            (run, interruption) for run in runs if not run.status.is_final for interruption in run.open_interruptions
        ]
        return sorted(asking, key=lambda pair: (pair[1].created_at, pair[1].seq))

    @property
    def has_pending_question(self) -> bool:
        """Whether the user must answer something."""
        return bool(self.open_interruptions)

    def elapsed_s(self, now: datetime) -> float:
        """Return the seconds since the start, up to the end."""
        return self.run.elapsed_s(now) if self.run else max(0.0, (now - self.registered_at).total_seconds())


QUESTION_FACTS: frozenset[type[Fact]] = frozenset({InterruptionRaised, InterruptionClosed})
"""They open or close a question to the user."""
PROGRESS_FACTS: frozenset[type[Fact]] = frozenset({StepFinished, StepSkipped})
CALL_FACTS: frozenset[type[Fact]] = frozenset({ToolStarted, ToolEnded})
"""They change what the row is doing."""
ROW_FACTS = (
    frozenset({RunStarted, RunPaused, RunContinued, RunWaiting, RunResumed, RunFinished})
    | QUESTION_FACTS
    | PROGRESS_FACTS
    | CALL_FACTS
)
"""All that may change state, time, progress or questions of a row."""


def changes_progress(fact: Fact) -> bool:
    """Return whether the fact changes only `3/7` or what the row does. An iteration is no step of its own."""
    return type(fact) in CALL_FACTS or (type(fact) in PROGRESS_FACTS and getattr(fact, "index", None) is None)


SLOTS = range(1, 10)


class Slots:
    """Assigns each workflow the lowest free number while its row exists. Rows are never renumbered."""

    def __init__(self) -> None:
        self._taken: dict[int, WorkflowId] = {}

    def take(self, workflow_id: WorkflowId) -> int | None:
        """Return the workflow's number, else the lowest free number, else None: the tenth row has none."""
        free = None
        for slot in SLOTS:
            holder = self._taken.get(slot)
            if holder == workflow_id:
                return slot
            if holder is None and free is None:
                free = slot
        if free is not None:
            self._taken[free] = workflow_id
        return free

    def free(self, workflow_id: WorkflowId) -> None:
        """Free the number of the workflow."""
        self._taken = {slot: holder for slot, holder in self._taken.items() if holder != workflow_id}

    def workflow_at(self, slot: int) -> WorkflowId | None:
        """Return the workflow with this number."""
        return self._taken.get(slot)
