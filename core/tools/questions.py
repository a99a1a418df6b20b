"""Questions of a call to the user: asking, the schema of the answer, and its value (ENGINE §8)."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.domain.ids import CallId
from core.domain.interruption import Action, Interruption, InterruptionKind, InterruptionRequest, InterruptionStatus
from core.ports import Asker, CallContext

ANSWER_CHARACTERS = 10_000


async def ask_question(
    context: CallContext,
    ask: Asker,
    prompt: str,
    kind: str,
    options: list[dict[str, str]],
    *,
    tool: str,
    about: str | None = None,
    rules: Mapping[str, Any] | None = None,
    call_id: CallId | None = None,
    timeout_s: float | None = None,
) -> dict[str, Any]:
    """Ask the user and return the answer, always with `options` and `text`, so that a ref into either has a value.

    Without an answer `skipped` or `expired` is True beside them. `rules` are added to the schema of the options, or of
    the text where there are none; `about` is shown as context.
    """
    schema = answer_schema(kind, [option["id"] for option in options])
    schema["properties"]["options" if options else "text"] |= rules or {}
    request = InterruptionRequest(
        InterruptionKind.QUESTION,
        context.step,
        context.index,
        prompt=prompt,
        schema=schema,
        options=options or None,
        input={"context": about} if about else None,
        tool=tool,
        call_id=call_id or context.call_id,
        timeout_ms=round(timeout_s * 1000) if timeout_s is not None else None,
        default_action=Action.SKIP,
    )
    return _answer_value(await ask(request))


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


def _answer_value(closed: Interruption) -> dict[str, Any]:
    answer = closed.answer
    if answer is not None and answer.action is Action.SUBMIT and isinstance(answer.value, Mapping):
        return {"options": list(dict.fromkeys(answer.value.get("options", []))), "text": answer.value.get("text", "")}
    why = "expired" if closed.status is InterruptionStatus.EXPIRED else "skipped"
    return {"options": [], "text": "", why: True}
