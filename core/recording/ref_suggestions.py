"""Suggests refs for the literals of recorded calls, by where their values came from (ENGINE §11). Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.domain.recording import RecordedStep
from core.domain.text.json_text import encode
from core.domain.text.masking import MASK
from core.engine.plan.refs import find_refs, format_ref

MIN_LENGTH = 3
MAX_SEARCHED_PARTS = 500_000

_NOT_IN_KEY = re.compile(r"[^\w-]+")
_ID_KEY = re.compile(
    r"(?:.*[a-z0-9])?(?:I[dD]|Uuid|UUID|Key|Hash|Slug)s?|(?:.*[_-])?(?:id|uuid|guid|key|hash|slug|sha)s?"
)
_ID_VALUE = re.compile(r"(?=.*\d)[A-Za-z0-9][\w.:/-]{7,}")

KeyPath = tuple[str | int, ...]


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class ValueOrigin(StrEnum):
    """Where the value was found. A `secret` was not stored and has to be supplied."""

    OUTPUT = "output"
    INPUT = "input"
    MESSAGE = "message"
    SECRET = "secret"


@dataclass(frozen=True, slots=True)
class RefSuggestion:
    """A literal of the step at `path` (`/step/argument…`, a JSON pointer), and the ref suggested in its place.

    `source` is the ref to the output or the input in which the value was found, or the origin. `key` is the name of a
    new key of the input.
    """

    path: str
    step: str
    keys: KeyPath
    value: Any
    ref: str
    origin: ValueOrigin
    confidence: Confidence
    key: str | None = None

    @property
    def source(self) -> str:
        return self.ref if self.origin in (ValueOrigin.OUTPUT, ValueOrigin.INPUT) else str(self.origin)

    def as_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "step": self.step,
            "value": self.value,
            "ref": self.ref,
            "source": self.source,
            "origin": self.origin,
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class _OutputPath:
    """The location of a value in an output."""

    step: str
    keys: KeyPath


def suggest_refs(
    steps: Sequence[RecordedStep], known_input: Mapping[str, Any], messages: Sequence[str]
) -> list[RefSuggestion]:
    """Return the suggestions for the literals of these steps, in order.

    `known_input` is the input of the recording, `messages` are the user's messages. A value is suggested as a ref to an
    output if exactly one earlier output contains it; an output that only repeats an argument of its own call does not
    count beside others. Otherwise it is suggested as an input, if the input contains it once or the user mentioned it.
    """
    searched = {_canonical_text(value) for step in steps for _, value in _literals(step)}
    input_places = _find_values(known_input, searched)
    mentioned = "\n".join(messages)
    outputs: dict[str, list[_OutputPath]] = {}
    echoes: set[tuple[str, str]] = set()
    names = _InputKeys(known_input)
    suggestions: list[RefSuggestion] = []
    for step in steps:
        for keys, value in _literals(step):
            source = _unique_output(_canonical_text(value), outputs, echoes)
            suggestion = (
                _output_suggestion(step, keys, value, source)
                if source is not None
                else _input_suggestion(step, keys, value, input_places, mentioned, names)
            )
            if suggestion is not None:
                suggestions.append(suggestion)
        # an output that repeats an argument is no source of the value: it came from wherever the argument came from
        arguments = set(_find_values(step.resolved_arguments, searched))
        for text, paths in _find_values(step.output, searched).items():
            best = min(paths, key=lambda path: (not _is_id_key(path), len(path)))
            outputs.setdefault(text, []).append(_OutputPath(step.name, best))
            if text in arguments:
                echoes.add((step.name, text))
    return _without_nested(suggestions)


def _unique_output(
    text: str, outputs: Mapping[str, list[_OutputPath]], echoes: set[tuple[str, str]]
) -> _OutputPath | None:
    places = outputs.get(text, [])
    if len(places) > 1:
        places = [place for place in places if (place.step, text) not in echoes]
    return places[0] if len(places) == 1 else None


def _output_suggestion(step: RecordedStep, keys: KeyPath, value: Any, source: _OutputPath) -> RefSuggestion:
    is_id = _is_id_key(source.keys) or _is_id_key(keys)
    return RefSuggestion(
        step_pointer(step.name, keys),
        step.name,
        keys,
        value,
        format_ref(source.step, source.keys),
        ValueOrigin.OUTPUT,
        rate_confidence(value, is_id=is_id),
    )


def _input_suggestion(
    step: RecordedStep,
    keys: KeyPath,
    value: Any,
    inputs: Mapping[str, list[KeyPath]],
    mentioned: str,
    names: "_InputKeys",
) -> RefSuggestion | None:
    path = step_pointer(step.name, keys)
    if _is_masked(value):
        key = names.key_for(f"secret {path}", keys)
        return RefSuggestion(
            path, step.name, keys, value, format_ref("input", [key]), ValueOrigin.SECRET, Confidence.HIGH, key
        )
    paths = inputs.get(_canonical_text(value), [])
    if len(paths) == 1:
        ref = format_ref("input", paths[0])
        is_id = _is_id_key(paths[0]) or _is_id_key(keys)
        return RefSuggestion(path, step.name, keys, value, ref, ValueOrigin.INPUT, rate_confidence(value, is_id=is_id))
    if paths or not _is_mentioned(value, mentioned):
        return None
    key = names.key_for(_canonical_text(value), keys)
    rated = rate_confidence(value, is_id=_is_id_key(keys))
    return RefSuggestion(path, step.name, keys, value, format_ref("input", [key]), ValueOrigin.MESSAGE, rated, key)


class _InputKeys:
    """Assigns names to new keys of the input: the argument's name, and one key per value."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._taken = set(given)
        self._of: dict[str, str] = {}

    def key_for(self, what: str, keys: KeyPath) -> str:
        if what in self._of:
            return self._of[what]
        words = [key for key in keys if isinstance(key, str)]
        base = _NOT_IN_KEY.sub("_", words[-1]).strip("_") if words else ""
        base = base if base and not base[0].isdigit() else f"value_{base}".rstrip("_")
        key, number = base, 1
        while key in self._taken:
            number += 1
            key = f"{base}_{number}"
        self._taken.add(key)
        self._of[what] = key
        return key


