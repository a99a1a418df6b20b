"""What is run while processes die: templates whose every effect leaves a line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.domain.run import RunKind
from core.domain.template import ValidationMode
from tests.support.world import a_step, tool_step

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """`effects`: the line that each step or call leaves, by the id of its call; `needs`: for each of these, the steps
    that must be on disk before it. `repeatable`: lines that may be there more than once. In manual `mode` each of them
    needs an approval of its own. `records`: the steps that its calls become, of a recording beside it."""

    name: str
    steps: tuple[Json, ...]
    output: Any
    effects: Mapping[str, str]
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    repeatable: frozenset[str] = frozenset()
    kind: RunKind = RunKind.WORKFLOW
    script: tuple[Json, ...] = ()
    mode: ValidationMode = ValidationMode.AUTO
    records: tuple[str, ...] = ()


def _approved(step: Json) -> Json:
    return {**step, "interrupt": {"kind": "approval"}}


CHAIN = Scenario(
    "chain",
    (
        tool_step("one", "once", text="one"),
        a_step("shape", input={"text": "@one.text, then two"}),
        tool_step("two", "once", text="@shape.text"),
        tool_step("mark", "again", text="@two.text, marked"),
        tool_step("seen", "look", text="@mark.text"),
        tool_step("three", "once", "seen", text="three"),
        a_step("end", input={"two": "@two.text", "seen": "@seen.text", "three": "@three"}),
    ),
    {"two": "one, then two", "seen": "one, then two, marked", "three": {"text": "three"}},
    {"one": "one", "two": "one, then two", "three": "three"},
    {"two": ("one", "shape"), "three": ("one", "shape", "two", "mark", "seen")},
    frozenset({"one, then two, marked"}),
)

_SHOUT = "export default (raw: { text: string }) => ({ text: raw.text.toUpperCase(), first: raw.text })"


def _shouted(step: Json) -> Json:
    return {**step, "action": {**step["action"], "transformCode": _SHOUT}}


TRANSFORM = Scenario(
    "transform",
    (
        a_step("list", input=["a"]),
        {**_shouted(tool_step("each", "once", text="@item at @index")), "forEach": {"ref": "@list"}},
        _shouted(tool_step("seen", "look", text="@each[0].text, seen")),
        _shouted(tool_step("last", "once", text="@seen.text, the last")),
        a_step("end", input={"text": "@last.text", "first": "@last.first"}),
    ),
    {"text": "A AT 0, SEEN, THE LAST", "first": "A AT 0, SEEN, the last"},
    {"each[0]": "a at 0", "last": "A AT 0, SEEN, the last"},
    {"last": ("list", "each", "each[0] raw", "seen", "seen raw")},
)

FAN = Scenario(
    "fan",
    (
        a_step("root", input={"n": 3}),
        *(tool_step(f"w{number}", "once", text=f"worker {number} of @root.n") for number in range(3)),
        a_step("all", input=[f"@w{number}.text" for number in range(3)]),
    ),
    [f"worker {number} of 3" for number in range(3)],
    {f"w{number}": f"worker {number} of 3" for number in range(3)},
    {f"w{number}": ("root",) for number in range(3)},
)

JOIN = Scenario(
    "join",
    (
        tool_step("choose", "once", text="left"),
        {**tool_step("left", "once", text="went @choose.text"), "when": {"ref": "@choose.text", "eq": "left"}},
        {**tool_step("right", "once", text="went right"), "when": {"ref": "@choose.text", "eq": "right"}},
        a_step("both", input={"left": "@left.text", "right": "@right.text"}),
        tool_step("last", "once", "both", text="last"),
        a_step("end", input={"both": "@both", "last": "@last.text"}),
    ),
    {"both": {"left": "went left", "right": None}, "last": "last"},
    {"choose": "left", "left": "went left", "last": "last"},
    {"left": ("choose",), "last": ("choose", "left", "right", "both")},
)

FOR_EACH = Scenario(
    "forEach",
    (
        a_step("list", input=["a", "b", "c", "d"]),
        {
            **tool_step("each", "once", text="@item at @index"),
            "forEach": {"ref": "@list", "concurrency": 2},
        },
        tool_step("last", "once", text="@each[3].text, the last"),
        a_step("end", input={"each": "@each", "last": "@last.text"}),
    ),
    {
        "each": [{"text": f"{letter} at {index}"} for index, letter in enumerate("abcd")],
        "last": "d at 3, the last",
    },
    {**{f"each[{index}]": f"{letter} at {index}" for index, letter in enumerate("abcd")}, "last": "d at 3, the last"},
    {"each[0]": ("list",), "each[3]": ("list",), "last": ("list", "each")},
)

APPROVALS = Scenario(
    "approvals",
    (
        tool_step("before", "once", text="before"),
        _approved(tool_step("pay", "once", "before", text="pay")),
        _approved(tool_step("tell", "once", "before", text="tell")),
        a_step("end", input=["@pay.text", "@tell.text"]),
    ),
    ["pay", "tell"],
    {"before": "before", "pay": "pay", "tell": "tell"},
    {"pay": ("before",), "tell": ("before",)},
)

_SCRIPT: tuple[Json, ...] = (
    {"say": "I begin. " + "So many words. " * 80},  # over 1 KiB: pieces of it are written before it is whole
    {"call": "once", "arguments": {"text": "first call"}},
    {"say": "Now two at once."},
    {"call": "look", "arguments": {"text": "looked"}},
    {"call": "once", "arguments": {"text": "second call"}},
    {"say": "That was all."},
)

AGENT = Scenario(
    "agent",
    (
        {"name": "ask", "action": {"agent": {"prompt": "go"}}},
        tool_step("after", "once", "ask", text="after: @ask"),
    ),
    {"text": "after: That was all."},
    {
        "ask.1.1": "first call",
        "ask.2.2": "second call",
        "after": "after: That was all.",
    },
    {"after": ("ask",)},
    script=_SCRIPT,
)

CHAT = Scenario(
    "chat",
    ({"name": "reply", "action": {"agent": {"prompt": "@input.text"}}},),
    "That was all.",
    {"reply.1.1": "first call", "reply.2.2": "second call"},
    kind=RunKind.CHAT,
    script=_SCRIPT,
)


def _task(name: str, *prompt: str) -> Json:
    return {"name": name, "prompt": "\n".join(prompt)}


SUB_AGENTS = Scenario(
    "sub-agents",
    ({"name": "ask", "action": {"agent": {"prompt": "go"}}},),
    "That was all.",
    {
        "ask.1.1/1.1.1": "of A",
        "ask.1.1/2.1.1": "of B",
    },
    script=(
        {
            "call": "parallel_tasks",
            "arguments": {
                "tasks": [
                    _task("A", '/tool once {"text": "of A"}', "", '/tool look {"text": "looked"}'),
                    _task("B", '/tool once {"text": "of B"}'),
                    _task("C", "say 1 word"),
                    {"agent": "nobody", "prompt": "say 1 word"},
                ]
            },
        },
        {"say": "That was all."},
    ),
)

CONSENT = Scenario(
    "consent",
    (
        tool_step("pay", "once", text="pay"),
        {"name": "ask", "action": {"agent": {"prompt": "go @pay"}}},
        a_step("end", input=["@pay.text", "@ask"]),
    ),
    ["pay", "That was all."],
    {"pay": "pay", "ask.1.1": "first call", "ask.1.3": "third call"},
    {"ask.1.1": ("pay",), "ask.1.3": ("pay",)},
    script=(
        {"call": "once", "arguments": {"text": "first call"}},
        {"call": "look", "arguments": {"text": "looked"}},
        {"call": "once", "arguments": {"text": "third call"}},
        {"say": "That was all."},
    ),
    mode=ValidationMode.MANUAL,
)

CONSENT_EACH = Scenario(
    "consent to each",
    (
        a_step("list", input=["a", "b"]),
        {**tool_step("each", "once", text="@item at @index"), "forEach": {"ref": "@list", "concurrency": 2}},
        a_step("end", input="@each"),
    ),
    [{"text": "a at 0"}, {"text": "b at 1"}],
    {"each[0]": "a at 0", "each[1]": "b at 1"},
    {"each[0]": ("list",), "each[1]": ("list",)},
    mode=ValidationMode.MANUAL,
)

RECORDED = Scenario(
    "recorded",
    ({"name": "reply", "action": {"agent": {"prompt": "@input.text"}}},),
    "That was all.",
    {"reply.1.1": "first call", "reply.1.3": "then first call"},
    kind=RunKind.CHAT,
    script=(
        {"call": "once", "arguments": {"text": "first call"}},
        {"call": "look", "arguments": {"text": "@once_1.text"}},
        {"call": "once", "arguments": {"text": "then @look_1.text"}},
        {"say": "One more."},
        {"call": "look", "arguments": {"text": "@@nothing"}},
        {"say": "That was all."},
    ),
    records=("once_1", "look_1", "once_2", "look_2"),
)

SLOW = Scenario(
    "slow",
    (
        tool_step("slow", "wait", seconds=1),
        tool_step("one", "once", text="one"),
        tool_step("seen", "look", "slow", text="seen"),
        tool_step("two", "once", text="two, @seen.text"),
        a_step("end", input=["@one.text", "@two.text"]),
    ),
    ["one", "two, seen"],
    {"one": "one", "two": "two, seen"},
    {"two": ("slow", "seen")},
)


def _appended(name: str, *after: str) -> Json:
    return tool_step(name, "write_file", *after, path="effects.txt", content=f"{name}\n", append=True)


COMMAND_LINE = Scenario(
    "command line",
    (
        _appended("first"),
        _approved(_appended("second", "first")),
        a_step("end", "second", input="done"),
    ),
    "done",
    {"first": "first", "second": "second"},
    {"second": ("first",)},
)

SCENARIOS = {
    one.name: one
    for one in (
        *(CHAIN, TRANSFORM, FAN, JOIN, FOR_EACH, APPROVALS, AGENT, SUB_AGENTS, CHAT, CONSENT, CONSENT_EACH, RECORDED),
        *(SLOW, COMMAND_LINE),
    )
}
