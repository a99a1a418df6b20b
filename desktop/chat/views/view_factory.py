"""Creates the view of a block, and shows blocks in it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QWidget

from desktop.chat.layout import blocks
from desktop.chat.views.caption_view import CaptionView
from desktop.chat.views.changes_view import ChangesView, FileActionsView, FileView
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.failure_view import FailureView
from desktop.chat.views.line_views import AttachmentView, StepView, SubAgentView, ThoughtView, ToolGroupView, ToolView
from desktop.chat.views.painted_views import ActivityView, BoundaryView, CutOffView, HeaderView
from desktop.chat.views.picture_view import PicturesView
from desktop.chat.views.prose_view import ProseView
from desktop.chat.views.view_context import BlockContext, ViewContext

ContextView = CodeView | CutOffView | FailureView
BlockView = (
    ContextView
    | ActivityView
    | AttachmentView
    | BoundaryView
    | CaptionView
    | ChangesView
    | FileActionsView
    | FileView
    | HeaderView
    | PicturesView
    | ProseView
    | StepView
    | SubAgentView
    | ThoughtView
    | ToolGroupView
    | ToolView
)

_VIEWS: dict[type[blocks.Block], Callable[[ViewContext, QWidget], BlockView]] = {
    blocks.ActivityBlock: ActivityView,
    blocks.AttachmentBlock: AttachmentView,
    blocks.BoundaryBlock: BoundaryView,
    blocks.CaptionBlock: CaptionView,
    blocks.ChangesBlock: ChangesView,
    blocks.CodeBlock: CodeView,
    blocks.CutOffBlock: CutOffView,
    blocks.FailureBlock: FailureView,
    blocks.FileActionsBlock: FileActionsView,
    blocks.FileBlock: FileView,
    blocks.HeaderBlock: HeaderView,
    blocks.PicturesBlock: PicturesView,
    blocks.PlainBlock: ProseView,
    blocks.ProseBlock: ProseView,
    blocks.StepBlock: StepView,
    blocks.SubAgentBlock: SubAgentView,
    blocks.ThoughtBlock: ThoughtView,
    blocks.ToolBlock: ToolView,
    blocks.ToolGroupBlock: ToolGroupView,
}


def create_view(kind: type[blocks.Block], context: ViewContext, parent: QWidget) -> BlockView:
    """Return a view for blocks of this kind; it shows none yet."""
    return _VIEWS[kind](context, parent)


@dataclass(slots=True, eq=False)
class ViewSlot:
    """A view with the block that it shows and the measured height, so that nothing is shown or measured twice.

    `kind` is the class of blocks that the view can show; `height` applies at `width`.
    """

    view: BlockView
    kind: type[blocks.Block]
    block: blocks.Block | None = None
    context: BlockContext | None = None
    width: int = -1
    height: int = 0

    def show(self, block: blocks.Block, context: BlockContext) -> bool:
        """Show a block. Return False if it is shown already."""
        if context == self.context and (block is self.block or block == self.block):
            return False
        self.block, self.context, self.width = block, context, -1
        value: Any = block  # of the kind that the view was created for
        if isinstance(self.view, ContextView):
            self.view.show_block(value, context)
        else:
            self.view.show_block(value)
        return True

    def fit(self, width: int) -> None:
        if width != self.width:
            self.width, self.height = width, self.view.fit(width)

    def invalidate(self) -> None:
        """Show the block again next time, even if it is the same."""
        self.block = None
