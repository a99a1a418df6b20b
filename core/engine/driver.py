"""Driving one run: carries out what the plan says, from the claim of the run to its end.

One task owns a run. It alone changes the run's row, so every transition has one author; the
compare-and-set of the store is the guard behind it.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, assert_never

from core.domain.ids import RunId
from core.domain.interruption import Interruption, InterruptionKind
from core.domain.json_text import LIST_BYTES, decode, encode, encode_output
from core.domain.run import ErrorInfo, Run, RunStatus, Snapshot
from core.domain.step import StepKey, StepResult, StepStatus
from core.domain.template import AgentAction, ReturnAction, SetAction, Step, ToolAction, WorkflowAction, WorkflowCall
from core.domain.tool import Effect
from core.engine.answering import Patch
from core.engine.attempts import Attempts, Earlier, LostClaim
from core.engine.checkpoints import Checkpoints
from core.engine.dispatch import Call, Done, Go, Loop, Skip, call, dispatch, scope_of
from core.engine.endings import Ended, error_info, failure, joined, success
from core.engine.gates import question, verdict
from core.engine.interruptions import Interruptions
from core.engine.limits import Limits
from core.engine.planner import (
    Cancelled,
    CloseList,
    Failed,
    Happened,
    ItemDone,
    ListOpened,
    Plan,
    Start,
    StartItem,
    StepAsks,
    StepDone,
    StepMayGo,
    Succeeded,
)
from core.engine.refs import Scope
from core.engine.run_log import Log
from core.engine.steps import Setting, StepRunner
from core.errors import StepFailed
from core.ports.clock import Clock

log = logging.getLogger(__name__)

TURN_S = 0.005
CANCEL_S = 0.9
CHECKPOINT_S = 1.5


class Owner(Protocol):
    """The engine, as a driver sees it."""

    def waits(self, run: Run, written: "asyncio.Future[frozenset[int]] | None") -> None:
        """The run waits for a person, which is on disk once `written` is done; None: it goes on."""
        ...

    def ended(self, run: Run, *, is_success: bool) -> None:
        """The end of the run is on disk."""
        ...

    def below(self, run_id: RunId) -> "Sequence[Driver]":
        """The drivers of its children, and of theirs."""
        ...

    async def run_child(self, parent: "Driver", call: Call, attempt: int, workflow: WorkflowCall) -> object:
        """Run another template and give its output. Raises StepFailed."""
        ...


@dataclass(frozen=True, slots=True)
class Remains:
    """What an earlier life of a run has left."""

    results: Sequence[StepResult]
    interruptions: Sequence[Interruption]


@dataclass(frozen=True, slots=True)
class _Flight:
    task: "asyncio.Task[None]"
    attempts: Attempts


class Driver:
    """One run at work. `drive` returns when the run has ended and nothing of it is in flight."""

    def __init__(
        self,
        run: Run,
        snapshot: Snapshot,
        journal: Log,
        steps: StepRunner,
        clock: Clock,
        owner: Owner,
        *,
        remains: Remains | None,
        no_progress_s: float,
    ) -> None:
        self.run = run
        self.snapshot = snapshot
        self.is_waiting = run.status is RunStatus.WAITING
        self._log = journal
        self._steps = steps
        self._clock = clock
        self._owner = owner
        self._wake = asyncio.Event()
        self._plan = Plan(snapshot.template.steps, snapshot.template.max_parallel)
        results = remains.results if remains is not None else ()
        active_ms = max([run.active_ms, *(result.active_ms for result in results)])
        self._checkpoints = Checkpoints(run, journal, clock, self._plan.terminal, active_ms)
        known = remains.interruptions if remains is not None else ()
        self.interruptions = Interruptions(run, journal, clock, known, self._wake.set, self._answered)
        self._limits = Limits(
            snapshot.template.timeout_ms,
            no_progress_s,
            lambda: self._checkpoints.active_ms() / 1000,
            self._quiet_s,
            self._overdue,
        )
        self._named = {step.name: step for step in snapshot.template.steps}
        self._items_done: dict[str, list[ItemDone]] = {}
        self._earlier: dict[StepKey, Earlier] = {}
        self._decisions: dict[str, Call | Loop] = {}
        self._inbox: deque[Ended] = deque()
        self._flights: dict[StepKey, _Flight] = {}
        self._waiting_children: set[StepKey] = set()
        self._is_settled = False
        self._is_overdue = False
        self._is_checkpointed = False
        self._setting = Setting(
            run, snapshot, journal, remains is None, self.interruptions.ask, partial(owner.run_child, self)
        )
        for result in results:
            self._remember(result)

    def cancel(self) -> None:
        """End the run as cancelled, without effect if it has ended."""
        self._end(Cancelled())

    def step(self, name: str) -> Step:
        """The step of that name in the run's snapshot."""
        return self._named[name]

    def tool_schema(self, step: Step) -> object:
        """The schema of the arguments of the tool that the step calls, None if it calls none."""
        info = self._steps.tools.info(step.action.tool_name) if isinstance(step.action, ToolAction) else None
        return info.input_schema if info is not None else None

    def consumers(self, step: str, *, but: str) -> list[str]:
        """The steps that have begun to read the output of `step`, `but` that one."""
        return [name for name in self._plan.followers(step) if name != but and self._plan.began(name)]

    def patch(self, patches: Sequence[Patch], outputs: dict[str, object]) -> None:
        """Put a person's outputs in the place of those that steps gave. Kept with what is written next."""
        for name, output in outputs.items():
            self._plan.replace_output(name, output)
        self._checkpoints.state_patched(patches, outputs)

    def child_waits(self, key: StepKey, *, is_waiting: bool) -> None:
        """A child of that step waits for a person, or goes on."""
        if is_waiting:
            self._waiting_children.add(key)
            self._wake.set()
        else:
            self._waiting_children.discard(key)
            self._go_on()

    async def checkpoint(self) -> None:
        """Stop here: nothing new starts, what can be done again is dropped, effects get a moment to end.

        The run is `enqueued` on disk then (or still waiting), and the next recovery goes on with it.
        """
        self._is_checkpointed = True
        self._wake.set()
        tasks = [flight.task for flight in self._flights.values()]
        for flight in self._flights.values():
            if flight.attempts.effect is not Effect.ONCE or flight.attempts.is_idle:
                flight.task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CHECKPOINT_S)
        for task in tasks:
            task.cancel()

    async def drive(self) -> None:
        try:
            async with asyncio.TaskGroup() as self._tasks:
                if self.run.status is not RunStatus.WAITING:
                    if await self._checkpoints.claim_run():
                        return  # the claim is lost: the run was cancelled, or it is driven already
                    self._checkpoints.run_started()
                    self._limits.go_on()
                self.interruptions.expire()
                await self._work()
                if self._is_checkpointed:
                    self._leave()
                else:
                    await self._finish()
                await self._drain()
        finally:
            self._limits.stand_still()
            self.interruptions.close_watch()

    async def _work(self) -> None:
        """Until the run has an outcome. Gives way to the loop at least every 5 ms."""
        turn = self._clock.monotonic()
        while True:
            self._empty_inbox()
            if self._is_checkpointed:
                return
            for action in self._plan.plan():
                self._do(action)
            if self.is_waiting and (self._inbox or (self._flights and not self._only_waits)):
                self._go_on()  # it was found waiting, and somebody had answered
            if self._plan.outcome is not None and not self._inbox:
                return
            if not self._inbox:
                if not self._wake.is_set() and not self._is_settled and self._only_waits:
                    self._wait()
                await self._wake.wait()
                self._wake.clear()
                turn = self._clock.monotonic()
            elif self._clock.monotonic() - turn > TURN_S:
                await asyncio.sleep(0)
                turn = self._clock.monotonic()
            await self._log.room()

    async def _finish(self) -> None:
        """End the run at once: agents and children (all, if it is cancelled or overdue) are stopped, as are those
        between two attempts; other steps may finish (ENGINE §5)."""
        outcome = self._plan.outcome
        assert outcome is not None
        self._limits.stand_still()
        everything = isinstance(outcome, Cancelled) or self._is_overdue
        doomed = [flight.task for flight in self._flights.values() if everything or _ends_with_run(flight)]
        for task in doomed:
            task.cancel()
        if doomed:
            await asyncio.wait(doomed, timeout=CANCEL_S)
        self._empty_inbox()
        self.interruptions.cancel_open()
        for key in self._earlier:
            self._checkpoints.step_cancelled(key)
        await self._checkpoints.run_finished(outcome)
        self._owner.ended(self.run, is_success=isinstance(outcome, Succeeded))

    async def _drain(self) -> None:
        """What is in flight at the end finishes under its own limits and is written down; it changes nothing."""
        while self._flights or self._inbox:
            if not self._inbox:
                await self._wake.wait()
                self._wake.clear()
            self._empty_inbox()

    def _leave(self) -> None:
        self._limits.stand_still()
        if not self.is_waiting:
            self._checkpoints.run_left()

    # Waiting for people

    @property
    def _only_waits(self) -> bool:
        """Whether nothing of the run can go on before a person has answered."""
        asking = self.interruptions.asking
        blocked = [(key.step, key.index) in asking or key in self._waiting_children for key in self._flights]
        return all(blocked) and (self._plan.is_asking or bool(blocked))

    def _wait(self) -> None:
        self._is_settled = True
        if self.is_waiting:  # since before this process
            self._owner.waits(self.run, self._log.record())
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
        if closed.ask.step in self._decisions and closed.ask.index is None and closed.ask.call_id is None:
            self._advance(StepMayGo(closed.ask.step))
        self._go_on()

    def _overdue(self, error: ErrorInfo) -> None:
        self._is_overdue = True
        self._end(Failed(error))

    def _end(self, outcome: Cancelled | Failed) -> None:
        self._plan.end(outcome)
        self._wake.set()

    # From the plan to work

    def _do(self, action: Start | StartItem | CloseList) -> None:
        step = action.step
        match action:
            case Start():
                self._start(step)
            case StartItem(_, index, item):
                try:
                    self._execute(call(step, self._scope(step).at(index, item)), item)
                except StepFailed as error:
                    self._fail_before_start(step, error, index)
            case CloseList():
                self._close(action)
            case _:
                assert_never(action)

    def _start(self, step: Step) -> None:
        try:
            decision = self._decide(step)
        except StepFailed as error:
            self._fail_before_start(step, error)
            return
        match decision:
            case None:
                self._advance(StepAsks(step.name))
            case Skip(value):
                self._checkpoints.step_skipped(step.name, value)
                self._advance(StepDone(step.name, None, skipped=True))
            case Done(output):
                self._checkpoints.step_started(StepKey(step.name))
                self._inbox.append(Ended(Call(step, StepKey(step.name), None), Effect.IDEMPOTENT, output))
            case Go(Loop(items)):
                self._checkpoints.step_started(StepKey(step.name), len(items))
                self._advance(ListOpened(step.name, items, self._items_done.pop(step.name, ())))
            case Go(Call() as made):
                self._execute(made)

    def _decide(self, step: Step) -> Skip | Done | Go | None:
        """What the step does: None while a person is asked. Raises StepFailed."""
        scope = self._scope(step)
        decision = self._decisions.pop(step.name, None) or dispatch(step, scope, self._plan.skipped)
        if isinstance(decision, Skip):
            return decision
        if step.interrupt is None:
            return Go(decision)
        found = self.interruptions.find([step.interrupt.kind], step.name)
        if found is None:
            reads = {name: self._plan.outputs[name] for name in self._plan.waits_for(step.name)}
            asked = question(step, step.interrupt, decision, scope, reads, self.tool_schema(step))
            if asked is None:
                return Go(decision)
            found = self.interruptions.raise_(asked)
        if found.is_open:
            self._decisions[step.name] = decision
            return None
        if step.interrupt.kind is InterruptionKind.STATE_EDIT and isinstance(decision, Call):
            decision = call(step, scope)  # it reads what the person has put there
        return verdict(step, decision, found)

    def _execute(self, made: Call, item: object = None) -> None:
        """Begin the action: at once if it only shapes data, else in a task, behind a claim if it leaves the process."""
        step, key = made.step, made.key
        earlier = self._earlier.pop(key, None)
        is_plain = step.output_schema is None and earlier is None
        if isinstance(step.action, SetAction | ReturnAction) and is_plain:
            self._inbox.append(Ended(made, output=made.input, is_instant=True))
            return
        effect = self._steps.effect(step, made.input)
        claim = self._checkpoints.claim(key) if effect is not Effect.NONE and earlier is None else None
        attempts = Attempts(
            made,
            effect,
            self._checkpoints,
            self.interruptions,
            self._clock,
            act=partial(self._act, effect),
            again=partial(self._again, made, item),
            time_left_s=self._limits.time_left_s,
            earlier=earlier,
        )
        task = self._tasks.create_task(self._run(attempts, claim), name=f"{self.run.id} {key}")
        self._flights[key] = _Flight(task, attempts)

    async def _run(self, attempts: Attempts, claim: "asyncio.Future[frozenset[int]] | None") -> None:
        key = attempts.call.key
        ended: Ended | None = None
        if not self._steps.has_time_limit(attempts.call.step):
            self._limits.watch_progress(key)
        try:
            ended = self._as_ended(attempts, output=await attempts.run(claim))
        except LostClaim:
            return
        except StepFailed as error:
            ended = self._as_ended(attempts, error=error)
        except asyncio.CancelledError:
            if not self._is_checkpointed:
                ended = self._as_ended(attempts, is_cancelled=True)
            raise
        except Exception as error:
            log.exception("step %s of run %s broke", key, self.run.id)
            broke = StepFailed("internal", f"{type(error).__name__}: {error}")
            ended = self._as_ended(attempts, error=broke)
        finally:
            self._limits.ended(key)
            del self._flights[key]
            if ended is not None:
                self._inbox.append(ended)
            self._wake.set()

    def _as_ended(
        self, attempts: Attempts, output: object = None, error: StepFailed | None = None, *, is_cancelled: bool = False
    ) -> Ended:
        return Ended(attempts.call, attempts.effect, output, error, is_cancelled, attempts.attempt, attempts.errors)

    async def _act(self, effect: Effect, made: Call, attempt: int) -> object:
        return await self._steps.run(made, attempt, effect, self._setting)

    def _again(self, made: Call, item: object, attempt: int) -> Call:
        """The call of a later attempt: `@ctx.attempt` may be in it. What a person let pass stays as it is."""
        if made.step.interrupt is not None:
            return made
        scope = self._scope(made.step, attempt)
        return call(made.step, scope if made.key.index is None else scope.at(made.key.index, item))

    def _fail_before_start(self, step: Step, error: StepFailed, index: int | None = None) -> None:
        key = StepKey(step.name, index)
        self._checkpoints.step_started(key)
        self._inbox.append(Ended(Call(step, key, None), error=error))

    def _close(self, action: CloseList) -> None:
        step, made = action.step, Call(action.step, StepKey(action.step.name), None)
        text = encode(action.outputs)
        if action.is_failed:
            self._inbox.append(Ended(made, error=joined(step, action.errors)))
        elif len(text) > LIST_BYTES:
            size = StepFailed("output_too_large", f"the list has {len(text):,} bytes of JSON; 64 MB can be kept")
            self._inbox.append(Ended(made, error=size))
        else:
            self._checkpoints.step_completed(Ended(made, output=action.outputs), text)
            self._advance(StepDone(step.name, action.outputs))

    # From work to the plan

    def _empty_inbox(self) -> None:
        while self._inbox:
            self._take(self._inbox.popleft())

    def _take(self, ended: Ended) -> None:
        """Write down how a call ended, and let the plan go on from there."""
        key, step = ended.call.key, ended.call.step
        if ended.is_cancelled:
            self._checkpoints.step_cancelled(key)
            return
        try:
            if ended.error is not None:
                raise ended.error
            output_json = encode_output(ended.output)
        except StepFailed as error:
            info = error_info(error, ended.call)
            self._checkpoints.step_failed(ended, info)
            self._advance(failure(step, key, info))
            return
        self._checkpoints.step_completed(ended, output_json)
        self._advance(success(key, ended.output))

    def _remember(self, result: StepResult) -> None:
        """Take in a result of an earlier life of the run."""
        key = result.key
        if key.round is not None:
            return
        happened: Happened
        match result.status:
            case StepStatus.RUNNING | StepStatus.RETRYING:
                cut_off = result.status is StepStatus.RUNNING
                self._earlier[key] = Earlier(result.attempt, result.attempt_errors, cut_off)
                return
            case StepStatus.CANCELLED:
                self._plan.end(Cancelled())
                return
        if result.error is not None:
            happened = failure(self._named[key.step], key, result.error)
        else:
            output = decode(result.output_json or "null")
            happened = StepDone(key.step, None, skipped=True) if result.skipped else success(key, output)
        if isinstance(happened, ItemDone):
            self._items_done.setdefault(key.step, []).append(happened)
        else:
            self._checkpoints.keep_output(key.step, result.output_json)
            self._plan.advance(happened)

    def _advance(self, happened: Happened) -> None:
        self._plan.advance(happened)
        self._wake.set()

    def _scope(self, step: Step, attempt: int = 1) -> Scope:
        return scope_of(self.run, self.snapshot, step, self._plan.outputs, self._plan.absent, attempt)

    @property
    def told_at(self) -> float:
        """When something of the run was last told, in monotonic seconds."""
        return self._log.told_at

    @property
    def is_quiet(self) -> bool:
        """Whether nothing in flight will end by itself, and nobody is asked."""
        if self.is_waiting or self.interruptions.asking or not self._flights:
            return False
        attempts = [flight.attempts for flight in self._flights.values()]
        return all(not self._steps.has_time_limit(one.call.step) and not one.is_idle for one in attempts)

    def _quiet_s(self) -> float:
        """How long neither this run nor one below it has told anything; 0 while something ends by itself."""
        whole = [self, *self._owner.below(self.run.id)]
        if not all(driver.is_quiet for driver in whole):
            return 0.0
        return self._clock.monotonic() - max(driver.told_at for driver in whole)


def _ends_with_run(flight: _Flight) -> bool:
    action = flight.attempts.call.step.action
    return flight.attempts.is_idle or isinstance(action, AgentAction | WorkflowAction)
