"""What copying takes: text as it came, byte for byte."""

import json

from core.domain.message import Role
from desktop.chat.layout.blocks import CodeBlock
from desktop.chat.layout.column import Column
from desktop.chat.layout.turn_layout import TurnLayout
from desktop.chat.values import Failure, Output, Text, Turn

PARAGRAPH = "\n\n"
"""What stands between two things that are copied together."""
_FENCES = ("```", "~~~")


def source_of_group(layout: TurnLayout, group: str) -> str:
    """The code of a frame, or the JSON of a table."""
    return layout.memo.source(group, layout.blocks)


def source_of_turn(turn: Turn) -> str:
    """What was said in a turn, as it was written."""
    return PARAGRAPH.join(part.text.strip("\n") for part in turn.parts if isinstance(part, Text | Output))


def last_answer(column: Column) -> str | None:
    """The newest answer in the conversation that says something."""
    said = (source_of_turn(one.turn) for one in reversed(column.layouts) if one.turn.role is Role.ASSISTANT)
    return next((text for text in said if text), None)


def last_code(column: Column) -> str | None:
    """The last code frame in the conversation."""
    for number in range(len(column.layouts) - 1, -1, -1):
        if not any(fence in source_of_turn(column.layouts[number].turn) for fence in _FENCES):
            continue  # most turns need no layout to be told apart
        layout = column.laid_out(number)
        groups = [block.group for block in layout.blocks if isinstance(block, CodeBlock)]
        if groups:
            return source_of_group(layout, groups[-1])
    return None


def details_of(failure: Failure) -> str:
    """All that is known of a failure, as JSON."""
    known = {
        "code": failure.code,
        "message": failure.message,
        "failed_step": failure.step,
        "failed_during": failure.during,
        "tool_name": failure.tool,
    }
    present = {name: value for name, value in known.items() if value is not None}
    return json.dumps({**present, **failure.details}, indent=2, ensure_ascii=False, default=str)
