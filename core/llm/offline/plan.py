"""Answers that are known before they are given: what a script or a command makes the offline agent do."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.text.json_text import encode, parse_at
from core.errors import StepFailed

_WORD = re.compile(r"\s*\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class PlannedText:
    """Text that is said word by word, `delay_s` apart; None is the agent's own pace."""

    text: str
    delay_s: float | None = None


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call to make. `arguments` is None where `arguments_text` is no JSON object."""

    tool: str
    arguments: Mapping[str, Any] | None
    arguments_text: str


@dataclass(frozen=True, slots=True)
class PlannedAnswer:
    """One answer of a model: it says something, then makes calls, or breaks off with `failure`."""

    sayings: tuple[PlannedText, ...] = ()
    calls: tuple[PlannedCall, ...] = ()
    failure: str | None = None

    def words(self) -> Iterator[tuple[str, float | None]]:
        """Its text in pieces of one word, each with the delay before it. Sayings do not run into each other."""
        gap = ""
        for saying in self.sayings:
            for found in _WORD.finditer(saying.text):
                word = found[0]
                yield (word if word[0].isspace() else gap + word), saying.delay_s
                gap = ""
            if saying.text:
                gap = "" if saying.text[-1].isspace() else " "

    @property
    def text(self) -> str:
        return "".join(word for word, _ in self.words())


def ask_user_call(question: str, options: Sequence[str] = ()) -> PlannedCall:
    """The call that asks the person: a text, or some of the options and a text."""
    arguments: dict[str, Any] = {"question": question}
    if options:
        arguments["options"] = list(options)
    return PlannedCall("ask_user", arguments, encode(arguments))


def spawn_agent_call(prompt: str) -> PlannedCall:
    """The call that begins a sub-agent."""
    arguments = {"prompt": prompt}
    return PlannedCall("spawn_agent", arguments, encode(arguments))


def parse_json(text: str, start: int = 0) -> tuple[Any, int]:
    """A JSON value that can also be written again (`read_from`). Raises ValueError."""
    value, end = parse_at(text, start)
    try:
        encode(value)
    except StepFailed as error:
        raise ValueError(error.message) from None
    return value, end


class AnswerBuilder:
    """Puts sayings and calls into answers: calls end an answer once something else follows, a failure at once."""

    def __init__(self) -> None:
        self._answers: list[PlannedAnswer] = []
        self._sayings: list[PlannedText] = []
        self._calls: list[PlannedCall] = []

    def say(self, saying: PlannedText) -> None:
        self.end_round()
        self._sayings.append(saying)

    def call(self, call: PlannedCall) -> None:
        self._calls.append(call)

    def fail(self, message: str) -> None:
        self.end_round()
        self._end(message)

    def end_round(self) -> None:
        """Calls made so far are one round; the next begins another."""
        if self._calls:
            self._end()

    def answers(self) -> tuple[PlannedAnswer, ...]:
        """All of them that were not taken, in order."""
        if self._sayings or self._calls:
            self._end()
        return self.take()

    def take(self) -> tuple[PlannedAnswer, ...]:
        """Those that have ended since the last time."""
        ended = tuple(self._answers)
        self._answers.clear()
        return ended

    def _end(self, failure: str | None = None) -> None:
        self._answers.append(PlannedAnswer(tuple(self._sayings), tuple(self._calls), failure))
        self._sayings.clear()
        self._calls.clear()
