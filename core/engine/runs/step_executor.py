"""Executes the steps of a run: starts what the plan returns, and applies the outcomes to the plan."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

from core.domain.ids import CallId
from core.domain.interruption import Interruption, InterruptionKind
from core.domain.run import StepKey, StepResult, StepStatus
from core.domain.sub_agent import calling_sub_agent, is_sub_agent
from core.domain.template import AgentAction, ReturnAction, SetAction, Step, ToolAction, WorkflowAction
from core.domain.text.json_text import LIST_BYTES, decode, encode_output
from core.domain.tool import Effect
from core.engine.interruptions.answers import StatePatch
from core.engine.interruptions.interruptions import Interruptions
from core.engine.interruptions.step_gate import ConsentPending, StepGate
from core.engine.interruptions.step_interrupts import apply_answer, build_ask
from core.engine.log.journal import RETRY_S
from core.engine.plan.dispatch import (
    ForEachItems,
    Proceed,
    Skip,
    StepCall,
    UserOutput,
    dispatch,
    resolve_call,
    run_context,
    step_scope,
)
from core.engine.plan.outcomes import CallOutcome, failure_event, joined_failure, step_error_info, success_event
from core.engine.plan.planner import (
    Cancelled,
    FinishForEach,
    ForEachStarted,
    IterationDone,
    Plan,
    PlanEvent,
    StartIteration,
    StartStep,
    StepDone,
    StepResumed,
    StepSuspended,
)
from core.engine.plan.refs import Scope
from core.engine.runs.attempts import Attempts, LostClaim, PriorAttempt, RunPhase
from core.engine.runs.checkpoints import Checkpoints, RawResult
from core.engine.runs.limits import RunLimits
from core.engine.runs.step_runner import StepContext, StepRunner
from core.errors import Refused, StepFailed, StorageFailed
from core.ports.clock import Clock
from core.ports.interrupted_work import NO_INTERRUPTED_WORK, InterruptedWork
from core.threads.long_values import encode_output_async, is_long

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InFlightCall:
    """A call in a task of its own."""

    task: "asyncio.Task[None]"
    attempts: Attempts
    starts_agents: bool

    @property
    def ends_with_run(self) -> bool:
        """Whether the end of the run cancels the call: an agent, a child run, or a call between two attempts (ENGINE
        §5).
        """
        is_below = self.starts_agents or isinstance(self.attempts.call.step.action, AgentAction | WorkflowAction)
        return self.attempts.is_idle or is_below

    @property
    def is_repeatable(self) -> bool:
        """Whether the call can be repeated without harm."""
        return self.attempts.effect is not Effect.ONCE or self.attempts.is_idle or self.attempts.raw.is_kept


class StepExecutor:
    """The calls in flight of a run, and their outcomes. `changed` is called when there is something to do.

    `results` are those of a previous process. `tasks` has to be set before anything starts.
    """

    tasks: asyncio.TaskGroup

    def __init__(
        self,
        setting: StepContext,
        steps: StepRunner,
        clock: Clock,
        plan: Plan,
        checkpoints: Checkpoints,
        interruptions: Interruptions,
        permits: StepGate,
        limits: RunLimits,
        changed: Callable[[], None],
        results: Sequence[StepResult],
    ) -> None:
        self.in_flight: dict[StepKey, InFlightCall] = {}
        self.is_stopping = False
        self._run = setting.run
        self._snapshot = setting.snapshot
        self._context = run_context(setting.run)
        self._step_context = setting
        self._steps = steps
        self._clock = clock
        self._plan = plan
        self._checkpoints = checkpoints
        self._interruptions = interruptions
        self._gate = permits
        self._limits = limits
        self._on_changed = changed
        self._steps_by_name = {step.name: step for step in setting.snapshot.template.steps}
        self._outcomes: deque[CallOutcome] = deque()
        self._items_done: dict[str, list[IterationDone]] = {}
        self._item_texts: dict[str, dict[int, str]] = {}
        self._prior_attempts: dict[StepKey, PriorAttempt] = {}
        self._decisions: dict[str, StepCall | ForEachItems] = {}
        ended = {result.key for result in results if result.status.is_final}
        self._raws = {one.key.of_call: one.output_json for one in results if one.key.is_raw}
        self._raws = {key: text for key, text in self._raws.items() if key not in ended}
        for result in results:
            self._restore(result)

    @property
    def has_outcomes(self) -> bool:
        """Whether there are outcomes that have not been applied yet."""
        return bool(self._outcomes)

    @property
    def is_unbounded(self) -> bool:
        """Whether something is in flight and none of it ends by itself."""
        attempts = [flight.attempts for flight in self.in_flight.values()]
        return bool(attempts) and all(
            not self._steps.has_time_limit(one.call.step) and not one.is_idle for one in attempts
        )

    def call_key_of(self, call_id: CallId) -> StepKey | None:
        """Return the call in flight to which a tool call belongs: a step's, an agent's, or the sub-agent that makes
        it.
        """
        if (caller := calling_sub_agent(call_id)) is not None:
            return StepKey(caller)
        for key in self.in_flight:
            if call_id == str(key) or call_id.startswith((f"{key}.", f"{key} ")):
                return key
        return None

    def start_ready(self) -> None:
        """Start what the plan returns."""
        for action in self._plan.plan():
            self._do(action)

    def apply_outcomes(self) -> None:
        """Write the outcomes of finished calls, and advance the plan."""
        while self._outcomes:
            self._apply(self._outcomes.popleft())

    def on_closed(self, closed: Interruption) -> None:
        """Resume the step that asked before it ran: the interruption is closed."""
        ask = closed.ask
        if ask.step in self._decisions and ask.index is None:
            self._advance(StepResumed(ask.step))

    def cancel_interrupted(self) -> None:
        """Cancel what a previous process had begun and this process never reached: the run is over."""
        for key in self._prior_attempts:
            self._checkpoints.step_cancelled(key, self._interrupted_work(key))

    def step(self, name: str) -> Step:
        """Return the step of that name in the run's snapshot."""
        return self._steps_by_name[name]

    def tool_schema(self, tool: str | None) -> object:
        """Return the schema of the tool's arguments, None if it has none."""
        info = self._steps.tools.info(tool) if tool is not None else None
        return info.input_schema if info is not None else None

    def consumers(self, step: str, *, but: str) -> list[str]:
        """Return the steps, except `but`, that have begun to read the output of `step`."""
        return [name for name in self._plan.followers(step) if name != but and self._plan.has_begun(name)]

    def edit_outputs(self, patches: Sequence[StatePatch], outputs: dict[str, object]) -> None:
        """Replace outputs of steps with the user's edits, and commit them."""
        for name, output in outputs.items():
            self._plan.replace_output(name, output)
        self._checkpoints.state_patched(patches, outputs)

    def preset(self, name: str, output: object) -> None:
        """Set the result of a step that has not begun. Raises Refused `step_started`."""
        if self._plan.has_begun(name) or self._plan.outcome is not None:
            raise Refused("step_started", f"{name} has begun already, or its run is over", step=name)
        self._checkpoints.step_preset(name, output)
        self._advance(StepDone(name, output))

    # From the plan to work

    def _do(self, action: StartStep | StartIteration | FinishForEach) -> None:
        step = action.step
        match action:
            case StartStep():
                self._start(step)
            case StartIteration(_, index, item):
                try:
                    self._execute(resolve_call(step, self._scope(step).at(index, item)), item)
                except StepFailed as error:
                    self._fail_before_start(step, error, index)
            case FinishForEach():
                self._finish_list(action)
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
                self._advance(StepSuspended(step.name))
            case Skip(value):
                self._checkpoints.step_skipped(step.name, value)
                self._advance(StepDone(step.name, None, skipped=True))
            case UserOutput(output):
                self._checkpoints.step_started(StepKey(step.name))
                self._outcomes.append(CallOutcome(StepCall(step, StepKey(step.name), None), Effect.IDEMPOTENT, output))
            case Proceed(ForEachItems(items)):
                self._checkpoints.step_started(StepKey(step.name), len(items))
                self._advance(ForEachStarted(step.name, items, self._items_done.pop(step.name, ())))
            case Proceed(StepCall() as made):
                self._execute(made)

    def _decide(self, step: Step) -> Skip | UserOutput | Proceed | None:
        """Return what the step does; None while the user is asked. Raises StepFailed."""
        scope = self._scope(step)
        decision = self._decisions.pop(step.name, None) or dispatch(step, scope, self._plan.skipped)
        if isinstance(decision, Skip):
            return decision
        if step.interrupt is None:
            return Proceed(decision)
        found = self._interruptions.find([step.interrupt.kind], step.name)
        if found is None:
            reads = {name: self._plan.outputs[name] for name in self._plan.waits_for(step.name)}
            schema = self.tool_schema(step.action.tool_name if isinstance(step.action, ToolAction) else None)
            asked = build_ask(step, step.interrupt, decision, scope, reads, schema)
            if asked is None:
                return Proceed(decision)
            found = self._interruptions.raise_(asked)
        if found.is_open:
            self._decisions[step.name] = decision
            return None
        if step.interrupt.kind is InterruptionKind.STATE_EDIT and isinstance(decision, StepCall):
            decision = resolve_call(step, scope)  # it reads what the person has put there
        return apply_answer(step, decision, found)

    def _execute(self, made: StepCall, item: object = None) -> None:
        """Start the call: at once if it only shapes data, otherwise in a task, behind a claim if it has effects.

        A tool call that needs consent gets it first.
        """
        step, key = made.step, made.key
        if key.index is None and (found := self._gate.find_request(made)) is not None:
            self._after_request(made, found)
            return
        earlier = self._prior_attempts.pop(key, None)
        if self._is_instant(made, earlier):
            self._outcomes.append(CallOutcome(made, output=made.input, is_instant=True))
            return
        looks = self._gate.needs_permit(made, is_claimed=earlier is not None)
        made = made if looks else replace(made, is_permitted=True)
        effect = self._steps.effect(step, made.input)
        claim = self._checkpoints.claim(key) if effect is not Effect.NONE and earlier is None and not looks else None
        attempts = Attempts(
            made,
            effect,
            self._checkpoints,
            self._interruptions,
            self._clock,
            perform=self._act,
            resolve_again=partial(self._again, made, item),
            time_left_s=self._limits.time_left_s,
            phase=self._phase,
            raw=RawResult(key, self._checkpoints, self._raws.pop(key, None)),
            prior=earlier,
            permit=partial(self._gate.permit, made) if looks else None,
            has_claim=claim is not None or earlier is not None,
        )
        task = self.tasks.create_task(self._run_attempts(attempts, claim), name=f"{self._run.id} {key}")
        self.in_flight[key] = InFlightCall(task, attempts, self._steps.starts_agents(step))
        task.add_done_callback(partial(self._on_task_done, attempts))

    @staticmethod
    def _is_instant(made: StepCall, earlier: PriorAttempt | None) -> bool:
        """Return whether the call only shapes data, and so little of it that this takes no time."""
        is_plain = type(made.step.action) in (SetAction, ReturnAction) and made.step.output_schema is None
        return is_plain and earlier is None and not is_long(made.input)

    def _after_request(self, made: StepCall, found: Interruption) -> None:
        """Continue a step about whose call the user was asked before."""
        try:
            permitted = self._gate.permitted_call(made, found)
        except StepFailed as error:
            self._outcomes.append(CallOutcome(made, error=error))
        else:
            self._suspend(made) if permitted is None else self._execute(permitted)

    def _suspend(self, made: StepCall) -> None:
        self._decisions[made.step.name] = made
        self._advance(StepSuspended(made.step.name))

    async def _run_attempts(self, attempts: Attempts, claim: "asyncio.Future[frozenset[int]] | None") -> None:
        key, asks = attempts.call.key, None
        if not self._steps.has_time_limit(attempts.call.step):
            self._limits.watch(key)
        try:
            output = await attempts.run(claim)
            ended = self._outcome_of(attempts, output=output, output_json=await encode_output_async(output))
        except LostClaim:
            ended = None
        except ConsentPending as request:
            ended, asks = None, request
        except StepFailed as error:
            ended = self._outcome_of(attempts, error=error)
        except Exception as error:
            log.exception("step %s of run %s broke", key, self._run.id)
            broke = StepFailed("internal", f"{type(error).__name__}: {error}")
            ended = self._outcome_of(attempts, error=broke)
        self._finish_call(key, ended)
        if asks is not None:
            self._suspend(asks.call)

    def _on_task_done(self, attempts: Attempts, task: "asyncio.Task[None]") -> None:
        """Handle the cancellation of a task; a task that had not begun never reaches its own end."""
        if task.cancelled():
            is_told = not self.is_stopping and not attempts.is_untouched
            self._finish_call(attempts.call.key, self._outcome_of(attempts, is_cancelled=True) if is_told else None)

    def _finish_call(self, key: StepKey, ended: CallOutcome | None) -> None:
        self._limits.unwatch(key)
        del self.in_flight[key]
        if ended is not None:
            self._outcomes.append(ended)
        self._on_changed()

    def _interrupted_work(self, key: StepKey) -> InterruptedWork:
        """Return the interrupted work of the agent at that step."""
        return self._step_context.interrupted_work.get(key, NO_INTERRUPTED_WORK)

    def _outcome_of(
        self,
        attempts: Attempts,
        *,
        output: object = None,
        output_json: str | None = None,
        error: StepFailed | None = None,
        is_cancelled: bool = False,
    ) -> CallOutcome:
        return CallOutcome(
            attempts.call,
            attempts.effect,
            output,
            output_json,
            error,
            is_cancelled,
            attempts.attempt,
            attempts.errors,
            attempts.has_acted,
        )

    def _phase(self) -> RunPhase:
        if self.is_stopping:
            return RunPhase.LEFT
        return RunPhase.OVER if self._plan.outcome is not None else RunPhase.GOES_ON

    async def _act(self, effect: Effect, made: StepCall, attempt: int, raw: RawResult) -> object:
        """Perform an attempt. If the store cannot be read for it, wait as for a write."""
        while True:
            try:
                return await self._steps.run(made, attempt, effect, self._step_context, raw)
            except StorageFailed as error:
                if error.code == "unreadable":
                    raise StepFailed(error.code, error.message, failed_during="storage") from error
                log.warning("step %s of run %s waits for the store: %s", made.key, self._run.id, error.message)
                await self._clock.sleep(RETRY_S)

    def _again(self, made: StepCall, item: object, attempt: int) -> StepCall:
        """Return the call of a later attempt: it may contain `@ctx.attempt`. A call that the user approved stays
        unchanged.
        """
        if made.step.interrupt is not None or self._gate.was_asked(made):
            return made
        scope = self._scope(made.step, attempt)
        again = resolve_call(made.step, scope if made.key.index is None else scope.at(made.key.index, item))
        return replace(again, is_permitted=made.is_permitted)

    def _fail_before_start(self, step: Step, error: StepFailed, index: int | None = None) -> None:
        key = StepKey(step.name, index)
        self._checkpoints.step_started(key)
        self._outcomes.append(CallOutcome(StepCall(step, key, None), error=error))

    def _finish_list(self, action: FinishForEach) -> None:
        step, made = action.step, StepCall(action.step, StepKey(action.step.name), None)
        texts = self._item_texts.pop(step.name, {})
        size = 1 + sum(len(texts.get(index, "null")) + 1 for index in range(len(action.outputs)))
        if action.is_failed:
            self._outcomes.append(CallOutcome(made, error=joined_failure(step, action.errors)))
        elif size > LIST_BYTES:
            error = StepFailed("output_too_large", f"the list has {size:,} bytes of JSON; 64 MB can be kept")
            self._outcomes.append(CallOutcome(made, error=error))
        else:
            text = f"[{','.join(texts.get(index, 'null') for index in range(len(action.outputs)))}]"
            self._checkpoints.step_completed(CallOutcome(made, output=action.outputs), text)
            self._advance(StepDone(step.name, action.outputs))

    # From work to the plan

    def _apply(self, ended: CallOutcome) -> None:
        """Write the outcome of a call, and advance the plan."""
        key, step = ended.call.key, ended.call.step
        if ended.is_cancelled:
            self._checkpoints.step_cancelled(
                key, NO_INTERRUPTED_WORK if ended.has_acted else self._interrupted_work(key)
            )
            return
        try:
            if ended.error is not None:
                raise ended.error
            output_json = encode_output(ended.output) if ended.output_json is None else ended.output_json
        except StepFailed as error:
            info = step_error_info(error, ended.call)
            self._checkpoints.step_failed(ended, info)
            self._advance(failure_event(step, key, info))
            return
        self._checkpoints.step_completed(ended, output_json)
        self._keep_item_text(key, output_json)
        self._advance(success_event(key, ended.output))

    def _keep_item_text(self, key: StepKey, output_json: str | None) -> None:
        """Keep the output text of an iteration: the text of the list is built from them."""
        if key.index is not None and output_json is not None:
            self._item_texts.setdefault(key.step, {})[key.index] = output_json

    def _restore(self, result: StepResult) -> None:
        """Apply a result of a previous process."""
        key = result.key
        if key.round is not None or is_sub_agent(key.step):
            return
        happened: PlanEvent
        match result.status:
            case StepStatus.RUNNING | StepStatus.RETRYING:
                cut_off = result.status is StepStatus.RUNNING
                self._prior_attempts[key] = PriorAttempt(result.attempt, result.attempt_errors, cut_off)
                return
            case StepStatus.CANCELLED:
                self._plan.end(Cancelled())
                return
        if result.error is not None:
            happened = failure_event(self._steps_by_name[key.step], key, result.error)
        else:
            output = decode(result.output_json or "null")
            happened = StepDone(key.step, None, skipped=True) if result.skipped else success_event(key, output)
        if isinstance(happened, IterationDone):
            self._items_done.setdefault(key.step, []).append(happened)
            self._keep_item_text(key, result.output_json)
        else:
            self._checkpoints.keep_output(key.step, result.output_json)
            self._plan.advance(happened)

    def _advance(self, happened: PlanEvent) -> None:
        self._plan.advance(happened)
        self._on_changed()

    def _scope(self, step: Step, attempt: int = 1) -> Scope:
        return step_scope(self._context, self._snapshot, step, self._plan.outputs, self._plan.absent, attempt)
