"""Assembles the events of a stream into an answer.

Accepts what real servers send: several choices, usage in the last or an extra chunk, an error anywhere, a plain JSON
answer instead of a stream (AGENTS_AND_TOOLS §2, §10).
"""

from collections.abc import Iterable, Iterator
from typing import Any

from core.domain.model import ModelChoice
from core.domain.text.json_text import decode
from core.errors import StepFailed
from core.llm.openai_compatible.content import reasoning_in, text_in
from core.llm.openai_compatible.replay import ReplayCollector
from core.llm.openai_compatible.think_tags import ThoughtSplitter
from core.llm.openai_compatible.tool_calls import CallAssembler
from core.llm.provider.event_assembly import DONE, StreamedAnswer, value_or_none
from core.llm.provider.failures import error_in, message_in, message_in_body, model_error, one_line
from core.llm.provider.usage import openai_usage
from core.llm.sse import SseEvent
from core.ports import CallDelta, ModelDelta, ModelWarning, ReplayDelta, TextDelta

_LENGTH = frozenset({"length", "max_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety", "recitation", "prohibited_content"})
_LENGTH_WARNING = ModelWarning("length", "the answer was cut off at the model's length limit")
_FILTERED_WARNING = ModelWarning("content_filter", "the provider's filter cut the answer off")


class Assembler(StreamedAnswer):
    """Assembles an answer. Of an event it reads what can be read, and an error in it is final."""

    def __init__(self, choice: ModelChoice) -> None:
        super().__init__(choice)
        self._followed_index: int | None = None
        self._splitter = ThoughtSplitter()
        self._call_pieces = CallAssembler()
        self._returned = ReplayCollector()

    def take(self, events: Iterable[SseEvent]) -> Iterator[ModelDelta]:
        """Yield the deltas of these events. Raises StepFailed `provider_error` for an error in the stream, or
        `answer_too_large`.
        """
        for event in events:
            if self.is_done:
                continue
            self.has_begun = True
            data = event.data.strip()
            if data == DONE:
                self.is_done = True
            elif event.name == "error":
                raise provider_error(message_in_body(data))
            elif data:
                for value in self._values(data):
                    yield from self._take_chunk(value)

    def take_other(self, lines: list[str]) -> Iterator[ModelDelta]:
        """Yield the deltas of a response that is not an event stream: a JSON value, or a value per line."""
        # Some servers and gateways ignore `stream` and send the whole answer as JSON.
        text = "\n".join(lines).strip()
        if self.has_begun or not text:
            return
        try:
            values = [decode(text)]
        except ValueError:
            values = [value for line in lines if (value := value_or_none(line)) is not None]
        if not any(isinstance(value, dict | list) for value in values):
            raise bad_response(text)
        self.has_begun = True
        for value in values:
            yield from self._take_chunk(value)
        if self._followed_index is None:
            raise bad_response(text)
        self.is_done = True

    def _end_text(self, rest: str) -> Iterator[ModelDelta]:
        if rest:
            yield from self._splitter.feed(rest)
        yield from self._splitter.flush()

    def _finish_calls(self) -> Iterator[ModelDelta]:
        calls = self._call_pieces.finished(is_cut_off=self._cut is not None)
        for call, _ in calls:
            yield CallDelta(call)
        if (replay := self._returned.replay(self._choice, [keys for _, keys in calls])) is not None:
            yield ReplayDelta(replay)

    def _values(self, data: str) -> Iterator[Any]:
        """Yield the JSON values of an event: a single value, a value per line, or the value after a broken value in its
        line.

        Everything else is skipped and counted.
        """
        value = value_or_none(data)
        if value is not None:
            yield value
            return
        for line in data.split("\n"):
            value = value_or_none(line)
            if line.strip() == DONE:
                self.is_done = True
            elif value is not None:
                yield value
            else:
                self._skipped += 1
                if (rest := value_or_none(line.rpartition("data:")[2])) is not None:
                    yield rest

    def _take_chunk(self, value: Any) -> Iterator[ModelDelta]:
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
            if thought := reasoning_in(delta):
                yield from self._think(thought)
            if text := self._text.feed(text_in(delta)):
                self._count(len(text))
                if self._splitter.passes(text):
                    yield TextDelta(text)
                else:
                    yield from self._splitter.feed(text)
            for entries in (delta.get("tool_calls"), delta.get("function_call")):
                if entries:
                    self._count(self._call_pieces.feed(entries, are_whole=is_whole))
            if size := self._returned.take(delta):
                self._count(size)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.is_finished = True
            if reason.lower() in _FILTERED:
                self._cut = _FILTERED_WARNING
            elif reason.lower() in _LENGTH and self._cut is None:
                self._cut = _LENGTH_WARNING
            elif reason.lower() == "error":
                raise provider_error("")


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
