"""The commands that the offline agent understands, and its replies (AGENTS_AND_TOOLS §2).

    /tool NAME {json}    calls a tool; consecutive lines are one round, an empty line starts another
    say N words    says that many words
    ask QUESTION    asks the user; `ask QUESTION [one, another]` with options
    spawn PROMPT    starts a sub-agent, which follows the same commands
    help    lists the commands

A message consists of commands only, or it is not a command.
"""

import json
import re
from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from typing import Any

from core.domain.agent import OFFLINE_REFUSAL
from core.domain.messages import without_attachments
from core.domain.tool import ToolInfo
from core.llm.offline.plan import (
    AnswerBuilder,
    PlannedAnswer,
    PlannedCall,
    PlannedText,
    ask_user_call,
    parse_json,
    spawn_agent_call,
)

_TOOL = re.compile(r"/tool[ \t]+([^\s{]+)[ \t]*")
_SAY = re.compile(r"say\s+(\d+)\s+words?", re.IGNORECASE)
_ASK = re.compile(r"ask\s+(?P<question>\S.*?)(?:\s+\[(?P<options>[^\[\]]+)\])?", re.IGNORECASE)
_SPAWN = re.compile(r"spawn\s+(\S.*)", re.IGNORECASE)
_HELP = re.compile(r"/?help[.!?]?", re.IGNORECASE)


def parse_commands(message: str, tools: Sequence[ToolInfo]) -> tuple[PlannedAnswer, ...]:
    """Parse a message into answers, at least one: a message without commands gets an explanation."""
    builder = AnswerBuilder()
    message = without_attachments(message)
    position = 0
    while position < len(message):
        end = message.find("\n", position)
        end = len(message) if end < 0 else end
        line = message[position:end].strip()
        if match := _TOOL.match(message, position + _indent(message[position:end])):
            call, end = _call(message, match, end)
            builder.add_call(call)
        elif not line:
            builder.end_round()
        elif match := _SAY.fullmatch(line):
            builder.add_text(PlannedText(repeated_words(match[1])))
        elif match := _ASK.fullmatch(line):
            builder.add_call(ask_user_call(match["question"], _split(match["options"])))
        elif match := _SPAWN.fullmatch(line):
            builder.add_call(spawn_agent_call(match[1]))
        elif _HELP.fullmatch(line):
            builder.add_text(PlannedText(help_text(tools)))
        else:
            return (PlannedAnswer((PlannedText(not_understood(line)),)),)
        position = end + 1
    return builder.answers() or (PlannedAnswer((PlannedText(not_understood("")),)),)


def _call(message: str, match: re.Match[str], end: int) -> tuple[PlannedCall, int]:
    """Parse the call that begins with `match`, up to the end of its last line; its JSON may span several lines.

    Invalid JSON is kept as written, to the end of its line.
    """
    start = match.end()
    rest = message[start:end].strip()
    if not rest:
        return PlannedCall(match[1], {}, ""), end
    try:
        value, stop = parse_json(message, start)
    except ValueError:
        return PlannedCall(match[1], None, rest), end
    last = message.find("\n", stop)
    last = len(message) if last < 0 else last
    if not isinstance(value, dict) or message[stop:last].strip():
        return PlannedCall(match[1], None, message[start:last].strip()), last
    return PlannedCall(match[1], value, message[start:stop]), last


def _split(options: str | None) -> list[str]:
    """Split options at commas."""
    return [option.strip() for option in (options or "").split(",") if option.strip()]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


MAX_WORDS = 100_000
SHOWN_CHARACTERS = 500
ECHOED_CHARACTERS = 200

_SENTENCE = (
    "a workflow is a list of small steps that wait for each other and for nobody else "
    "one reads a page while another counts lines and a third asks what to do next "
    "each step leaves its result where the others find it"
)


def repeated_words(number: str) -> str:
    """Repeat a sentence to that many words; outside 1 to 100 000, explain the limit."""
    count = int(number) if len(number) <= len(str(MAX_WORDS)) else MAX_WORDS + 1
    if not 1 <= count <= MAX_WORDS:
        return f"I can say 1 to {MAX_WORDS:,} words at once."
    return " ".join(islice(cycle(_SENTENCE.split()), count))


def not_understood(line: str) -> str:
    """Reply to a message that is not a command."""
    echo = f"I read {_code(_cut(line, ECHOED_CHARACTERS))}" if line else "I read an empty message"
    return (
        f"{OFFLINE_REFUSAL}I follow a few commands and cannot answer anything else. "
        f"{echo}, which is none of them. Say `help` to see what I understand."
    )


def help_text(tools: Sequence[ToolInfo]) -> str:
    """List the commands and the available tools."""
    lines = [
        "I am the offline agent: no key, no network, and no language model. I understand these commands:",
        "",
        '- `/tool NAME {"argument": "value"}` calls a tool. Consecutive lines are called together; '
        "an empty line between them starts another round.",
        f"- `say N words` says N words, at most {MAX_WORDS:,}.",
        "- `ask QUESTION` asks you something and reports your answer; `ask QUESTION [one, another]` with options.",
        "- `spawn PROMPT` starts a sub-agent, which follows the same commands in its prompt, and reports its answer. "
        "Several at once, with longer prompts: "
        '`/tool parallel_tasks {"tasks": [{"prompt": "say 9 words\\nhelp"}, {"prompt": "say 5 words"}]}`. '
        "A sub-agent cannot start others.",
        "- `help` shows this.",
        "",
        "Choose another agent to talk to a language model.",
        "",
    ]
    if not tools:
        return "\n".join([*lines, "I was given no tools here."])
    return "\n".join([*lines, "Tools that I may call here:", "", *map(_tool_line, tools)])


def results_text(results: Iterable[tuple[str, str]]) -> str:
    """Format the results of tools, (name, JSON) each, a line per result: an answer of the user as it was given, errors
    as their message.
    """
    return "\n".join(f"- {_answer_text(text) or _code(tool) + ' ' + _result_text(text)}" for tool, text in results)


def _answer_text(text: str) -> str:
    """Return what the user has answered to a question; empty if the result is no answer."""
    match _parsed(text):
        case {"options": list(options), "text": str(words), **rest} if not rest:
            answered = ", ".join([*map(str, options), *([words] if words else [])])
            return f"You answered: {_cut(answered, SHOWN_CHARACTERS)}" if answered else ""
    return ""


def _tool_line(tool: ToolInfo) -> str:
    names = ", ".join(tool.input_schema.get("properties", {}))
    first_sentence = re.split(r"(?<=[.!?])\s", tool.description.strip(), maxsplit=1)[0]
    return f"- {_code(f'{tool.name} {{{names}}}')}: {first_sentence}"


def is_failure(text: str) -> bool:
    """Return whether the result of a call, as JSON, is an error."""
    return isinstance(value := _parsed(text), dict) and isinstance(value.get("error"), dict)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _result_text(text: str) -> str:
    match _parsed(text):
        case {"error": {"code": code, "message": message, **rest}, **others} if not rest and not others:
            return f"failed: {_cut(str(message), SHOWN_CHARACTERS)} ({_code(str(code))})"
    return f"→ {_code(_cut(text, SHOWN_CHARACTERS))}"


def _cut(text: str, characters: int) -> str:
    """Cut `text` off after that many characters, and append its length."""
    return text if len(text) <= characters else f"{text[:characters]}… ({len(text):,} characters)"


def _code(text: str) -> str:
    """Format `text` as inline code in Markdown, whatever backticks it contains."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    mark = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{mark}{pad}{text}{pad}{mark}"
