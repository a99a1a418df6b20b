"""Answers that are known before they are given: what a script or a command makes the offline agent do."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from core.domain.json_text import encode
from core.errors import StepFailed

_WORD = re.compile(r"\s*\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class Saying:
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

    sayings: tuple[Saying, ...] = ()
    calls: tuple[PlannedCall, ...] = ()
    failure: str | None = None

    def words(self) -> Iterator[tuple[str, float | None]]:
        """Its text in pieces of one word, each with the delay before it. Sayings do not run into each other."""
        gap = ""
        for saying in self.sayings:
            for word in _WORD.findall(saying.text):
                yield (word if word[0].isspace() else gap + word), saying.delay_s
                gap = ""
            if saying.text:
                gap = "" if saying.text[-1].isspace() else " "

    @property
    def text(self) -> str:
        return "".join(word for word, _ in self.words())


def read_json(text: str, start: int = 0) -> tuple[Any, int]:
    """The JSON value that begins at `start`, and where it ends. Raises ValueError, also for NaN and infinities."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        encode(value)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except StepFailed as error:
        raise ValueError(error.message) from None
    return value, end


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


class AnswerBuilder:
    """Puts sayings and calls into answers: calls end an answer once something else follows, a failure at once."""

    def __init__(self) -> None:
        self._answers: list[PlannedAnswer] = []
        self._sayings: list[Saying] = []
        self._calls: list[PlannedCall] = []

    def say(self, saying: Saying) -> None:
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
        """All of them, in order."""
        if self._sayings or self._calls:
            self._end()
        return tuple(self._answers)

    def _end(self, failure: str | None = None) -> None:
        self._answers.append(PlannedAnswer(tuple(self._sayings), tuple(self._calls), failure))
        self._sayings.clear()
        self._calls.clear()
