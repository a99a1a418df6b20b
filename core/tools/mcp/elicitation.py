"""A server asks the user in the middle of a call: for the fields of a form, or to open an address (AGENTS_AND_TOOLS §7,
ENGINE §8).
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.domain.ids import CallId
from core.domain.input_schema import properties_of
from core.domain.interruption import Action, Interruption, InterruptionKind, InterruptionRequest, InterruptionStatus
from core.domain.text.json_text import count_parts, encode
from core.domain.tool import arguments_digest
from core.ports import CallContext
from core.tools.mcp.launch import NO_SECRETS, SecretMask

if TYPE_CHECKING:
    import mcp_types

DIGEST_CHARACTERS = 16
PROMPT_CHARACTERS = 2_000
TEXT_CHARACTERS = 1_000
URL_CHARACTERS = 4_000
MAX_FIELDS = 50
MAX_PARTS = 2_000
"""Of a requested schema: fields, options and their texts."""

_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
}


class Unanswerable(Exception):
    """A request that cannot be shown to the user; the reason is sent to the server."""


@dataclass(slots=True, eq=False)
class ServerCall:
    """A call of a server's tool in flight, with the number of its sampling requests. The id of what the server asks in
    it is derived from the content: after a crash, the answer to a question is that of the same question alone.
    """

    context: CallContext
    server: str
    tool: str
    mask: SecretMask = NO_SECRETS
    asked: Counter[str] = field(default_factory=Counter)
    samples: int = 0

    def next_id(self, what: str, content: Any) -> CallId:
        """Return the id of a request for this content; `what` is the kind of the request."""
        digest = arguments_digest(encode([what, content]))[:DIGEST_CHARACTERS]
        self.asked[digest] += 1
        return CallId(f"{self.context.call_id} {what} {digest} {self.asked[digest]}")


async def answer_elicitation(
    params: "mcp_types.ElicitRequestParams", call: ServerCall
) -> "mcp_types.ElicitResult | mcp_types.ErrorData":
    """Ask the user and return the result: `accept`, `decline` if the user refused, `cancel` if there is no answer."""
    import mcp_types

    if call.context.ask is None:
        return mcp_types.ElicitResult(action="cancel")
    try:
        if isinstance(params, mcp_types.ElicitRequestURLParams):
            schema, options = None, _address(params.url, call.mask)
        else:
            schema, options = form_schema(params.requested_schema, call.mask), None
    except Unanswerable as error:
        return mcp_types.ErrorData(code=mcp_types.INVALID_PARAMS, message=str(error))
    prompt = call.mask.hide_own(params.message)[:PROMPT_CHARACTERS]
    request = InterruptionRequest(
        InterruptionKind.ELICITATION,
        call.context.step,
        call.context.index,
        prompt=prompt,
        schema=schema,
        options=options,
        tool=call.tool,
        call_id=call.next_id("asks", [prompt, schema, options]),
        default_action=Action.SKIP,
    )
    return _result(await call.context.ask(request), schema)


def _result(closed: Interruption, schema: Any) -> "mcp_types.ElicitResult":
    import mcp_types

    match closed.answer.action if closed.answer is not None else None:
        case Action.SUBMIT if schema is None:
            return mcp_types.ElicitResult(action="accept")
        case Action.SUBMIT if closed.answer is not None:
            return mcp_types.ElicitResult(action="accept", content=dict(closed.answer.value))
        case Action.REJECT if closed.status is not InterruptionStatus.EXPIRED:
            return mcp_types.ElicitResult(action="decline")
        case _:
            return mcp_types.ElicitResult(action="cancel")


def _address(url: str, mask: SecretMask) -> dict[str, str]:
    """Return what the user is shown of the address that is to be opened. Raises Unanswerable."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    if not url.lower().startswith(("https://", "http://")) or not host or len(url) > URL_CHARACTERS:
        raise Unanswerable("the address must be of a website, and begin with https:// or http://")
    if any(character.isspace() or not character.isprintable() for character in url):
        raise Unanswerable("the address must have no spaces and no control characters")
    if mask.hide_own(url) != url:
        raise Unanswerable("the address must not have a secret of the server in it")
    # as a browser looks it up: letters of another script that look alike are seen
    try:
        shown = host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        raise Unanswerable("the host of the address is no valid name") from None
    return {"url": url, "host": shown}


