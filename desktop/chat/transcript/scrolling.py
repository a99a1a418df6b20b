"""A room that a column of turns is scrolled in: what stands at its upper edge stays there, whatever changes above."""

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QStyle, QWidget

from desktop.chat.layout.column import Column, Place
from desktop.chat.layout.turn_layout import Room
from desktop.chat.position import Point
from desktop.chat.transcript.arranger import arrange
from desktop.chat.transcript.follow import Follow
from desktop.chat.transcript.stage import Live, Stage
from desktop.chat.views.making import ViewMaker
from desktop.theme.theme import Theme

_LEAST_WIDTH = 160


class ScrollingColumn(QAbstractScrollArea):
    """Follows the end until a person looks further up, and again from when they are back there."""

    placed = Signal()
    """Everything has been placed anew."""

    def __init__(self, theme: Theme, maker: ViewMaker, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = Column(Room(theme.sizes.chat_column, theme.sizes))
        self._stage = Stage(self._column, maker, self.viewport(), self._on_shown)
        self._follow = Follow(self._column)
        self._top: Point | None = None
        self._is_placing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setFocusProxy(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def jump_to_latest(self) -> None:
        """Go to the end and follow it."""
        self._follow.set(is_on=True)
        self._place()

    def scroll_by(self, pixels: int) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + pixels)

    def show_place(self, place: Place) -> None:
        """Have a block at the upper edge, or the end in sight where there is less below it."""
        self._follow.set(is_on=False)
        turn = self._column.laid_out(place.turn)
        gap = self._theme.sizes.space_l if place.block == 0 else 0
        self._top = Point(turn.turn.id, turn.blocks[place.block].key, -gap)
        self._place()
        self._follow_at_end()

    def show_point(self, point: Point) -> None:
        """Have what stands at a point at the upper edge, as far as there is enough below it."""
        self._follow.set(is_on=False)
        self._top = point
        self._place()
        self._top = self._column.point_at(self.verticalScrollBar().value())

    def stay_here(self) -> None:
        """Follow the end no more: a person looks at what is in sight now."""
        if self._follow.is_on and self._column.layouts:
            self._top = self._column.point_at(self.verticalScrollBar().value())
            self._follow.set(is_on=False)

    def place_from_top(self) -> None:
        """Something has become taller or shorter in sight: what is above it stays, even where the end was followed."""
        self._top = self._column.point_at(self.verticalScrollBar().value())
        was_following, self._follow.is_on = self._follow.is_on, False
        self._place()
        self._follow.is_on = was_following
        self._follow_at_end()

    def show_box(self, box: QRect) -> None:
        """Scroll as little as needed to have a box of the viewport in sight, its upper end if it is too tall."""
        margin, height = self._theme.sizes.space_m, self.viewport().height()
        below = box.bottom() + margin - height
        above = box.top() - margin
        if above < 0:
            self.scroll_by(above)
        elif below > 0:
            self.scroll_by(min(below, above))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_room()
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
        """Nothing: what is seen is placed by `_place`."""

    def _fit_room(self) -> None:
        """The same width with and without a scroll bar, so that the text never moves because one comes."""
        sizes = self._theme.sizes
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, self)
        width = min(sizes.chat_column, self.width() - bar - 3 * sizes.space_l)
        room = Room(max(width, _LEAST_WIDTH), sizes)
        if room != self._column.room:
            self._column.set_room(room)

    def _place(self) -> None:
        """Stage what is to be seen now. What was live and did not change costs a look."""
        bar, height = self.verticalScrollBar(), self.viewport().height()
        left = max(0, (self.width() - self._column.room.width) // 2)
        self._is_placing = True
        top = None if self._follow.is_on else self._top
        scrolled = arrange(self._stage, top, height, left)
        bar.setPageStep(height)
        bar.setSingleStep(self._theme.sizes.space_xl)
        bar.setRange(0, max(0, self._column.height - height))
        bar.setValue(scrolled)
        self._is_placing = False
        self.placed.emit()

    def _on_scrolled(self, value: int) -> None:
        if not self._is_placing:
            self._follow.set(is_on=self._is_at_end())
            self._top = self._column.point_at(value)
            self._place()

    def _follow_at_end(self) -> None:
        """Whoever was led to the end follows it, and nobody else."""
        self._follow.set(is_on=self._is_at_end())
        self.placed.emit()

    def _is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum()

    def _on_shown(self, live: Live) -> None:
        """A view shows something new."""
