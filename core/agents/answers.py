"""Model answers, as their facts contain them and as the conversation repeats them.

Stored answers are masked. For a call with masked arguments the digest of the original arguments is stored beside them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.domain.run import StepResult, StepStatus
from core.domain.text.json_text import decode, encode
from core.domain.text.masking import masked, masked_text
from core.domain.tool import arguments_digest
from core.ports import CallRequest, ChatMessage, CutOffReason, Replay

PARAGRAPH = "\n\n"

# At the end of an output that was cut off, for whoever reads it without the run's warnings.
CUT_OFF_MARKS: Mapping[CutOffReason, str] = {
    "length": "[Cut off here: the answer reached the model's output limit.]",
    "content_filter": "[Cut off here by the provider's filter.]",
}


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The text and the calls of a model answer.

    `status` is completed for a whole answer; otherwise it broke off after `text`, and its calls do not count.
    `stored_digests` belong to the calls with masked arguments, by position. `replay` is what the provider wants back.
    `cut_off`: it reached a limit, so that its end is missing.
    """

    text: str
    calls: tuple[CallRequest, ...] = ()
    status: StepStatus = StepStatus.COMPLETED
    stored_digests: tuple[str | None, ...] = ()
    replay: Replay | None = None
    cut_off: CutOffReason | None = None

    @property
    def output(self) -> str:
        """The text, with a mark where it was cut off."""
        return self.text if self.cut_off is None else f"{self.text.rstrip()}{PARAGRAPH}{CUT_OFF_MARKS[self.cut_off]}"

    def as_message(self) -> ChatMessage:
        """Convert to a message of the conversation."""
        return ChatMessage("assistant", self.text, self.calls, replay=self.replay)

    @property
    def digests(self) -> tuple[str, ...]:
        """The digests of the calls, equal for equal arguments."""
        return tuple(digest or arguments_digest(arguments_json(call)) for call, digest in self._pairs)

    def as_dict(self) -> dict[str, Any]:
        """Convert to `{text, calls: [{id, tool, arguments, arguments_text, sameness?}], replay?, cut_off?}`, masked.

        A replay in which something would be masked is left out: a provider rejects one that was changed.
        """
        fields = {"text": self.text, "calls": [_masked_call(call, digest) for call, digest in self._pairs]}
        fields |= {"cut_off": self.cut_off} if self.cut_off is not None else {}
        replay = asdict(self.replay) if self.replay is not None else None
        return fields if replay is None or masked(replay) != replay else {**fields, "replay": replay}

    @property
    def _pairs(self) -> Iterable[tuple[CallRequest, str | None]]:
        return zip(self.calls, self.stored_digests or (None,) * len(self.calls), strict=True)


def arguments_json(call: CallRequest) -> str:
    """Encode the arguments as the model wrote them; a JSON string if they are not an object."""
    return encode(call.arguments_text if call.arguments is None else dict(call.arguments))


def stored_answers(results: Iterable[StepResult]) -> list[ModelAnswer]:
    """Decode the finished answers, whole or cut off, among the checkpoints of a turn, in order."""
    finished = [result for result in results if result.key.round and result.status.is_final]
    return [_answer_of(result) for result in sorted(finished, key=lambda result: result.key.round or 0)]


def turn_text(answers: Iterable[ModelAnswer]) -> str:
    """Join the answers of a turn as paragraphs."""
    return PARAGRAPH.join(answer.text for answer in answers if answer.text)


def _answer_of(result: StepResult) -> ModelAnswer:
    stored = decode(result.output_json or "{}")
    digests = tuple(call.pop("sameness", None) for call in stored["calls"])
    replay = Replay(**stored["replay"]) if "replay" in stored else None
    calls = tuple(CallRequest(**call) for call in stored["calls"])
    return ModelAnswer(stored["text"], calls, result.status, digests, replay, stored.get("cut_off"))


def _masked_call(call: CallRequest, sameness: str | None) -> Mapping[str, Any]:
    """Mask a call, with the digest of its arguments if they were masked now or before."""
    if call.arguments is None:
        masked_call = replace(call, arguments_text=masked_text(call.arguments_text))
    else:
        arguments = masked(dict(call.arguments))
        is_same = arguments == dict(call.arguments)
        masked_call = call if is_same else replace(call, arguments=arguments, arguments_text=encode(arguments))
    fields = {key: value for key, value in asdict(masked_call).items() if key != "cut_off" or value is not None}
    if masked_call == call and sameness is None:
        return fields
    return {**fields, "sameness": sameness or arguments_digest(arguments_json(call))}
