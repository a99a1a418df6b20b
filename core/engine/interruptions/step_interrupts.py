"""The `interrupt` of a step: what is asked before it runs, and what the answer means (ENGINE §8). Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.domain.interruption import Action, Interruption, InterruptionKind, InterruptionRequest, InterruptionStatus
from core.domain.template import Interrupt, Step
from core.engine.plan.dispatch import ForEachItems, Proceed, Skip, StepCall, UserOutput
from core.engine.plan.refs import Scope, as_text, resolve
from core.errors import StepFailed


def build_ask(
    step: Step,
    interrupt: Interrupt,
    decision: StepCall | ForEachItems,
    scope: Scope,
    reads: Mapping[str, Any],
    tool_schema: Any,
) -> InterruptionRequest | None:
    """Return what the step asks; None if nothing is missing, for `tool-input`.

    `reads` are the outputs that the step is about to read. Raises RefFailed for a ref in the prompt or the options.
    """
    schema = interrupt.answer_schema
    arguments = decision.input if isinstance(decision, StepCall) else None
    match interrupt.kind:
        case InterruptionKind.TOOL_INPUT:
            missing = _missing_arguments(tool_schema, arguments)
            if not missing:
                return None
            schema = schema or missing
        case InterruptionKind.LOCAL_EXECUTION:
            schema = schema or step.output_schema
    return InterruptionRequest(
        interrupt.kind,
        step.name,
        prompt=as_text(resolve(interrupt.prompt, scope, "/interrupt/prompt")) if interrupt.prompt is not None else None,
        schema=schema,
        options=resolve(interrupt.options, scope, "/interrupt/options"),
        input=arguments,
        outputs=dict(reads) if interrupt.kind is InterruptionKind.STATE_EDIT else None,
        tool=step.tool_name,
        arguments=arguments if step.tool_name is not None else None,
        timeout_ms=interrupt.timeout_ms,
        default_action=Action(interrupt.default_action),
    )


def apply_answer(
    step: Step, decision: StepCall | ForEachItems, interruption: Interruption
) -> Proceed | UserOutput | Skip:
    """Return what the closed interruption means for the step. Raises StepFailed `rejected`."""
    assert step.interrupt is not None
    assert interruption.answer is not None
    answer = interruption.answer
    if answer.action is Action.REJECT:
        if step.interrupt.on_reject == "skip":
            return Skip(None)
        reason = f": {answer.reason}" if answer.reason else ""
        how = "its time was over" if interruption.status is InterruptionStatus.EXPIRED else "it was rejected"
        raise StepFailed("rejected", f"{step.name} did not run, since {how}{reason}", failed_during="engine")
    if isinstance(decision, ForEachItems):
        return (
            UserOutput(answer.value) if interruption.ask.kind is InterruptionKind.LOCAL_EXECUTION else Proceed(decision)
        )
    recorded = replace(decision, input=interruption.ask.input)
    match interruption.ask.kind:
        case InterruptionKind.LOCAL_EXECUTION:
            return UserOutput(answer.value)
        case InterruptionKind.INPUT_REVIEW if answer.action is Action.SUBMIT:
            return Proceed(replace(decision, input=answer.value))
        case InterruptionKind.TOOL_INPUT:
            return Proceed(replace(decision, input={**interruption.ask.input, **answer.value}))
        case InterruptionKind.STATE_EDIT:  # resolved again after the edit: the recorded input is older
            return Proceed(decision)
        case _:
            return Proceed(recorded)


def _missing_arguments(tool_schema: Any, given: Any) -> Any:
    """Return the schema of the required arguments that are missing, or None."""
    if not isinstance(tool_schema, Mapping) or not isinstance(given, Mapping):
        return None
    names = [name for name in tool_schema.get("required", ()) if name not in given]
    if not names:
        return None
    known = tool_schema.get("properties", {})
    return {"type": "object", "properties": {name: known.get(name, {}) for name in names}, "required": names}
