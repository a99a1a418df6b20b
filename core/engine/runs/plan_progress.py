"""Records what happens to the steps of a run, and advances its plan."""

from collections.abc import Callable, Iterable, Mapping

from core.domain.run import StepKey, StepResult, StepStatus
from core.domain.sub_agent import is_sub_agent
from core.domain.template import Step
from core.domain.text.json_text import LIST_BYTES, decode, encode_output
from core.engine.plan.dispatch import StepCall
from core.engine.plan.outcomes import CallOutcome, failure_event, joined_failure, step_error_info, success_event
from core.engine.plan.planner import Cancelled, FinishForEach, IterationDone, Plan, PlanEvent, StepDone
from core.engine.runs.attempts import PriorAttempt
from core.engine.runs.checkpoints import Checkpoints
from core.errors import StepFailed
from core.ports import NO_INTERRUPTED_WORK, InterruptedWork


class PlanProgress:
    """Writes outcomes to the checkpoints and applies them to the plan, in this order.

    `on_changed` is called when the plan has advanced. `interrupted` is the interrupted work of agents.
    """

    def __init__(
        self,
        plan: Plan,
        checkpoints: Checkpoints,
        steps: Mapping[str, Step],
        interrupted: Mapping[StepKey, InterruptedWork],
        on_changed: Callable[[], None],
    ) -> None:
        self.prior_attempts: dict[StepKey, PriorAttempt] = {}
        self.finished_iterations: dict[str, list[IterationDone]] = {}
        self._plan = plan
        self._checkpoints = checkpoints
        self._steps = steps
        self._interrupted = interrupted
        self._on_changed = on_changed
        self._iteration_texts: dict[str, dict[int, str]] = {}

    def advance(self, event: PlanEvent) -> None:
        """Apply an event to the plan."""
        self._plan.advance(event)
        self._on_changed()

    def record(self, outcome: CallOutcome) -> None:
        """Write the outcome of a call, and advance the plan."""
        key, step = outcome.call.key, outcome.call.step
        if outcome.is_cancelled:
            work = NO_INTERRUPTED_WORK if outcome.has_acted else self._interrupted_work(key)
            self._checkpoints.step_cancelled(key, work)
            return
        try:
            if outcome.error is not None:
                raise outcome.error
            output_json = encode_output(outcome.output) if outcome.output_json is None else outcome.output_json
        except StepFailed as error:
            info = step_error_info(error, outcome.call)
            self._checkpoints.step_failed(outcome, info)
            self.advance(failure_event(step, key, info))
            return
        self._checkpoints.step_completed(outcome, output_json)
        self._keep_text(key, output_json)
        self.advance(success_event(key, outcome.output))

    def finish_list(self, action: FinishForEach) -> CallOutcome | None:
        """Write the output of a forEach, joined from the texts of its iterations. Returns its failure, unrecorded."""
        step, count = action.step, len(action.outputs)
        call = StepCall(step, StepKey(step.name), None)
        texts = self._iteration_texts.pop(step.name, {})
        size = 1 + sum(len(texts.get(index, "null")) + 1 for index in range(count))
        if action.is_failed:
            return CallOutcome(call, error=joined_failure(step, action.errors))
        if size > LIST_BYTES:
            message = f"the list has {size:,} bytes of JSON; 64 MB can be kept"
            return CallOutcome(call, error=StepFailed("output_too_large", message))
        # not encoded again: the whole list may have 64 MB, and its parts are encoded already
        text = f"[{','.join(texts.get(index, 'null') for index in range(count))}]"
        self._checkpoints.step_completed(CallOutcome(call, output=action.outputs), text)
        self.advance(StepDone(step.name, action.outputs))
        return None

    def restore(self, results: Iterable[StepResult]) -> None:
        """Apply the results of a previous process. Rounds and sub-agents are restored by their agents."""
        for result in results:
            if result.key.round is None and not is_sub_agent(result.key.step):
                self._restore(result)

    def cancel_interrupted(self) -> None:
        """Cancel what a previous process had begun and this process never reached: the run is over."""
        for key in self.prior_attempts:
            self._checkpoints.step_cancelled(key, self._interrupted_work(key))

    def _restore(self, result: StepResult) -> None:
        key, event = result.key, None
        match result.status:
            case StepStatus.RUNNING | StepStatus.RETRYING:
                was_interrupted = result.status is StepStatus.RUNNING
                self.prior_attempts[key] = PriorAttempt(result.attempt, result.attempt_errors, was_interrupted)
                return
            case StepStatus.CANCELLED:  # the process died between this row and the end of the cancelled run
                self._plan.end(Cancelled())
                return
        if result.error is not None:
            event = failure_event(self._steps[key.step], key, result.error)
        elif result.skipped:
            event = StepDone(key.step, None, skipped=True)
        else:
            event = success_event(key, decode(result.output_json or "null"))
        if isinstance(event, IterationDone):
            self.finished_iterations.setdefault(key.step, []).append(event)
            self._keep_text(key, result.output_json)
        else:
            self._checkpoints.keep_output(key.step, result.output_json)
            self._plan.advance(event)

    def _keep_text(self, key: StepKey, output_json: str | None) -> None:
        """Keep the output text of an iteration for `finish_list`."""
        if key.index is not None and output_json is not None:
            self._iteration_texts.setdefault(key.step, {})[key.index] = output_json

    def _interrupted_work(self, key: StepKey) -> InterruptedWork:
        return self._interrupted.get(key, NO_INTERRUPTED_WORK)
