"""Answers to interruptions: which interruption an answer is for, and whether its value fits (ENGINE §8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.access import access_scopes
from core.domain.command_rules import OfferedRule
from core.domain.ids import InterruptionId
from core.domain.input_schema import misformatted_properties
from core.domain.interruption import (
    APPROVAL_SCOPES,
    CLOSED_STATUS,
    PREFIX_SCOPE,
    Action,
    Answer,
    Interruption,
    InterruptionKind,
)
from core.domain.sub_agent import location_of
from core.domain.template import Step
from core.domain.text.json_text import encode_output, parse_pointer, pointer_to, value_at, with_value_at
from core.errors import Refused, StepFailed
from core.ports import Schemas, Violation, describe_violations

_NO_ARGUMENTS = "submit an object of arguments"
_NO_EDITS = "submit a list of {path, value}"


@dataclass(frozen=True, slots=True)
class StatePatch:
    """A change of an output at `path` (`/step/field…`): the previous value and the new value."""

    step: str
    path: str
    old: Any
    new: Any


def select_interruption(
    raised: Sequence[Interruption], wanted: InterruptionId | None, step: str | None
) -> Interruption:
    """Return the interruption that an answer is for: by its id, by its step, or the only open one.

    Raises Refused: `not_found`, `already_answered`, `nothing_open`, `which_interruption` with the open interruptions.
    """
    candidates = [
        known for known in raised if (known.id == wanted if wanted is not None else _is_raised_at(known, step))
    ]
    open_candidates = [candidate for candidate in candidates if candidate.is_open]
    if len(open_candidates) == 1:
        return open_candidates[0]
    listed = [{"id": known.id, "step": known.ask.step, "kind": known.ask.kind} for known in raised if known.is_open]
    if open_candidates:
        raise Refused("which_interruption", f"{len(open_candidates)} are open: name one by its id", open=listed)
    if wanted is not None and not candidates:
        raise Refused("not_found", f"the run has no interruption {wanted!r}", kind="interruption", name=wanted)
    if candidates and (wanted is not None or step is not None):
        raise already_answered(candidates[-1])
    raise Refused("nothing_open", "no interruption waits for such an answer", open=listed)


def _is_raised_at(interruption: Interruption, step: str | None) -> bool:
    """Return whether the interruption was raised at the step, by the step itself or by a sub-agent of it.

    `step` may also be the id of a sub-agent; None matches every interruption.
    """
    return step in (None, interruption.ask.step, location_of(interruption.ask.step).step)


def already_answered(interruption: Interruption) -> Refused:
    message = f"the interruption of {interruption.ask.step!r} is closed already: {interruption.status}"
    return Refused("already_answered", message, id=interruption.id, status=interruption.status)


async def validate_answer(
    interruption: Interruption, answer: Answer, step: Step, tool_schema: Any, schemas: Schemas
) -> None:
    """Raise Refused `bad_answer` unless the answer fits the kind of the interruption and its schema.

    The violations of a schema are parameters of the error.
    """
    kind, value = interruption.ask.kind, answer.value
    if answer.action not in CLOSED_STATUS[kind]:
        accepted = ", ".join(CLOSED_STATUS[kind])
        raise _bad_answer(f"{kind} takes {accepted}, not {answer.action}")
    if answer.action is Action.APPROVE:
        scopes = _scopes(interruption)
        if value is not None and value not in scopes:
            accepted = f"{', '.join(scopes)}, or absent" if scopes else "absent"
            raise _bad_answer(f"the value of approve is {accepted}")
        return
    if answer.action is not Action.SUBMIT:
        return
    try:
        encode_output(value)
    except StepFailed as error:
        raise _bad_answer(error.message) from None
    match kind:
        case InterruptionKind.INPUT_REVIEW | InterruptionKind.QUESTION | InterruptionKind.OUTCOME:
            await _require_valid(value, interruption.ask.schema, schemas)
        case InterruptionKind.ELICITATION:
            await _require_valid(value, interruption.ask.schema, schemas)
            # the schemas take a format for an annotation, but a server may rely on it
            if wrong := misformatted_properties(interruption.ask.schema, value):
                violations = [Violation(pointer_to(name), f"expected the format {wrong[name]}") for name in wrong]
                raise _bad_answer(*describe_violations(violations, "the answer"))
        case InterruptionKind.TOOL_INPUT:
            if not isinstance(value, Mapping):
                raise _bad_answer(_NO_ARGUMENTS)
            await _require_valid({**interruption.ask.input, **value}, tool_schema, schemas)
        case InterruptionKind.LOCAL_EXECUTION:
            await _require_valid(
                value, interruption.ask.schema if step.output_schema is None else step.output_schema, schemas
            )
        case InterruptionKind.TOOL_APPROVAL:
            if not isinstance(value, Mapping):
                raise _bad_answer(_NO_ARGUMENTS)
            await _require_valid(value, tool_schema, schemas)


def _scopes(interruption: Interruption) -> Sequence[str]:
    """Return the scopes that an approval can have."""
    if interruption.ask.kind in (InterruptionKind.OUTCOME, InterruptionKind.ROUNDS, InterruptionKind.SPENDING):
        return ()
    if interruption.ask.kind is InterruptionKind.ACCESS:
        return access_scopes(interruption.ask.options)
    rule = OfferedRule.parse(interruption.ask.options)
    return (*APPROVAL_SCOPES, PREFIX_SCOPE) if rule is not None and rule.prefix else APPROVAL_SCOPES


def state_patches(interruption: Interruption, answer: Answer) -> tuple[list[StatePatch], dict[str, Any]]:
    """Return the changes of a state edit, and the edited outputs by step. Raises Refused `bad_answer`."""
    if not isinstance(answer.value, Sequence) or isinstance(answer.value, str):
        raise _bad_answer(_NO_EDITS)
    outputs: dict[str, Any] = {}
    changes = []
    for edit in answer.value:
        if not isinstance(edit, Mapping) or set(edit) != {"path", "value"} or not isinstance(edit["path"], str):
            raise _bad_answer(_NO_EDITS)
        step, *parts = _pointer_parts(edit["path"])
        path, new = edit["path"], edit["value"]
        shown = interruption.ask.outputs or {}
        if step not in shown:
            raise _bad_answer(f"{path} begins with no step whose output is read here: {', '.join(shown)}")
        whole = outputs.get(step, shown[step])
        try:
            outputs[step] = with_value_at(whole, parts, new)
        except LookupError:
            raise _bad_answer(f"there is nothing at {path}") from None
        changes.append(StatePatch(step, path, _previous_value(whole, parts), new))
    for output in outputs.values():
        try:
            encode_output(output)
        except StepFailed as error:
            raise _bad_answer(error.message) from None
    return changes, outputs


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
