"""The scroll area of the transcript: the anchor at its upper edge stays there, whatever changes above."""

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QStyle, QWidget

from desktop.chat.layout.column import BlockIndex, Column
from desktop.chat.layout.turn_layout import AvailableArea
from desktop.chat.transcript.stage import LiveBlock, Stage
from desktop.chat.view_state import LastSeen, ScrollAnchor
from desktop.chat.views.view_context import ViewContext
from desktop.shortcuts.command import command


class EndFollower:
    """Whether the end of the conversation is followed, and how much has arrived since it was not."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self.is_on = True
        self.seen = LastSeen()

    def set(self, *, is_on: bool) -> None:
        """Start or stop following."""
        if self.is_on and not is_on:
            self.seen = self._now()
        self.is_on = is_on

    def restore(self, seen: LastSeen, *, is_on: bool) -> None:
        """Restore the state of a saved conversation."""
        self.is_on, self.seen = is_on, seen

    def new_count(self) -> int:
        """Return the number of new turns since following stopped, plus new blocks in the turn that was last then."""
        last = self.seen.turn
        if self.is_on or last is None or not self._column.contains(last):
            return 0
        number = self._column.number_of(last)
        grown = len(self._column.laid_out(number).blocks) - self.seen.blocks
        return len(self._column.layouts) - 1 - number + max(0, grown)

    def _now(self) -> LastSeen:
        if not self._column.layouts:
            return LastSeen()
        last = self._column.laid_out(len(self._column.layouts) - 1)
        return LastSeen(last.turn.id, len(last.blocks))


# How far above and below the viewport blocks are live, as a share of its height.
_MARGIN = 0.5


def arrange_stage(stage: Stage, top: ScrollAnchor | None, height: int, left: int) -> int:
    """Put on stage what an area of this height shows, and return the scroll position.

    `top` is the anchor at the upper edge, and stays there while the blocks above it are measured; None keeps the end of
    the conversation at the lower edge. It yields only where nothing would be shown below or above.
    """
    column, margin = stage.column, round(height * _MARGIN)
    stage.begin()
    if not column.layouts:
        stage.end(0, left)
        return 0
    index = column.index_of(top.turn, top.key) if top is not None else None
    if top is not None and index is not None:
        _measure_down(stage, index, -top.offset, height + margin)
        _measure_up(stage, column.previous(index), -top.offset, -margin)
        scrolled = column.top(index) + top.offset
    else:
        _measure_up(stage, column.last_index(), height, -margin)
        scrolled = column.height - height
    maximum = max(0, column.height - height)
    # the estimates promised more below the anchor than there is: fill the viewport from the end instead
    if scrolled > maximum:
        _measure_up(stage, column.last_index(), height, -margin)
        scrolled = maximum = max(0, column.height - height)
    elif scrolled < 0:
        _measure_down(stage, BlockIndex(0, 0), 0, height + margin)
    scrolled = min(max(scrolled, 0), maximum)
    stage.end(scrolled, left)
    return scrolled


def _measure_down(stage: Stage, index: BlockIndex | None, y: int, limit: int) -> None:
    while index is not None and y < limit:
        y += stage.measure(index)
        index = stage.column.following(index)


def _measure_up(stage: Stage, index: BlockIndex | None, y: int, limit: int) -> None:
    while index is not None and y > limit:
        y -= stage.measure(index)
        if index.block == 0:
            y -= stage.column.area.sizes.space_xl
        index = stage.column.previous(index)


_MIN_WIDTH = 160


class TranscriptScrollArea(QAbstractScrollArea):
    """Follows the end until the user scrolls up, and again once the user is back at the end.

    Every pass starts at a fixed point, the anchor or the end, and measures from there until the viewport and half a
    screen around it are filled. Measuring changes heights above the anchor; the scroll value is computed afterwards, so
    the text under the user's eyes does not move while an answer streams or a width changes.
    """

    placed = Signal()
    """A pass has placed all live blocks."""

    def __init__(self, context: ViewContext, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.context = context
        theme = self._theme = context.theme
        self._column = Column(AvailableArea(theme.sizes.chat_column, theme.sizes))
        self._stage = Stage(self._column, context, self.viewport(), self._on_shown)
        self._follow = EndFollower(self._column)
        self._top: ScrollAnchor | None = None
        self._is_placing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setFocusProxy(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    @command("transcript.latest")
    def jump_to_latest(self) -> None:
        """Go to the end and follow it."""
        self._follow.set(is_on=True)
        self._place()

    def text_area(self) -> QRect:
        """Return the part of the viewport that has something to read."""
        bar, width = self.verticalScrollBar(), self._column.area.width
        left = max(0, (self.width() - width) // 2)
        text = QRect(left, -bar.value(), width, self._column.height)
        return text.intersected(self.viewport().rect())

    def scroll_by(self, pixels: int) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + pixels)

    def show_place(self, index: BlockIndex) -> None:
        """Scroll a block to the upper edge, or as far as there is content below."""
        self._follow.set(is_on=False)
        turn = self._column.laid_out(index.turn)
        gap = self._theme.sizes.space_l if index.block == 0 else 0
        self._top = ScrollAnchor(turn.turn.id, turn.blocks[index.block].key, -gap)
        self._place()
        self._follow_at_end()

    def show_point(self, point: ScrollAnchor) -> None:
        """Scroll an anchor to the upper edge, as far as there is content below."""
        self._follow.set(is_on=False)
        self._top = point
        self._place()
        self._top = self._column.anchor_at(self.verticalScrollBar().value())

    def stay_here(self) -> None:
        """Stop following, and keep what is visible now."""
        if self._follow.is_on and self._column.layouts:
            self._top = self._column.anchor_at(self.verticalScrollBar().value())
            self._follow.set(is_on=False)

    def place_from_top(self) -> None:
        """Place anew after a visible block changed its height: what is above it stays, even if the end was followed."""
        self._top = self._column.anchor_at(self.verticalScrollBar().value())
        # following would keep the end still and push what the user has clicked on out of place
        was_following, self._follow.is_on = self._follow.is_on, False
        self._place()
        self._follow.is_on = was_following
        self._follow_at_end()

    def show_box(self, box: QRect) -> None:
        """Scroll as little as needed to show a rectangle of the viewport; its upper part if it is too tall."""
        margin, height = self._theme.sizes.space_m, self.viewport().height()
        below = box.bottom() + margin - height
        above = box.top() - margin
        if above < 0:
            self.scroll_by(above)
        elif below > 0:
            self.scroll_by(min(below, above))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_area()
        self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        if event.key() == Qt.Key.Key_Home:
            bar.setValue(bar.minimum())
        elif event.key() == Qt.Key.Key_End:
            self.jump_to_latest()
        else:
            super().keyPressEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Do nothing: `_place` moves the contents."""

    def _fit_area(self) -> None:
        """Set the width, with and without a scroll bar the same, so that the text never moves because of it."""
        sizes = self._theme.sizes
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, self)
        width = min(sizes.chat_column, self.width() - bar - 3 * sizes.space_l)
        area = AvailableArea(max(width, _MIN_WIDTH), sizes)
        if area != self._column.area:
            self._column.set_area(area)

    def _place(self) -> None:
        """Stage what is visible now. Unchanged live blocks cost a comparison."""
        bar, height = self.verticalScrollBar(), self.viewport().height()
        left = max(0, (self.width() - self._column.area.width) // 2)
        # setting range and value emits valueChanged, which must not be taken for the user's scrolling
        self._is_placing = True
        top = None if self._follow.is_on else self._top
        scrolled = arrange_stage(self._stage, top, height, left)
        bar.setPageStep(height)
        bar.setSingleStep(self._theme.sizes.space_xl)
        # after measuring, since that has changed the total height
        bar.setRange(0, max(0, self._column.height - height))
        bar.setValue(scrolled)
        self._is_placing = False
        self.placed.emit()

    def _on_scrolled(self, value: int) -> None:
        if not self._is_placing:
            self._follow.set(is_on=self._is_at_end())
            self._top = self._column.anchor_at(value)
            self._place()

    def _follow_at_end(self) -> None:
        """Follow if the view is at the end now, else stop following."""
        self._follow.set(is_on=self._is_at_end())
        self.placed.emit()

    def _is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum()

    def _on_shown(self, live: LiveBlock) -> None:
        """Called when a view shows another block."""
