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

    def add(self, occurrence: RefOccurrence) -> None:
        """Extend the schema by the key that the ref reads."""
        schema: dict[str, Any] = self.schema
        value: Any = self.values
        for key in occurrence.ref.keys:
            if not isinstance(value, dict):
                return
            value = value.get(key)
            property_schema = schema.setdefault("properties", {}).setdefault(key, _example_schema(key, value))
            if not occurrence.ref.optional and key not in schema.setdefault("required", []):
                schema["required"].append(key)
            schema = property_schema


def preview_export(
    recording: Recording, messages: Sequence[str], options: ExportOptions | None = None
) -> ExportPreview:
    """Return what there is to decide. Raises Refused `bad_input`."""
    options = options or ExportOptions()
    selection = select_steps(list(recording.steps.values()), options.include, options.exclude)
    suggestions = suggest_refs(selection.steps, recording.input, messages)
    used = drop_unused(selection, [step.recorded_arguments for step in selection.steps], options.include)
    secrets = [step_pointer(step.name, keys) for step in used.steps for keys in _masked_paths(step.recorded_arguments)]
    return ExportPreview(used, suggestions, secrets)


def build_template(recording: Recording, messages: Sequence[str], title: str, options: ExportOptions) -> BuiltTemplate:
    """Return the template. Raises Refused: `empty_recording`, `bad_input`."""
    selection = select_steps(list(recording.steps.values()), options.include, options.exclude)
    if not any(step.tool is not None for step in selection.steps):
        raise Refused("empty_recording", "the recording has no step for a template", left_out=_omissions(selection))
    accepted = _accepted_suggestions(suggest_refs(selection.steps, recording.input, messages), options.accept)
    schema = _InputSchema(dict(recording.input))
    for suggestion in accepted:
        if suggestion.key is not None:
            schema.values[suggestion.key] = suggestion.value
    inputs = {step.name: _step_input(step, recording, selection, accepted) for step in selection.steps}
    selection = drop_unused(selection, inputs.values(), options.include)
    for step in selection.steps:
        for occurrence in find_refs(inputs[step.name]):
            if occurrence.ref.root == "input":
                schema.add(occurrence)
    steps = _template_steps(selection.steps, inputs)
    template: dict[str, Any] = {"format": FORMAT, "title": title}
    if options.description:
        template["description"] = options.description
    if len(schema.schema) > 1:
        template["inputSchema"] = schema.schema
    secrets = [step_pointer(step.name, keys) for step in selection.steps for keys in _masked_paths(inputs[step.name])]
    return BuiltTemplate({**template, "steps": steps}, selection.left_out, secrets)


def _omissions(selection: StepSelection) -> list[dict[str, str]]:
    return [{"step": name, "reason": str(reason)} for name, reason in selection.left_out.items()]


def _accepted_suggestions(suggestions: Sequence[RefSuggestion], accept: Collection[str] | str) -> list[RefSuggestion]:
    """Return the accepted suggestions. Raises Refused `bad_input` for paths without a suggestion."""
    if isinstance(accept, str):
        accept = [suggestion.path for suggestion in suggestions] if accept == ACCEPT_ALL else [accept]
    if ACCEPT_ALL in accept:
        return list(suggestions)
    if unknown := sorted(set(accept) - {suggestion.path for suggestion in suggestions}):
        message = f"no suggestion at {', '.join(unknown)}"
        raise Refused("bad_input", message, paths=unknown, suggestions=[suggestion.path for suggestion in suggestions])
    return [suggestion for suggestion in suggestions if suggestion.path in accept]


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
    arguments = step.recorded_arguments if isinstance(step.recorded_arguments, dict) else {}
    selected = {other.name for other in selection.steps}
    before = set(_completed_before(step, recording))

    def change(occurrence: RefOccurrence) -> Any:
        ref = occurrence.ref
        if ref.root in ROOTS or (ref.root in before and ref.root in selected):
            return _ref_source(occurrence)
        if ref.root in before and ref.root in selection.twins:
            return _ref_source(occurrence, selection.twins[ref.root])
        if ref.root in before:
            return _ref_value(occurrence, recording)
        return (
            _ref_source(occurrence) if occurrence.is_whole else f"@{ref.text}"
        )  # a word of the text, such as an e-mail address

    value = replace_refs(arguments, change)
    for suggestion in accepted:
        if suggestion.step == step.name:
            value = with_value_at(value, [str(key) for key in suggestion.keys], suggestion.ref)
    return value


