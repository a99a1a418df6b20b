"""Driving one run: carries out what the plan says, from the claim of the run to its end.

One task owns a run. It alone changes the run's row, so every transition has one author; the
compare-and-set of the store is the guard behind it.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from core.domain.ids import RunId
from core.domain.interruption import Interruption
from core.domain.run import ErrorInfo, Run, RunStatus, Snapshot, StepKey, StepResult
from core.domain.template import WorkflowCall
from core.engine.interruptions.consent_policy import CallConsentPolicy
from core.engine.interruptions.interruptions import Interruptions
from core.engine.interruptions.step_gate import StepGate
from core.engine.log.run_journal import RunJournal
from core.engine.plan.dispatch import StepCall
from core.engine.plan.planner import Cancelled, Failed, Plan, Succeeded
from core.engine.runs.checkpoints import Checkpoints
from core.engine.runs.limits import RunLimits
from core.engine.runs.step_executor import StepExecutor
from core.engine.runs.step_runner import StepContext, StepRunner
from core.ports.clock import Clock
from core.ports.interrupted_work import InterruptedWork
from core.ports.recording import CallRecorder
from core.ports.sub_agents import RunSubAgents

log = logging.getLogger(__name__)

MAX_SLICE_S = 0.005
CANCEL_TIMEOUT_S = 0.9
CHECKPOINT_TIMEOUT_S = 1.5


class RunHost(Protocol):
    """The engine, as a driver sees it."""

    def waits(self, run: Run, written: "asyncio.Future[frozenset[int]] | None") -> None:
        """The run waits for a person, which is on disk once `written` is done; None: it goes on."""
        ...

    def ended(self, run: Run, *, is_success: bool) -> None:
        """The end of the run is on disk."""
        ...

    async def is_claimed(self, run_id: RunId) -> bool:
        """Whether the run is at work on disk. A claim that is repeated, as its outcome was not known, is lost; and
        nobody else can have made it, since one process owns the store."""
        ...

    def below(self, run_id: RunId) -> "Sequence[Driver]":
        """The drivers of its children, and of theirs."""
        ...

    async def asked_above(self, run: Run) -> Sequence[Interruption]:
        """The interruptions of the runs above that one. Raises StorageFailed."""
        ...

    def recorder(self, run: Run, *, is_fresh: bool) -> CallRecorder:
        """What makes steps of the calls of its agents while a recording is open. `is_fresh`: it has no earlier life."""
        ...

    async def run_child(self, parent: "Driver", call: StepCall, attempt: int, workflow: WorkflowCall) -> object:
        """Run another template and give its output. Raises StepFailed."""
        ...


@dataclass(frozen=True, slots=True)
class RecoveredState:
    """What an earlier life of a run has left: its results, its questions, and what its agents were in the middle of."""

    results: Sequence[StepResult]
    interruptions: Sequence[Interruption]
    left_open: Mapping[StepKey, InterruptedWork] = field(default_factory=dict)


class Driver:
    """One run at work. `drive` returns when the run has ended and nothing of it is in flight."""

    def __init__(
        self,
        run: Run,
        snapshot: Snapshot,
        journal: RunJournal,
        steps: StepRunner,
        clock: Clock,
        owner: RunHost,
        *,
        remains: RecoveredState | None,
        no_progress_s: float,
    ) -> None:
        self.run = run
        self.snapshot = snapshot
        self.is_waiting = run.status is RunStatus.WAITING
        self.log = journal
        self._steps = steps
        self._clock = clock
        self._owner = owner
        self._wake = asyncio.Event()
        self._plan = Plan(snapshot.template.steps, snapshot.template.max_parallel)
        results = remains.results if remains is not None else ()
        active_ms = max([run.active_ms, *(result.active_ms for result in results)])
        self._checkpoints = Checkpoints(run, journal, clock, self._plan.terminal, active_ms)
        known = remains.interruptions if remains is not None else ()
        self._crew = RunSubAgents.of(results, self._wake.set)
        self.interruptions = Interruptions(
            run, journal, clock, known, self._wake.set, self._answered, steps.tools.remember, self._crew.name_of
        )
        asked_above = partial(owner.asked_above, run)
        consents = CallConsentPolicy(run, snapshot, journal, clock, steps.tools, self.interruptions, asked_above)
        self._limits = RunLimits(
            snapshot.template.timeout_ms,
            no_progress_s,
            lambda: self._checkpoints.active_ms() / 1000,
            self._quiet_s,
            self._overdue,
        )
        self._waiting_children: set[StepKey] = set()
        self._is_settled = False
        self._is_overdue = False
        self._is_checkpointed = False
        setting = StepContext(
            run,
            snapshot,
            journal,
            remains is None,
            self.interruptions.ask,
            consents,
            partial(owner.run_child, self),
            remains.left_open if remains is not None else {},
            recorder=owner.recorder(run, is_fresh=remains is None),
            crew=self._crew,
        )
        self.work = StepExecutor(
            setting,
            steps,
            clock,
            self._plan,
            self._checkpoints,
            self.interruptions,
            StepGate(consents, self.interruptions, self._checkpoints, steps),
            self._limits,
            self._wake.set,
            results,
        )

    def cancel(self) -> None:
        """End the run as cancelled, without effect if it has ended."""
        self._end(Cancelled())

    def child_waits(self, key: StepKey, *, is_waiting: bool) -> None:
        """A child of that step waits for a person, or goes on."""
        if is_waiting:
            self._waiting_children.add(key)
            self._wake.set()
        else:
            self._waiting_children.discard(key)
            self._go_on()

    def preset(self, step: str, output: object) -> None:
        """Give the result of a step that has not begun; it is not run. Raises Refused `step_started`."""
        self.work.preset(step, output)
        self._go_on()

    async def checkpoint(self) -> None:
        """Stop here: nothing new starts, what can be done again is dropped, effects get a moment to end.

        The run is `enqueued` on disk then (or still waiting), and the next recovery goes on with it.
        """
        self._is_checkpointed = self.work.is_stopping = True
        self._wake.set()
        tasks = [flight.task for flight in self.work.flights.values()]
        for flight in self.work.flights.values():
            if flight.may_be_dropped:
                flight.task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CHECKPOINT_TIMEOUT_S)
        for task in tasks:
            task.cancel()

    async def drive(self) -> None:
        try:
            async with asyncio.TaskGroup() as self.work.tasks:
                if self.run.status is not RunStatus.WAITING:
                    if await self._checkpoints.claim_run() and not await self._owner.is_claimed(self.run.id):
                        return  # the claim is lost: the run was cancelled
                    self._checkpoints.run_started()
                    self._limits.go_on()
                self.interruptions.expire()
                await self._go()
                if self._is_checkpointed:
                    self._leave()
                else:
                    await self._finish()
                await self._drain()
        finally:
            self._limits.stand_still()
            self.interruptions.close_watch()

    async def _go(self) -> None:
        """Until the run has an outcome. Gives way to the loop at least every 5 ms."""
        turn = self._clock.monotonic()
        while True:
            self.work.take_in()
            if self._is_checkpointed:
                return
            self.work.begin()
            if self.is_waiting and (self.work.has_news or (self.work.flights and not self._only_waits)):
                self._go_on()  # it was found waiting, and somebody had answered
            if self._plan.outcome is not None and not self.work.has_news:
                return
            if not self.work.has_news:
                if not self._wake.is_set() and not self._is_settled and self._only_waits:
                    self._wait()
                await self._wake.wait()
                self._wake.clear()
                turn = self._clock.monotonic()
            elif self._clock.monotonic() - turn > MAX_SLICE_S:
                await asyncio.sleep(0)
                turn = self._clock.monotonic()
            await self.log.room()

    async def _finish(self) -> None:
        """End the run at once: agents and children (all, if it is cancelled or overdue) are stopped, as are those
        between two attempts; other steps may finish (ENGINE §5)."""
        outcome = self._plan.outcome
        assert outcome is not None
        self._limits.stand_still()
        everything = isinstance(outcome, Cancelled) or self._is_overdue
        asking = self.interruptions.asking  # nobody would ever answer them
        doomed = [
            flight.task
            for key, flight in self.work.flights.items()
            if everything or flight.ends_with_run or (key.step, key.index) in asking
        ]
        for task in doomed:
            task.cancel()
        if doomed:
            await asyncio.wait(doomed, timeout=CANCEL_TIMEOUT_S)
        self.work.take_in()
        self.interruptions.cancel_open()
        self.work.drop_claims()
        await self._checkpoints.run_finished(outcome)
        self._owner.ended(self.run, is_success=isinstance(outcome, Succeeded))

    async def _drain(self) -> None:
        """What is in flight at the end finishes under its own limits and is written down; it changes nothing."""
        while self.work.flights or self.work.has_news:
            if not self.work.has_news:
                await self._wake.wait()
                self._wake.clear()
            self.work.take_in()

    def _leave(self) -> None:
        self._limits.stand_still()
        if not self.is_waiting:
            self._checkpoints.run_left()

    # Waiting for people

    @property
    def _only_waits(self) -> bool:
        """Whether nothing of the run can go on before a person has answered."""
        asking = self.interruptions.asking

        def waits(key: StepKey) -> bool:
            return (key.step, key.index) in asking or key in self._waiting_children

        blocked = [
            waits(key) or self._crew.only_waits(key.step, key.index, lambda one: waits(StepKey(one)))
            for key in self.work.flights
        ]
        return all(blocked) and (self._plan.is_asking or bool(blocked))

    def _wait(self) -> None:
        self._is_settled = True
        if self.is_waiting:  # since before this process
            self._owner.waits(self.run, self.log.record())
            return
        self.is_waiting = True
        self._limits.stand_still()
        self._owner.waits(self.run, self._checkpoints.run_waits())

    def _go_on(self) -> None:
        """Somebody has answered: the run has something to do, and says so before it does it."""
        self._wake.set()
        if self.is_waiting and self._plan.outcome is None:
            self.is_waiting = self._is_settled = False
            self._checkpoints.run_resumed()
            self._limits.go_on()
            self._owner.waits(self.run, None)

    def _answered(self, closed: Interruption) -> None:
        self.work.answered(closed)
        self._go_on()

    def _overdue(self, error: ErrorInfo) -> None:
        self._is_overdue = True
        self._end(Failed(error))

    def _end(self, outcome: Cancelled | Failed) -> None:
        self._plan.end(outcome)
        self._wake.set()

    @property
    def told_at(self) -> float:
        """When something of the run was last told, in monotonic seconds."""
        return self.log.told_at

    @property
    def is_quiet(self) -> bool:
        """Whether nothing in flight will end by itself, and nobody is asked."""
        return not self.is_waiting and not self.interruptions.asking and self.work.is_unbounded

    def _quiet_s(self) -> float:
        """How long neither this run nor one below it has told anything; 0 while something ends by itself."""
        whole = [self, *self._owner.below(self.run.id)]
        if not all(driver.is_quiet for driver in whole):
            return 0.0
        return self._clock.monotonic() - max(driver.told_at for driver in whole)
