"""Which view shows which block."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtWidgets import QWidget

from desktop.chat.layout.blocks import (
    ActivityBlock,
    AttachedBlock,
    Block,
    BoundaryBlock,
    CaptionBlock,
    CodeBlock,
    CutOffBlock,
    FailureBlock,
    HeadBlock,
    PlainBlock,
    ProseBlock,
    StepBlock,
    SubAgentBlock,
    ThoughtBlock,
    ToolBlock,
    ToolGroupBlock,
)
from desktop.chat.views.activity_view import ActivityView
from desktop.chat.views.boundary_view import BoundaryView
from desktop.chat.views.caption_view import CaptionView
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.cut_off_view import CutOffView
from desktop.chat.views.failure_view import FailureView
from desktop.chat.views.head_view import HeadView
from desktop.chat.views.intents import Intents
from desktop.chat.views.prose_view import ProseView
from desktop.chat.views.step_view import StepView
from desktop.chat.views.sub_agent_view import SubAgentView
from desktop.chat.views.tool_view import AttachedView, ThoughtView, ToolGroupView, ToolView
from desktop.theme.theme import Theme

BlockView = (
    ActivityView
    | AttachedView
    | BoundaryView
    | CaptionView
    | CodeView
    | CutOffView
    | FailureView
    | HeadView
    | ProseView
    | StepView
    | SubAgentView
    | ThoughtView
    | ToolGroupView
    | ToolView
)


@dataclass(frozen=True, slots=True)
class ViewMaker:
    """Makes views, each with what it needs. `now` tells the time."""

    theme: Theme
    intents: Intents
    now: Callable[[], datetime]

    def make(self, block: Block, parent: QWidget) -> BlockView:
        """A view for blocks like this one; it shows none yet."""
        theme, intents = self.theme, self.intents
        match block:
            case ProseBlock() | PlainBlock():
                return ProseView(theme, intents, parent)
            case CodeBlock():
                return CodeView(theme, intents, parent)
            case CaptionBlock():
                return CaptionView(theme, intents, parent)
            case HeadBlock():
                return HeadView(theme, parent)
            case BoundaryBlock():
                return BoundaryView(theme, parent)
            case AttachedBlock():
                return AttachedView(theme, intents, parent)
            case ThoughtBlock():
                return ThoughtView(theme, intents, parent)
            case ToolBlock():
                return ToolView(theme, intents, parent)
            case ToolGroupBlock():
                return ToolGroupView(theme, intents, parent)
            case StepBlock():
                return StepView(theme, intents, self.now, parent)
            case SubAgentBlock():
                return SubAgentView(theme, intents, self.now, parent)
            case ActivityBlock():
                return ActivityView(theme, self.now, parent)
            case CutOffBlock():
                return CutOffView(theme, intents, parent)
            case FailureBlock():
                return FailureView(theme, intents, parent)
            case _:
                raise TypeError(type(block))


@dataclass(frozen=True, slots=True)
class Extra:
    """What a block does not say by itself.

    Of code, the longest line of its frame and whether no more will come; of a failure or a stop, whether it can be
    tried again, or its message be written anew.
    """

    columns: int = 0
    is_complete: bool = False
    can_retry: bool = False
    can_edit: bool = False


def show_block(view: BlockView, block: Block, extra: Extra) -> None:
    """Let a view that was made for such blocks show this one."""
    match view, block:
        case CodeView(), CodeBlock():
            view.show_block(block, extra.columns)
        case FailureView(), FailureBlock():
            view.show_block(block, can_retry=extra.can_retry, can_edit=extra.can_edit)
        case ProseView(), ProseBlock() | PlainBlock():
            view.show_block(block)
        case CaptionView(), CaptionBlock():
            view.show_block(block)
        case HeadView(), HeadBlock():
            view.show_block(block)
        case BoundaryView(), BoundaryBlock():
            view.show_block(block)
        case AttachedView(), AttachedBlock():
            view.show_block(block)
        case ThoughtView(), ThoughtBlock():
            view.show_block(block)
        case ToolView(), ToolBlock():
            view.show_block(block)
        case ToolGroupView(), ToolGroupBlock():
            view.show_block(block)
        case StepView(), StepBlock():
            view.show_block(block)
        case SubAgentView(), SubAgentBlock():
            view.show_block(block)
        case ActivityView(), ActivityBlock():
            view.show_block(block)
        case CutOffView(), CutOffBlock():
            view.show_block(block, can_retry=extra.can_retry)
        case _:
            raise TypeError(f"{type(view).__name__} for {type(block).__name__}")
