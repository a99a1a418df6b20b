"""A server asks the user in the middle of a call: a question for each field that it requests (AGENTS_AND_TOOLS §7,
ENGINE §8).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from core.domain.ids import CallId
from core.domain.interruption import Action, Interruption, InterruptionKind, InterruptionRequest
from core.ports.tools import CallContext
from core.tools.mcp.launch import SecretMask
from core.tools.questions import answer_schema, answer_value

if TYPE_CHECKING:
    import mcp_types

QUESTION_CHARACTERS = 2_000
MAX_OPTIONS = 20
MAX_FIELDS = 20
LABEL_CHARACTERS = 256
MAX_TRIES = 3
NUMBER_PATTERN = r"^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?\s*$"
INTEGER_PATTERN = r"^\s*[-+]?\d{1,300}\s*$"


class Declined(Exception):
    """The user gave no answer to a required field. `action` is sent to the server."""

    def __init__(self, action: Literal["decline", "cancel"]) -> None:
        super().__init__(action)
        self.action: Literal["decline", "cancel"] = action


@dataclass(slots=True)
class ServerCall:
    """A call of a server's tool in flight. Its questions are numbered, so that their ids are the same after a crash."""

    context: CallContext
    server: str
    tool: str
    words: SecretMask
    asked: int = 0

    def next_id(self, what: str) -> CallId:
        self.asked += 1
        return CallId(f"{self.context.call_id} {what} {self.asked}")


async def answer_elicitation(params: "mcp_types.ElicitRequestParams", place: ServerCall) -> "mcp_types.ElicitResult":
    """Ask the user and return the result. Declined where no user can be asked."""
    import mcp_types

    try:
        if isinstance(params, mcp_types.ElicitRequestURLParams):
            await _ask_question(
                place, f"{params.message}\n{params.url}", "text", {"context": "Open this address, then say so."}
            )
            return mcp_types.ElicitResult(action="accept")
        content = await _ask_form(params.message, params.requested_schema, place)
    except Declined as declined:
        return mcp_types.ElicitResult(action=declined.action)
    return mcp_types.ElicitResult(action="accept", content=content)


async def _ask_form(message: str, schema: Mapping[str, Any], place: ServerCall) -> dict[str, Any]:
    fields = schema.get("properties")
    fields = dict(fields) if isinstance(fields, Mapping) else {}
    if len(fields) > MAX_FIELDS:
        raise Declined("decline")
    if not fields:
        answer = await _ask_choice(place, message, {}, {"yes": "Yes", "no": "No"}, "mixed")
        if answer != ["yes"]:
            raise Declined("decline")
        return {}
    required = schema.get("required")
    needed = set(required) if isinstance(required, list) else set()
    content: dict[str, Any] = {}
    for at, (name, given_field) in enumerate(fields.items(), 1):
        field = given_field if isinstance(given_field, Mapping) else {}
        question = _question(message, name, field, f" ({at} of {len(fields)})" if len(fields) > 1 else "")
        try:
            content[name] = await _ask_field(question, field, place)
        except Declined:
            if name in needed:
                raise
            if "default" in field:
                content[name] = field["default"]
    return content


def _question(message: str, name: str, field: Mapping[str, Any], place: str) -> str:
    """Return the prompt for a field. A single field without a title needs no heading."""
    about = field.get("title") or (name if place else "")
    lines = [message, f"{about}{place}", field.get("description")]
    return "\n".join(str(line) for line in lines if line)


async def _ask_field(question: str, field: Mapping[str, Any], place: ServerCall) -> Any:
    """Return the answer to a field. Raises Declined."""
    kind = field.get("type")
    if kind == "boolean":
        chosen = await _ask_choice(place, question, field, {"true": "Yes", "false": "No"}, "one")
        return chosen == ["true"]
    items = field.get("items")
    is_many = kind == "array" and isinstance(items, Mapping)
    options = _options(items if is_many and isinstance(items, Mapping) else field)
    if options and len(options) <= MAX_OPTIONS:
        chosen = await _ask_choice(place, question, field, options, "many" if is_many else "one")
        return chosen if is_many else chosen[0]
    return await _ask_text(question, field, options, place, is_many=is_many)


async def _ask_text(
    question: str, field: Mapping[str, Any], options: Mapping[str, str], place: ServerCall, *, is_many: bool
) -> Any:
    """Ask for text and parse it as the field requires; ask again, with the problem, up to MAX_TRIES times."""
    if options:
        question = f"{question}\n{', '.join(options)}"
    wrong = ""
    for _ in range(MAX_TRIES):
        text = (await _ask_question(place, f"{question}{wrong}", "text", _text_rules(field)))["text"]
        try:
            if is_many:
                return [_require_option(part.strip(), options) for part in text.split(",")]
            return _parse_field(text, field, options)
        except ValueError as error:
            wrong = f"\n({error})"
    raise Declined("cancel")


