"""A language model, or its stand-in: takes a conversation and streams an answer."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from core.domain.model import ModelChoice
from core.domain.tool import ToolInfo

CutOffReason = Literal["length", "content_filter"]


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A tool call that a model requests.

    `id` is the model's own id, which returns to it with the result. It need not be unique beyond the answer, so the
    ledger has its own ids. `arguments` is None if `arguments_text`, the model's text, is not a JSON object, or if the
    answer was `cut_off`, for that reason: such a call is never made, and the model is told why.
    """

    id: str
    tool: str
    arguments: Mapping[str, Any] | None
    arguments_text: str
    cut_off: CutOffReason | None = None


@dataclass(frozen=True, slots=True)
class MessageFile:
    """A picture or a document of a message. `mime` is such as `image/png` or `application/pdf`."""

    name: str
    mime: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Replay:
    """What a provider wants back with its answer, unchanged: such as signatures of thoughts (AGENTS_AND_TOOLS §2).

    Only the same model at the same origin gets it back, in the same wire format. `value` is JSON in the form of that
    format's adapter; nothing else reads it.
    """

    wire_format: str
    origin: str
    model: str | None
    value: Any

    def is_for(self, choice: ModelChoice, wire_format: str) -> bool:
        """Return whether that model gets it back."""
        return (self.wire_format, self.origin, self.model) == (wire_format, choice.origin, choice.model)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of the conversation as the model gets it. Only assistant messages have calls and a replay, only tool
    messages a call id, only user and tool messages files.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[CallRequest, ...] = ()
    call_id: str | None = None
    files: tuple[MessageFile, ...] = ()
    replay: Replay | None = None


WaitReason = Literal["answer", "retry", "loading"]


@dataclass(frozen=True, slots=True)
class WaitStatus:
    """Progress of a wait without data, in seconds: how long so far, and the limit.

    `reason` is "answer" (waiting for the first or the next byte), "retry" (the attempt failed with `message`;
    `attempt` is the next) or "loading" (a server on this machine is not ready; `message` has its words).
    """

    reason: WaitReason
    waited_s: float
    limit_s: float
    attempt: int = 1
    message: str | None = None


def ignore_wait(status: WaitStatus) -> None:
    """Ignore the progress of a wait."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a model. Every call in `messages` has its result directly after its message.

    An assistant message without content, or at the end, is an interrupted answer: it gives the offline agent its
    position and is not sent to a provider. `script` is only for the offline agent, which answers if `choice` is None.
    `on_wait` is called occasionally while no data arrives; it must not raise.
    """

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolInfo, ...] = ()
    script: tuple[Mapping[str, Any], ...] = ()
    choice: ModelChoice | None = None
    on_wait: Callable[[WaitStatus], None] = ignore_wait


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """Reasoning before the answer: displayed, but not part of it."""

    text: str


@dataclass(frozen=True, slots=True)
class TextWasReasoning:
    """All text of the answer so far was reasoning, which is `text`: the tag that ends it arrived only now."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A tool call: complete, unless the answer was cut off."""

    call: CallRequest


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of the whole answer, at most once per answer. `cost` is None if the price is unknown.

    Of the input, `cached_tokens` were read from the provider's cache, and `cache_write_tokens` written to it.
    """

    input_tokens: int
    output_tokens: int
    cost: float | None = None
    cached_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelWarning:
    """A remark about an otherwise valid answer.

    `length`, `content_filter`: the answer was cut off there. Its calls are yielded as they are, and never made.
    `skipped_data`: part of the stream was unreadable and may be missing. `without_tools`, `fewer_tools` {sent, of,
    left_out} and `without_part` {part}: the server does not take something that was chosen, so it was left out.
    """

    code: Literal["length", "content_filter", "skipped_data", "without_tools", "fewer_tools", "without_part"]
    message: str
    details: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ReplayDelta:
    """What is sent back with the answer in later requests. At most once, at the end of a whole answer."""

    replay: Replay


ModelDelta = TextDelta | ReasoningDelta | TextWasReasoning | CallDelta | ModelWarning | Usage | ReplayDelta


class ModelClient(Protocol):
    """A model that answers requests."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Stream the answer. Closing the generator cancels the request.

        Raises StepFailed with the parameter `failed_during="model"` if there is no answer or it breaks off, after
        yielding what arrived.
        """
