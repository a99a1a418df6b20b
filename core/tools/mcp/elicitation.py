"""A server asks the user in the middle of a call: a question for each field that it requests (AGENTS_AND_TOOLS §7,
ENGINE §8).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from core.domain.ids import CallId
from core.domain.input_schema import properties_of
from core.ports import CallContext
from core.tools.mcp.launch import SecretMask
from core.tools.questions import ask_question

if TYPE_CHECKING:
    import mcp_types

Field = Mapping[str, Any]
"""The JSON schema of a field of a form."""

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
    mask: SecretMask
    asked: int = 0

    def next_id(self, what: str) -> CallId:
        """Return the id of the next question of the call."""
        self.asked += 1
        return CallId(f"{self.context.call_id} {what} {self.asked}")

    async def ask(
        self,
        prompt: str,
        kind: str,
        rules: Mapping[str, Any],
        options: list[dict[str, str]] | None = None,
        about: str | None = None,
    ) -> dict[str, Any]:
        """Ask the user and return the answer `{options, text}`. Raises Declined."""
        if self.context.ask is None:
            raise Declined("decline")
        answer = await ask_question(
            self.context,
            self.context.ask,
            self.mask.hide_own(prompt)[:QUESTION_CHARACTERS],
            kind,
            options or [],
            about=about or f"Asked by the MCP server {self.server}.",
            rules=rules,
            tool=self.tool,
            call_id=self.next_id("asks"),
        )
        if answer.get("expired"):
            raise Declined("cancel")
        if answer.get("skipped"):
            raise Declined("decline")
        return answer


async def answer_elicitation(params: "mcp_types.ElicitRequestParams", call: ServerCall) -> "mcp_types.ElicitResult":
    """Ask the user and return the result. Declined where no user can be asked."""
    import mcp_types

    try:
        if isinstance(params, mcp_types.ElicitRequestURLParams):
            await call.ask(f"{params.message}\n{params.url}", "text", {}, about="Open this address, then confirm.")
            return mcp_types.ElicitResult(action="accept")
        content = await _ask_form(params.message, params.requested_schema, call)
    except Declined as declined:
        return mcp_types.ElicitResult(action=declined.action)
    return mcp_types.ElicitResult(action="accept", content=content)


async def _ask_form(message: str, schema: Mapping[str, Any], call: ServerCall) -> dict[str, Any]:
    fields = properties_of(schema)
    if len(fields) > MAX_FIELDS:
        raise Declined("decline")
    # A form without fields asks for a confirmation.
    if not fields:
        if await _ask_choice(call, message, {}, {"yes": "Yes", "no": "No"}, is_many=False) != ["yes"]:
            raise Declined("decline")
        return {}
    required = schema.get("required")
    required_names = set(required) if isinstance(required, list) else set()
    content: dict[str, Any] = {}
    for at, (name, field) in enumerate(fields.items(), 1):
        question = _question(message, name, field, f" ({at} of {len(fields)})" if len(fields) > 1 else "")
        try:
            content[name] = await _ask_field(question, field, call)
        except Declined:
            if name in required_names:
                raise
            if "default" in field:
                content[name] = field["default"]
    return content


def _question(message: str, name: str, field: Field, position: str) -> str:
    """Return the prompt for a field. A single field without a title needs no heading."""
    heading = field.get("title") or (name if position else "")
    lines = [message, f"{heading}{position}", field.get("description")]
    return "\n".join(str(line) for line in lines if line)


async def _ask_field(question: str, field: Field, call: ServerCall) -> Any:
    """Return the answer to a field. Raises Declined."""
    if field.get("type") == "boolean":
        return await _ask_choice(call, question, field, {"true": "Yes", "false": "No"}, is_many=False) == ["true"]
    items = field.get("items") if field.get("type") == "array" else None
    is_many = isinstance(items, Mapping)
    options = _options(items if isinstance(items, Mapping) else field)
    if options and len(options) <= MAX_OPTIONS:
        chosen = await _ask_choice(call, question, field, options, is_many=is_many)
        return chosen if is_many else chosen[0]
    return await _ask_text(question, field, options, call, is_many=is_many)


async def _ask_text(question: str, field: Field, options: Mapping[str, str], call: ServerCall, *, is_many: bool) -> Any:
    """Ask for text and parse it as the field requires; ask again, with the problem, up to MAX_TRIES times."""
    if options:
        question = f"{question}\n{', '.join(options)}"
    patterns = {"number": {"pattern": NUMBER_PATTERN}, "integer": {"pattern": INTEGER_PATTERN}}
    problem = ""
    for _ in range(MAX_TRIES):
        answer = await call.ask(f"{question}{problem}", "text", patterns.get(str(field.get("type")), {}))
        try:
            if is_many:
                return [_require_option(part.strip(), options) for part in answer["text"].split(",")]
            return _parse_field(answer["text"], field, options)
        except ValueError as error:
            problem = f"\n({error})"
    raise Declined("cancel")


def _parse_field(text: str, field: Field, options: Mapping[str, str]) -> Any:
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


def _options(field: Field) -> dict[str, str]:
    """Return value → label of a field that lists its values, in any of the forms in use."""
    for keyword in ("oneOf", "anyOf"):
        if isinstance(branches := field.get(keyword), list):
            pairs = [(branch.get("const"), branch.get("title")) for branch in branches if isinstance(branch, Mapping)]
            return {value: str(label or value) for value, label in pairs if isinstance(value, str)}
    values, labels = field.get("enum"), field.get("enumNames")
    if not isinstance(values, list):
        return {}
    names = labels if isinstance(labels, list) and len(labels) == len(values) else values
    return {value: str(label) for value, label in zip(values, names, strict=True) if isinstance(value, str)}


async def _ask_choice(
    call: ServerCall, question: str, field: Field, options: Mapping[str, str], *, is_many: bool
) -> list[str]:
    """Return the chosen values. Raises Declined."""
    # Ids of options are limited (AGENTS_AND_TOOLS §5): where a value exceeds the limit, all are numbered instead.
    is_numbered = any(len(value) > 64 or not value for value in options)
    values = {f"{at}" if is_numbered else value: value for at, value in enumerate(options)}
    shown = [
        {"id": key, "label": call.mask.hide_own(options[value])[:LABEL_CHARACTERS]} for key, value in values.items()
    ]
    rules: dict[str, Any] = {} if is_many else {"maxItems": 1}
    least, most = field.get("minItems"), field.get("maxItems")
    if is_many and isinstance(least, int):
        rules["minItems"] = max(1, least)
    if is_many and isinstance(most, int):
        rules["maxItems"] = most
    answer = await call.ask(question, "checkbox", rules, shown)
    return [values[key] for key in answer["options"]]
