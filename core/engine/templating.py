"""From a recording to a template: what is offered, and what is made of what was accepted (ENGINE §11). Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.domain.json_pointer import with_part
from core.domain.masking import MARK, holds_mark, masked
from core.domain.recording import RecordedStep, Recording
from core.domain.template import FORMAT
from core.domain.tool import Effect
from core.engine.offers import Offer, offers, pointer
from core.engine.refs import ROOTS, FoundRef, Scope, as_literal, as_text, find_refs, look_up, replaced
from core.engine.selection import Reason, Selection, select, without_unused
from core.errors import RefFailed, Refused

ALL = "all"
TITLE_CHARACTERS = 256
EXAMPLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants of the template: which offered refs (their paths, or `ALL`), which left out steps in it,
    which others not. Without a `title` it has that of its conversation."""

    accept: Collection[str] | str = ()
    title: str | None = None
    description: str | None = None
    include: Collection[str] = ()
    exclude: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Review:
    """What sealing would make of a recording. `masked` are the places of secrets that were not kept."""

    selection: Selection
    offers: Sequence[Offer]
    masked: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        return {
            "steps": [step.name for step in self.selection.steps],
            "left_out": [{"step": name, "reason": reason} for name, reason in self.selection.left_out.items()],
            "offers": [offer.as_dict() for offer in self.offers],
            "masked": list(self.masked),
        }


@dataclass(frozen=True, slots=True)
class Made:
    """A template in its file form. `masked` are the places of secrets that it still lacks."""

    template: dict[str, Any]
    left_out: Mapping[str, Reason]
    masked: Sequence[str]


@dataclass(slots=True)
class _Input:
    """The input of the template: what it was in the recording, and the schema that grows with each ref to it."""

    values: dict[str, Any]
    schema: dict[str, Any] = field(default_factory=lambda: {"type": "object"})

    def need(self, found: FoundRef) -> None:
        """A ref reads the input there."""
        schema: dict[str, Any] = self.schema
        value: Any = self.values
        for key in found.ref.keys:
            if not isinstance(value, dict):
                return
            value = value.get(key)
            known = schema.setdefault("properties", {}).setdefault(key, _schema_of(key, value))
            if not found.ref.optional and key not in schema.setdefault("required", []):
                schema["required"].append(key)
            schema = known


def review(recording: Recording, messages: Sequence[str], wishes: Wishes | None = None) -> Review:
    """What there is to decide. Raises Refused `bad_input`."""
    wishes = wishes or Wishes()
    found = select(list(recording.steps.values()), wishes.include, wishes.exclude)
    offered = offers(found.steps, recording.input, messages)
    shown = without_unused(found, [step.written for step in found.steps], wishes.include)
    lacking = [pointer(step.name, keys) for step in shown.steps for keys in _marked(step.written)]
    return Review(shown, offered, lacking)


def make(recording: Recording, messages: Sequence[str], title: str, wishes: Wishes) -> Made:
    """The template that was wished for. Raises Refused: `empty_recording`, `bad_input`."""
    found = select(list(recording.steps.values()), wishes.include, wishes.exclude)
    if not any(step.tool is not None for step in found.steps):
        raise Refused("empty_recording", "there is no step that a template could be made of", left_out=_told(found))
    accepted = _accepted(offers(found.steps, recording.input, messages), wishes.accept)
    given = _Input(dict(recording.input))
    for offer in accepted:
        if offer.key is not None:
            given.values[offer.key] = offer.value
    inputs = {step.name: _input_of(step, recording, found, accepted) for step in found.steps}
    found = without_unused(found, inputs.values(), wishes.include)
    for step in found.steps:
        for ref in find_refs(inputs[step.name]):
            if ref.ref.root == "input":
                given.need(ref)
    steps = _steps(found.steps, inputs)
    template: dict[str, Any] = {"format": FORMAT, "title": title}
    if wishes.description:
        template["description"] = wishes.description
    if len(given.schema) > 1:
        template["inputSchema"] = given.schema
    lacking = [pointer(step.name, keys) for step in found.steps for keys in _marked(inputs[step.name])]
    return Made({**template, "steps": steps}, found.left_out, lacking)


def _told(found: Selection) -> list[dict[str, str]]:
    return [{"step": name, "reason": str(reason)} for name, reason in found.left_out.items()]


