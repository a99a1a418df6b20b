"""The blocks that a turn is laid out as, each small enough to be laid out at once. Pure.

A block has a `key` that is unique in its turn and stays the same while the turn grows. Adjacent blocks in the same card
share a frame.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.changed_files import ShownChange
from desktop.chat.layout.markdown_splitter import CodeLabel
from desktop.chat.turn_parts import Activity, Boundary, Failure, FileLine, Picture, StepLine, SubAgentLine, ToolLine


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
    """Where a block stands: in which cards, outermost first, and below how many unfolded lines."""

    cards: tuple[Card, ...] = ()
    depth: int = 0

    def card(self, kind: CardKind, key: str) -> "Nesting":
        """Return the nesting inside a further card."""
        return Nesting((*self.cards, Card(kind, key)), self.depth)

    @property
    def unfolded(self) -> "Nesting":
        """The nesting below a line that was unfolded."""
        return Nesting(self.cards, self.depth + 1)


TOP_LEVEL = Nesting()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    key: str
    nesting: Nesting = TOP_LEVEL

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.nesting.cards


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderBlock(Block):
    """The header of a turn: author, language model if there is one, and time."""

    author: str | None
    model: str | None
    at: datetime
    is_template: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryBlock(Block):
    """The line at which the model's context begins."""

    boundary: Boundary


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainBlock(Block):
    """Plain text: a message of the user, or a notice of the system."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseBlock(Block):
    """Markdown, with the targets of its reference links appended. `is_plain`: a piece of an overlong line, not parsed
    as Markdown.
    """

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
    """The kinds of captions: headers of frames, and lines within unfolded details."""

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
    NOT_RUN = "not_run"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionBlock(Block):
    """A caption. `group` is the group that its copy button copies; without a group it has no button."""

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
    """The line of a thought; its text follows when it is unfolded."""

    seconds: float | None
    is_unfolded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturesBlock(Block):
    """Pictures side by side; `is_right`: they belong to the user's message."""

    pictures: tuple[Picture, ...]
    is_right: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentBlock(Block):
    """The line of an attached file; its text, if any, follows when it is unfolded. `hash`: its data is stored."""

    name: str
    size: int
    hash: str
    is_foldable: bool
    is_known: bool
    is_unfolded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubAgentBlock(Block):
    """The line of a sub-agent; its task, texts and calls follow when it is unfolded."""

    line: SubAgentLine
    is_unfolded: bool
    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBlock(Block):
    """The line of a step. A step without details yet is not foldable."""

    line: StepLine
    is_unfolded: bool
    is_foldable: bool
    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesBlock(Block):
    """The line of all files that the run has changed; a line for each follows when it is unfolded."""

    lines: tuple[FileLine, ...]
    is_unfolded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBlock(Block):
    """The line of a changed file; its differences follow when it is unfolded."""

    line: FileLine
    is_unfolded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FileActionsBlock(Block):
    """What can be done about a changed file. `has_diff`: its differences are above."""

    change: ShownChange
    has_diff: bool


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
    details: Mapping[str, Any] = field(default_factory=dict)
    can_retry: bool = False


FoldableBlock = (
    AttachmentBlock | ChangesBlock | FileBlock | StepBlock | SubAgentBlock | ThoughtBlock | ToolBlock | ToolGroupBlock
)
