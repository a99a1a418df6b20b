"""The request for a message."""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.domain.model import ModelChoice
from core.domain.text.well_formed import well_formed
from core.domain.tool import ToolInfo
from core.llm.anthropic_messages.models import parameters
from core.llm.anthropic_messages.replay import blocks_of_answer
from core.llm.presets import Quirks
from core.llm.provider.conversation import system_text, turns
from core.llm.tool_names import wire_name
from core.ports import ChatMessage, MessageFile, ModelRequest

Block = dict[str, Any]

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
MARK = {"type": "ephemeral"}
BEFORE = "(What was said before is not shown.)"
# The results of failed calls begin so (core.agents).
_ERROR = re.compile(r'\s*\{"error":\s*[{"]')
_ID = re.compile(r"[^a-zA-Z0-9_-]")


def request_body(request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> dict[str, Any]:
    """Build the JSON object posted to `messages`."""
    body: dict[str, Any] = {} if choice.model is None else {"model": choice.model}
    messages = wire_messages(request.messages, choice)
    body |= parameters(choice, quirks, may_think=_may_think(request.messages, choice))
    body["stream"] = True
    if system := _texts(system_text(request.messages)):
        body["system"] = system
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    body["messages"] = messages
    if quirks.cache_marks:
        _mark(body)
    return body


def wire_messages(messages: Sequence[ChatMessage], choice: ModelChoice) -> list[Block]:
    """Build the `messages` of a request: roles alternate, every call has a unique id and its result in the message
    directly after it, and no block is empty.
    """
    sent: list[Block] = []
    ids = _Ids()
    for turn in turns(messages):
        message = turn.message
        if not turn.is_model:
            _append(sent, "user", [*_files(message.files), *_texts(message.text)])
            continue
        call_ids = [ids.unique(call.id) for call in message.calls]
        _append(sent, "assistant", blocks_of_answer(message, call_ids, choice))
        _append(sent, "user", [_result(*pair) for pair in zip(call_ids, turn.results, strict=True)])
    if not sent or sent[0]["role"] != "user":
        sent.insert(0, {"role": "user", "content": [{"type": "text", "text": BEFORE}]})
    return sent


def _append(sent: list[Block], role: str, blocks: list[Block]) -> None:
    """Append blocks, to the previous message if that has the same role."""
    if not blocks:
        return
    if sent and sent[-1]["role"] == role:
        sent[-1]["content"] += blocks
    else:
        sent.append({"role": role, "content": blocks})


def _texts(text: str) -> list[Block]:
    return [{"type": "text", "text": well_formed(text)}] if text.strip() else []


def _files(files: Iterable[MessageFile]) -> list[Block]:
    return [_file(file) for file in files]


def _file(file: MessageFile) -> Block:
    """Build the block of a picture or a document; another file is only named."""
    mime = "image/jpeg" if file.mime == "image/jpg" else file.mime  # as some tools call it
    source = {"type": "base64", "media_type": mime, "data": base64.b64encode(file.data).decode("ascii")}
    if mime in PICTURES:
        return {"type": "image", "source": source}
    if file.mime == "application/pdf":
        return {"type": "document", "source": source, "title": well_formed(file.name) or "document"}
    return {"type": "text", "text": f"({well_formed(file.name)}: {file.mime} cannot be shown.)"}


def _result(call_id: str, message: ChatMessage) -> Block:
    """Build the result of a call. One without content is valid, one with an empty text is not."""
    block: Block = {"type": "tool_result", "tool_use_id": call_id}
    files = _files(message.files)
    if content := _texts(message.text) + files:
        block["content"] = content
    if _ERROR.match(message.text) and not files:  # an error has texts alone
        block["is_error"] = True
    return block


def _tool(tool: ToolInfo) -> Block:
    described = {"description": tool.description} if tool.description.strip() else {}
    return {"name": wire_name(tool.name), **described, "input_schema": _schema(tool.input_schema)}


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema as an object's, without alternatives at its top, which are answered with 400.

    The properties of all alternatives are offered; only what all of them require is required.
    """
    sent = {"type": "object", "properties": {}, **schema}
    for name in ("oneOf", "anyOf", "allOf"):
        parts = sent.pop(name, None)
        parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        own = sent.get("properties")
        sent["properties"] = dict(own) if isinstance(own, dict) else {}
        for part in parts:
            inner = part.get("properties")
            sent["properties"] |= inner if isinstance(inner, dict) else {}
        required = [set(part["required"]) if isinstance(part.get("required"), list) else set() for part in parts]
        shared = set().union(*required) if name == "allOf" else set.intersection(*required) if required else set()
        if shared:
            sent["required"] = sorted(shared | set(sent.get("required") or ()))
    return {**sent, "type": "object"}


def _may_think(messages: Sequence[ChatMessage], choice: ModelChoice) -> bool:
    """Return whether every answer of the current turn begins with a thought that goes back.

    A model with a budget answers 400 if the calls of a turn come from an answer without one: such as that of another
    model, or after the user has just switched reasoning on. It thinks again from the next message on.
    """
    is_in_turn = False
    for message in reversed(messages):
        if message.role == "assistant":
            if not message.calls:
                return True
            if not _begins_with_thought(message, choice):
                return False
            is_in_turn = True
        elif message.role == "user" and is_in_turn:
            return True
    return True


def _begins_with_thought(message: ChatMessage, choice: ModelChoice) -> bool:
    blocks = blocks_of_answer(message, [call.id for call in message.calls], choice)
    return bool(blocks) and blocks[0]["type"] in ("thinking", "redacted_thinking")


def _mark(body: dict[str, Any]) -> None:
    """Mark where the provider may cache the request up to: four places at most.

    The tools and the system prompt stay the same for a conversation; the last two user messages let each request read
    what the one before has written.
    """
    places = [body.get("tools"), body.get("system")]
    places += [message["content"] for message in body["messages"] if message["role"] == "user"][-2:]
    for blocks in places:
        if blocks:
            blocks[-1] = {**blocks[-1], "cache_control": MARK}


class _Ids:
    """Makes call ids valid and unique within a request, preserving the model's own where possible."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def unique(self, model_id: str) -> str:
        valid_id = _ID.sub("_", model_id) or "call"
        number, unique_id = 1, valid_id
        while unique_id in self._used:
            number += 1
            unique_id = f"{valid_id}_{number}"
        self._used.add(unique_id)
        return unique_id
