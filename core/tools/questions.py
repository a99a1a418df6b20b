"""Questions of a call to the user: the schema of the answer, and the answer as the caller reads it (ENGINE §8)."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.domain.interruption import Action, Interruption, InterruptionStatus

ANSWER_CHARACTERS = 10_000


def answer_schema(kind: str, ids: Sequence[str]) -> dict[str, Any]:
    """Return the schema of the answer: chosen options, written text or both, depending on the kind of the question."""
    chosen = {"type": "array", "items": {"enum": list(ids)}, "maxItems": len(ids)}
    text = {"type": "string", "maxLength": ANSWER_CHARACTERS}
    needed: dict[str, Any] = {}
    match kind:
        case "checkbox":
            chosen, text, needed = {**chosen, "minItems": 1}, {**text, "maxLength": 0}, {"required": ["options"]}
        case "text":
            text, needed = {**text, "minLength": 1}, {"required": ["text"]}
        case _:
            is_chosen = {"required": ["options"], "properties": {"options": {"minItems": 1}}}
            is_written = {"required": ["text"], "properties": {"text": {"minLength": 1}}}
            needed = {"anyOf": [is_chosen, is_written]}
    properties = {"options": chosen, "text": text}
    return {"type": "object", "properties": properties, "additionalProperties": False, **needed}


def answer_value(closed: Interruption) -> dict[str, Any]:
    """Return the answer as the caller reads it, always with both fields, so that a ref into either has a value."""
    answer = closed.answer
    if answer is not None and answer.action is Action.SUBMIT and isinstance(answer.value, Mapping):
        return {"options": list(dict.fromkeys(answer.value.get("options", []))), "text": answer.value.get("text", "")}
    why = "expired" if closed.status is InterruptionStatus.EXPIRED else "skipped"
    return {"options": [], "text": "", why: True}
