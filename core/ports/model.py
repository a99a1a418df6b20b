"""A language model, or what stands in for one: a conversation goes in, pieces of an answer come out."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from core.domain.tool import ToolInfo


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A tool call that a model asks for.

    `id` is the model's own name for it and goes back to it with the result; it need not be unique beyond its
    answer, so the ledger has names of its own. `arguments` is None where what the model wrote is no JSON
    object; `arguments_text` is what it wrote.
    """

    id: str
    tool: str
    arguments: Mapping[str, Any] | None
    arguments_text: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of the conversation as a model sees it. An assistant's may carry calls, a tool's answers one."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[CallRequest, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model. Every call in `messages` has its result right after the message that made it.

    An assistant message that says nothing, or that ends the conversation, is an answer that broke off: it
    tells the offline agent its place; what is sent to a provider leaves it out. `script` is only for the
    offline agent.
    """

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolInfo, ...] = ()
    script: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A call, complete."""

    call: CallRequest


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the whole answer, told at most once in it. `cost` is None where the price is not known."""

    input_tokens: int
    output_tokens: int
    cost: float | None = None


ModelDelta = TextDelta | CallDelta | Usage


class ModelClient(Protocol):
    """Something that answers."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """The answer, piece by piece. Raises StepFailed, with the parameter `failed_during="model"`, where there
        is none, or where it breaks off; what came before has been yielded. Closing the generator ends the request.
        """
        ...
