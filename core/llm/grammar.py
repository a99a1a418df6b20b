"""The commands that the offline agent understands in a person's message (AGENTS_AND_TOOLS §2).

    /tool NAME {json}    calls a tool; consecutive lines are one round, an empty line begins another
    say N words    says that many words
    ask QUESTION    asks the person; `ask QUESTION [one, another]` with options
    spawn PROMPT    begins a sub-agent, which follows the same commands
    help    says what it understands

A message is made of commands alone, or it is no command at all.
"""

import re
from collections.abc import Sequence

from core.domain.attachment import without_attachments
from core.domain.tool import ToolInfo
from core.llm import phrases
from core.llm.plan import AnswerBuilder, PlannedAnswer, PlannedCall, Saying, asking, read_json, spawning

_TOOL = re.compile(r"/tool[ \t]+([^\s{]+)[ \t]*")
_SAY = re.compile(r"say\s+(\d+)\s+words?", re.IGNORECASE)
_ASK = re.compile(r"ask\s+(?P<question>\S.*?)(?:\s+\[(?P<options>[^\[\]]+)\])?", re.IGNORECASE)
_SPAWN = re.compile(r"spawn\s+(\S.*)", re.IGNORECASE)
_HELP = re.compile(r"/?help[.!?]?", re.IGNORECASE)


def read(message: str, tools: Sequence[ToolInfo]) -> tuple[PlannedAnswer, ...]:
    """The answers that a message asks for, never none: where it is no command, one that says so."""
    builder = AnswerBuilder()
    message = without_attachments(message)
    at = 0
    while at < len(message):
        end = message.find("\n", at)
        end = len(message) if end < 0 else end
        line = message[at:end].strip()
        if found := _TOOL.match(message, at + _indent(message[at:end])):
            call, end = _call(message, found, end)
            builder.call(call)
        elif not line:
            builder.end_round()
        elif found := _SAY.fullmatch(line):
            builder.say(Saying(phrases.words(found[1])))
        elif found := _ASK.fullmatch(line):
            builder.call(asking(found["question"], _split(found["options"])))
        elif found := _SPAWN.fullmatch(line):
            builder.call(spawning(found[1]))
        elif _HELP.fullmatch(line):
            builder.say(Saying(phrases.help_text(tools)))
        else:
            return (PlannedAnswer((Saying(phrases.not_understood(line)),)),)
        at = end + 1
    return builder.answers() or (PlannedAnswer((Saying(phrases.not_understood("")),)),)


def _call(message: str, found: re.Match[str], end: int) -> tuple[PlannedCall, int]:
    """The call that begins with `found`, and the end of its last line: its JSON may go over several.

    JSON that cannot be read is kept as it was written, to the end of its line.
    """
    start = found.end()
    written = message[start:end].strip()
    if not written:
        return PlannedCall(found[1], {}, ""), end
    try:
        value, stop = read_json(message, start)
    except ValueError:
        return PlannedCall(found[1], None, written), end
    last = message.find("\n", stop)
    last = len(message) if last < 0 else last
    if not isinstance(value, dict) or message[stop:last].strip():
        return PlannedCall(found[1], None, message[start:last].strip()), last
    return PlannedCall(found[1], value, message[start:stop]), last


def _split(options: str | None) -> list[str]:
    """The options between the commas."""
    return [option.strip() for option in (options or "").split(",") if option.strip()]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
