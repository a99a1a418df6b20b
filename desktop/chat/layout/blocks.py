"""What a turn is laid out as: blocks, each small enough to be laid out at once. Pure.

A block has a `key` that stays the same while its turn grows, and is unique in it. Neighbours that share a card
stand in one frame.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from desktop.chat.layout.markdown_splitter import CodeLabel
from desktop.chat.turn_parts import Activity, Boundary, Failure, StepLine, SubAgentLine, ToolLine


class CardKind(StrEnum):
    BUBBLE = "bubble"
    CODE = "code"
    LINES = "lines"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Card:
    kind: CardKind
    key: str


@dataclass(frozen=True, slots=True)
class Nesting:
    """Where a block stands: in which cards, from the outside in, and below how many lines that were unfolded."""

    cards: tuple[Card, ...] = ()
    depth: int = 0

    def card(self, kind: CardKind, key: str) -> "Nesting":
        """In a card of its own in there."""
        return Nesting((*self.cards, Card(kind, key)), self.depth)

    @property
    def unfolded(self) -> "Nesting":
        """In there, below a line."""
        return Nesting(self.cards, self.depth + 1)


TOP_LEVEL = Nesting()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    key: str
    within: Nesting = TOP_LEVEL

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.within.cards


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderBlock(Block):
    """Who speaks, with which language model if with one, and since when."""

    author: str | None
    model: str | None
    at: datetime
    is_template: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryBlock(Block):
    """What is sent to the model begins below this line."""

    boundary: Boundary


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainBlock(Block):
    """Text as it was written: what a person said, or a note of the system."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseBlock(Block):
    """Markdown with the targets of its reference links; plain is a piece of an endless line."""

    text: str
    is_plain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock(Block):
    """Code, or a piece of it that begins `start` characters into its group."""

    group: str
    language: str
    text: str
    start: int
    is_last: bool


class CaptionKind(StrEnum):
    """What a caption says: the head of a frame, or a line of what was unfolded."""

    CODE = "code"
    TABLE = "table"
    ARGUMENTS = "arguments"
    RESULT = "result"
    OUTPUT = "output"
    TASK = "task"
    ANSWER = "answer"
    SKIPPED = "skipped"
    FAILED = "failed"
    EARLIER_CALLS = "earlier_calls"
    MORE_ROWS = "more_rows"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionBlock(Block):
    """`group` names what its copy button copies; without one it has none."""

    kind: CaptionKind
    group: str | None = None
    label: CodeLabel | None = None
    text: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBlock(Block):
    line: ToolLine
    is_unfolded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGroupBlock(Block):
    lines: tuple[ToolLine, ...]
    is_unfolded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtBlock(Block):
    """The line of a thought; unfolded, what was thought stands below it."""

    seconds: float | None
    is_unfolded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentBlock(Block):
    """A text that went along with a message; unfolded, it stands below."""

    name: str
    size: int
    is_known: bool
    is_unfolded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubAgentBlock(Block):
    """A sub-agent's line; unfolded, its task and what it said and called stand below it."""

    line: SubAgentLine
    is_unfolded: bool
    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBlock(Block):
    """A step's line. One that has nothing to tell yet does not unfold."""

    line: StepLine
    is_unfolded: bool
    is_foldable: bool
    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureBlock(Block):
    failure: Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityBlock(Block):
    activity: Activity


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOffBlock(Block):
    is_stopped: bool
    warning: str | None = None
    can_retry: bool = False
