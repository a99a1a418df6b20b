"""Arguments of a command, one a line; in double quotes, as JSON has it, where they would not be seen as they are."""

import json
from collections.abc import Sequence


def as_lines(arguments: Sequence[str]) -> str:
    return "\n".join(_line(one) for one in arguments)


def from_lines(text: str) -> tuple[str, ...]:
    """Empty lines are none; spaces around an argument do not belong to it."""
    return tuple(_argument(line.strip()) for line in text.split("\n") if line.strip())


def _line(argument: str) -> str:
    is_shown = argument.isprintable()
    is_plain = bool(argument) and is_shown and argument == argument.strip() and not argument.startswith('"')
    return argument if is_plain else json.dumps(argument, ensure_ascii=not is_shown)


def _argument(line: str) -> str:
    if line.startswith('"') and line.endswith('"') and len(line) > 1:
        try:
            found = json.loads(line)
        except ValueError:
            return line
        if isinstance(found, str):
            return found
    return line
