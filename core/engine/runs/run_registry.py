"""The active runs of this process, and the queue for free slots (ENGINE §9)."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.domain.access import Allowance
from core.domain.ids import InterruptionId, RunId
from core.domain.interruption import CALL_KINDS, Interruption
from core.domain.run import Run, Snapshot, StepKey
from core.domain.settings import Settings
from core.engine.log.run_journal import RunJournal
from core.engine.runs.driver import Driver
from core.engine.runs.recovered_run import RecoveredState
from core.engine.runs.start_request import StartRequest
from core.errors import NotFound, limit_reached, workflow_busy
from core.ports import Storage


@dataclass(slots=True, eq=False)
class ActiveRun:
    """An active run in this process: being written, queued for a slot, or driven.

    `settled` is set while it waits for the user; `parent` is the driver and the step of the run that awaits this run.
    `is_cancelled`: it was cancelled while it was being written. `allowances` are those it begins with.
    """

    run: Run
    snapshot: Snapshot
    log: RunJournal
    recovered: RecoveredState | None = None
    allowances: Sequence[Allowance] = ()
    driver: Driver | None = None
    task: "asyncio.Task[None] | None" = None
    parent: tuple[Driver, StepKey] | None = None
    is_cancelled: bool = False
    is_finished: bool = False
    is_success: bool = False
    is_waiting: bool = False
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def has_own_slot(self) -> bool:
        """Whether the run uses a slot of its own, not that of another run."""
        return self.run.root is None

    @property
    def is_top_level(self) -> bool:
        """Whether no other run started it: it keeps its workflow busy and counts at the workflow gate."""
        return self.run.parent is None

    @property
    def is_driven(self) -> bool:
        """Whether the run has begun and not ended."""
        return self.driver is not None and not self.is_finished


@dataclass(frozen=True, slots=True)
class OpenCall:
    """An open interruption about a call. `arguments` are those that will run."""

    interruption: Interruption
    arguments: Any
    snapshot: Snapshot


class RunRegistry:
    """The active runs of this process. A thousand may wait in the queue, so those at work are found without them."""

    def __init__(self) -> None:
        self._runs: dict[RunId, ActiveRun] = {}
        self._begun: dict[RunId, ActiveRun] = {}
        self._children: dict[RunId, dict[RunId, ActiveRun]] = {}

    def __iter__(self) -> Iterator[ActiveRun]:
        return iter(tuple(self._runs.values()))

    def __contains__(self, run_id: RunId) -> bool:
        return run_id in self._runs

    def __getitem__(self, run_id: RunId) -> ActiveRun:
        return self._runs[run_id]

    def get(self, run_id: RunId) -> ActiveRun | None:
        return self._runs.get(run_id)

    @property
    def driven(self) -> list[ActiveRun]:
        """The runs that have begun and not ended."""
        return [active for active in self._begun.values() if active.is_driven]

    def children(self, run_id: RunId) -> list[ActiveRun]:
        """Return the active runs that this run started."""
        return list(self._children.get(run_id, {}).values())

    def request(self, run_id: RunId, interruption_id: InterruptionId) -> OpenCall | None:
        """Return an open interruption of the run; its arguments are None if they are not known yet."""
        active = self._runs.get(run_id)
        if active is None or active.driver is None:
            return None
        for found in active.driver.interruptions.open:
            if found.id == interruption_id:
                is_call = found.ask.kind in CALL_KINDS
                known = active.driver.interruptions.arguments_of(found) if is_call else found.ask.arguments
                return OpenCall(found, known, active.snapshot)
        return None

    def add(self, active: ActiveRun) -> None:
        self._runs[active.run.id] = active
        if active.run.parent is not None:
            self._children.setdefault(active.run.parent, {})[active.run.id] = active

    def begin(self, active: ActiveRun, driver: Driver) -> None:
        """Give the run its driver."""
        active.driver = driver
        self._begun[active.run.id] = active

    def remove(self, active: ActiveRun) -> None:
        """Remove a run that is over, or was not begun at all."""
        active.is_finished = True
        active.ended.set()
        active.settled.set()
        del self._runs[active.run.id]
        self._begun.pop(active.run.id, None)
        parent = active.run.parent
        if parent is not None:
            siblings = self._children[parent]
            del siblings[active.run.id]
            if not siblings:
                del self._children[parent]

    def descendants(self, run_id: RunId) -> list[Driver]:
        """Return the drivers of all descendants of the run."""
        drivers: list[Driver] = []
        for child in self.children(run_id):
            if child.driver is not None and not child.has_own_slot:
                drivers += [child.driver, *self.descendants(child.run.id)]
        return drivers

    def detached_children(self, run_id: RunId) -> list[ActiveRun]:
        """Return the child runs that continue after the end of the run."""
        children = [child for child in self.children(run_id) if child.is_driven]
        return [child for child in children if not child.run.awaited and not child.has_own_slot]


class AdmissionQueue:
    """The runs that wait for a slot, first in first out.

    A run that waits for the user uses no slot, and a child run uses the slot of its root.
    """

    def __init__(self, registry: RunRegistry, settings: Callable[[], Settings]) -> None:
        self._registry = registry
        self._settings = settings
        self._queue: list[ActiveRun] = []

    def require_slot(self, request: StartRequest) -> None:
        """Raise Refused `workflow_busy` or `limit_reached` if the run may not start.

        Call it in the same turn of the loop as `RunRegistry.add`, so that two starts in one turn cannot both take the
        last slot.
        """
        active = [active for active in self._registry if not active.is_finished and active.is_top_level]
        if any(other.run.workflow_id == request.workflow.id for other in active):
            raise workflow_busy(request.workflow.id, request.workflow.title)
        if request.gated and not request.queued:
            limit = self._settings().max_workflows(request.mode)
            if sum(not other.is_waiting for other in active) >= limit:
                raise limit_reached(request.mode, limit)

    def add(self, active: ActiveRun) -> None:
        self._queue.append(active)

    def remove(self, active: ActiveRun) -> bool:
        """Remove the run from the queue, and return whether it was in it."""
        if active not in self._queue:
            return False
        self._queue.remove(active)
        return True

    def admit(self) -> list[ActiveRun]:
        """Remove and return the runs that get the free slots. A gated run also waits for the workflow gate."""
        settings = self._settings()
        driven = self._registry.driven
        used_slots = sum(active.has_own_slot and not active.is_waiting for active in driven)
        workflows = sum(active.is_top_level and not active.is_waiting for active in driven)
        admitted = []
        for active in self._queue:
            if used_slots >= settings.max_running_runs:
                break
            # a gated run that has to wait does not hold up the runs behind it: they may be of another mode
            if active.snapshot.gated and workflows >= settings.max_workflows(active.snapshot.mode):
                continue
            used_slots, workflows = used_slots + 1, workflows + active.is_top_level
            admitted.append(active)
        for active in admitted:
            self._queue.remove(active)
        return admitted


async def stored_run(storage: Storage, run_id: RunId) -> Run:
    """Return the row of the run. Raises NotFound."""
    run = await storage.runs.get(run_id)
    if run is None:
        raise NotFound("run", run_id)
    return run
