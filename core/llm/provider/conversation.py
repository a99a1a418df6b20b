"""A conversation as strict providers accept it: every call has its result, and no answer is interrupted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.ports import ChatMessage

NO_RESULT = '{"error":{"code":"interrupted","message":"this call has no result"}}'


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the user, the system or the model; each of its calls has a result, in their order."""

    message: ChatMessage
    results: tuple[ChatMessage, ...] = ()

    @property
    def is_model(self) -> bool:
        """Whether the model said it."""
        return self.message.role == "assistant"


def system_text(messages: Sequence[ChatMessage]) -> str:
    """Join the system messages."""
    return "\n\n".join(message.text for message in messages if message.role == "system" and message.text)


def turns(messages: Sequence[ChatMessage]) -> list[Turn]:
    """Return the turns. Answers that broke off before their first word are left out, and any at the end: sent, it would
    be a beginning to continue, or be rejected.
    """
    found = [turn for turn in every_turn(messages) if turn.message.role != "system"]
    while found and found[-1].is_model and not found[-1].results:
        del found[-1]
    return found


def every_turn(messages: Sequence[ChatMessage]) -> Iterator[Turn]:
    """Yield the turns, each system message as one of its own. Answers that broke off before their first word are left
    out.
    """
    at = 0
    while at < len(messages):
        message = messages[at]
        at += 1
        if message.role in ("system", "user"):
            yield Turn(message)
        if message.role != "assistant":  # a result here belongs to a call that was dropped
            continue
        results: dict[str | None, list[ChatMessage]] = {}
        while at < len(messages) and messages[at].role == "tool":
            results.setdefault(messages[at].call_id, []).append(messages[at])
            at += 1
        # Calls with the same id take their results in order.
        own = (results[call.id].pop(0) if results.get(call.id) else None for call in message.calls)
        answers = tuple(answer or ChatMessage("tool", NO_RESULT) for answer in own)
        if answers or message.text.strip():
            yield Turn(message, answers)
