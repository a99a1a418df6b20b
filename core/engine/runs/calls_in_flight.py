"""The calls of a run that are in flight, each in a task of its own."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from core.domain.ids import CallId
from core.domain.run import StepKey
from core.domain.sub_agent import calling_sub_agent
from core.domain.template import AgentAction, WorkflowAction
from core.domain.tool import Effect
from core.engine.interruptions.step_gate import ConsentPending
from core.engine.log.journal import RETRY_S
from core.engine.plan.dispatch import StepCall
from core.engine.plan.outcomes import CallOutcome
from core.engine.runs.attempts import Attempts, LostClaim
from core.engine.runs.checkpoints import RawResult
from core.engine.runs.limits import RunLimits
from core.engine.runs.step_runner import StepContext, StepRunner
from core.errors import StepFailed, StorageFailed
from core.ports import Clock
from core.threads.long_values import encode_output_async

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InFlightCall:
    """A call in a task of its own."""

    task: "asyncio.Task[None]"
    attempts: Attempts
    starts_agents: bool

    @property
    def ends_with_run(self) -> bool:
        """Whether the end of the run cancels the call (ENGINE §5).

        That holds for an agent, for a child run, and for a call between two attempts.
        """
        is_below = self.starts_agents or isinstance(self.attempts.call.step.action, AgentAction | WorkflowAction)
        return self.attempts.is_idle or is_below

    @property
    def is_repeatable(self) -> bool:
        """Whether the call can be repeated without harm."""
        return self.attempts.effect is not Effect.ONCE or self.attempts.is_idle or self.attempts.raw.is_kept


class CallsInFlight:
    """Runs calls in tasks, by the step and iteration that they belong to.

    `on_finished` is called with each outcome; None if the call ended without any. `on_suspended` is called with a call
    whose consent is pending. `tasks` has to be set before anything starts.
    """

    tasks: asyncio.TaskGroup

    def __init__(
        self,
        context: StepContext,
        steps: StepRunner,
        clock: Clock,
        limits: RunLimits,
        on_finished: Callable[[CallOutcome | None], None],
        on_suspended: Callable[[StepCall], None],
    ) -> None:
        self.calls: dict[StepKey, InFlightCall] = {}
        self.is_stopping = False
        self._context = context
        self._steps = steps
        self._clock = clock
        self._limits = limits
        self._on_finished = on_finished
        self._on_suspended = on_suspended

    @property
    def is_unbounded(self) -> bool:
        """Whether something is in flight and none of it ends by itself."""
        attempts = [call.attempts for call in self.calls.values()]
        return bool(attempts) and all(
            not self._steps.has_time_limit(each.call.step) and not each.is_idle for each in attempts
        )

    def key_of(self, call_id: CallId) -> StepKey | None:
        """Return the call to which a tool call belongs: a step's, an agent's, or the sub-agent that makes it."""
        if (caller := calling_sub_agent(call_id)) is not None:
            return StepKey(caller)
        for key in self.calls:
            if call_id == str(key) or call_id.startswith((f"{key}.", f"{key} ")):
                return key
        return None

    def start(self, attempts: Attempts, claim: "asyncio.Future[frozenset[int]] | None") -> None:
        """Start the first attempt in a task; an effect waits for the `claim`, if there is one already."""
        key, run_id = attempts.call.key, self._context.run.id
        task = self.tasks.create_task(self._run(attempts, claim), name=f"{run_id} {key}")
        self.calls[key] = InFlightCall(task, attempts, self._steps.starts_agents(attempts.call.step))
        task.add_done_callback(partial(self._on_task_done, attempts))

    async def perform(self, effect: Effect, call: StepCall, attempt: int, raw: RawResult) -> object:
        """Perform an attempt. If the store cannot be read for it, wait as for a write."""
        while True:
            try:
                return await self._steps.run(call, attempt, effect, self._context, raw)
            except StorageFailed as error:
                if error.code == "unreadable":
                    raise StepFailed(error.code, error.message, failed_during="storage") from error
                log.warning("step %s of run %s waits for the store: %s", call.key, self._context.run.id, error.message)
                await self._clock.sleep(RETRY_S)

    async def _run(self, attempts: Attempts, claim: "asyncio.Future[frozenset[int]] | None") -> None:
        key = attempts.call.key
        if not self._steps.has_time_limit(attempts.call.step):
            self._limits.watch(key)
        outcome, pending = None, None
        try:
            output = await attempts.run(claim)
            outcome = attempts.outcome(output=output, output_json=await encode_output_async(output))
        except LostClaim:
            pass  # the run ended before the call began: there is nothing to record
        except ConsentPending as request:
            pending = request.call
        except StepFailed as error:
            outcome = attempts.outcome(error=error)
        except Exception as error:
            log.exception("step %s of run %s broke", key, self._context.run.id)
            outcome = attempts.outcome(error=StepFailed("internal", f"{type(error).__name__}: {error}"))
        self._finish(key, outcome)
        if pending is not None:
            self._on_suspended(pending)

    def _on_task_done(self, attempts: Attempts, task: "asyncio.Task[None]") -> None:
        """Finish a cancelled call: a task that is cancelled before its first turn never runs `_run`."""
        if task.cancelled():
            is_recorded = not self.is_stopping and not attempts.is_untouched
            self._finish(attempts.call.key, attempts.outcome(is_cancelled=True) if is_recorded else None)

    def _finish(self, key: StepKey, outcome: CallOutcome | None) -> None:
        self._limits.unwatch(key)
        del self.calls[key]
        self._on_finished(outcome)