def _completed_before(step: RecordedStep, recording: Recording) -> list[str]:
    names = list(recording.steps)
    return [name for name in names[: names.index(step.name)] if recording.steps[name].is_completed]


def _ref_source(occurrence: RefOccurrence, root: str | None = None) -> str:
    ref = occurrence.ref
    text = ref.text if root is None else f"@{root}{ref.text[1 + len(ref.root) :]}"
    return f"{text}?" if ref.optional else text


def _ref_value(occurrence: RefOccurrence, recording: Recording) -> Any:
    """Return the value of a ref to an omitted step, without secrets."""
    root = occurrence.ref.root
    try:
        value = look_up(occurrence.ref, Scope(recording.input, {root: masked(recording.outputs[root])}))
    except RefFailed:
        value = None
    return escape_refs(value) if occurrence.is_whole else escape_refs(as_text(value))


def _masked_paths(value: Any, keys: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the paths at which secrets were masked."""
    if isinstance(value, dict):
        return [path for key, part in value.items() for path in _masked_paths(part, (*keys, key))]
    if isinstance(value, list):
        return [path for index, part in enumerate(value) for path in _masked_paths(part, (*keys, index))]
    return [keys] if isinstance(value, str) and MASK in value else []


# The steps


def _template_steps(selected: Sequence[RecordedStep], inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the steps in the order of their calls.

    A step with effects keeps its place among all others; the result of the last call is the result of the template.
    """
    names = {step.name for step in selected}
    steps: list[dict[str, Any]] = []
    awaited: set[str] = set()
    ancestors: dict[str, set[str]] = {}
    last_effect: str | None = None
    since_effect: list[str] = []
    for step in selected:
        reads = {occurrence.ref.root for occurrence in find_refs(inputs[step.name])} & names
        # an effect waits for all calls since the last effect, and other calls for that effect: the order of the calls
        # is kept as far as it may matter, and no more, so that the rest can run in parallel
        if step.tool is None or step.effect is Effect.NONE:
            effects_before = [last_effect] if last_effect is not None and step.tool is not None else []
        else:
            effects_before = since_effect or ([last_effect] if last_effect is not None else [])
        needed = reads | set(effects_before)
        implied = {
            ancestor for name in needed for ancestor in ancestors.get(name, ())
        }  # a failed call may name later ones
        waits = [name for name in effects_before if name not in reads | implied]
        ancestors[step.name] = needed | implied
        steps.append(_template_step(step, inputs[step.name], waits))
        awaited |= reads | set(waits)
        if step.tool is None:
            continue
        if step.effect is Effect.NONE:
            since_effect.append(step.name)
        else:
            last_effect, since_effect = step.name, []
    result_step = next(step.name for step in reversed(selected) if step.tool is not None)
    unread = [step.name for step in selected if step.name not in awaited and step.name != result_step]
    if unread:
        result = {"name": _unique_name("result", names), "action": {"return": True}, "input": f"@{result_step}"}
        steps.append({**result, "dependsOn": unread})
    return steps


def _template_step(step: RecordedStep, value: Any, waits: Sequence[str]) -> dict[str, Any]:
    action: dict[str, Any] = {"set": True} if step.tool is None else {"toolName": step.tool}
    template_step: dict[str, Any] = {"name": step.name, "action": action, "input": value}
    if contains_mask(value):
        paths = ", ".join(step_pointer("", keys)[1:] or "/" for keys in _masked_paths(value))
        template_step["description"] = f"A secret was not stored. Set it at {paths} before running this."
    return {**template_step, "dependsOn": list(waits)} if waits else template_step


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
    is_shown = (
        masked({key: value}) == {key: value} and not contains_mask(value) and len(str(value)) <= MAX_EXAMPLE_LENGTH
    )
    return {"type": kind, "examples": [value]} if is_shown else {"type": kind}
