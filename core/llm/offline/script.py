"""Scripts of the offline agent: JSON lines that it plays instead of reading the prompt (AGENTS_AND_TOOLS §2).

    {"say": TEXT, "delay_ms": N}    streams the text word by word, N ms between words; with "if_failed": TEXT it says
                                    that text, and the script ends, if a call before it failed or was refused
    {"call": TOOL, "arguments": {…}}    calls a tool; consecutive calls are one round
    {"ask": TEXT, "options": [TEXT, …]}    asks the user: a call of `ask_user`
    {"fail": TEXT}    an error in mid-stream
    {"repeat": N}    plays the previous line N times in all, each call as a separate round

Lines play in order, over any number of turns. The position in the script is derived from the conversation itself, so a
turn that resumes after a crash continues where it was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NoReturn

from core.domain.text.json_text import encode, type_name
from core.domain.text.masking import masked
from core.errors import Refused
from core.llm.offline.plan import AnswerBuilder, PlannedAnswer, PlannedCall, PlannedText, ask_user_call, parse_json
from core.ports import ChatMessage

MAX_LINES = 10_000
MAX_BYTES = 5_000_000
MAX_PLAYS = 100_000
MAX_DELAY_MS = 600_000

Line = Mapping[str, Any]

_FIELDS: Mapping[str, Mapping[str, type]] = {
    "say": {"say": str, "delay_ms": int, "if_failed": str},
    "call": {"call": str, "arguments": dict},
    "ask": {"ask": str, "options": list},
    "fail": {"fail": str},
    "repeat": {"repeat": int},
}
_END: Line = {}
_BOUNDS = {"delay_ms": (0, MAX_DELAY_MS), "repeat": (1, MAX_PLAYS)}


def parse_script(text: str) -> tuple[Line, ...]:
    """Parse and validate the lines of a script; empty lines are skipped.

    Raises Refused `bad_input`, with the line number in `line` (from 1) if a line is invalid, and for more than 10 000
    lines, 5 MB, or 100 000 lines as played.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Refused("bad_input", f"the script is over {MAX_BYTES:,} bytes")
    rows = text.removeprefix("\ufeff").split("\n")
    lines: list[Line] = []
    plays = 0
    for number, row in enumerate(rows, 1):
        if number > MAX_LINES and row.strip():
            _refuse(number, f"a script has at most {MAX_LINES:,} lines")
        if not row.strip():
            continue
        line = _checked(number, row)
        if "repeat" in line and (not lines or "repeat" in lines[-1]):
            _refuse(number, "`repeat` needs a say, call, ask or fail line before it")
        plays += line["repeat"] - 1 if "repeat" in line else 1
        if plays > MAX_PLAYS:
            _refuse(number, f"the script plays more than {MAX_PLAYS:,} lines")
        lines.append(line)
    return tuple(lines)


def planned_answers(lines: Sequence[Line]) -> Iterator[PlannedAnswer]:
    """Yield the answers that the lines of a validated script produce."""
    builder = AnswerBuilder()
    for line, following in zip_longest(lines, lines[1:], fillvalue=_END):
        times = following.get("repeat")
        item = _item_of(line)
        for _ in range(times or 1):
            match item:
                case PlannedText():
                    builder.add_text(item)
                case PlannedCall():
                    if times:
                        builder.end_round()
                    builder.add_call(item)
                    if times:
                        builder.end_round()
                case str():
                    builder.fail(item)
            yield from builder.take()
    yield from builder.answers()


def next_answer(lines: Sequence[Line], messages: Iterable[ChatMessage]) -> PlannedAnswer | None:
    """Find the first answer of the script that is not part of the conversation yet.

    Messages from elsewhere (a turn before the script, the output of a template) are skipped.
    """
    planned = planned_answers(lines)
    following = next(planned, None)
    for message in messages:
        if following is None:
            return None
        if message.role == "assistant" and _is_from(following, message):
            following = next(planned, None)
        elif message.role == "assistant" and following.if_failed and message.text == following.if_failed:
            return None
    return following


def _item_of(line: Line) -> PlannedText | PlannedCall | str | None:
    """Convert a line to its text or call; to the message of a failure; to None for a repetition."""
    match line:
        case {"say": text}:
            return PlannedText(text, line.get("delay_ms", 0) / 1000, line.get("if_failed", ""))
        case {"call": tool}:
            arguments = line.get("arguments", {})
            return PlannedCall(tool, arguments, encode(arguments))
        case {"ask": question}:
            return ask_user_call(question, line.get("options", ()))
        case {"fail": str(message)}:
            return message
    return None


def _is_from(answer: PlannedAnswer, message: ChatMessage) -> bool:
    """Return whether the message is the answer, or the part of it before it broke off. Stored messages are masked."""
    calls, text = [(call.tool, masked(call.arguments)) for call in message.calls], answer.text
    if calls == [(call.tool, masked(call.arguments)) for call in answer.calls] and message.text == text:
        return True
    return not calls and text.startswith(message.text)


def _checked(number: int, row: str) -> Line:
    row = row.strip()
    try:
        line, end = parse_json(row)
    except ValueError as error:
        _refuse(number, f"expected a JSON object: {error}")
    if end < len(row):
        _refuse(number, "expected one JSON object per line")
    if not isinstance(line, dict):
        _refuse(number, f"expected a JSON object, found {type_name(line)}")
    kinds = [kind for kind in _FIELDS if kind in line]
    if len(kinds) != 1:
        _refuse(number, f"expected exactly one of {', '.join(_FIELDS)}; found {', '.join(line) or 'no key'}")
    fields = _FIELDS[kinds[0]]
    for name, value in line.items():
        if name not in fields:
            _refuse(number, f"a {kinds[0]} line has no {name!r}; it takes {', '.join(fields)}")
        if type(value) is not fields[name]:
            _refuse(number, f"{name!r}: expected {_expected(fields[name])}, found {type_name(value)}")
        if isinstance(value, int):
            _check_bounds(number, name, value)
    if line.get("call") == "":
        _refuse(number, "'call': expected the name of a tool")
    if not all(isinstance(option, str) for option in line.get("options", ())):
        _refuse(number, "'options': expected texts")
    return line


def _check_bounds(number: int, name: str, value: int) -> None:
    low, high = _BOUNDS[name]
    if not low <= value <= high:
        _refuse(number, f"{name!r}: expected {low:,} to {high:,}, found {value:,}")


def _expected(kind: type) -> str:
    return {int: "a whole number", dict: "an object", list: "a list"}.get(kind, "text")


def _refuse(number: int, problem: str) -> NoReturn:
    raise Refused("bad_input", f"script, line {number}: {problem}", line=number)
