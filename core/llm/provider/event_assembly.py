"""What is the same in every stream of JSON events: reading the values, whole characters, the limit, and the end."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from core.domain.model import ModelChoice
from core.domain.text.json_text import decode
from core.domain.text.well_formed import SurrogateJoiner
from core.llm.provider.failures import AttemptFailed, error_in, message_in, message_in_body, model_error, one_line
from core.llm.sse import SseEvent
from core.ports import (
    CallDelta,
    CallRequest,
    ModelDelta,
    ModelWarning,
    ReasoningDelta,
    Replay,
    ReplayDelta,
    TextDelta,
    Usage,
)

# For an answer with its reasoning and calls: the limit of a step's result (ENGINE §2).
ANSWER_CHARACTERS = 10_000_000
DONE = "[DONE]"


class StreamedAnswer:
    """What every `AnswerAssembler` keeps of an answer, and its end.

    A subclass sets `_cut` to the warning if the answer was cut off: then its calls are not to be made.
    """

    def __init__(self, choice: ModelChoice) -> None:
        self.has_begun = False
        self.is_finished = False
        self.is_done = False
        self._choice = choice
        self._usage: Usage | None = None
        self._cut: ModelWarning | None = None
        self._text = SurrogateJoiner()
        self._thoughts = SurrogateJoiner()
        self._skipped = 0
        self._size = 0

    def finish(self) -> Iterator[ModelDelta]:
        """Implement `AnswerAssembler.finish`."""
        # The texts and the usage come before any error, since their tokens were read and paid for even if the answer
        # broke off. Calls come last; where the answer was cut off, they are only for the model to read, as half of
        # their arguments must never be executed.
        if rest := self._thoughts.flush():
            yield ReasoningDelta(rest)
        yield from self._end_text(self._text.flush())
        if self._usage is not None:
            yield self._usage
        if not (self.is_done or self.is_finished):
            raise model_error("truncated", "the answer broke off before its end")
        if self._skipped:
            yield ModelWarning(
                "skipped_data", f"parts of the stream could not be read, and may be missing: {self._skipped}"
            )
        if self._cut is not None:
            yield self._cut
        yield from self._finish_calls()

    def _end_text(self, rest: str) -> Iterator[ModelDelta]:
        """Yield what is left of the text."""
        if rest:
            yield TextDelta(rest)

    def _finish_calls(self) -> Iterator[ModelDelta]:
        """Yield the calls, and what goes back with the whole answer."""
        raise NotImplementedError

    def _say(self, text: str) -> Iterator[ModelDelta]:
        """Yield a piece of the text."""
        if said := self._text.feed(text):
            self._count(len(said))
            yield TextDelta(said)

    def _think(self, text: str) -> Iterator[ModelDelta]:
        """Yield a piece of the reasoning."""
        if thought := self._thoughts.feed(text):
            self._count(len(thought))
            yield ReasoningDelta(thought)

    def _count(self, characters: int) -> None:
        """Count what the answer holds. Raises StepFailed `answer_too_large`."""
        self._size += characters
        if self._size > ANSWER_CHARACTERS:
            message = f"the answer has over {ANSWER_CHARACTERS:,} characters"
            raise model_error("answer_too_large", message, limit=ANSWER_CHARACTERS)


class EventAssembler(StreamedAnswer):
    """The part of an `AnswerAssembler` that every format of JSON events shares.

    A subclass takes the values, and says which calls and which replay the whole answer has. `begins_with_events`: the
    answer has begun with the first event; otherwise the subclass sets `has_begun`. Until then, errors with
    `passing_codes` are worth another attempt.
    """

    begins_with_events = True
    passing_codes: frozenset[object] = frozenset()

    def take(self, events: Iterable[SseEvent]) -> Iterator[ModelDelta]:
        """Implement `AnswerAssembler.take`."""
        for event in events:
            if self.is_done:
                continue
            self.has_begun = self.has_begun or self.begins_with_events
            data = event.data.strip()
            if data == DONE:
                self.is_done = True
            elif data:
                yield from self._take_text(data, event.name)

    def take_other(self, lines: list[str]) -> Iterator[ModelDelta]:
        """Implement `AnswerAssembler.take_other`."""
        text = "\n".join(lines).strip()
        if not text or self.is_finished:
            return
        values = _values(text, lines)
        if self.has_begun:  # between the events of a stream, only an error has a meaning
            self._raise_error(values)
            return
        if not any(isinstance(value, dict) and self._is_answer(value) for value in values):
            self._raise_error(values)
            if not values and _is_cut(text):
                raise model_error("truncated", "the answer broke off before its end")
            summary = one_line(message_in_body(text))[:200]
            raise model_error("bad_response", f"the server's response is not an answer of a model: {summary}")
        self.has_begun = True
        for value in values:
            yield from self._take_value(value, "")
        self.is_done = True

    def _finish_calls(self) -> Iterator[ModelDelta]:
        calls = self._calls()
        for call in calls:
            yield CallDelta(call if self._cut is None else replace(call, arguments=None))
        if self._cut is None and (returned := self._replay(calls)) is not None:
            yield ReplayDelta(returned)

    def _is_answer(self, value: dict[str, Any]) -> bool:
        """Return whether a value that is no event has an answer."""
        raise NotImplementedError

    def _take(self, value: dict[str, Any], name: str) -> Iterator[ModelDelta]:
        """Yield the deltas of a value; `name` is that of its event."""
        raise NotImplementedError

    def _calls(self) -> Sequence[CallRequest]:
        """Return the calls of the whole answer."""
        raise NotImplementedError

    def _replay(self, calls: Sequence[CallRequest]) -> Replay | None:
        """Return what goes back with the whole answer."""
        raise NotImplementedError

    def _fail(self, error: Any, fallback: str = "the provider reports an error") -> NoReturn:
        """Raise the error that the provider reports within its answer, or before it has begun."""
        fields = error if isinstance(error, dict) else {}
        code = next((fields[key] for key in ("code", "type", "status") if fields.get(key)), None)
        parameters = {"provider_code": code} if isinstance(code, str | int) else {}
        failed = model_error("provider_error", message_in(error) or fallback, **parameters)
        if self.has_begun:
            raise failed
        raise AttemptFailed(failed, is_retryable=code in self.passing_codes)

    def _raise_error(self, values: Any) -> None:
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, dict) and (error := error_in({"choices": (), **value}, [])) is not None:
                self._fail(error)

    def _take_text(self, data: str, name: str) -> Iterator[ModelDelta]:
        """Take an event: a value, or a value per line."""
        lines = data.split("\n")
        values = _values(data, lines)
        if not values and name == "error":
            self._fail(message_in_body(data))
        self._skipped += 0 if values else len(lines)
        for value in values:
            yield from self._take_value(value, name)

    def _take_value(self, value: Any, name: str) -> Iterator[ModelDelta]:
        self._raise_error(value)
        if name == "error":
            self._fail(value)
        if isinstance(value, dict):
            yield from self._take(value, name)
        else:
            self._skipped += 1


def _values(text: str, lines: Iterable[str]) -> list[Any]:
    """Return the values of a text: the items of a list, a single value, or a value per line."""
    try:
        value = decode(text)
    except ValueError:
        return [value for line in lines if (value := value_or_none(line)) is not None]
    return value if isinstance(value, list) else [value]


def _is_cut(text: str) -> bool:
    """Return whether a text that is no JSON is the beginning of JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return text.startswith(("{", "[")) and (error.pos >= len(text) or error.msg.startswith("Unterminated"))
    except RecursionError:
        pass
    return False


def value_or_none(line: str) -> Any:
    """Return the JSON value of a text, None if it has none."""
    try:
        return decode(line)
    except ValueError:
        return None