def rate_confidence(value: Any, *, is_id: bool) -> Confidence:
    """Return the confidence: high for ids and long texts, lower for values that may be equal by chance."""
    if isinstance(value, dict | list):
        return Confidence.HIGH
    if isinstance(value, str):
        if (is_id and len(value) > MIN_LENGTH) or len(value) >= 16 or _ID_VALUE.fullmatch(value):
            return Confidence.HIGH
        return Confidence.MEDIUM if len(value) >= 6 or is_id else Confidence.LOW
    if is_id:
        return Confidence.HIGH if abs(value) >= 100 else Confidence.MEDIUM
    return Confidence.MEDIUM if abs(value) >= 1000 or value != int(value) else Confidence.LOW


def step_pointer(step: str, keys: KeyPath) -> str:
    """Return the JSON pointer `/step/argument…`."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in (step, *keys))


def _literals(step: RecordedStep) -> Iterator[tuple[KeyPath, Any]]:
    """Yield the parts of the arguments that contain no refs and are distinctive; a list or an object before its
    parts."""
    if step.tool is not None:
        yield from _literal_parts(step.recorded_arguments, step.resolved_arguments, ())


def _literal_parts(written: Any, resolved: Any, keys: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    if isinstance(written, dict) and isinstance(resolved, dict):
        if keys and _is_distinctive(resolved) and next(find_refs(written), None) is None:
            yield keys, resolved
        for key, part in written.items():
            if key in resolved:
                yield from _literal_parts(part, resolved[key], (*keys, key))
    elif isinstance(written, list) and isinstance(resolved, list) and len(written) == len(resolved):
        if keys and _is_distinctive(resolved) and next(find_refs(written), None) is None:
            yield keys, resolved
        for index, part in enumerate(written):
            yield from _literal_parts(part, resolved[index], (*keys, index))
    elif isinstance(written, str):
        if next(find_refs(written), None) is None and _is_distinctive(resolved):
            yield keys, resolved
    elif _is_distinctive(written):
        yield keys, written


def _is_distinctive(value: Any) -> bool:
    """Return whether equality with the value is meaningful: not a short text, not 0 or 1, not a boolean or null."""
    if isinstance(value, str):
        return len(value) >= MIN_LENGTH
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return value not in (0, 1)
    if isinstance(value, dict):
        return any(map(_is_distinctive, value.values()))
    return any(map(_is_distinctive, value)) if isinstance(value, list) else False


def _canonical_text(value: Any) -> str:
    """Return a text that is equal for equal JSON values: 1 and 1.0 are equal; 1, true and "1" are not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{encode(key)}:{_canonical_text(part)}" for key, part in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical_text, value)) + "]"
    return encode(value)


