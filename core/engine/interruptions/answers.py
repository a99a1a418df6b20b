"""Answers to interruptions: which interruption an answer is for, and whether its value fits (ENGINE §8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.ids import InterruptionId
from core.domain.interruption import APPROVAL_SCOPES, CLOSED_STATUS, Action, Answer, Interruption, InterruptionKind
from core.domain.sub_agent import location_of
from core.domain.template import Step
from core.domain.text.json_text import encode_output, parse_pointer, value_at, with_value_at
from core.errors import Refused, StepFailed
from core.ports.sandbox import Schemas, describe_violations


@dataclass(frozen=True, slots=True)
class StatePatch:
    """A change of an output at `path` (`/step/field…`): the previous value and the new value."""

    step: str
    path: str
    old: Any
    new: Any


def select_interruption(known: Sequence[Interruption], wanted: InterruptionId | None, step: str | None) -> Interruption:
    """Return the interruption that an answer is for: by its id, by its step, or the only open one.

    Raises Refused: `not_found`, `already_answered`, `nothing_open`, `which_interruption` with the open interruptions.
    """
    named = [one for one in known if (one.id == wanted if wanted is not None else _is_raised_at(one, step))]
    waiting = [one for one in named if one.is_open]
    if len(waiting) == 1:
        return waiting[0]
    told = [{"id": one.id, "step": one.ask.step, "kind": one.ask.kind} for one in known if one.is_open]
    if waiting:
        raise Refused("which_interruption", f"{len(waiting)} are open: name one by its id", open=told)
    if wanted is not None and not named:
        raise Refused("not_found", f"the run has no interruption {wanted!r}", kind="interruption", name=wanted)
    if named and (wanted is not None or step is not None):
        raise already_answered(named[-1])
    raise Refused("nothing_open", "nothing waits for such an answer", open=told)


def _is_raised_at(one: Interruption, step: str | None) -> bool:
    """Return whether the interruption was raised at the step, by the step itself or by a sub-agent of it.

    `step` may also be the id of a sub-agent; None matches every interruption.
    """
    return step in (None, one.ask.step, location_of(one.ask.step).step)


def already_answered(found: Interruption) -> Refused:
    message = f"the interruption of {found.ask.step!r} is closed already: {found.status}"
    return Refused("already_answered", message, id=found.id, status=found.status)


async def validate_answer(found: Interruption, answer: Answer, step: Step, tool_schema: Any, schemas: Schemas) -> None:
    """Raise Refused `bad_answer` unless the answer fits the kind of the interruption and its schema.

    The violations of a schema are parameters of the error.
    """
    kind, value = found.ask.kind, answer.value
    if answer.action not in CLOSED_STATUS[kind]:
        taken = ", ".join(CLOSED_STATUS[kind])
        raise _bad_answer(f"{kind} takes {taken}, not {answer.action}")
    if answer.action is Action.APPROVE:
        if value is not None and (kind is InterruptionKind.OUTCOME or value not in APPROVAL_SCOPES):
            raise _bad_answer(f"the value of approve is {', '.join(APPROVAL_SCOPES)}, or absent")
        return
    if answer.action is not Action.SUBMIT:
        return
    try:
        encode_output(value)
    except StepFailed as error:
        raise _bad_answer(error.message) from None
    match kind:
        case InterruptionKind.INPUT_REVIEW | InterruptionKind.QUESTION | InterruptionKind.OUTCOME:
            await _require_valid(value, found.ask.schema, schemas)
        case InterruptionKind.TOOL_INPUT:
            if not isinstance(value, Mapping):
                raise _bad_answer("what is submitted is an object of arguments")
            await _require_valid({**found.ask.input, **value}, tool_schema, schemas)
        case InterruptionKind.LOCAL_EXECUTION:
            await _require_valid(value, found.ask.schema if step.output_schema is None else step.output_schema, schemas)
        case InterruptionKind.TOOL_APPROVAL:
            if not isinstance(value, Mapping):
                raise _bad_answer("what is submitted is an object of arguments")
            await _require_valid(value, tool_schema, schemas)


def state_patches(found: Interruption, answer: Answer) -> tuple[list[StatePatch], dict[str, Any]]:
    """Return the changes of a state edit, and the edited outputs by step. Raises Refused `bad_answer`."""
    if not isinstance(answer.value, Sequence) or isinstance(answer.value, str):
        raise _bad_answer("what is submitted is a list of {path, value}")
    outputs: dict[str, Any] = {}
    made = []
    for one in answer.value:
        if not isinstance(one, Mapping) or set(one) != {"path", "value"} or not isinstance(one["path"], str):
            raise _bad_answer("what is submitted is a list of {path, value}")
        step, *parts = _pointer_parts(one["path"])
        path, new = one["path"], one["value"]
        shown = found.ask.outputs or {}
        if step not in shown:
            raise _bad_answer(f"{path} begins with no step whose output is read here: {', '.join(shown)}")
        whole = outputs.get(step, shown[step])
        try:
            outputs[step] = with_value_at(whole, parts, new)
        except LookupError:
            raise _bad_answer(f"there is nothing at {path}") from None
        made.append(StatePatch(step, path, _previous_value(whole, parts), new))
    for output in outputs.values():
        try:
            encode_output(output)
        except StepFailed as error:
            raise _bad_answer(error.message) from None
    return made, outputs


def _pointer_parts(path: str) -> list[str]:
    try:
        return parse_pointer(path)
    except ValueError as error:
        raise _bad_answer(str(error)) from None


def _previous_value(whole: Any, parts: Sequence[str]) -> Any:
    """Return the value at the path before the edit; None where the edit adds a key to a mapping."""
    try:
        return value_at(whole, parts)
    except LookupError:
        return None


async def _require_valid(value: Any, schema: Any, schemas: Schemas) -> None:
    if schema is None:
        return
    violations = await schemas.violations(schema, value)
    if violations:
        raise _bad_answer(*describe_violations(violations, "the answer"))


def _bad_answer(message: str, violations: Sequence[Mapping[str, str]] = ()) -> Refused:
    more = {"violations": list(violations)} if violations else {}
    return Refused("bad_answer", message, **more)
