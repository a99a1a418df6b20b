"""Builds a template from a recording: what can be decided, and the result of the decisions (ENGINE §11). Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.domain.recording import RecordedStep, Recording
from core.domain.template import FORMAT
from core.domain.text.json_text import with_value_at
from core.domain.text.masking import MASK, contains_mask, masked
from core.domain.tool import Effect
from core.engine.plan.refs import ROOTS, RefOccurrence, Scope, as_text, escape_refs, find_refs, look_up, replace_refs
from core.errors import RefFailed, Refused
from core.recording.ref_suggestions import RefSuggestion, step_pointer, suggest_refs
from core.recording.step_selection import OmissionReason, StepSelection, drop_unused, select_steps

ACCEPT_ALL = "all"
MAX_TITLE_LENGTH = 256
MAX_EXAMPLE_LENGTH = 200


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The user's options: accepted suggestions (their paths, or `ACCEPT_ALL`), steps to include, steps to exclude.

    Without a `title` the template gets the title of its workflow.
    """

    accept: Collection[str] | str = ()
    title: str | None = None
    description: str | None = None
    include: Collection[str] = ()
    exclude: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class ExportPreview:
    """What an export would contain. `masked` are the places of secrets that were not stored."""

    selection: StepSelection
    offers: Sequence[RefSuggestion]
    masked: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        return {
            "steps": [step.name for step in self.selection.steps],
            "left_out": [{"step": name, "reason": reason} for name, reason in self.selection.left_out.items()],
            "offers": [offer.as_dict() for offer in self.offers],
            "masked": list(self.masked),
        }


@dataclass(frozen=True, slots=True)
class BuiltTemplate:
    """A template in its file form. `masked` are the places of secrets that it lacks."""

    template: dict[str, Any]
    left_out: Mapping[str, OmissionReason]
    masked: Sequence[str]


@dataclass(slots=True)
class _InputSchema:
    """The input of the template: its values in the recording, and the schema that grows with each ref."""

    values: dict[str, Any]
    schema: dict[str, Any] = field(default_factory=lambda: {"type": "object"})

    def add(self, found: RefOccurrence) -> None:
        """Extend the schema by the key that the ref reads."""
        schema: dict[str, Any] = self.schema
        value: Any = self.values
        for key in found.ref.keys:
            if not isinstance(value, dict):
                return
            value = value.get(key)
            known = schema.setdefault("properties", {}).setdefault(key, _example_schema(key, value))
            if not found.ref.optional and key not in schema.setdefault("required", []):
                schema["required"].append(key)
            schema = known


def preview_export(recording: Recording, messages: Sequence[str], wishes: ExportOptions | None = None) -> ExportPreview:
    """Return what there is to decide. Raises Refused `bad_input`."""
    wishes = wishes or ExportOptions()
    found = select_steps(list(recording.steps.values()), wishes.include, wishes.exclude)
    offered = suggest_refs(found.steps, recording.input, messages)
    shown = drop_unused(found, [step.recorded_arguments for step in found.steps], wishes.include)
    lacking = [step_pointer(step.name, keys) for step in shown.steps for keys in _masked_paths(step.recorded_arguments)]
    return ExportPreview(shown, offered, lacking)


def build_template(recording: Recording, messages: Sequence[str], title: str, wishes: ExportOptions) -> BuiltTemplate:
    """Return the template. Raises Refused: `empty_recording`, `bad_input`."""
    found = select_steps(list(recording.steps.values()), wishes.include, wishes.exclude)
    if not any(step.tool is not None for step in found.steps):
        raise Refused(
            "empty_recording", "there is no step that a template could be made of", left_out=_omissions(found)
        )
    accepted = _accepted_suggestions(suggest_refs(found.steps, recording.input, messages), wishes.accept)
    given = _InputSchema(dict(recording.input))
    for offer in accepted:
        if offer.key is not None:
            given.values[offer.key] = offer.value
    inputs = {step.name: _step_input(step, recording, found, accepted) for step in found.steps}
    found = drop_unused(found, inputs.values(), wishes.include)
    for step in found.steps:
        for ref in find_refs(inputs[step.name]):
            if ref.ref.root == "input":
                given.add(ref)
    steps = _template_steps(found.steps, inputs)
    template: dict[str, Any] = {"format": FORMAT, "title": title}
    if wishes.description:
        template["description"] = wishes.description
    if len(given.schema) > 1:
        template["inputSchema"] = given.schema
    lacking = [step_pointer(step.name, keys) for step in found.steps for keys in _masked_paths(inputs[step.name])]
    return BuiltTemplate({**template, "steps": steps}, found.left_out, lacking)


def _omissions(found: StepSelection) -> list[dict[str, str]]:
    return [{"step": name, "reason": str(reason)} for name, reason in found.left_out.items()]


def _accepted_suggestions(offered: Sequence[RefSuggestion], accept: Collection[str] | str) -> list[RefSuggestion]:
    """Return the accepted suggestions. Raises Refused `bad_input` for paths without a suggestion."""
    if isinstance(accept, str):
        accept = [offer.path for offer in offered] if accept == ACCEPT_ALL else [accept]
    if ACCEPT_ALL in accept:
        return list(offered)
    if unknown := sorted(set(accept) - {offer.path for offer in offered}):
        message = f"nothing is offered at {', '.join(unknown)}"
        raise Refused("bad_input", message, paths=unknown, offered=[offer.path for offer in offered])
    return [offer for offer in offered if offer.path in accept]


