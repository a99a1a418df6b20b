"""Executes the steps of a run: starts what the plan returns, and takes in the outcomes."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import assert_never

from core.domain.interruption import Interruption, InterruptionKind
from core.domain.run import StepKey, StepResult
from core.domain.template import ReturnAction, SetAction, Step
from core.domain.tool import Effect
from core.engine.interruptions.answers import StatePatch
from core.engine.interruptions.interruptions import Interruptions
from core.engine.interruptions.step_gate import StepGate
from core.engine.interruptions.step_interrupts import apply_answer, build_ask
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
from core.engine.plan.outcomes import CallOutcome
from core.engine.plan.planner import (
    FinishForEach,
    ForEachStarted,
    Plan,
    StartIteration,
    StartStep,
    StepDone,
    StepResumed,
    StepSuspended,
)
from core.engine.plan.refs import Scope
from core.engine.runs.attempts import Attempts, PriorAttempt, RunPhase
from core.engine.runs.calls_in_flight import CallsInFlight
from core.engine.runs.checkpoints import Checkpoints, RawResult
from core.engine.runs.limits import RunLimits
from core.engine.runs.plan_progress import PlanProgress
from core.engine.runs.step_runner import StepContext, StepRunner
from core.errors import Refused, StepFailed
from core.ports import Clock
from core.threads.long_values import is_long


class StepExecutor:
    """Decides what each step of the plan does, and starts it.

    `on_changed` is called when there is something to do. `results` are those of a previous process.
    """

    def __init__(
        self,
        context: StepContext,
        steps: StepRunner,
        clock: Clock,
        plan: Plan,
        checkpoints: Checkpoints,
        interruptions: Interruptions,
        gate: StepGate,
        limits: RunLimits,
        on_changed: Callable[[], None],
        results: Sequence[StepResult],
    ) -> None:
        self._snapshot = context.snapshot
        self._run_context = run_context(context.run)
        self._steps = steps
        self._clock = clock
        self._plan = plan
        self._checkpoints = checkpoints
        self._interruptions = interruptions
        self._gate = gate
        self._limits = limits
        self._on_changed = on_changed
        self._steps_by_name = {step.name: step for step in context.snapshot.template.steps}
        self._outcomes: deque[CallOutcome] = deque()
        self._decisions: dict[str, StepCall | ForEachItems] = {}
        self._progress = PlanProgress(plan, checkpoints, self._steps_by_name, context.interrupted_work, on_changed)
        self._progress.restore(results)
        self.in_flight = CallsInFlight(context, steps, clock, limits, self._on_finished, self._suspend)
        # a raw result whose step has not ended: the call was made, and its transform alone remains
        ended = {result.key for result in results if result.status.is_final}
        raws = {result.key.of_call: result.output_json for result in results if result.key.is_raw}
        self._raws = {key: text for key, text in raws.items() if key not in ended}

    @property
    def has_outcomes(self) -> bool:
        """Whether there are outcomes that have not been recorded yet."""
        return bool(self._outcomes)

    def start_ready(self) -> None:
        """Start what the plan returns."""
        for action in self._plan.plan():
            self._start(action)

    def record_outcomes(self) -> None:
        """Write the outcomes of finished calls, and advance the plan."""
        while self._outcomes:
            self._progress.record(self._outcomes.popleft())

    def on_closed(self, closed: Interruption) -> None:
        """Resume the step that asked before it ran: the interruption is closed."""
        ask = closed.ask
        if ask.step in self._decisions and ask.index is None:
            self._progress.advance(StepResumed(ask.step))

    def cancel_interrupted(self) -> None:
        """Cancel what a previous process had begun and this process never reached: the run is over."""
        self._progress.cancel_interrupted()

    def step(self, name: str) -> Step:
        """Return the step of that name in the run's snapshot."""
        return self._steps_by_name[name]

    def tool_schema(self, tool: str | None) -> object:
        """Return the schema of the tool's arguments, None if it has none."""
        info = self._steps.tools.info(tool) if tool is not None else None
        return info.input_schema if info is not None else None

    def consumers(self, step: str, *, exclude: str) -> list[str]:
        """Return the steps, except `exclude`, that have begun to read the output of `step`."""
        return [name for name in self._plan.followers(step) if name != exclude and self._plan.has_begun(name)]

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
        self._progress.advance(StepDone(name, output))

    def _start(self, action: StartStep | StartIteration | FinishForEach) -> None:
        step, index = action.step, action.index if isinstance(action, StartIteration) else None
        try:
            match action:
                case StartStep():
                    self._start_step(step)
                case StartIteration(_, at, item):
                    self._execute(resolve_call(step, self._scope(step).at(at, item)), item)
                case FinishForEach():
                    if (failure := self._progress.finish_list(action)) is not None:
                        self._outcomes.append(failure)
                case _:
                    assert_never(action)
        except StepFailed as error:
            key = StepKey(step.name, index)
            self._checkpoints.step_started(key)
            self._outcomes.append(CallOutcome(StepCall(step, key, None), error=error))

    def _start_step(self, step: Step) -> None:
        """Start a whole step. Raises StepFailed."""
        match self._decide(step):
            case None:
                self._progress.advance(StepSuspended(step.name))
            case Skip(value):
                self._checkpoints.step_skipped(step.name, value)
                self._progress.advance(StepDone(step.name, None, skipped=True))
            case UserOutput(output):
                self._checkpoints.step_started(StepKey(step.name))
                self._outcomes.append(CallOutcome(StepCall(step, StepKey(step.name), None), Effect.IDEMPOTENT, output))
            case Proceed(ForEachItems(items)):
                self._checkpoints.step_started(StepKey(step.name), len(items))
                finished = self._progress.finished_iterations.pop(step.name, ())
                self._progress.advance(ForEachStarted(step.name, items, finished))
            case Proceed(StepCall() as call):
                self._execute(call)

    def _decide(self, step: Step) -> Skip | UserOutput | Proceed | None:
        """Return what the step does; None while the user is asked. Raises StepFailed."""
        scope = self._scope(step)
        decision = self._decisions.pop(step.name, None) or dispatch(step, scope, self._plan.skipped)
        if isinstance(decision, Skip):
            return decision
        if step.interrupt is None:
            return Proceed(decision)
        interruption = self._interruptions.find([step.interrupt.kind], step.name)
        if interruption is None:
            reads = {name: self._plan.outputs[name] for name in self._plan.waits_for(step.name)}
            ask = build_ask(step, step.interrupt, decision, scope, reads, self.tool_schema(step.tool_name))
            if ask is None:
                return Proceed(decision)
            interruption = self._interruptions.raise_(ask)
        if interruption.is_open:
            self._decisions[step.name] = decision
            return None
        if step.interrupt.kind is InterruptionKind.STATE_EDIT and isinstance(decision, StepCall):
            decision = resolve_call(step, scope)  # resolved again: it reads the outputs that the user has edited
        return apply_answer(step, decision, interruption)

    def _execute(self, call: StepCall, item: object = None) -> None:
        """Start the call: at once if it only shapes data, otherwise in a task, behind a claim if it has effects.

        A tool call that needs consent gets it first.
        """
        step, key = call.step, call.key
        if key.index is None and (request := self._gate.find_request(call)) is not None:
            self._resume_asked(call, request)
            return
        # what a previous process had begun continues as the same attempt, under the same claim
        prior = self._progress.prior_attempts.pop(key, None)
        if self._is_instant(call, prior):
            self._outcomes.append(CallOutcome(call, output=call.input, is_instant=True))
            return
        needs_permit = self._gate.needs_permit(call, is_claimed=prior is not None)
        call = call if needs_permit else call.permitted()
        effect = self._steps.effect(step, call.input)
        # the claim goes with those of this turn; a call that needs a permit claims once it has it
        is_claimed_here = effect is not Effect.NONE and prior is None and not needs_permit
        claim = self._checkpoints.claim(key) if is_claimed_here else None
        attempts = Attempts(
            call,
            effect,
            self._checkpoints,
            self._interruptions,
            self._clock,
            perform=self.in_flight.perform,
            resolve_again=partial(self._resolve_again, call, item),
            time_left_s=self._limits.time_left_s,
            phase=self._phase,
            raw=RawResult(key, self._checkpoints, self._raws.pop(key, None)),
            prior=prior,
            permit=partial(self._gate.permit, call) if needs_permit else None,
            has_claim=claim is not None or prior is not None,
        )
        self.in_flight.start(attempts, claim)

    @staticmethod
    def _is_instant(call: StepCall, prior: PriorAttempt | None) -> bool:
        """Return whether the call only shapes data, and so little of it that this takes no time."""
        is_plain = type(call.step.action) in (SetAction, ReturnAction) and call.step.output_schema is None
        return is_plain and prior is None and not is_long(call.input)

    def _resume_asked(self, call: StepCall, request: Interruption) -> None:
        """Continue a step about whose call the user was asked before."""
        try:
            permitted = self._gate.permitted_call(call, request)
        except StepFailed as error:
            self._outcomes.append(CallOutcome(call, error=error))
        else:
            self._suspend(call) if permitted is None else self._execute(permitted)

    def _suspend(self, call: StepCall) -> None:
        self._decisions[call.step.name] = call
        self._progress.advance(StepSuspended(call.step.name))

    def _on_finished(self, outcome: CallOutcome | None) -> None:
        if outcome is not None:
            self._outcomes.append(outcome)
        self._on_changed()

    def _phase(self) -> RunPhase:
        if self.in_flight.is_stopping:
            return RunPhase.CLOSING
        return RunPhase.ENDED if self._plan.outcome is not None else RunPhase.CONTINUES

    def _resolve_again(self, call: StepCall, item: object, attempt: int) -> StepCall:
        """Return the call of a later attempt: it may contain `@ctx.attempt`.

        A call that the user approved stays unchanged.
        """
        if call.step.interrupt is not None or self._gate.was_asked(call):
            return call
        scope = self._scope(call.step, attempt)
        again = resolve_call(call.step, scope if call.key.index is None else scope.at(call.key.index, item))
        return replace(again, is_permitted=call.is_permitted)

    def _scope(self, step: Step, attempt: int = 1) -> Scope:
        return step_scope(self._run_context, self._snapshot, step, self._plan.outputs, self._plan.absent, attempt)