def _parse_field(text: str, field: Mapping[str, Any], options: Mapping[str, str]) -> Any:
    """Return the text as the field's type. Raises ValueError with the problem."""
    if options:
        return _require_option(text.strip(), options)
    if field.get("type") in ("number", "integer"):
        number = int(text) if field["type"] == "integer" else float(text)
        low, high = field.get("minimum"), field.get("maximum")
        if isinstance(low, int | float) and number < low:
            raise ValueError(f"at least {low:g}")
        if isinstance(high, int | float) and number > high:
            raise ValueError(f"at most {high:g}")
        if isinstance(number, float) and not math.isfinite(number):
            raise ValueError("a number that can be written")
        return number
    low, high = field.get("minLength"), field.get("maxLength")
    if isinstance(low, int) and len(text) < low:
        raise ValueError(f"at least {low} characters")
    if isinstance(high, int) and len(text) > high:
        raise ValueError(f"at most {high} characters")
    return text


def _require_option(text: str, options: Mapping[str, str]) -> str:
    if options and text not in options:
        raise ValueError(f"one of: {', '.join(options)}")
    return text


def _text_rules(field: Mapping[str, Any]) -> dict[str, Any]:
    match field.get("type"):
        case "number":
            return {"pattern": NUMBER_PATTERN}
        case "integer":
            return {"pattern": INTEGER_PATTERN}
    return {}


def _options(field: Mapping[str, Any]) -> dict[str, str]:
    """Return value → label of a field that lists its values, in any of the forms in use."""
    for word in ("oneOf", "anyOf"):
        if isinstance(listed := field.get(word), list):
            pairs = [(one.get("const"), one.get("title")) for one in listed if isinstance(one, Mapping)]
            return {value: str(label or value) for value, label in pairs if isinstance(value, str)}
    values, labels = field.get("enum"), field.get("enumNames")
    if not isinstance(values, list):
        return {}
    names = labels if isinstance(labels, list) and len(labels) == len(values) else values
    return {value: str(label) for value, label in zip(values, names, strict=True) if isinstance(value, str)}


async def _ask_choice(
    place: ServerCall, question: str, field: Mapping[str, Any], options: Mapping[str, str], how: str
) -> list[str]:
    """Return the chosen values. Raises Declined."""
    ids = {f"{at}": value for at, value in enumerate(options)} if _has_long(options) else {one: one for one in options}
    shown = [{"id": key, "label": place.words.own(options[value])[:LABEL_CHARACTERS]} for key, value in ids.items()]
    rules: dict[str, Any] = {} if how == "many" else {"maxItems": 1}
    least, most = field.get("minItems"), field.get("maxItems")
    if how == "many" and isinstance(least, int):
        rules["minItems"] = max(1, least)
    if how == "many" and isinstance(most, int):
        rules["maxItems"] = most
    answer = await _ask_question(place, question, "checkbox", rules, shown)
    return [ids[one] for one in answer["options"]]


def _has_long(options: Mapping[str, str]) -> bool:
    return any(len(value) > 64 or not value for value in options)


async def _ask_question(
    place: ServerCall,
    question: str,
    kind: str,
    rules: Mapping[str, Any],
    options: list[dict[str, str]] | None = None,
) -> dict[str, Any]:
    """Ask a question and return the answer `{options, text}`. Raises Declined."""
    context = place.context
    if context.ask is None:
        raise Declined("decline")
    schema = answer_schema(kind, [one["id"] for one in options or ()])
    part = "options" if options else "text"
    schema["properties"][part] = {**schema["properties"][part], **{k: v for k, v in rules.items() if k != "context"}}
    about = rules.get("context") or f"Asked by the MCP server {place.server}."
    ask = InterruptionRequest(
        InterruptionKind.QUESTION,
        context.step,
        context.index,
        prompt=place.words.own(question)[:QUESTION_CHARACTERS],
        schema=schema,
        options=options,
        input={"context": about},
        tool=place.tool,
        call_id=place.next_id("asks"),
        default_action=Action.SKIP,
    )
    closed: Interruption = await context.ask(ask)
    answer = answer_value(closed)
    if answer.get("expired"):
        raise Declined("cancel")
    if answer.get("skipped"):
        raise Declined("decline")
    return answer
