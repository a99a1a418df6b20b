"""The body of a request."""

from collections.abc import Iterable
from typing import Any

from core.domain.model import ModelChoice, Reasoning
from core.domain.tool import ToolInfo
from core.llm.openai_compatible.history import wire_messages, wire_name
from core.llm.presets import Quirks
from core.ports.model import ModelRequest


def body_of(request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> dict[str, Any]:
    """What is posted to `chat/completions`. Only what was chosen is in it: servers differ in what they refuse."""
    body: dict[str, Any] = {} if choice.model is None else {"model": choice.model}
    body["messages"] = wire_messages(request.messages, short_ids=quirks.short_ids)
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
    return body


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