def _find_values(value: Any, searched: set[str]) -> dict[str, list[KeyPath]]:
    """Return the paths at which the wanted values occur in this value. Of a huge value only the first parts are
    searched.
    """
    paths: dict[str, list[KeyPath]] = {}
    sizes = _container_types(searched)
    pending: list[tuple[KeyPath, Any]] = [((), value)]
    for _ in range(MAX_SEARCHED_PARTS):
        if not pending:
            break
        keys, part = pending.pop()
        is_scalar = not isinstance(part, dict | list)
        if (is_scalar or part.__class__ in sizes) and _is_distinctive(part):
            text = _canonical_text(part)
            if text in searched and not _is_masked(part):
                paths.setdefault(text, []).append(keys)
        if isinstance(part, dict):
            pending.extend(((*keys, key), item) for key, item in reversed(part.items()))
        elif isinstance(part, list):
            pending.extend(((*keys, index), item) for index, item in reversed(list(enumerate(part))))
    return paths


def _container_types(searched: set[str]) -> set[type]:
    """Return the container types among the wanted values. Usually there are none, and no container has to be
    encoded."""
    kinds: Mapping[str, type] = {"{": dict, "[": list}
    return {kinds[text[0]] for text in searched if text[0] in kinds}


def _without_nested(suggestions: Sequence[RefSuggestion]) -> list[RefSuggestion]:
    """Return the suggestions without those inside a container that is suggested as a whole."""
    wholes = {
        (suggestion.step, suggestion.keys) for suggestion in suggestions if isinstance(suggestion.value, dict | list)
    }

    def is_inside(suggestion: RefSuggestion) -> bool:
        return any((suggestion.step, suggestion.keys[:length]) in wholes for length in range(len(suggestion.keys)))

    return [suggestion for suggestion in suggestions if not is_inside(suggestion)]


def _is_mentioned(value: Any, messages: str) -> bool:
    """Return whether the user mentioned the value as a word or words of its own: `notes` is no part of `notes.txt`."""
    if isinstance(value, str):
        before = r"(?<![\w./@-])" if value[0].isalnum() else r"(?<!\w)"
        after = r"(?!\w|[./@-]\w)" if value[-1].isalnum() else ""
        return re.search(before + re.escape(value) + after, messages) is not None
    if isinstance(value, int | float):
        return re.search(rf"(?<![\w.,-]){re.escape(encode(value))}(?![\w]|[.,]\d)", messages) is not None
    return False


def _is_masked(value: Any) -> bool:
    return isinstance(value, str) and MASK in value


def _is_id_key(keys: KeyPath) -> bool:
    words = [key for key in keys if isinstance(key, str)]
    return bool(words) and _ID_KEY.fullmatch(words[-1]) is not None
