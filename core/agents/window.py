"""What fits a model's window: the newest of the conversation, never cut between a call and its result.

The system prompt and the prompt of the turn are always told.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from core.domain.text.json_text import encode
from core.domain.tokens import estimate_tokens
from core.domain.tool import ToolInfo
from core.ports.model import ChatMessage

_MESSAGE_TOKENS = 8


@dataclass(frozen=True, slots=True)
class FittedContext:
    """What is told of a conversation: its `messages` without the `dropped` oldest of the history.

    `tokens`: about how many the whole would have, with what is dropped; of these `fixed` are those of the tools and of
    the system prompt, which is the first message if there is one.
    """

    messages: tuple[ChatMessage, ...]
    tokens: int
    fixed: int
    dropped: int


def fit_context(
    messages: Sequence[ChatMessage], prompt_at: int, tools_tokens: int, room_tokens: int | None
) -> FittedContext:
    """The messages that a request takes. `prompt_at` is where the prompt of the turn stands; what follows it is newer.
    `tools_tokens` is what it takes to tell of the tools, as `Offered` has it.

    `room_tokens` None: everything fits. Of the turn itself at least the newest answer with its results is kept, be it
    too large; that the provider will say.
    """
    whole = sum(map(message_tokens, messages)) + tools_tokens
    fixed = tools_tokens + (message_tokens(messages[0]) if messages[0].role == "system" else 0)
    if room_tokens is None or whole <= room_tokens:
        return FittedContext(tuple(messages), whole, fixed, 0)
    prompt = messages[prompt_at]
    systems = [message for message in messages[:prompt_at] if message.role == "system"]
    history = _units([message for message in messages[:prompt_at] if message.role != "system"])
    turn = _units(messages[prompt_at + 1 :])
    room = room_tokens - sum(map(message_tokens, (*systems, prompt))) - tools_tokens
    newest, room = _newest(turn, room, at_least=1)
    told: list[list[ChatMessage]] = []
    if len(newest) == len(turn):
        told, _ = _newest(history, room)
        while told and told[0][0].role != "user" and len(told) < len(history):
            del told[0]  # an answer without its question
    dropped = sum(map(len, history)) - sum(map(len, told))
    return FittedContext((*systems, *_flat(told), prompt, *_flat(newest)), whole, fixed, dropped)


def message_tokens(message: ChatMessage) -> int:
    """About how many tokens a message has."""
    calls = sum(
        estimate_tokens(call.tool) + estimate_tokens(call.arguments_text) + _MESSAGE_TOKENS for call in message.calls
    )
    return _MESSAGE_TOKENS + estimate_tokens(message.text) + calls


def tool_tokens(tool: ToolInfo) -> int:
    """About how many tokens it takes to tell a model of a tool."""
    return _MESSAGE_TOKENS + estimate_tokens(tool.name + tool.description + encode(dict(tool.input_schema)))


def _units(messages: Sequence[ChatMessage]) -> list[list[ChatMessage]]:
    """The messages, those together that may not be parted: an answer and the results of its calls."""
    units: list[list[ChatMessage]] = []
    for is_result, group in groupby(messages, lambda message: message.role == "tool"):
        if is_result and units:
            units[-1].extend(group)
        else:
            units.extend([message] for message in group)
    return units


def _newest(units: Sequence[list[ChatMessage]], room: int, at_least: int = 0) -> tuple[list[list[ChatMessage]], int]:
    """The last units that fit, and the room that is left."""
    kept: list[list[ChatMessage]] = []
    for unit in reversed(units):
        size = sum(map(message_tokens, unit))
        if size > room and len(kept) >= at_least:
            break
        kept.insert(0, unit)
        room -= size
    return kept, room


def _flat(units: Sequence[list[ChatMessage]]) -> list[ChatMessage]:
    return [message for unit in units for message in unit]
