"""`ask_user`: a question to the user (AGENTS_AND_TOOLS §5, ENGINE §8)."""

from typing import Any

from core.domain.tool import ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.tools import schema
from core.tools.questions import ask_question
from core.tools.registry import Arguments, Tool

QUESTION_CHARACTERS = 2_000
CONTEXT_CHARACTERS = 5_000
MAX_OPTIONS = 20
ID_CHARACTERS = 64
LABEL_CHARACTERS = 256
MAX_S = 7 * 86_400

_INFO = ToolInfo(
    name="ask_user",
    title="Ask",
    description=(
        "Asks the user a question and waits for the answer. Returns {options, text}: the ids of the chosen options and "
        "the written text; with skipped: true or expired: true beside them where there was no answer."
    ),
    input_schema=schema.of_object(
        {"question": schema.text("The question, in the user's language.", QUESTION_CHARACTERS)},
        {
            "type": schema.choice(
                "checkbox: some of the options; text: the user's own words; mixed: both. If absent, mixed where there "
                "are options, else text.",
                ("checkbox", "text", "mixed"),
            ),
            "options": schema.array(
                "What to choose from: {id, label}, or texts that are both.",
                {
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
                MAX_OPTIONS,
            ),
            "max_choices": schema.number(
                "How many of the options may be chosen: 1 where only one can hold. If absent, all of them.",
                1,
                MAX_OPTIONS,
                kind="integer",
            ),
            "context": schema.text("What the user has to know to answer.", CONTEXT_CHARACTERS, can_be_empty=True),
            "timeout_seconds": schema.number("How long to wait for the answer; without limit if absent.", 1, MAX_S),
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
        raise ToolFailed("not_available", "there is no user to ask here")
    options = _options(arguments.get("options", []))
    kind = arguments.get("type") or ("mixed" if options else "text")
    if (kind == "text") is bool(options):
        message = f"a {kind} question has {'no' if options else 'at least one of the'} options"
        raise ToolFailed("invalid_arguments", message)
    most = arguments.get("max_choices")
    if most is not None and not options:
        raise ToolFailed("invalid_arguments", "max_choices needs options to choose from")
    return await ask_question(
        context,
        context.ask,
        arguments["question"],
        kind,
        options,
        about=arguments.get("context"),
        tool=_INFO.name,
        rules={"maxItems": min(int(most), len(options))} if most is not None else None,
        timeout_s=arguments.get("timeout_seconds"),
    )


def _options(texts_or_options: list[Any]) -> list[dict[str, str]]:
    """Return the options as `{id, label}`. Raises ToolFailed `invalid_arguments` for a duplicate id."""
    options = [
        {"id": option, "label": option} if isinstance(option, str) else {"label": option["id"], **option}
        for option in texts_or_options
    ]
    if len({option["id"] for option in options}) < len(options):
        raise ToolFailed("invalid_arguments", "two options have the same id")
    return options


def _summary(arguments: Arguments, value: Any) -> str:
    return next((why for why in ("skipped", "expired") if value.get(why)), "answered")
