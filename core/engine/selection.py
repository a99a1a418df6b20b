"""Which recorded steps become those of a template, and what becomes of refs to those that do not (ENGINE §11). Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.domain.json_text import encode
from core.domain.recording import RecordedStep
from core.domain.step import StepStatus
from core.domain.tool import Effect
from core.engine.refs import find_refs
from core.errors import Refused


class Reason(StrEnum):
    """Why a step is left out."""

    FAILED = "failed"
    UNFINISHED = "unfinished"
    REPEATED = "repeated"
    UNUSED = "unused"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class Selection:
    """`steps` in the order of their calls. `twins`: repeated step → the one that stands for it."""

    steps: Sequence[RecordedStep]
    left_out: Mapping[str, Reason]
    twins: Mapping[str, str]


def select(steps: Sequence[RecordedStep], include: Collection[str] = (), exclude: Collection[str] = ()) -> Selection:
    """What a template is made of: every call that went well, each once; and those that are chosen.

    A call is repeated if one before it had the same arguments and the same result, and no other effect came between.
    Raises Refused `bad_input` for names of no steps, or of both lists.
    """
    known = {step.name for step in steps}
    if unknown := sorted((set(include) | set(exclude)) - known):
        raise Refused("bad_input", f"the recording has no step {', '.join(unknown)}", steps=unknown)
    if both := sorted(set(include) & set(exclude)):
        raise Refused("bad_input", f"{', '.join(both)} cannot be both in and out", steps=both)
    kept: list[RecordedStep] = []
    left_out: dict[str, Reason] = {}
    twins: dict[str, str] = {}
    for step in steps:
        reason = _reason(step, kept, twins)
        if step.name in exclude:
            left_out[step.name] = Reason.EXCLUDED
        elif reason is None or step.name in include:
            kept.append(step)
            twins.pop(step.name, None)
        else:
            left_out[step.name] = reason
    return Selection(kept, left_out, twins)


def without_unused(found: Selection, arguments: Iterable[Any], include: Collection[str] = ()) -> Selection:
    """The selection without data that a name was given, and that no ref in the arguments reads."""
    used = {one.ref.root for value in arguments for one in find_refs(value)} | set(include)
    unused = {step.name: Reason.UNUSED for step in found.steps if step.tool is None and step.name not in used}
    steps = [step for step in found.steps if step.name not in unused]
    return Selection(steps, {**found.left_out, **unused}, found.twins)


def _reason(step: RecordedStep, kept: Sequence[RecordedStep], twins: dict[str, str]) -> Reason | None:
    if step.status is StepStatus.RUNNING:
        return Reason.UNFINISHED
    if not step.is_completed:
        return Reason.FAILED
    if step.tool is None:
        return None
    call = _call_of(step)
    for earlier in reversed(kept):
        if earlier.is_completed and _call_of(earlier) == call:
            twins[step.name] = earlier.name
            return Reason.REPEATED
        if earlier.effect is not Effect.NONE:
            return None
    return None


def _call_of(step: RecordedStep) -> tuple[str | None, str, str]:
    return step.tool, encode(step.resolved), encode(step.output)
