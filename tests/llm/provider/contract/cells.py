"""The table of adapters × scenarios: what a server sends in each, where that is published, and what it means."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from core.ports import Usage

EVENTS = {"Content-Type": "text/event-stream; charset=utf-8"}
JSON = {"Content-Type": "application/json"}


class Scenario(StrEnum):
    """A row of the table."""

    PLAIN = "plain"
    TOOLS = "tools"
    PARALLEL_TOOLS = "parallel tools"
    REASONING = "reasoning"
    REFUSAL = "refusal"
    LENGTH = "length"
    ERROR_IN_STREAM = "error in the stream"
    OVERLOADED = "overloaded"
    WRONG_KEY = "wrong key"
    SILENCE = "silence"
    CUT = "cut"
    CACHED_TOKENS = "cached tokens"
    PICTURES = "pictures"
    TOOL_PICTURES = "tool results with pictures"
    NOT_STREAMED = "not streamed"


# What is sent in these is the stream of another scenario: the request or the connection is what differs.
SAME_STREAM = {
    Scenario.SILENCE: Scenario.PLAIN,
    Scenario.CUT: Scenario.PLAIN,
    Scenario.PICTURES: Scenario.PLAIN,
    Scenario.TOOL_PICTURES: Scenario.TOOLS,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """What a server sends, and its meaning.

    `source` is the address of the provider's own example or of a public report, or says "aimock"; `kind` is "by hand"
    where there is none. `words` are in the message of the error or warning. `calls` are (tool, arguments). `returned`
    are JSON values that the next request holds unchanged.
    """

    kind: Literal["provider", "report", "aimock", "by hand"]
    source: str
    body: bytes
    text: str = ""
    thought: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    usage: Usage | None = None
    words: str = ""
    returned: tuple[Any, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: EVENTS)


@dataclass(frozen=True, slots=True)
class Adapter:
    """A column of the table, in the module that has the name of its wire format.

    `problem_of` is what a strict provider has against the body of a request, None if nothing. `model` is what is asked
    for. `pending` scenarios are not there yet: they are skipped, with this reason.
    """

    cells: Mapping[Scenario, Cell]
    problem_of: Callable[[Mapping[str, Any]], str | None]
    model: str = "m"
    pending: Mapping[Scenario, str] = field(default_factory=dict)

    def cell(self, scenario: Scenario) -> Cell:
        return self.cells[SAME_STREAM.get(scenario, scenario)]


def events(*values: Mapping[str, Any] | str, named: bool = False) -> bytes:
    """A stream of these, an event each; `named` after their `type`. A text is taken as it stands."""
    lines = []
    for value in values:
        if isinstance(value, str):
            lines.append(f"{value}\n\n")
        else:
            name = f"event: {value['type']}\n" if named else ""
            lines.append(f"{name}data: {json.dumps(value, ensure_ascii=False)}\n\n")
    return "".join(lines).encode()


def whole(value: Mapping[str, Any]) -> bytes:
    """A response that is no stream."""
    return json.dumps(value).encode()


def holds(tree: Any, part: Any) -> bool:
    """Whether a JSON value has this value somewhere within."""
    if tree == part:
        return True
    inner = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return any(holds(value, part) for value in inner)
