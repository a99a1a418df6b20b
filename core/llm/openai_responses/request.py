"""The request for a response."""

import base64
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from core.domain.model import ModelChoice, Reasoning, WireFormatName
from core.domain.text.json_text import encode
from core.domain.text.well_formed import well_formed
from core.domain.tool import ToolInfo
from core.llm.presets import Quirks, thinks
from core.llm.provider.conversation import Turn, system_text, turns
from core.llm.tool_names import wire_name
from core.ports import ChatMessage, MessageFile, ModelRequest

Wire = dict[str, Any]

# https://platform.openai.com/docs/guides/images-vision#image-input-requirements
_IMAGES = re.compile(r"image/(png|jpeg|webp|gif)")


def request_body(request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> Wire:
    """Build the JSON object posted to `responses`. The provider keeps nothing: all it needs is sent."""
    body: Wire = {} if choice.model is None else {"model": choice.model}
    if system := well_formed(system_text(request.messages)):
        body["instructions"] = system
    body |= {"input": list(_input(request.messages, choice)), "stream": True, "store": False}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if choice.temperature is not None:
        body["temperature"] = choice.temperature
    if choice.max_tokens is not None:
        body["max_output_tokens"] = choice.max_tokens
    if quirks.takes_reasoning and thinks(choice.model):
        # Without storage, reasoning comes back only if it was sent encrypted. Other models refuse to be asked for it.
        body["include"] = ["reasoning.encrypted_content"]
        body["reasoning"] = {"summary": "auto"}
    if choice.reasoning is not Reasoning.OFF:
        body["reasoning"] = {**body.get("reasoning", {}), "effort": str(choice.reasoning)}
    return body


def _tool(tool: ToolInfo) -> Wire:
    return {
        "type": "function",
        "name": wire_name(tool.name),
        "description": tool.description,
        "parameters": {"type": "object", "properties": {}, **tool.input_schema},
        # Strictly, a schema may have no optional fields, and much else would be refused.
        "strict": False,
    }


def _input(messages: Sequence[ChatMessage], choice: ModelChoice) -> Iterable[Wire]:
    used: set[str] = set()
    for turn in turns(messages):
        if not turn.is_model:
            yield {"role": "user", "content": _content(turn.message)}
            continue
        items = _replayed(turn, choice) or list(_items(turn))
        ids = []
        for item in items:
            if item.get("type") == "function_call":
                item["call_id"] = _unique(item["call_id"], used)
                ids.append(item["call_id"])
            yield item
        for call_id, result in zip(ids, turn.results, strict=True):
            yield {"type": "function_call_output", "call_id": call_id, "output": _content(result)}


def _content(message: ChatMessage) -> str | list[Wire]:
    """Return the text, alone if there are no files: servers that imitate OpenAI often read nothing else."""
    text = well_formed(message.text)
    if not message.files:
        return text
    said = [{"type": "input_text", "text": text}] if text else []
    return [*said, *map(_file, message.files)]


def _file(file: MessageFile) -> Wire:
    address = f"data:{file.mime};base64,{base64.b64encode(file.data).decode('ascii')}"
    if _IMAGES.fullmatch(file.mime):
        return {"type": "input_image", "image_url": address, "detail": "auto"}
    if file.mime == "application/pdf":
        return {"type": "input_file", "filename": file.name, "file_data": address}
    return {"type": "input_text", "text": f"[The file {file.name} is not shown: this model takes no {file.mime}.]"}


def _replayed(turn: Turn, choice: ModelChoice) -> list[Wire] | None:
    """Return the items of the answer as they came, if this model gave it and they are still the same answer."""
    replay, message = turn.message.replay, turn.message
    if (
        replay is None
        or not replay.is_for(choice, WireFormatName.OPENAI_RESPONSES)
        or not isinstance(replay.value, list)
    ):
        return None
    items: list[Wire] = [dict(item) for item in replay.value if isinstance(item, dict) and _has_content(item)]
    calls = [item for item in items if item.get("type") == "function_call"]
    text = "".join(text for item in items if item.get("type") == "message" for _, text in texts_of(item))
    is_same = text == message.text and len(calls) == len(message.calls)
    return items if is_same and all(isinstance(call.get("call_id"), str) for call in calls) else None


def _has_content(item: Wire) -> bool:
    """Return whether an item stands for itself. OpenAI looks for reasoning without content, and has not stored it."""
    return item.get("type") != "reasoning" or bool(item.get("encrypted_content") or item.get("content"))


def texts_of(item: Wire) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield the texts of an item, each with its place."""
    for name in ("summary", "content"):
        parts = item.get(name)
        for index, part in enumerate(parts if isinstance(parts, list) else []):
            text = (part.get("text") or part.get("refusal")) if isinstance(part, dict) else None
            if isinstance(text, str):
                yield (name, index), text


def _items(turn: Turn) -> Iterable[Wire]:
    message = turn.message
    if message.text.strip():
        yield {"role": "assistant", "content": well_formed(message.text)}
    for call in message.calls:
        arguments = {"invalid_json": well_formed(call.arguments_text)} if call.arguments is None else call.arguments
        yield {
            "type": "function_call",
            "call_id": well_formed(call.id) or "call",
            "name": wire_name(call.tool),
            "arguments": encode(arguments),
        }


def _unique(call_id: str, used: set[str]) -> str:
    number, own_id = 1, call_id
    while own_id in used:
        number += 1
        own_id = f"{call_id}_{number}"
    used.add(own_id)
    return own_id