def _accepted(offered: Sequence[Offer], accept: Collection[str] | str) -> list[Offer]:
    """Raises Refused `bad_input` for paths at which nothing is offered."""
    if isinstance(accept, str):
        accept = [offer.path for offer in offered] if accept == ALL else [accept]
    if ALL in accept:
        return list(offered)
    if unknown := sorted(set(accept) - {offer.path for offer in offered}):
        message = f"nothing is offered at {', '.join(unknown)}"
        raise Refused("bad_input", message, paths=unknown, offered=[offer.path for offer in offered])
    return [offer for offer in offered if offer.path in accept]


# The arguments of a step


def _input_of(step: RecordedStep, recording: Recording, selection: Selection, accepted: Sequence[Offer]) -> Any:
    """The arguments as the template has them: accepted refs in the place of literals, refs to steps that are left out
    as what stands for those, and nothing that would become a ref by the names of later steps."""
    if step.tool is None:
        return as_literal(masked(step.output))
    written = step.written if isinstance(step.written, dict) else {}
    kept = {one.name for one in selection.steps}
    before = set(_names_before(step, recording))

    def change(found: FoundRef) -> Any:
        ref = found.ref
        if ref.root in ROOTS or (ref.root in before and ref.root in kept):
            return _as_written(found)
        if ref.root in before and ref.root in selection.twins:
            return _as_written(found, selection.twins[ref.root])
        if ref.root in before:
            return _as_value(found, recording)
        return _as_written(found) if found.is_whole else f"@{ref.text}"  # a word of the text

    value = replaced(written, change)
    for offer in accepted:
        if offer.step == step.name:
            value = with_part(value, [str(key) for key in offer.keys], offer.ref)
    return value


def _names_before(step: RecordedStep, recording: Recording) -> list[str]:
    names = list(recording.steps)
    return [name for name in names[: names.index(step.name)] if recording.steps[name].is_completed]


def _as_written(found: FoundRef, root: str | None = None) -> str:
    ref = found.ref
    text = ref.text if root is None else f"@{root}{ref.text[1 + len(ref.root) :]}"
    return f"{text}?" if ref.optional else text


def _as_value(found: FoundRef, recording: Recording) -> Any:
    """The value that the ref had, without secrets: its step is left out."""
    root = found.ref.root
    try:
        value = look_up(found.ref, Scope(recording.input, {root: masked(recording.outputs[root])}))
    except RefFailed:
        value = None
    return as_literal(value) if found.is_whole else as_literal(as_text(value))


def _marked(value: Any, keys: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where secrets were taken out of the value."""
    if isinstance(value, dict):
        return [place for key, part in value.items() for place in _marked(part, (*keys, key))]
    if isinstance(value, list):
        return [place for at, part in enumerate(value) for place in _marked(part, (*keys, at))]
    return [keys] if isinstance(value, str) and MARK in value else []


# The steps


def _steps(kept: Sequence[RecordedStep], inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The steps in the order of their calls. What has effects keeps its place among all others; the result of the last
    call is that of the template."""
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
        made.append(_step(step, inputs[step.name], waits))
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
        result = {"name": _free("result", names), "action": {"return": True}, "input": f"@{last}"}
        made.append({**result, "dependsOn": others})
    return made


def _step(step: RecordedStep, value: Any, waits: Sequence[str]) -> dict[str, Any]:
    action: dict[str, Any] = {"set": True} if step.tool is None else {"toolName": step.tool}
    made: dict[str, Any] = {"name": step.name, "action": action, "input": value}
    if holds_mark(value):
        places = ", ".join(pointer("", keys)[1:] or "/" for keys in _marked(value))
        made["description"] = f"A secret was not kept: give it at {places} before this runs."
    return {**made, "dependsOn": list(waits)} if waits else made


def _free(name: str, taken: Collection[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _schema_of(key: str, value: Any) -> dict[str, Any]:
    """The type of a value, with the value as an example where that is short and tells no secret."""
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
    is_told = masked({key: value}) == {key: value} and not holds_mark(value) and len(str(value)) <= EXAMPLE_CHARACTERS
    return {"type": kind, "examples": [value]} if is_told else {"type": kind}
