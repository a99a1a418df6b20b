"""`ask_user`: a question to the user (AGENTS_AND_TOOLS §5, ENGINE §8)."""

from typing import Any

from core.domain.interruption import Action, InterruptionKind, InterruptionRequest
from core.domain.tool import ToolInfo
from core.errors import ToolFailed
from core.ports.tools import CallContext
from core.tools import schema
from core.tools.questions import answer_schema, answer_value
from core.tools.registry import Arguments, Tool

QUESTION_CHARACTERS = 2_000
CONTEXT_CHARACTERS = 5_000
MOST_OPTIONS = 20
ID_CHARACTERS = 64
LABEL_CHARACTERS = 256
LONGEST_S = 7 * 86_400

_INFO = ToolInfo(
    name="ask_user",
    title="Ask",
    description=(
        "Asks the person a question and waits for the answer. Gives {options, text}: the ids of the chosen options, "
        "and what they wrote; with skipped: true or expired: true beside them where there was no answer."
    ),
    input_schema=schema.of_object(
        {
            "question": {
                "type": "string",
                "minLength": 1,
                "maxLength": QUESTION_CHARACTERS,
                "description": "What is asked, in the person's language.",
            },
        },
        {
            "type": {
                "enum": ["checkbox", "text", "mixed"],
                "description": "checkbox: some of the options; text: words of their own; mixed: both. Without it, "
                "mixed where there are options, else text.",
            },
            "options": {
                "type": "array",
                "maxItems": MOST_OPTIONS,
                "items": {
                    "type": ["object", "string"],
                    "minLength": 1,
                    "maxLength": ID_CHARACTERS,
                    "properties": {
                        "id": {"type": "string", "minLength": 1, "maxLength": ID_CHARACTERS},
                        "label": {"type": "string", "minLength": 1, "maxLength": LABEL_CHARACTERS},
                    },
                    "required": ["id"],
                    "additionalProperties": False,
                },
                "description": "What to choose from: {id, label}, or texts that are both.",
            },
            "context": {
                "type": "string",
                "maxLength": CONTEXT_CHARACTERS,
                "description": "What the person has to know to answer.",
            },
            "timeout_seconds": {
                "type": "number",
                "minimum": 1,
                "maximum": LONGEST_S,
                "description": "How long to wait for the answer; for ever without it.",
            },
        },
    ),
    asks_people=True,
)


def tool() -> Tool:
    """Return the tool. It has no time limit, and its waiting is not active time. After a crash the question is the
    same.

    Errors: `invalid_arguments` for a type and options that contradict each other, `not_available` where no user can be
    asked.
    """
    return Tool(_INFO, server=_ask, read_only=True, summary=_summary)


async def _ask(arguments: Arguments, context: CallContext) -> dict[str, Any]:
    if context.ask is None:
        raise ToolFailed("not_available", "nobody can be asked here")
    options = _options(arguments.get("options", []))
    kind = arguments.get("type") or ("mixed" if options else "text")
    if (kind == "text") is bool(options):
        raise ToolFailed(
            "invalid_arguments", f"a {kind} question has {'no' if options else 'at least one of the'} options"
        )
    about, timeout_s = arguments.get("context"), arguments.get("timeout_seconds")
    ask = InterruptionRequest(
        InterruptionKind.QUESTION,
        context.step,
        context.index,
        prompt=arguments["question"],
        schema=answer_schema(kind, [option["id"] for option in options]),
        options=options or None,
        input={"context": about} if about else None,
        tool=_INFO.name,
        call_id=context.call_id,
        timeout_ms=round(timeout_s * 1000) if timeout_s is not None else None,
        default_action=Action.SKIP,
    )
    return answer_value(await context.ask(ask))


def _options(given: list[Any]) -> list[dict[str, str]]:
    """Return the options as `{id, label}`. Raises ToolFailed `invalid_arguments` for a duplicate id."""
    options = [{"id": one, "label": one} if isinstance(one, str) else {"label": one["id"], **one} for one in given]
    if len({option["id"] for option in options}) < len(options):
        raise ToolFailed("invalid_arguments", "two options have the same id")
    return options


def _summary(arguments: Arguments, value: Any) -> str:
    return next((why for why in ("skipped", "expired") if value.get(why)), "answered")
