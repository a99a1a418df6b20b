"""Shapes a request to what its server takes, before any wire format writes it (AGENTS_AND_TOOLS §2)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from core.domain.model import ModelChoice, Reasoning
from core.domain.tool import ToolInfo, mcp_server_of
from core.llm.presets import Quirks
from core.llm.provider.attempt import PreparedRequest
from core.llm.provider.failures import AttemptFailed
from core.llm.provider.lessons import MAX_LESSONS, lesson_of
from core.ports import CallRequest, ChatMessage, ModelRequest, ModelWarning

_WORD = re.compile(r"\w{3,}")
RESULT_CHARACTERS = 4000


class RequestShaper:
    """Shapes the body of a request to what its server takes, as far as it is known or learnt on the way."""

    def __init__(self, prepared: PreparedRequest, request: ModelRequest, quirks: Quirks) -> None:
        self.prepared = prepared
        self.quirks = quirks
        self.warnings: list[ModelWarning] = []
        self.has_learnt = False
        self._request = request
        self._left_out: ModelWarning | None = None
        self._lessons = 0
        self._shaped = request
        self._shape(quirks)

    def leave_out(self, failed: AttemptFailed) -> bool:
        """Leave out the part of the request that was refused. Return False if none is known that was sent."""
        if self._lessons == MAX_LESSONS:
            return False
        for lesson in lesson_of(failed, self.quirks, self._shaped, self.prepared.body):
            before = self.prepared.body
            if self._shape(lesson.quirks) != before:
                self._lessons += 1
                self.quirks, self.has_learnt = lesson.quirks, True
                self.warnings += [lesson.warning] if lesson.warning is not None else []
                return True
            self._shape(self.quirks)
        return False

    def _shape(self, quirks: Quirks) -> dict[str, Any]:
        choice = self.prepared.choice
        self._shaped = shaped_request(self._request, choice, quirks)
        warning = left_out(self._request, self._shaped, quirks)
        self.warnings = [kept for kept in self.warnings if kept is not self._left_out]
        self.warnings += [warning] if warning is not None else []
        self._left_out = warning
        body = self.prepared.wire_format.body(self._shaped, self._shaped.choice or choice, quirks)
        for path in quirks.refused_fields:
            _remove(body, path)
        self.prepared.body = body
        return body


def shaped_request(request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> ModelRequest:
    """Return the request without what the server does not take."""
    changes: dict[str, object] = {}
    if not quirks.temperature:
        changes["temperature"] = None
    if not quirks.takes_reasoning:
        changes["reasoning"] = Reasoning.OFF
    if quirks.max_output_tokens is not None and (choice.max_tokens or 0) > quirks.max_output_tokens:
        changes["max_tokens"] = quirks.max_output_tokens
    messages: Sequence[ChatMessage] = request.messages
    if not quirks.tools:
        messages = _without_calls(messages)
    if not quirks.files:
        messages = [_without_files(message) if message.files else message for message in messages]
    if not quirks.system:
        messages = _without_system(messages)
    return replace(
        request,
        messages=tuple(messages),
        tools=_tools(request, quirks) if quirks.tools else (),
        choice=choice.model_copy(update=changes) if changes else choice,
    )


def left_out(asked: ModelRequest, sent: ModelRequest, quirks: Quirks) -> ModelWarning | None:
    """Return whose tools were left out of a request that has others."""
    if not quirks.tools or len(asked.tools) == len(sent.tools):
        return None
    names = {tool.name for tool in sent.tools}
    missing = [tool for tool in asked.tools if tool.name not in names]
    servers = Counter(mcp_server_of(tool.name) or "" for tool in missing)
    owners = [f"{server} ({count})" for server, count in servers.items() if server]
    owners += [tool.name for tool in missing if mcp_server_of(tool.name) is None]
    message = f"{len(sent.tools)} of {len(asked.tools)} tools were sent; left out: {', '.join(owners)}"
    details = {"sent": len(sent.tools), "of": len(asked.tools), "left_out": ", ".join(owners)}
    return ModelWarning("fewer_tools", message, details)


def _remove(body: dict[str, Any], path: str) -> None:
    """Remove a field. `a.b` is a field within a field."""
    first, _, inner = path.partition(".")
    holder = body.get(first) if inner else body
    if isinstance(holder, dict):
        holder.pop(inner or first, None)
    if inner and holder == {}:
        del body[first]


def _tools(request: ModelRequest, quirks: Quirks) -> tuple[ToolInfo, ...]:
    tools = [tool for tool in request.tools if tool.name not in quirks.refused_tools]
    if quirks.max_tools is not None and len(tools) > quirks.max_tools:
        tools = _most_relevant(tools, request.messages, quirks.max_tools)
    if (limit := quirks.description_characters) is not None:
        tools = [
            replace(tool, description=tool.description[: limit - 1] + "…") if len(tool.description) > limit else tool
            for tool in tools
        ]
    return tuple(tools)


def _most_relevant(tools: Sequence[ToolInfo], messages: Sequence[ChatMessage], count: int) -> list[ToolInfo]:
    """Choose tools, in their own order: tools that were called, the app's own, then tools whose names and
    descriptions share words with what the user wrote last.
    """
    called = {call.tool for message in messages for call in message.calls}
    prompt = next((message.text for message in reversed(messages) if message.role == "user"), "")
    words = _words([prompt])

    def rank(tool: ToolInfo) -> tuple[bool, bool, int]:
        shared = len(words & _words([tool.name, tool.title, tool.description]))
        return tool.name not in called, mcp_server_of(tool.name) is not None, -shared

    chosen = {tool.name for tool in sorted(tools, key=rank)[:count]}
    return [tool for tool in tools if tool.name in chosen]


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.lower().replace("_", " "))}


def _without_calls(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Write calls and their results as text, for a model that knows neither."""
    sent: list[ChatMessage] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.calls:
            names |= {call.id: call.tool for call in message.calls}
            text = "\n\n".join(filter(None, (message.text.strip(), *map(_told, message.calls))))
            sent.append(ChatMessage("assistant", text))
        elif message.role == "tool":
            result = message.text[:RESULT_CHARACTERS]
            told = f"(Result of {names.get(message.call_id or '', 'a tool')}: {result})"
            sent.append(ChatMessage("user", told, files=message.files))
        else:
            sent.append(message)
    return sent


def _without_files(message: ChatMessage) -> ChatMessage:
    names = ", ".join(file.name for file in message.files)
    text = "\n\n".join(filter(None, (message.text, f"(Not shown to this model, which takes no files: {names})")))
    return replace(message, text=text, files=())


def _told(call: CallRequest) -> str:
    return f"(Called {call.tool} with {call.arguments_text[:RESULT_CHARACTERS]})"


def _without_system(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Put the system prompts before the first words of the user."""
    prompts = [message.text for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    first = next((at for at, message in enumerate(others) if message.role == "user"), None)
    if not prompts or first is None:
        return others
    others[first] = replace(others[first], text="\n\n".join([*prompts, others[first].text]))
    return others
