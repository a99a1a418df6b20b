"""Creates the view of a block, and shows blocks in it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtWidgets import QWidget

from desktop.chat.layout.blocks import (
    ActivityBlock,
    AttachmentBlock,
    Block,
    BoundaryBlock,
    CaptionBlock,
    CodeBlock,
    CutOffBlock,
    FailureBlock,
    HeaderBlock,
    PlainBlock,
    ProseBlock,
    StepBlock,
    SubAgentBlock,
    ThoughtBlock,
    ToolBlock,
    ToolGroupBlock,
)
from desktop.chat.views.caption_view import CaptionView
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.failure_view import FailureView
from desktop.chat.views.intents import Intents
from desktop.chat.views.line_views import AttachmentView, StepView, SubAgentView, ThoughtView, ToolGroupView, ToolView
from desktop.chat.views.painted_views import ActivityView, BoundaryView, CutOffView, HeaderView
from desktop.chat.views.prose_view import ProseView
from desktop.theme.theme import Theme

BlockView = (
    ActivityView
    | AttachmentView
    | BoundaryView
    | CaptionView
    | CodeView
    | CutOffView
    | FailureView
    | HeaderView
    | ProseView
    | StepView
    | SubAgentView
    | ThoughtView
    | ToolGroupView
    | ToolView
)


@dataclass(frozen=True, slots=True)
class ViewFactory:
    """Creates views with what each needs. `now` returns the time."""

    theme: Theme
    intents: Intents
    now: Callable[[], datetime]

    def make(self, block: Block, parent: QWidget) -> BlockView:
        """Create a view for blocks of this kind; it shows none yet."""
        theme, intents = self.theme, self.intents
        match block:
            case ProseBlock() | PlainBlock():
                return ProseView(theme, intents, parent)
            case CodeBlock():
                return CodeView(theme, intents, parent)
            case CaptionBlock():
                return CaptionView(theme, intents, parent)
            case HeaderBlock():
                return HeaderView(theme, parent)
            case BoundaryBlock():
                return BoundaryView(theme, parent)
            case AttachmentBlock():
                return AttachmentView(theme, intents, parent)
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
class BlockContext:
    """What a block does not hold itself.

    For code, the longest line of its frame and whether the frame is complete; for a failure or a notice, whether retry
    and edit are offered.
    """

    columns: int = 0
    is_complete: bool = False
    can_retry: bool = False
    can_edit: bool = False


def show_block(view: BlockView, block: Block, extra: BlockContext) -> None:
    """Show a block in a view that was created for its kind."""
    match view, block:
        case CodeView(), CodeBlock():
            view.show_block(block, extra.columns)
        case FailureView(), FailureBlock():
            view.show_block(block, can_retry=extra.can_retry, can_edit=extra.can_edit)
        case ProseView(), ProseBlock() | PlainBlock():
            view.show_block(block)
        case CaptionView(), CaptionBlock():
            view.show_block(block)
        case HeaderView(), HeaderBlock():
            view.show_block(block)
        case BoundaryView(), BoundaryBlock():
            view.show_block(block)
        case AttachmentView(), AttachmentBlock():
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


@dataclass(slots=True, eq=False)
class ViewSlot:
    """A view with the block that it shows and the measured height, so that nothing is shown or measured twice.

    `kind` is the class of blocks that the view can show; `height` applies at `width`.
    """

    view: BlockView
    kind: type[Block]
    block: Block | None = None
    extra: BlockContext | None = None
    width: int = -1
    height: int = 0

    def show(self, block: Block, extra: BlockContext) -> bool:
        """Show a block. Return False if it is shown already."""
        if extra == self.extra and (block is self.block or block == self.block):
            return False
        self.block, self.extra, self.width = block, extra, -1
        show_block(self.view, block, extra)
        return True

    def fit(self, width: int) -> None:
        if width != self.width:
            self.width, self.height = width, self.view.fit(width)

    def invalidate(self) -> None:
        """Show the block again next time, even if it is the same."""
        self.block = None
