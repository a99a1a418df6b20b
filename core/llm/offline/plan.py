"""Planned answers of the offline agent, made by a script or by commands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.text.json_text import encode, parse_at
from core.errors import StepFailed

_WORD = re.compile(r"\s*\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class PlannedText:
    """Text that is streamed word by word, `delay_s` apart; None is the default pace. `if_failed` takes its place after
    a failed call.
    """

    text: str
    delay_s: float | None = None
    if_failed: str = ""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call to make. `arguments` is None if `arguments_text` is not a JSON object."""

    tool: str
    arguments: Mapping[str, Any] | None
    arguments_text: str


@dataclass(frozen=True, slots=True)
class PlannedAnswer:
    """An answer: texts, then calls or a `failure`."""

    texts: tuple[PlannedText, ...] = ()
    calls: tuple[PlannedCall, ...] = ()
    failure: str | None = None

    def words(self) -> Iterator[tuple[str, float | None]]:
        """Yield the text in pieces of one word, each with the delay before it. Texts are separated by a space."""
        gap = ""
        for saying in self.texts:
            for match in _WORD.finditer(saying.text):
                word = match[0]
                yield (word if word[0].isspace() else gap + word), saying.delay_s
                gap = ""
            if saying.text:
                gap = "" if saying.text[-1].isspace() else " "

    @property
    def if_failed(self) -> str:
        """What is said in place of the answer after a failed call; empty if it is the same."""
        return next((saying.if_failed for saying in self.texts if saying.if_failed), "")

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(word for word, _ in self.words())


def ask_user_call(question: str, options: Sequence[str] = ()) -> PlannedCall:
    """Plan a call that asks the user for a text, or to choose among options."""
    arguments: dict[str, Any] = {"question": question}
    if options:
        arguments["options"] = list(options)
    return PlannedCall("ask_user", arguments, encode(arguments))


def spawn_agent_call(prompt: str) -> PlannedCall:
    """Plan a call that starts a sub-agent."""
    arguments = {"prompt": prompt}
    return PlannedCall("spawn_agent", arguments, encode(arguments))


def parse_json(text: str, start: int = 0) -> tuple[Any, int]:
    """Parse a JSON value that can also be encoded, like `parse_at`. Raises ValueError."""
    value, end = parse_at(text, start)
    try:
        encode(value)
    except StepFailed as error:
        raise ValueError(error.message) from None
    return value, end


class AnswerBuilder:
    """Groups texts and calls into answers: calls end an answer when a text follows, a failure ends it at once."""

    def __init__(self) -> None:
        self._answers: list[PlannedAnswer] = []
        self._sayings: list[PlannedText] = []
        self._calls: list[PlannedCall] = []

    def add_text(self, saying: PlannedText) -> None:
        """Add a text."""
        self.end_round()
        self._sayings.append(saying)

    def add_call(self, call: PlannedCall) -> None:
        """Add a call."""
        self._calls.append(call)

    def fail(self, message: str) -> None:
        """End the answer with a failure."""
        self.end_round()
        self._end(message)

    def end_round(self) -> None:
        """End the round, if it has calls; the next call starts another."""
        if self._calls:
            self._end()

    def answers(self) -> tuple[PlannedAnswer, ...]:
        """End the last answer, and take all that are left."""
        if self._sayings or self._calls:
            self._end()
        return self.take()

    def take(self) -> tuple[PlannedAnswer, ...]:
        """Take the answers that have ended since the last call."""
        ended = tuple(self._answers)
        self._answers.clear()
        return ended

    def _end(self, failure: str | None = None) -> None:
        self._answers.append(PlannedAnswer(tuple(self._sayings), tuple(self._calls), failure))
        self._sayings.clear()
        self._calls.clear()
