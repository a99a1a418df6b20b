"""A view and what it shows, so that nothing is shown or measured twice."""

from dataclasses import dataclass

from desktop.chat.layout.blocks import Block
from desktop.chat.views.making import BlockView, Extra, show_block


@dataclass(slots=True, eq=False)
class Slot:
    """`kind` are the blocks that its view can show; `height` is what the block takes at `width`."""

    view: BlockView
    kind: type[Block]
    block: Block | None = None
    extra: Extra | None = None
    width: int = -1
    height: int = 0

    def show(self, block: Block, extra: Extra) -> bool:
        """False: it shows just that already."""
        if extra == self.extra and (block is self.block or block == self.block):
            return False
        self.block, self.extra, self.width = block, extra, -1
        show_block(self.view, block, extra)
        return True

    def fit(self, width: int) -> None:
        if width != self.width:
            self.width, self.height = width, self.view.fit(width)

    def forget(self) -> None:
        """It is to be shown anew, whatever it shows."""
        self.block = None
