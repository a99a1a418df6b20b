"""Driving one run: carries out what the plan says, from the claim of the run to its end.

One task owns a run. It alone changes the run's row, so every transition has one author; the
compare-and-set of the store is the guard behind it.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

from core.domain.json_text import LIST_BYTES, decode, encode, encode_output
from core.domain.run import Run, Snapshot
from core.domain.step import StepKey, StepResult, StepStatus
from core.domain.template import AgentAction, ReturnAction, SetAction, Step
from core.domain.tool import Effect
from core.engine.checkpoints import Checkpoints
from core.engine.dispatch import Call, Loop, Skip, call, dispatch, scope_of
from core.engine.endings import Ended, error_info, failure, joined, success
from core.engine.planner import (
    Cancelled,
    CloseList,
    Happened,
    ItemDone,
    ListOpened,
    Plan,
    Start,
    StartItem,
    StepDone,
)
from core.engine.refs import Scope
from core.engine.run_log import Log
from core.engine.steps import StepRunner
from core.errors import StepFailed
from core.ports.clock import Clock

log = logging.getLogger(__name__)

TURN_S = 0.005
CANCEL_S = 0.9
CHECKPOINT_S = 1.5


@dataclass(frozen=True, slots=True)
class _Flight:
    task: "asyncio.Task[None]"
    call: Call
    effect: Effect


class Driver:
    """One run at work. `drive` returns when the run has ended and nothing of it is in flight.

    `results` are those of an earlier life of the run, None if it has none; `on_finished` is called once its end
    is on disk.
    """

    def __init__(
        self,
        run: Run,
        snapshot: Snapshot,
        journal: Log,
        steps: StepRunner,
        clock: Clock,
        *,
        results: Sequence[StepResult] | None,
        on_finished: Callable[[], None],
    ) -> None:
        self.run = run
        self._snapshot = snapshot
        self._log = journal
        self._steps = steps
        self._clock = clock
        self._on_finished = on_finished
        self._plan = Plan(snapshot.template.steps, snapshot.template.max_parallel)
        active_ms = max([run.active_ms, *(result.active_ms for result in results or ())])
        self._checkpoints = Checkpoints(run, journal, clock, self._plan.terminal, active_ms)
        self._named = {step.name: step for step in snapshot.template.steps}
        self._items_done: dict[str, list[ItemDone]] = {}
        self._inbox: deque[Ended] = deque()
        self._wake = asyncio.Event()
        self._flights: dict[StepKey, _Flight] = {}
        self._is_checkpointed = False
        self._is_fresh = results is None
        for result in results or ():
            self._remember(result)

    def cancel(self) -> None:
        """End the run as cancelled, without effect if it has ended."""
        self._plan.end(Cancelled())
        self._wake.set()

    async def checkpoint(self) -> None:
        """Stop here: nothing new starts, what can be done again is dropped, effects get a moment to end.

        The run stays `running` on disk, and the next recovery goes on with it.
        """
        self._is_checkpointed = True
        self._wake.set()
        tasks = [flight.task for flight in self._flights.values()]
        for flight in self._flights.values():
            if flight.effect is not Effect.ONCE:
                flight.task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CHECKPOINT_S)
        for task in tasks:
            task.cancel()

    async def drive(self) -> None:
        async with asyncio.TaskGroup() as self._tasks:
            if await self._checkpoints.claim_run():
                return  # the claim is lost: the run was cancelled, or it is driven already
            self._checkpoints.run_started()
            await self._work()
            if not self._is_checkpointed:
                await self._finish()
            await self._drain()

    async def _work(self) -> None:
        """Until the run has an outcome. Gives way to the loop at least every 5 ms."""
        turn = self._clock.monotonic()
        while True:
            self._empty_inbox()
            if self._is_checkpointed:
                return
            for action in self._plan.plan():
                self._do(action)
            if self._plan.outcome is not None and not self._inbox:
                return
            if not self._inbox:
                await self._wake.wait()
                self._wake.clear()
                turn = self._clock.monotonic()
            elif self._clock.monotonic() - turn > TURN_S:
                await asyncio.sleep(0)
                turn = self._clock.monotonic()
            await self._log.room()

    async def _finish(self) -> None:
        """End the run at once: agents (all, if it is cancelled) are stopped, other steps may finish (ENGINE §5)."""
        outcome = self._plan.outcome
        assert outcome is not None
        is_cancelled = isinstance(outcome, Cancelled)
        doomed = [
            flight.task
            for flight in self._flights.values()
            if is_cancelled or isinstance(flight.call.step.action, AgentAction)
        ]
        for task in doomed:
            task.cancel()
        if doomed:
            await asyncio.wait(doomed, timeout=CANCEL_S)
        self._empty_inbox()
        await self._checkpoints.run_finished(outcome)
        self._on_finished()

    async def _drain(self) -> None:
        """What is in flight at the end finishes under its own limits and is written down; it changes nothing."""
        while self._flights or self._inbox:
            if not self._inbox:
                await self._wake.wait()
                self._wake.clear()
            self._empty_inbox()

    # From the plan to work

    def _do(self, action: Start | StartItem | CloseList) -> None:
        step = action.step
        match action:
            case Start():
                self._start(step)
            case StartItem(_, index, item):
                scope = self._scope(step).at(index, item)
                try:
                    self._execute(call(step, scope))
                except StepFailed as error:
                    self._fail_before_start(step, error, index)
            case CloseList():
                self._close(action)
            case _:
                assert_never(action)

    def _start(self, step: Step) -> None:
        try:
            decision = dispatch(step, self._scope(step), self._plan.skipped)
        except StepFailed as error:
            self._fail_before_start(step, error)
            return
        match decision:
            case Skip(value):
                self._checkpoints.step_skipped(step.name, value)
                self._advance(StepDone(step.name, None, skipped=True))
            case Loop(items):
                self._checkpoints.step_started(StepKey(step.name), len(items))
                self._advance(ListOpened(step.name, items, self._items_done.pop(step.name, ())))
            case Call():
                self._execute(decision)
            case _:
                assert_never(decision)

    def _execute(self, call: Call) -> None:
        """Begin the action: at once if it only shapes data, else in a task, behind a claim if it leaves the process."""
        if isinstance(call.step.action, SetAction | ReturnAction):
            self._checkpoints.step_started(call.key)
            self._inbox.append(Ended(call, output=call.input))
            return
        effect = self._steps.effect(call.step, call.input)
        claim = self._checkpoints.claim(call.key) if effect is not Effect.NONE else None
        task = self._tasks.create_task(self._run(call, effect, claim), name=f"{self.run.id} {call.key}")
        self._flights[call.key] = _Flight(task, call, effect)

    async def _run(self, call: Call, effect: Effect, claim: "asyncio.Future[frozenset[int]] | None") -> None:
        ended = Ended(call, effect, is_cancelled=True)
        try:
            if claim is not None and await claim:
                return  # the run ended before the claim was written: the step never began
            self._checkpoints.step_started(call.key)
            output = await self._steps.run(call, self.run, self._snapshot, self._log, is_fresh=self._is_fresh)
            ended = Ended(call, effect, output)
        except StepFailed as error:
            ended = Ended(call, effect, error=error)
        except Exception as error:
            log.exception("step %s of run %s broke", call.key, self.run.id)
            ended = Ended(call, effect, error=StepFailed("internal", f"{type(error).__name__}: {error}"))
        finally:
            del self._flights[call.key]
            if not (self._is_checkpointed and ended.is_cancelled):
                self._inbox.append(ended)
            self._wake.set()

    def _fail_before_start(self, step: Step, error: StepFailed, index: int | None = None) -> None:
        key = StepKey(step.name, index)
        self._checkpoints.step_started(key)
        self._inbox.append(Ended(Call(step, key, None), error=error))

    def _close(self, action: CloseList) -> None:
        step, key = action.step, StepKey(action.step.name)
        text = encode(action.outputs)
        if action.is_failed:
            self._inbox.append(Ended(Call(step, key, None), error=joined(step, action.errors)))
        elif len(text) > LIST_BYTES:
            size = StepFailed("output_too_large", f"the list has {len(text):,} bytes of JSON; 64 MB can be kept")
            self._inbox.append(Ended(Call(step, key, None), error=size))
        else:
            self._checkpoints.step_completed(key, action.outputs, text, Effect.NONE, is_return=False)
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
            self._checkpoints.step_failed(key, info, ended.effect)
            self._advance(failure(step, key, info))
            return
        is_return = isinstance(step.action, ReturnAction)
        self._checkpoints.step_completed(key, ended.output, output_json, ended.effect, is_return=is_return)
        self._advance(success(key, ended.output))

    def _remember(self, result: StepResult) -> None:
        """Take in a result of an earlier life of the run."""
        key = result.key
        if key.round is not None or result.status is StepStatus.RUNNING:
            return
        happened: Happened
        if result.status is StepStatus.CANCELLED:
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

    def _scope(self, step: Step) -> Scope:
        return scope_of(self.run, self._snapshot, step, self._plan.outputs, self._plan.absent)
