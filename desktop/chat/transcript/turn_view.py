"""The widget of a turn: frames behind its blocks, and the views of the blocks that are visible."""

from collections.abc import Iterable, Iterator, Mapping

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from core.domain.ids import MessageId
from desktop.chat.layout.blocks import Block, CardKind
from desktop.chat.layout.turn_layout import PlacedCard
from desktop.chat.views.line_button import LineButton
from desktop.chat.views.text_view import TextView
from desktop.chat.views.view_context import ViewContext
from desktop.chat.views.view_factory import ViewSlot, create_view
from desktop.tokens import ColorName
from desktop.widgets import has_focus_within, opens_menu, paint_focus

# Slots of each kind that a turn view keeps for reuse.
_MAX_SPARE_SLOTS = 6


class TurnView(QWidget):
    """Reused for one turn after another, with the views of its blocks.

    Receives the focus when the user moves from turn to turn.
    """

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._viewport = parent
        self._theme = context.theme
        self._intents = context.intents
        self._slots: dict[str, ViewSlot] = {}
        self._spare: dict[type[Block], list[ViewSlot]] = {}
        self._used: set[str] = set()
        self._cards: list[PlacedCard] = []
        self._matches: Mapping[str, bool] = {}
        self.turn = MessageId("")

    def begin(self, turn: MessageId) -> None:
        """Begin a pass; the blocks of another turn are released."""
        if turn != self.turn:
            self._release(tuple(self._slots))
            self.turn = turn
        self._used.clear()

    def slot_of(self, block: Block) -> ViewSlot:
        """Return the slot of a live block: the slot that has shown it, a spare, or a new slot."""
        self._used.add(block.key)
        slot = self._slots.get(block.key)
        # a key may name another kind of block than before, whose view cannot show this one
        if slot is not None and slot.kind is not type(block):
            self._release([block.key])
            slot = None
        if slot is None:
            spare = self._spare.get(type(block))
            slot = spare.pop() if spare else ViewSlot(create_view(type(block), self._context, self), type(block))
            self._slots[block.key] = slot
        return slot

    def end(self, cards: Iterable[PlacedCard]) -> None:
        """End the pass: release blocks that are not live, and draw these cards."""
        self._release([key for key in self._slots if key not in self._used])
        shown = list(cards)
        if shown != self._cards:
            self._cards = shown
            self.update()

    def set_matches(self, matches: Mapping[str, bool]) -> None:
        """Frame these lines as matches; True marks the current match."""
        if matches != self._matches:
            self._matches = matches
            self.update()

    def invalidate(self) -> None:
        """Show all blocks anew."""
        for slot in self._all_slots():
            slot.invalidate()
        self.update()

    def top_of(self, kind: type[Block]) -> int | None:
        """Return the top of the first live block of this kind; None without one."""
        tops = [slot.view.y() for slot in self._slots.values() if slot.kind is kind]
        return min(tops, default=None)

    @property
    def bubble_left(self) -> int | None:
        """The left edge of the user's bubble; None without one."""
        return None if self._bubble is None else self._bubble.left

    @property
    def _bubble(self) -> PlacedCard | None:
        return next((card for card in self._cards if card.card.kind is CardKind.BUBBLE), None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._intents.point_out.emit(self, True)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._intents.point_out.emit(self, False)
        self.update()

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Handle Tab: Qt finds no next widget from a widget that Tab does not reach."""
        if not self.hasFocus():
            return super().focusNextPrevChild(is_next)
        self._intents.leave_turn.emit(self, is_next)
        return True

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._intents.point_out.emit(self, True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._intents.point_out.emit(self, False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu for the mouse only: some systems send both a key event and this event for the keyboard."""
        if event.reason() is not QContextMenuEvent.Reason.Keyboard:
            self._intents.message_menu.emit(self, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle keys that no child has handled."""
        if opens_menu(event):
            self._intents.message_menu.emit(self, self.mapToGlobal(self.visibleRegion().boundingRect().topLeft()))
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for card in self._cards:
            box = _card_rect(card)
            if box.intersects(QRectF(event.rect())):
                self._paint_card(painter, card, box)
        for key, is_current in self._matches.items():
            slot = self._slots.get(key)
            if slot is not None:
                self._paint_match(painter, slot.view, is_current=is_current)
        if self.hasFocus():
            sizes = self._theme.sizes
            bubble = self._bubble
            ring = QRectF(self.rect()).adjusted(0, 0, 0, -sizes.space_l) if bubble is None else _card_rect(bubble)
            radius = sizes.radius_card if bubble is None else sizes.radius_bubble
            paint_focus(painter, self._theme, ring, radius)

    def _paint_match(self, painter: QPainter, view: QWidget, *, is_current: bool) -> None:
        """Paint a frame around a line, whose text keeps its colours."""
        sizes = self._theme.sizes
        outside = 0 if isinstance(view, LineButton) else sizes.space_xs
        width = sizes.focus_ring if is_current else 1
        box = QRectF(view.geometry()).adjusted(3 - outside, 3, outside - 3, -3)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.color("sign_warn"), width))
        painter.drawRoundedRect(box, sizes.radius_small, sizes.radius_small)

    def _paint_card(self, painter: QPainter, card: PlacedCard, box: QRectF) -> None:
        color = self._theme.color
        fill, edge, radius = _CARD_STYLES[card.card.kind]
        corner: int = getattr(self._theme.sizes, radius)
        painter.setBrush(color(fill))
        painter.setPen(QPen(color(edge), 1) if edge is not None else Qt.PenStyle.NoPen)
        inside = box.adjusted(0.5, 0.5, -0.5, -0.5) if edge is not None else box
        painter.drawRoundedRect(inside, corner, corner)
        if card.header_height:
            self._paint_head(painter, inside, card.header_height, corner)

    def _paint_head(self, painter: QPainter, box: QRectF, height: int, corner: int) -> None:
        """Paint the band behind a frame's caption, with a line below it."""
        band = QRectF(box.left(), box.top(), box.width(), height)
        painter.save()
        painter.setClipRect(band)
        painter.setBrush(self._theme.color("code_header"))
        painter.drawRoundedRect(box, corner, corner)
        painter.restore()
        painter.setPen(QPen(self._theme.color("border"), 1))
        painter.drawLine(band.bottomLeft(), band.bottomRight())

    def _release(self, keys: Iterable[str]) -> None:
        for key in keys:
            slot = self._slots.pop(key)
            hide_without_focus(slot.view, self._viewport)
            if isinstance(slot.view, TextView):
                slot.view.deselect()  # what it shows next is another text
            spare = self._spare.setdefault(slot.kind, [])
            if len(spare) < _MAX_SPARE_SLOTS:
                spare.append(slot)
            else:
                slot.view.deleteLater()

    def _all_slots(self) -> Iterator[ViewSlot]:
        yield from self._slots.values()
        for spare in self._spare.values():
            yield from spare


_CARD_STYLES: dict[CardKind, tuple[ColorName, ColorName | None, str]] = {
    CardKind.BUBBLE: ("user", None, "radius_bubble"),
    CardKind.CODE: ("code", "border", "radius_card"),
    CardKind.LINES: ("canvas", "border", "radius_card"),
    CardKind.FAILURE: ("canvas", "sign_error", "radius_card"),
}


def _card_rect(card: PlacedCard) -> QRectF:
    return QRectF(card.left, card.top, card.right - card.left, card.bottom - card.top)


def hide_without_focus(widget: QWidget, heir: QWidget) -> None:
    """Hide a widget; if it contains the focus, `heir` gets it, else Qt would focus whatever comes next."""
    if has_focus_within(widget):
        heir.setFocus()
    widget.hide()