# The arguments of a step


def _step_input(
    step: RecordedStep, recording: Recording, selection: StepSelection, accepted: Sequence[RefSuggestion]
) -> Any:
    """Return the arguments of a step in the template.

    Accepted refs replace literals, refs to omitted steps are replaced by their twins or values, and texts that would
    become refs through the names of later steps are escaped.
    """
    if step.tool is None:
        return escape_refs(masked(step.output))
    written = step.recorded_arguments if isinstance(step.recorded_arguments, dict) else {}
    kept = {one.name for one in selection.steps}
    before = set(_completed_before(step, recording))

    def change(found: RefOccurrence) -> Any:
        ref = found.ref
        if ref.root in ROOTS or (ref.root in before and ref.root in kept):
            return _ref_source(found)
        if ref.root in before and ref.root in selection.twins:
            return _ref_source(found, selection.twins[ref.root])
        if ref.root in before:
            return _ref_value(found, recording)
        return _ref_source(found) if found.is_whole else f"@{ref.text}"  # a word of the text

    value = replace_refs(written, change)
    for offer in accepted:
        if offer.step == step.name:
            value = with_value_at(value, [str(key) for key in offer.keys], offer.ref)
    return value


def _completed_before(step: RecordedStep, recording: Recording) -> list[str]:
    names = list(recording.steps)
    return [name for name in names[: names.index(step.name)] if recording.steps[name].is_completed]


def _ref_source(found: RefOccurrence, root: str | None = None) -> str:
    ref = found.ref
    text = ref.text if root is None else f"@{root}{ref.text[1 + len(ref.root) :]}"
    return f"{text}?" if ref.optional else text


def _ref_value(found: RefOccurrence, recording: Recording) -> Any:
    """Return the value of a ref to an omitted step, without secrets."""
    root = found.ref.root
    try:
        value = look_up(found.ref, Scope(recording.input, {root: masked(recording.outputs[root])}))
    except RefFailed:
        value = None
    return escape_refs(value) if found.is_whole else escape_refs(as_text(value))


def _masked_paths(value: Any, keys: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the paths at which secrets were masked."""
    if isinstance(value, dict):
        return [place for key, part in value.items() for place in _masked_paths(part, (*keys, key))]
    if isinstance(value, list):
        return [place for at, part in enumerate(value) for place in _masked_paths(part, (*keys, at))]
    return [keys] if isinstance(value, str) and MASK in value else []


# The steps


def _template_steps(kept: Sequence[RecordedStep], inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the steps in the order of their calls.

    A step with effects keeps its place among all others; the result of the last call is the result of the template.
    """
    names = {step.name for step in kept}
    made: list[dict[str, Any]] = []
    awaited: set[str] = set()
    above: dict[str, set[str]] = {}
    last_effect: str | None = None
    since: list[str] = []
    for step in kept:
        read = {found.ref.root for found in find_refs(inputs[step.name])} & names
        if step.tool is None or step.effect is Effect.NONE:
            before = [last_effect] if last_effect is not None and step.tool is not None else []
        else:
            before = since or ([last_effect] if last_effect is not None else [])
        direct = read | set(before)
        implied = {name for one in direct for name in above.get(one, ())}  # a failed call may name later ones
        waits = [name for name in before if name not in read | implied]
        above[step.name] = direct | implied
        made.append(_template_step(step, inputs[step.name], waits))
        awaited |= read | set(waits)
        if step.tool is None:
            continue
        if step.effect is Effect.NONE:
            since.append(step.name)
        else:
            last_effect, since = step.name, []
    last = next(step.name for step in reversed(kept) if step.tool is not None)
    others = [step.name for step in kept if step.name not in awaited and step.name != last]
    if others:
        result = {"name": _unique_name("result", names), "action": {"return": True}, "input": f"@{last}"}
        made.append({**result, "dependsOn": others})
    return made


def _template_step(step: RecordedStep, value: Any, waits: Sequence[str]) -> dict[str, Any]:
    action: dict[str, Any] = {"set": True} if step.tool is None else {"toolName": step.tool}
    made: dict[str, Any] = {"name": step.name, "action": action, "input": value}
    if contains_mask(value):
        places = ", ".join(step_pointer("", keys)[1:] or "/" for keys in _masked_paths(value))
        made["description"] = f"A secret was not kept: give it at {places} before this runs."
    return {**made, "dependsOn": list(waits)} if waits else made


def _unique_name(name: str, taken: Collection[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _example_schema(key: str, value: Any) -> dict[str, Any]:
    """Return the schema of a value, with the value as an example if it is short and no secret."""
    match value:
        case bool():
            kind = "boolean"
        case int() | float():
            kind = "number"
        case str():
            kind = "string"
        case dict() | list():
            return {"type": "object" if isinstance(value, dict) else "array"}
        case _:
            return {}
    is_told = (
        masked({key: value}) == {key: value} and not contains_mask(value) and len(str(value)) <= MAX_EXAMPLE_LENGTH
    )
    return {"type": kind, "examples": [value]} if is_told else {"type": kind}
