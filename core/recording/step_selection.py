"""Selects the recorded steps of a template (ENGINE §11). Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.domain.recording import RecordedStep
from core.domain.run import StepStatus
from core.domain.text.json_text import encode
from core.domain.tool import Effect
from core.engine.plan.refs import find_refs
from core.errors import Refused


class OmissionReason(StrEnum):
    """Why a step is omitted."""

    FAILED = "failed"
    UNFINISHED = "unfinished"
    REPEATED = "repeated"
    UNUSED = "unused"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class StepSelection:
    """The selected steps in the order of their calls. `twins` maps a repeated step to the step that stands for it."""

    steps: Sequence[RecordedStep]
    left_out: Mapping[str, OmissionReason]
    twins: Mapping[str, str]


def select_steps(
    steps: Sequence[RecordedStep], include: Collection[str] = (), exclude: Collection[str] = ()
) -> StepSelection:
    """Return the steps of the template: every successful call once, and the steps that `include` names.

    A call is repeated if an earlier call had the same arguments and result, and no call with effects came between.
    Raises Refused `bad_input` for unknown names, and for names in both lists.
    """
    names = {step.name for step in steps}
    if unknown := sorted((set(include) | set(exclude)) - names):
        raise Refused("bad_input", f"the recording has no step {', '.join(unknown)}", steps=unknown)
    if both := sorted(set(include) & set(exclude)):
        raise Refused("bad_input", f"{', '.join(both)} cannot be both in and out", steps=both)
    selected: list[RecordedStep] = []
    omitted: dict[str, OmissionReason] = {}
    twins: dict[str, str] = {}
    for step in steps:
        reason = _omission_reason(step, selected, twins)
        if step.name in exclude:
            omitted[step.name] = OmissionReason.EXCLUDED
        elif reason is None or step.name in include:
            selected.append(step)
            twins.pop(step.name, None)
        else:
            omitted[step.name] = reason
    return StepSelection(selected, omitted, twins)


def drop_unused(selection: StepSelection, arguments: Iterable[Any], include: Collection[str] = ()) -> StepSelection:
    """Return the selection without data that was given a name and is read by no ref in the arguments."""
    used = {occurrence.ref.root for value in arguments for occurrence in find_refs(value)} | set(include)
    unused = {
        step.name: OmissionReason.UNUSED for step in selection.steps if step.tool is None and step.name not in used
    }
    steps = [step for step in selection.steps if step.name not in unused]
    return StepSelection(steps, {**selection.left_out, **unused}, selection.twins)


def _omission_reason(
    step: RecordedStep, selected: Sequence[RecordedStep], twins: dict[str, str]
) -> OmissionReason | None:
    if step.status is StepStatus.RUNNING:
        return OmissionReason.UNFINISHED
    if not step.is_completed:
        return OmissionReason.FAILED
    if step.tool is None:
        return None
    call = _call_identity(step)
    for earlier in reversed(selected):
        if earlier.is_completed and _call_identity(earlier) == call:
            twins[step.name] = earlier.name
            return OmissionReason.REPEATED
        if earlier.effect is not Effect.NONE:
            return None
    return None


def _call_identity(step: RecordedStep) -> tuple[str | None, str, str]:
    return step.tool, encode(step.resolved_arguments), encode(step.output)
