"""An answer of a model: as its checkpoint keeps it, and as the conversation repeats it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from core.domain.json_text import decode, encode
from core.domain.step import StepResult, StepStatus
from core.ports.model import CallRequest, ChatMessage

PARAGRAPH = "\n\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said and which calls it made.

    `status` is completed for a whole answer; else it broke off after `text` and no call of it counts.
    """

    text: str
    calls: tuple[CallRequest, ...] = ()
    status: StepStatus = StepStatus.COMPLETED

    def as_message(self) -> ChatMessage:
        return ChatMessage("assistant", self.text, self.calls)

    def as_json(self) -> str:
        """`{text, calls: [{id, tool, arguments, arguments_text}]}`."""
        return encode({"text": self.text, "calls": [asdict(call) for call in self.calls]})


def answers_of(results: Iterable[StepResult]) -> list[Answer]:
    """The answers that ended, whole or not, among the checkpoints of one turn, in order."""
    ended = [result for result in results if result.key.round is not None and result.status.is_final]
    return [_answer_of(result) for result in sorted(ended, key=lambda result: result.key.round or 0)]


def text_of(answers: Iterable[Answer]) -> str:
    """What a turn says as a whole: its answers are paragraphs."""
    return PARAGRAPH.join(answer.text for answer in answers if answer.text)


def _answer_of(result: StepResult) -> Answer:
    kept = decode(result.output_json or "{}")
    return Answer(kept["text"], tuple(CallRequest(**call) for call in kept["calls"]), result.status)
