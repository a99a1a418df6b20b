"""The outcome of a call, and what it means for its step and for the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.run import ErrorInfo, StepKey
from core.domain.template import AgentAction, CodeAction, OnError, Step, ToolAction
from core.domain.tool import Effect
from core.engine.plan.dispatch import StepCall
from core.engine.plan.planner import IterationDone, StepDone, StepFailedRun
from core.errors import CodeFailed, RefFailed, StepFailed

FATAL_CODES = frozenset({"outcome_unknown", "rejected"})


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of a call: an output, an error, or cancelled. `errors` are those of the earlier attempts.

    `output_json` is the output as text, if it was already encoded. `has_acted`: an attempt was started in this process.
    `is_instant`: the call ended at once, and its start has not been published.
    """

    call: StepCall
    effect: Effect = Effect.NONE
    output: Any = None
    output_json: str | None = None
    error: StepFailed | None = None
    is_cancelled: bool = False
    attempt: int = 1
    errors: tuple[ErrorInfo, ...] = ()
    has_acted: bool = True
    is_instant: bool = False


def success_event(key: StepKey, output: Any) -> StepDone | IterationDone:
    """Return the plan event of a successful call."""
    return StepDone(key.step, output) if key.index is None else IterationDone(key.step, key.index, output)


def failure_event(step: Step, key: StepKey, error: ErrorInfo) -> StepDone | StepFailedRun | IterationDone:
    """Return the plan event of a failed call.

    A rejection and an unknown outcome end the run regardless of `onError`.
    """
    if error.code in FATAL_CODES:
        return StepFailedRun(key.step, error)
    if key.index is not None:
        return IterationDone(key.step, key.index, error=error)
    if step.config.on_error is OnError.CONTINUE:
        return StepDone(key.step, None, failed=True)
    return StepFailedRun(key.step, error)


def joined_failure(step: Step, errors: Sequence[tuple[int, ErrorInfo]]) -> StepFailed:
    """Return the failure of a forEach, which joins the errors of its iterations."""
    messages = "; ".join(f"{step.name}[{index}]: {error.message}" for index, error in errors[:20])
    first = errors[0][1]
    return StepFailed(first.code, messages, failed_during=first.failed_during, tool_name=first.tool_name)


def step_error_info(error: StepFailed, call: StepCall) -> ErrorInfo:
    """Return the stored form of a step's error, with its location (ENGINE §13) and without secrets."""
    parameters = dict(error.parameters)
    during = parameters.pop("failed_during", None)
    tool = parameters.pop("tool_name", None)
    match call.step.action:
        case _ if isinstance(error, RefFailed):
            usual = "engine"
        case _ if isinstance(error, CodeFailed):
            usual = "code"
        case ToolAction(tool_name=name):
            usual, tool = "tool_execution", tool or name
        case CodeAction():
            usual = "code"
        case AgentAction():  # its own time limit may run out in a call as well as in an answer
            usual = "engine" if error.code == "timeout" else "model"
        case _:
            usual = "engine"
    return ErrorInfo(error.code, error.message, str(call.key), during or usual, tool, parameters).masked()
