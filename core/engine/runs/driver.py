"""Drives a single run: carries out the plan, from the claim of the run to its end.

    enqueued ──(claim)──► running ──(only an answer can change it)──► waiting
       ▲                   │  ▲                                       │
       └──(app closes)─────┤  └─────────────(an answer)───────────────┤
                           └───────────(outcome of the plan)──────────┴──► success | error | cancelled

A single task owns a run, and it alone changes the run's row, so every transition has a single author. The
compare-and-set of the store is the guard behind it.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from core.domain.access import Allowance, RunAccess
from core.domain.events import access_facts
from core.domain.ids import RunId
from core.domain.interruption import Interruption
from core.domain.run import ErrorInfo, Run, RunStatus, Snapshot, StepKey
from core.domain.template import WorkflowCall
from core.engine.interruptions.consent_policy import CallConsentPolicy
from core.engine.interruptions.interruptions import Interruptions
from core.engine.interruptions.step_gate import StepGate
from core.engine.log.run_journal import RunJournal
from core.engine.plan.dispatch import StepCall
from core.engine.plan.planner import Cancelled, Failed, Plan, Succeeded
from core.engine.runs.checkpoints import Checkpoints
from core.engine.runs.limits import RunLimits
from core.engine.runs.recovered_run import RecoveredState
from core.engine.runs.step_executor import StepExecutor
from core.engine.runs.step_runner import StepContext, StepRunner
from core.ports import CallRecorder, Clock, RunSubAgents

log = logging.getLogger(__name__)

MAX_SLICE_S = 0.005
CANCEL_TIMEOUT_S = 0.9
CHECKPOINT_TIMEOUT_S = 1.5


class RunHost(Protocol):
    """What a driver needs from the engine."""

    def on_waiting(self, run: Run, written: "asyncio.Future[frozenset[int]] | None") -> None:
        """Handle that the run waits for the user, on disk once `written` is done; None: the run continues."""

    def on_ended(self, run: Run, *, is_success: bool) -> None:
        """Handle that the end of the run is on disk."""

    async def is_claimed(self, run_id: RunId) -> bool:
        """Return whether the run is `running` on disk.

        A claim that is repeated because its outcome was unknown is lost to itself; since a single process owns the
        store, the first claim was also made by this driver.
        """

    def descendants(self, run_id: RunId) -> "Sequence[Driver]":
        """Return the drivers of all descendants of the run."""

    async def ancestor_interruptions(self, run: Run) -> Sequence[Interruption]:
        """Return the interruptions of the ancestors of the run. Raises StorageFailed."""

    def recorder(self, run: Run, *, is_fresh: bool) -> CallRecorder:
        """Return the recorder of the run's agent calls. `is_fresh`: no previous process began the run."""

    async def run_child(self, parent: "Driver", call: StepCall, attempt: int, workflow: WorkflowCall) -> object:
        """Run another template and return its output. Raises StepFailed."""