def form_schema(requested: Any, mask: SecretMask) -> dict[str, Any]:
    """Return the schema of a form, with nothing in it but what a form can show. Raises Unanswerable."""
    fields = properties_of(requested)
    if len(fields) > MAX_FIELDS or count_parts(requested, MAX_PARTS) is None:
        raise Unanswerable(f"a form has at most {MAX_FIELDS} fields, and {MAX_PARTS} parts with their options")
    required = requested.get("required") if isinstance(requested, Mapping) else None
    return {
        "type": "object",
        "properties": {name: _field_schema(name, raw, mask) for name, raw in fields.items()},
        "required": [name for name in fields if isinstance(required, list) and name in required],
        "additionalProperties": False,
    }


def _field_schema(name: str, raw: Mapping[str, Any], mask: SecretMask) -> dict[str, Any]:
    kind = raw.get("type")
    schema: dict[str, Any] = {}
    for part in ("title", "description"):
        if isinstance(text := raw.get(part), str) and text.strip():
            schema[part] = mask.hide_own(text)[:TEXT_CHARACTERS]
    if kind == "array":
        items = raw.get("items")
        options = _options(items if isinstance(items, Mapping) else {}, mask)
        schema |= {"type": "array", "items": options or {"type": "string"}, "uniqueItems": bool(options)}
    elif options := _options(raw, mask):
        schema |= options
    else:
        if kind not in _TYPES:
            raise Unanswerable(f"the field {name[:80]!r} is no text, number, boolean or choice")
        schema["type"] = kind
    return schema | _rules(raw, schema)


def _rules(raw: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the limits and the default of a field, as far as they are valid."""
    rules: dict[str, Any] = {}
    rules |= {key: raw[key] for key in _NUMBERS if _is_number(raw.get(key))}
    rules |= {key: raw[key] for key in _COUNTS if isinstance(raw.get(key), int) and raw[key] >= 0}
    if isinstance(raw.get("format"), str) and schema.get("type") == "string":
        rules["format"] = raw["format"]
    if isinstance(pattern := raw.get("pattern"), str) and len(pattern) <= TEXT_CHARACTERS and _is_pattern(pattern):
        rules["pattern"] = pattern
    default, kind = raw.get("default"), schema.get("type", "string")
    if default is not None and isinstance(default, _TYPES[kind]) and isinstance(default, bool) == (kind == "boolean"):
        rules["default"] = default
    return rules


def _options(raw: Mapping[str, Any], mask: SecretMask) -> dict[str, Any]:
    """Return the schema of a choice, in whichever form its values and titles are listed; {} if there are none."""
    values, titles = raw.get("enum"), raw.get("enumNames")
    pairs: list[tuple[Any, Any]] = []
    for keyword in ("oneOf", "anyOf"):
        if isinstance(branches := raw.get(keyword), list):
            pairs = [(one.get("const"), one.get("title")) for one in branches if isinstance(one, Mapping)]
    if not pairs and isinstance(values, list):
        has_titles = isinstance(titles, list) and len(titles) == len(values)
        pairs = list(zip(values, titles if has_titles and isinstance(titles, list) else values, strict=True))
    texts = [(value, label if isinstance(label, str) and label else value) for value, label in pairs]
    known = dict(pair for pair in texts if isinstance(pair[0], str))
    if not known:
        return {}
    titled = [{"const": value, "title": mask.hide_own(label)[:TEXT_CHARACTERS]} for value, label in known.items()]
    return {"type": "string", "oneOf": titled}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_pattern(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
