"""A turn as blocks, with what is unfolded in it. Pure."""

from collections.abc import Iterable
from typing import assert_never

from core.domain.message import Role
from desktop.chat.layout.blocks import (
    OUTSIDE,
    ActivityBlock,
    Block,
    BoundaryBlock,
    CardKind,
    CutOffBlock,
    FailureBlock,
    HeadBlock,
    PlainBlock,
)
from desktop.chat.layout.line_blocks import (
    Folds,
    attached_blocks,
    steps_blocks,
    sub_agents_blocks,
    thought_blocks,
    tools_blocks,
)
from desktop.chat.layout.memo import Memo
from desktop.chat.layout.splitter import split_plain
from desktop.chat.values import (
    Activity,
    Attached,
    CutOff,
    Failure,
    Output,
    Part,
    Steps,
    SubAgents,
    Text,
    Thought,
    Tools,
    Turn,
)


def blocks_of(turn: Turn, folds: Folds, memo: Memo) -> list[Block]:
    """The blocks of a turn, in order. `memo` is the turn's own, and makes it cheap to ask again."""
    edge: list[Block] = []
    if turn.boundary is not None:
        edge.append(BoundaryBlock(key="boundary", boundary=turn.boundary))
    if turn.role is not Role.ASSISTANT:
        within = OUTSIDE.card(CardKind.BUBBLE, "bubble") if turn.role is Role.USER else OUTSIDE
        attached = [(n, part) for n, part in enumerate(turn.parts) if isinstance(part, Attached)]
        said = "".join(part.text for part in turn.parts if isinstance(part, Text))
        said_blocks = (PlainBlock(key=f"{n}", within=within, text=piece) for n, piece in enumerate(split_plain(said)))
        lines = [block for n, part in attached for block in attached_blocks(f"file{n}", part, folds, memo)]
        return [*edge, *said_blocks, *lines]
    is_template = any(isinstance(part, Steps) for part in turn.parts)
    blocks: list[Block] = [
        *edge,
        HeadBlock(key="head", author=turn.author, model=turn.model, at=turn.at, is_template=is_template),
    ]
    for number, part in enumerate(turn.parts):
        blocks.extend(_part_blocks(f"{number}", part, folds, memo))
    return blocks


def _part_blocks(key: str, part: Part, folds: Folds, memo: Memo) -> Iterable[Block]:
    match part:
        case Text(text=text):
            return memo.markdown(key, text)
        case Attached():
            return attached_blocks(key, part, folds, memo)
        case Thought():
            return thought_blocks(key, part, folds, memo)
        case Tools():
            return tools_blocks(key, part, folds, memo)
        case SubAgents():
            return sub_agents_blocks(key, part, folds, memo)
        case Steps():
            return steps_blocks(key, part, folds, memo)
        case Output(text=text):
            return memo.output(key, text)
        case CutOff(is_stopped=is_stopped, warning=warning, can_retry=can_retry):
            return [CutOffBlock(key=key, is_stopped=is_stopped, warning=warning, can_retry=can_retry)]
        case Activity():
            return [ActivityBlock(key="activity", activity=part)]
        case Failure():
            return [FailureBlock(key=key, within=OUTSIDE.card(CardKind.FAILURE, key), failure=part)]
        case _:
            assert_never(part)
