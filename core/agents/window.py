"""Fits a conversation into the context window: the newest messages, never cut between a call and its result.

The system prompt and the prompt of the turn are always included.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from core.domain.text.json_text import encode
from core.domain.tokens import estimate_tokens
from core.domain.tool import ToolInfo
from core.ports import ChatMessage, MessageFile

_MESSAGE_TOKENS = 8
_PICTURE_TOKENS = 1600
_PAGE_BYTES = 50_000


@dataclass(frozen=True, slots=True)
class FittedContext:
    """The part of a conversation that is sent: its `messages` without the `dropped` oldest of the history.

    `tokens` estimates the whole conversation, including what is dropped; `fixed` is the share of the tools and the
    system prompt, which is the first message if present.
    """

    messages: tuple[ChatMessage, ...]
    tokens: int
    fixed: int
    dropped: int


def fit_context(
    messages: Sequence[ChatMessage], prompt_at: int, tools_tokens: int, room_tokens: int | None
) -> FittedContext:
    """Select the messages that fit. `prompt_at` is the index of the turn's prompt; later messages are newer.

    `tools_tokens` is the size of the tools. `room_tokens` None: everything fits. At least the newest answer of the turn
    with its results is included, even if it is too large; the provider then rejects the request.
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
    # The turn itself goes first: without its own answers and results, the model would repeat its calls. The history
    # gets the rest, and only if the whole turn fits.
    newest, room = _newest(turn, room, at_least=1)
    sent: list[list[ChatMessage]] = []
    if len(newest) == len(turn):
        sent, _ = _newest(history, room)
        while sent and sent[0][0].role != "user" and len(sent) < len(history):
            del sent[0]  # an answer without its question would mislead the model
    dropped = sum(map(len, history)) - sum(map(len, sent))
    return FittedContext((*systems, *_flat(sent), prompt, *_flat(newest)), whole, fixed, dropped)


def message_tokens(message: ChatMessage) -> int:
    """Estimate the tokens of a message."""
    calls = sum(
        estimate_tokens(call.tool) + estimate_tokens(call.arguments_text) + _MESSAGE_TOKENS for call in message.calls
    )
    files = sum(_file_tokens(file) for file in message.files)
    return _MESSAGE_TOKENS + estimate_tokens(message.text) + calls + files


def _file_tokens(file: MessageFile) -> int:
    """Estimate the tokens of a picture or a document. Providers count a large picture as 750 to 1 600 tokens, a page of
    a PDF as about 2 000; a page has mostly 50 kB or more.
    """
    if file.mime.startswith("image/"):
        return _PICTURE_TOKENS
    return _PICTURE_TOKENS * max(1, len(file.data) // _PAGE_BYTES)


def tool_tokens(tool: ToolInfo) -> int:
    """Estimate the tokens of a tool's description."""
    return _MESSAGE_TOKENS + estimate_tokens(tool.name + tool.description + encode(dict(tool.input_schema)))


def _units(messages: Sequence[ChatMessage]) -> list[list[ChatMessage]]:
    """Group the messages that must stay together: an answer with the results of its calls."""
    units: list[list[ChatMessage]] = []
    for is_result, group in groupby(messages, lambda message: message.role == "tool"):
        if is_result and units:
            units[-1].extend(group)
        else:
            units.extend([message] for message in group)
    return units


def _newest(units: Sequence[list[ChatMessage]], room: int, at_least: int = 0) -> tuple[list[list[ChatMessage]], int]:
    """Select the last groups that fit, and return the remaining tokens too."""
    newest: list[list[ChatMessage]] = []
    for unit in reversed(units):
        size = sum(map(message_tokens, unit))
        if size > room and len(newest) >= at_least:
            break
        newest.insert(0, unit)
        room -= size
    return newest, room


def _flat(units: Sequence[list[ChatMessage]]) -> list[ChatMessage]:
    return [message for unit in units for message in unit]
