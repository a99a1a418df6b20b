"""A language model, or what stands in for one: a conversation goes in, pieces of an answer come out."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from core.domain.model import ModelChoice
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
class WaitStatus:
    """Nothing has come for a while: for how long now, and how long that may go on (seconds).

    `reason`: "answer" (its first byte, or the next one), or "retry" (it failed, in the words of `message`;
    `attempt` is the one to come).
    """

    reason: Literal["answer", "retry"]
    waited_s: float
    limit_s: float
    attempt: int = 1
    message: str | None = None


def ignore_wait(waiting: WaitStatus) -> None:
    """What is told where nobody wants to know."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model. Every call in `messages` has its result right after the message that made it.

    An assistant message that says nothing, or that ends the conversation, is an answer that broke off: it
    tells the offline agent its place; what is sent to a provider leaves it out. `script` is only for the
    offline agent. `choice` None: the offline agent is asked. `waits` is told now and then while nothing comes; it
    must not raise.
    """

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolInfo, ...] = ()
    script: tuple[Mapping[str, Any], ...] = ()
    choice: ModelChoice | None = None
    waits: Callable[[WaitStatus], None] = ignore_wait


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """What the model thinks aloud before it answers: shown, and no part of the answer."""

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


@dataclass(frozen=True, slots=True)
class ModelWarning:
    """The answer is whole as far as it goes, but something is to be known about it.

    `length` and `content_filter`: it was cut off there, and its calls are dropped. `skipped_data`: a part of the
    stream could not be read, and may be missing.
    """

    code: Literal["length", "content_filter", "skipped_data"]
    message: str


ModelDelta = TextDelta | ReasoningDelta | CallDelta | ModelWarning | Usage


class ModelClient(Protocol):
    """Something that answers."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """The answer, piece by piece. Raises StepFailed, with the parameter `failed_during="model"`, where there
        is none, or where it breaks off; what came before has been yielded. Closing the generator ends the request.
        """
        ...
