"""The request for a chat completion."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.domain.model import ModelChoice, Reasoning
from core.domain.text.json_text import encode
from core.domain.text.well_formed import well_formed
from core.domain.tool import ToolInfo
from core.llm.openai_compatible.replay import keys_to_return
from core.llm.presets import Quirks
from core.llm.provider.conversation import Turn, every_turn
from core.llm.tool_names import wire_name
from core.ports import CallRequest, ChatMessage, MessageFile, ModelRequest


def request_body(request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> dict[str, Any]:
    """Build the JSON object posted to `chat/completions`. It has only chosen fields, since servers differ in what they
    reject.
    """
    body: dict[str, Any] = {} if choice.model is None else {"model": choice.model}
    body["messages"] = wire_messages(request.messages, choice, quirks)
    body["stream"] = True
    if quirks.stream_options:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = list(_tools(request.tools))
    if choice.temperature is not None:
        body["temperature"] = choice.temperature
    if choice.max_tokens is not None:
        body[quirks.max_tokens] = choice.max_tokens
    if choice.reasoning is not Reasoning.OFF and quirks.reasoning is not None:
        effort = str(choice.reasoning)
        body[quirks.reasoning] = effort if quirks.reasoning == "reasoning_effort" else {"effort": effort}
    return {**body, **quirks.fields}


def _tools(tools: Iterable[ToolInfo]) -> Iterable[dict[str, Any]]:
    for tool in tools:
        yield {
            "type": "function",
            "function": {
                "name": wire_name(tool.name),
                "description": tool.description,
                "parameters": {"type": "object", "properties": {}, **tool.input_schema},
            },
        }


BROKE_OFF = "(The answer broke off here.)"
PICTURES_FOLLOW = "(The pictures of these results come next.)"
PICTURES_OF_RESULTS = "The pictures of the results, in order: {}."

SHORT_ID_CHARACTERS = 9
ID_CHARACTERS = 40  # the shortest limit of those that are known: OpenAI's
NO_QUIRKS = Quirks()

Wire = dict[str, Any]


def wire_messages(
    messages: Sequence[ChatMessage], choice: ModelChoice | None = None, quirks: Quirks = NO_QUIRKS
) -> list[Wire]:
    """Build the `messages` of a request, in a form that strict providers accept.

    Every call has a unique id, a name, valid arguments, and its result directly after it; roles alternate; nothing is
    empty that may not be. Answers that broke off before their first word are left out. In turns with calls, what the
    server of `choice` wants back goes with each answer.
    """
    sent: list[Wire] = []
    ids = _Ids(short=quirks.short_ids)
    has_called = False
    for turn in every_turn(messages):
        message = turn.message
        has_called = message.role != "user" and (has_called or bool(message.calls))
        if not turn.is_model:
            _say(sent, message.role, well_formed(message.text), message.files)
            continue
        if message.calls:
            _call(sent, turn, ids, keys_to_return(message, choice, quirks))
            if files := [
                file for result in turn.results for file in _pictures(result.files)
            ]:  # the result of a call can only be a text here
                sent.append({"role": "assistant", "content": PICTURES_FOLLOW})
                _say(sent, "user", PICTURES_OF_RESULTS.format(", ".join(file.name for file in files)), files)
        else:
            _say(sent, "assistant", well_formed(message.text))
            if has_called and sent[-1]["content"] == well_formed(message.text):  # else it was joined to another
                keys, _ = keys_to_return(message, choice, quirks)
                sent[-1] = _with_keys(sent[-1], keys)
    # A text-only answer at the end broke off before the crash. Sent, it would be a prefill to continue, or be rejected.
    if sent and sent[-1]["role"] == "assistant":
        del sent[-1]
    return sent


def _say(sent: list[Wire], role: str, text: str, files: Sequence[MessageFile] = ()) -> None:
    """Append a text and its pictures, to the previous message if that has the same role, since roles must alternate."""
    last = sent[-1] if sent else None
    content = _content(text, _pictures(files))
    is_joinable = last is not None and (isinstance(last["content"], str) or role == "user")
    if last is not None and is_joinable and last["role"] == role and "tool_calls" not in last:
        last["content"] = _joined(last["content"], content)
        return
    # Strict providers accept a user message after a tool result only with an answer between them.
    if last is not None and last["role"] == "tool" and role == "user":
        sent.append({"role": "assistant", "content": BROKE_OFF})
    sent.append({"role": role, "content": content})


def _content(text: str, pictures: Sequence[MessageFile]) -> str | list[Wire]:
    """Return a text as it is, since some servers take nothing else, and parts only where there are pictures."""
    if not pictures:
        return text
    parts: list[Wire] = [{"type": "text", "text": text}] if text.strip() else []
    for file in pictures:
        data = b64encode(file.data).decode("ascii")
        parts.append({"type": "image_url", "image_url": {"url": f"data:{file.mime};base64,{data}"}})
    return parts


def _joined(before: str | list[Wire], after: str | list[Wire]) -> str | list[Wire]:
    if isinstance(before, str) and isinstance(after, str):
        return "\n\n".join(filter(None, (before, after)))
    parts = [[{"type": "text", "text": part}] if isinstance(part, str) else part for part in (before, after) if part]
    return [part for of_message in parts for part in of_message]


def _pictures(files: Iterable[MessageFile]) -> list[MessageFile]:
    return [file for file in files if file.mime.startswith("image/")]


def _with_keys(message: Wire, keys: Mapping[str, Any]) -> Wire:
    """Add the keys that go back with an answer. Reasoning in the content stands before the text."""
    blocks = keys.get("content")
    if not blocks:
        return {**message, **keys}
    text = [{"type": "text", "text": message["content"]}] if message["content"] else []
    return {**message, **keys, "content": [*blocks, *text]}


def _call(
    sent: list[Wire],
    turn: Turn,
    ids: "_Ids",
    returned: tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]],
) -> None:
    """Append an answer with its calls and a result for each."""
    message = turn.message
    identified = [(ids.unique(call.id), call) for call in message.calls]
    keys, keys_of_calls = returned
    calls = [
        {"id": own_id, "type": "function", **own_keys, "function": {**own_keys.get("function", {}), **_function(call)}}
        for (own_id, call), own_keys in zip(identified, keys_of_calls, strict=True)
    ]
    text = well_formed(message.text) if message.text.strip() else None
    sent.append(_with_keys({"role": "assistant", "content": text, "tool_calls": calls}, keys))
    for (own_id, _), result in zip(identified, turn.results, strict=True):
        sent.append({"role": "tool", "tool_call_id": own_id, "content": well_formed(result.text)})


def _function(call: CallRequest) -> Wire:
    # Strict servers parse the arguments of old calls, so invalid JSON is wrapped instead of repeated.
    arguments = call.arguments if call.arguments is not None else {"invalid_json": well_formed(call.arguments_text)}
    return {"name": wire_name(call.tool), "arguments": encode(arguments)}


class _Ids:
    """Makes call ids unique within a request, preserving the model's own where possible."""

    def __init__(self, *, short: bool) -> None:
        self._short = short
        self._used: set[str] = set()

    def unique(self, model_id: str) -> str:
        number, unique_id = 1, self._format(model_id)
        while unique_id in self._used:
            number += 1
            unique_id = self._format(f"{model_id}_{number}")
        self._used.add(unique_id)
        return unique_id

    def _format(self, model_id: str) -> str:
        if not self._short and len(model_id) <= ID_CHARACTERS:
            return model_id or "call"
        if not self._short:
            return f"call_{_digest(model_id)[:24]}"
        if re.fullmatch(f"[a-zA-Z0-9]{{{SHORT_ID_CHARACTERS}}}", model_id):
            return model_id
        return _digest(model_id)[:SHORT_ID_CHARACTERS]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
