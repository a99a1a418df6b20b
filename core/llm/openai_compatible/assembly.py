"""Assembles the events of a stream into an answer.

Accepts what real servers send: several choices, usage in the last or an extra chunk, an error anywhere, a plain JSON
answer instead of a stream (AGENTS_AND_TOOLS §2, §10).
"""

from collections.abc import Iterable, Iterator
from typing import Any

from core.domain.model import ModelChoice
from core.domain.text.json_text import decode
from core.domain.text.well_formed import SurrogateJoiner
from core.errors import StepFailed
from core.llm.openai_compatible.content import reasoning_in, text_in
from core.llm.openai_compatible.replay import ReplayCollector
from core.llm.openai_compatible.think_tags import ThoughtSplitter
from core.llm.openai_compatible.tool_calls import CallAssembler
from core.llm.provider.failures import error_in, message_in, message_in_body, model_error, one_line
from core.llm.provider.usage import openai_usage
from core.llm.sse import SseEvent
from core.ports import CallDelta, ModelDelta, ModelWarning, ReasoningDelta, ReplayDelta, TextDelta, Usage

# For an answer with its reasoning and calls: the limit of a step's result (ENGINE §2).
ANSWER_CHARACTERS = 10_000_000

_LENGTH = frozenset({"length", "max_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety", "recitation", "prohibited_content"})
_DONE = "[DONE]"