class Driver:
    """Drives a run. `drive` returns when the run has ended and nothing of it is in flight."""

    def __init__(
        self,
        run: Run,
        snapshot: Snapshot,
        journal: RunJournal,
        steps: StepRunner,
        clock: Clock,
        host: RunHost,
        *,
        recovered: RecoveredState | None,
        allowances: Sequence[Allowance],
        no_progress_s: float,
    ) -> None:
        self.run = run
        self.snapshot = snapshot
        self.is_waiting = run.status is RunStatus.WAITING
        self.log = journal
        self._steps = steps
        self._clock = clock
        self._host = host
        self._wake = asyncio.Event()
        self._plan = Plan(snapshot.template.steps, snapshot.template.max_parallel)
        results = recovered.results if recovered is not None else ()
        active_ms = max([run.active_ms, *(result.active_ms for result in results)])
        self._checkpoints = Checkpoints(run, journal, clock, self._plan.terminal, active_ms)
        interruptions = recovered.interruptions if recovered is not None else ()
        self._sub_agents = RunSubAgents.from_results(results, self._wake.set)
        self.access = RunAccess(snapshot.allow, list(allowances))
        self.interruptions = Interruptions(
            run,
            journal,
            clock,
            interruptions,
            self._wake.set,
            self._on_closed,
            steps.tools.remember,
            self._sub_agents.name_of,
            self.access,
            self._allow_below,
        )
        ancestors = partial(host.ancestor_interruptions, run)
        consent = CallConsentPolicy(
            run, snapshot, journal, clock, steps.tools, self.interruptions, ancestors, self.access
        )
        self._limits = RunLimits(
            snapshot.template.timeout_ms,
            no_progress_s,
            lambda: self._checkpoints.active_ms() / 1000,
            self._idle_s,
            self._end_overdue,
        )
        self._waiting_children: set[StepKey] = set()
        self._is_settled = False
        self._is_overdue = False
        self._is_checkpointed = False
        context = StepContext(
            run,
            snapshot,
            journal,
            recovered is None,
            self.interruptions.ask,
            consent,
            partial(host.run_child, self),
            recovered.interrupted_work if recovered is not None else {},
            recorder=host.recorder(run, is_fresh=recovered is None),
            sub_agents=self._sub_agents,
            access=self.access,
        )
        self.steps = StepExecutor(
            context,
            steps,
            clock,
            self._plan,
            self._checkpoints,
            self.interruptions,
            StepGate(consent, self.interruptions, journal, steps.effect),
            self._limits,
            self._wake.set,
            results,
        )

    def cancel(self) -> None:
        """Cancel the run; no effect if it has ended."""
        self._end(Cancelled())

    def allow(self, allowances: Sequence[Allowance]) -> None:
        """Let the run access what the user has allowed a run above it."""
        self.access.add(allowances)
        self.log.commit(*access_facts(allowances))
        self.interruptions.settle_covered(allowances)

    def _allow_below(self, allowances: Sequence[Allowance]) -> None:
        for driver in self._host.descendants(self.run.id):
            driver.allow(allowances)

    def set_child_waiting(self, key: StepKey, *, is_waiting: bool) -> None:
        """Update whether the child run of the step waits for the user."""
        if is_waiting:
            self._waiting_children.add(key)
            self._wake.set()
        else:
            self._waiting_children.discard(key)
            self._resume()

    def preset(self, step: str, output: object) -> None:
        """Set the result of a step that has not begun, instead of running it. Raises Refused `step_started`."""
        self.steps.preset(step, output)
        self._resume()

    async def checkpoint(self) -> None:
        """Stop the run for shutdown: nothing new starts, repeatable work is cancelled, effects get a moment to end.

        The run is then `enqueued` on disk (or still `waiting`), and the next recovery continues it.
        """
        self._is_checkpointed = self.steps.in_flight.is_stopping = True
        self._wake.set()
        tasks = [call.task for call in self.steps.in_flight.calls.values()]
        for call in self.steps.in_flight.calls.values():
            if call.is_repeatable:
                call.task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CHECKPOINT_TIMEOUT_S)
        for task in tasks:  # an effect that is still in progress is found by its claim after the restart
            task.cancel()

    async def drive(self) -> None:
        try:
            async with asyncio.TaskGroup() as self.steps.in_flight.tasks:
                if self.run.status is not RunStatus.WAITING:
                    # a lost claim may be this driver's own, repeated after an unknown outcome
                    if await self._checkpoints.claim_run() and not await self._host.is_claimed(self.run.id):
                        return  # the claim is lost: the run was cancelled
                    self._checkpoints.run_started()
                    self._limits.start()
                self.interruptions.expire()
                await self._run_loop()
                if self._is_checkpointed:
                    self._release()
                else:
                    await self._finish()
                await self._drain()
        finally:
            self._limits.stop()
            self.interruptions.close()

    async def _run_loop(self) -> None:
        """Run the loop until the run has an outcome or is checkpointed.

        Each pass records the outcomes of finished calls, starts what the plan now allows, and then decides between
        three things: return, when the plan has an outcome and no call is left unrecorded; sleep until something
        changes, after declaring the run `waiting` if only answers can change it; or take the next pass. Recording comes
        before starting, because a result can end the run, and after an end nothing may start. A busy run yields to the
        loop every 5 ms, and back-pressure from the journal is applied once per pass.
        """
        turn = self._clock.monotonic()
        while True:
            self.steps.record_outcomes()
            if self._is_checkpointed:
                return
            self._wake.clear()  # what has happened until here is seen below
            self.steps.start_ready()
            if self.is_waiting and (self.steps.has_outcomes or self._is_progressing):
                self._resume()  # it was recovered as waiting, and the answer was on disk already
            if self._plan.outcome is not None and not self.steps.has_outcomes:
                return
            if not self.steps.has_outcomes:
                if not self._wake.is_set() and not self._is_settled and self._is_blocked_on_user:
                    self._wait()
                await self._wake.wait()
                turn = self._clock.monotonic()
            elif self._clock.monotonic() - turn > MAX_SLICE_S:
                await asyncio.sleep(0)
                turn = self._clock.monotonic()
            await self.log.drain()

    async def _finish(self) -> None:
        """End the run at once (ENGINE §5).

        Agents, child runs and calls between two attempts are cancelled; other steps may finish. A cancelled or overdue
        run cancels everything.
        """
        outcome = self._plan.outcome
        assert outcome is not None
        self._limits.stop()
        ends_all = isinstance(outcome, Cancelled) or self._is_overdue
        waiting = self.interruptions.waiting_calls  # after the end of the run they would wait forever
        cancelled = [
            call.task
            for key, call in self.steps.in_flight.calls.items()
            if ends_all or call.ends_with_run or (key.step, key.index) in waiting
        ]
        for task in cancelled:
            task.cancel()
        if cancelled:
            await asyncio.wait(cancelled, timeout=CANCEL_TIMEOUT_S)
        self.steps.record_outcomes()
        self.interruptions.cancel_open()
        self.steps.cancel_interrupted()
        await self._checkpoints.run_finished(outcome)
        self._host.on_ended(self.run, is_success=isinstance(outcome, Succeeded))

    async def _drain(self) -> None:
        """Record what is in flight at the end of the run, under its own limits; it changes nothing."""
        while self.steps.in_flight.calls or self.steps.has_outcomes:
            if not self.steps.has_outcomes:
                await self._wake.wait()
                self._wake.clear()
            self.steps.record_outcomes()

    def _release(self) -> None:
        self._limits.stop()
        if not self.is_waiting:
            self._checkpoints.run_released()

    # Waiting for the user

    @property
    def _is_blocked_on_user(self) -> bool:
        """Whether nothing of the run can progress before the user answers."""
        waiting, in_flight = self.interruptions.waiting_calls, self.steps.in_flight.calls
        if not in_flight:
            return self._plan.has_suspended

        def waits(key: StepKey) -> bool:
            return (key.step, key.index) in waiting or key in self._waiting_children

        return all(
            waits(key)
            or self._sub_agents.all_waiting(key.step, key.index, lambda sub_agent_id: waits(StepKey(sub_agent_id)))
            for key in in_flight
        )

    @property
    def _is_progressing(self) -> bool:
        """Whether something is in flight that needs no answer."""
        return bool(self.steps.in_flight.calls) and not self._is_blocked_on_user

    def _wait(self) -> None:
        self._is_settled = True
        if self.is_waiting:  # recovered as waiting: its row says so already
            self._host.on_waiting(self.run, self.log.commit())
            return
        self.is_waiting = True
        self._limits.stop()
        self._host.on_waiting(self.run, self._checkpoints.run_waits())

    def _resume(self) -> None:
        """Wake the run after an answer. If it was waiting, its resumption is committed before anything else happens."""
        self._wake.set()
        if self.is_waiting and self._plan.outcome is None:
            self.is_waiting = self._is_settled = False
            self._checkpoints.run_resumed()
            self._limits.start()
            self._host.on_waiting(self.run, None)

    def _on_closed(self, closed: Interruption) -> None:
        self.steps.on_closed(closed)
        self._resume()

    def _end_overdue(self, error: ErrorInfo) -> None:
        self._is_overdue = True
        self._end(Failed(error))

    def _end(self, outcome: Cancelled | Failed) -> None:
        self._plan.end(outcome)
        self._wake.set()

    @property
    def last_emitted_at(self) -> float:
        """The time of the last emitted fact of the run, in monotonic seconds."""
        return self.log.last_emitted_at

    @property
    def is_quiet(self) -> bool:
        """Whether nothing in flight ends by itself and no answer is pending."""
        if self.is_waiting or self.interruptions.waiting_calls or not self.steps.in_flight.is_unbounded:
            return False
        # the calls of an agent: its step has no time limit, but each of them has
        return not any(map(self._steps.tool_has_time_limit, self.log.tools_in_flight.values()))

    def _idle_s(self) -> float:
        """Return the seconds since the last fact of this run and its descendants; 0 while something ends by itself."""
        drivers = [self, *self._host.descendants(self.run.id)]
        if not all(driver.is_quiet for driver in drivers):
            return 0.0
        return self._clock.monotonic() - max(driver.last_emitted_at for driver in drivers)