class Assembler:
    """Assembles an answer.

    `has_begun`: some of it has arrived. `is_finished`: the server has sent a finish reason; `is_done`: nothing else
    follows.
    """

    def __init__(self, choice: ModelChoice) -> None:
        self.has_begun = False
        self.is_finished = False
        self.is_done = False
        self._choice = choice
        self._followed_index: int | None = None
        self._text = SurrogateJoiner()
        self._thoughts = SurrogateJoiner()
        self._splitter = ThoughtSplitter()
        self._calls = CallAssembler()
        self._replay = ReplayCollector()
        self._reasons: set[str] = set()
        self._usage: Usage | None = None
        self._skipped = 0
        self._size = 0

    def take(self, events: Iterable[SseEvent]) -> Iterator[ModelDelta]:
        """Yield the deltas of these events. Raises StepFailed `provider_error` for an error in the stream, or
        `answer_too_large`.
        """
        for event in events:
            if self.is_done:
                continue
            self.has_begun = True
            data = event.data.strip()
            if data == _DONE:
                self.is_done = True
            elif event.name == "error":
                raise provider_error(message_in_body(data))
            elif data:
                for value in self._values(data):
                    yield from self._take_value(value)

    def take_other(self, lines: list[str]) -> Iterator[ModelDelta]:
        """Yield the deltas of a response that is not an event stream: a JSON value, or a value per line."""
        # Some servers and gateways ignore `stream` and send the whole answer as JSON.
        text = "\n".join(lines).strip()
        if self.has_begun or not text:
            return
        try:
            values = [decode(text)]
        except ValueError:
            values = [value for line in lines if (value := _json_or_none(line)) is not None]
        if not any(isinstance(value, dict | list) for value in values):
            raise bad_response(text)
        self.has_begun = True
        for value in values:
            yield from self._take_value(value)
        if self._followed_index is None:
            raise bad_response(text)
        self.is_done = True

    def finish(self) -> Iterator[ModelDelta]:
        """Yield what is complete only at the end. Raises StepFailed `truncated` if the answer is incomplete."""
        # The texts and the usage come before any error, since their tokens were read and paid for even if the answer
        # broke off. Calls come last; where the answer was cut off, they are only for the model to read, as half of
        # their arguments must never be executed.
        if rest := self._thoughts.flush():
            yield ReasoningDelta(rest)
        if rest := self._text.flush():
            yield from self._splitter.feed(rest)
        yield from self._splitter.flush()
        if self._usage is not None:
            yield self._usage
        if not (self.is_done or self.is_finished):
            raise model_error("truncated", "the answer broke off before its end")
        if self._skipped:
            yield ModelWarning(
                "skipped_data", f"parts of the stream could not be read, and may be missing: {self._skipped}"
            )
        if self._reasons & _FILTERED:
            yield ModelWarning("content_filter", "the provider's filter cut the answer off")
        elif self._reasons & _LENGTH:
            yield ModelWarning("length", "the answer was cut off at the model's length limit")
        calls = self._calls.finished(is_cut_off=bool(self._reasons & (_FILTERED | _LENGTH)))
        for call, _ in calls:
            yield CallDelta(call)
        if (replay := self._replay.replay(self._choice, [keys for _, keys in calls])) is not None:
            yield ReplayDelta(replay)

    def _values(self, data: str) -> Iterator[Any]:
        """Yield the JSON values of an event: a single value, a value per line, or the value after a broken value in its
        line.

        Everything else is skipped and counted.
        """
        value = _json_or_none(data)
        if value is not None:
            yield value
            return
        for line in data.split("\n"):
            value = _json_or_none(line)
            if line.strip() == _DONE:
                self.is_done = True
            elif value is not None:
                yield value
            else:
                self._skipped += 1
                if (rest := _json_or_none(line.rpartition("data:")[2])) is not None:
                    yield rest

    def _take_value(self, value: Any) -> Iterator[ModelDelta]:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            self._skipped += 1
            return
        choices = value.get("choices")
        choices = choices if isinstance(choices, list) else []
        error = error_in(value, choices)
        if error is not None:
            raise provider_error(message_in(error), error)
        # Usage may come with the last piece or in an extra chunk without choices, so the latest report counts.
        if isinstance(value.get("usage"), dict):
            self._usage = openai_usage(value["usage"], self._choice) or self._usage
        choice = self._followed(choices)
        if choice is not None:
            yield from self._take_choice(choice)

    def _followed(self, choices: list[Any]) -> dict[str, Any] | None:
        """Select the choice that is followed: the first of the choices that arrived first."""
        # A server may send several choices, interleaved. Only one can become the answer (AGENTS_AND_TOOLS §2).
        placed = {_index_of(choice, at): choice for at, choice in enumerate(choices) if isinstance(choice, dict)}
        if self._followed_index is None and placed:
            self._followed_index = min(placed)
        return placed.get(self._followed_index) if self._followed_index is not None else None

    def _take_choice(self, choice: dict[str, Any]) -> Iterator[ModelDelta]:
        delta, is_whole = choice.get("delta"), False
        if not isinstance(delta, dict):
            delta, is_whole = choice.get("message"), True
        if isinstance(delta, dict):
            if thought := self._thoughts.feed(reasoning_in(delta)):
                self._count(len(thought))
                yield ReasoningDelta(thought)
            if text := self._text.feed(text_in(delta)):
                self._count(len(text))
                if self._splitter.passes(text):
                    yield TextDelta(text)
                else:
                    yield from self._splitter.feed(text)
            for entries in (delta.get("tool_calls"), delta.get("function_call")):
                if entries:
                    self._count(self._calls.feed(entries, are_whole=is_whole))
            if size := self._replay.take(delta):
                self._count(size)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.is_finished = True
            self._reasons.add(reason.lower())
            if reason.lower() == "error":
                raise provider_error("")

    def _count(self, characters: int) -> None:
        self._size += characters
        if self._size > ANSWER_CHARACTERS:
            message = f"the answer has over {ANSWER_CHARACTERS:,} characters"
            raise model_error("answer_too_large", message, limit=ANSWER_CHARACTERS)


def provider_error(message: str, error: Any = None) -> StepFailed:
    """Return the error for an error in mid-stream, with the provider's message."""
    code = error.get("code") or error.get("type") if isinstance(error, dict) else None
    parameters = {"provider_code": code} if isinstance(code, str | int) else {}
    return model_error("provider_error", message or "the provider reports an error", **parameters)


def bad_response(text: str) -> StepFailed:
    """Return the error for a response of another kind, such as a web page."""
    summary = one_line(message_in_body(text))[:200]
    return model_error("bad_response", f"the server's response is not a chat completion: {summary}")


def _index_of(choice: dict[str, Any], at: int) -> int:
    index = choice.get("index")
    return index if isinstance(index, int) else at


def _json_or_none(text: str) -> Any:
    try:
        return decode(text)
    except ValueError:
        return None
