"""The stack of toasts over the window: bottom right, the newest lowest, on every page (UI §7).

While the user is with them, nothing in the stack moves or changes: new toasts come above it, and a toast under the
pointer stays even if it no longer applies. While the user is with them or away, their time stands still.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Signal
from PySide6.QtGui import QAccessible, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from core.domain.toast import Toast, ToastId, ToastType
from core.stores.toasts import Toasts
from desktop.bind import Frames
from desktop.theme import Theme
from desktop.toasts.attention import Attention
from desktop.toasts.card import ToastCard
from desktop.toasts.stack import CardPlacement, arrange, arrange_above, available_area
from desktop.tokens import MOTION_LONG_MS, MOTION_SHORT_MS
from desktop.widgets import Adaptive, Shadow, queue_announcement, set_role

_NOWHERE = QRegion(-1, -1, 1, 1)  # an empty region would be no mask
_URGENT = (ToastType.ERROR, ToastType.USER_QUESTION)


class ToastOverlay(Adaptive, QWidget):
    """Shows the visible toasts of the store. Clicks beside the cards go through, and nothing here takes focus by
    itself.

    A receiver of `action_requested` finds the toast among the store's visible toasts. The toast is dismissed after the
    signal; a transient toast also after `go_requested`.
    """

    go_requested = Signal(str)
    action_requested = Signal(str, str)

    def __init__(self, theme: Theme, toasts: Toasts, frames: Frames, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("toasts")
        set_role(ToastCard, QAccessible.Role.AlertMessage)
        self._theme = theme
        self._toasts = toasts
        self._window = window
        self._keep_clear: list[QRect] = []
        self._text_area: Callable[[], QRect] = QRect
        self._places: dict[ToastId, QRect] = {}
        self._above: list[QWidget] = []
        self._cards: dict[ToastId, ToastCard] = {}
        self._leaving: list[ToastCard] = []
        self._unfolded: ToastId | None = None
        self._dismissed: set[ToastId] = set()
        self._used: set[ToastId] = set()
        self._attention = Attention(toasts, self, window)
        self._attention.released.connect(self._render)
        self._shadow = Shadow(theme, window)
        self.destroyed.connect(self._shadow.deleteLater)
        window.installEventFilter(self)
        self.adapt_to(theme)
        frames.bind(self, toasts.changed, self._render)

    @property
    def cards(self) -> list[ToastCard]:
        """The cards, the newest last."""
        return list(self._cards.values())

    def stay_below(self, widget: QWidget) -> None:
        """Stay below a widget that the user opened by keys, as long as it exists."""
        self._above.append(widget)

    def set_keep_clear(self, rects: list[QRect]) -> None:
        """Set the rectangles that no toast may cover, in window coordinates: composer, waiting card, its buttons."""
        if rects != self._keep_clear:
            self._keep_clear = list(rects)
            self._arrange(0)

    def set_text_area(self, text_area: Callable[[], QRect]) -> None:
        """Set what returns the area of the conversation that is read, in window coordinates. The toast of a viewed
        workflow is shown only beside it.
        """
        self._text_area = text_area

    def on_text_moved(self) -> None:
        """Give way to the conversation where it is now."""
        if any(card.toast.is_viewed for card in self._cards.values()):
            self._arrange(0)

    def take_focus(self) -> bool:
        """Focus the newest toast at the user's request; return False if there is none."""
        shown = [card for card in self._cards.values() if card.isVisible()]
        if shown:
            shown[-1].take_focus()
        return bool(shown)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Notifications"))

    def apply_theme(self) -> None:
        self._arrange(0, is_forced=True)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a card needs another height
            self._arrange(0)
        return super().event(event)

    def eventFilter(self, _window: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._arrange(0, is_forced=True)
        return False

    # Cards come and go

    def _render(self) -> None:
        before, seen = self._cards, {toast.id: toast for toast in self._toasts.visible}
        fresh = [toast for toast in seen.values() if toast.id not in before]
        under_pointer = {card.id for card in before.values() if card.underMouse()} - self._used
        stay = {card.id: card for card in before.values() if card.id in seen or card.id in under_pointer}
        self._cards = stay | {toast.id: self._make(toast) for toast in fresh}
        if not self._attention.is_close:
            for toast in seen.values():
                self._cards[toast.id].show_toast(toast)
        self._pass_focus_on(list(before.values()))
        self._send_away([card for card in before.values() if card.id not in self._cards])
        self._dismissed.clear()
        self._used &= self._cards.keys()
        self._arrange(self._theme.motion_ms(MOTION_LONG_MS))
        self._look_for_mouse()
        for toast in fresh:
            queue_announcement(self, self._cards[toast.id].spoken, is_urgent=toast.type in _URGENT)

    def _make(self, toast: Toast) -> ToastCard:
        card = ToastCard(self._theme, toast, self)
        card.dismissed.connect(self._dismiss)
        card.unfold_toggled.connect(self._toggle)
        card.go_requested.connect(self._go)
        card.acted.connect(self._act)
        card.hovered.connect(self._look_for_mouse)
        card.glide.moved.connect(self._follow)
        return card

    def _pass_focus_on(self, before: list[ToastCard]) -> None:
        """Move the focus from a card that goes: to another card if the user dismissed it, so that several can be
        dismissed in a row; else to the widget that had it before.
        """
        for at, card in enumerate(before):
            if card.id in self._cards or not _has_focus(card):
                continue
            others = [other for other in (*before[at + 1 :], *reversed(before[:at])) if other.id in self._cards]
            if card.id in self._dismissed and others:
                others[0].take_focus()
            else:
                self._attention.give_focus_back()

    def _send_away(self, cards: list[ToastCard]) -> None:
        self._leaving.extend(cards)
        away, motion_ms = self.width(), self._theme.motion_ms(MOTION_SHORT_MS)
        for card in cards:
            if card.id == self._unfolded:
                self._unfolded = None
            card.left.connect(self._sweep)
            card.leave(QPoint(away, card.y()), motion_ms)

    def _sweep(self) -> None:
        self._leaving = [card for card in self._leaving if not card.isHidden()]
        self._follow()

    # Places

    def _arrange(self, motion_ms: int, *, is_forced: bool = False) -> None:
        """Give each card its place. While the user is with the stack, only new cards get one, unless `is_forced`."""
        sizes = self._theme.sizes
        cards = self.cards
        self._places = {toast_id: box for toast_id, box in self._places.items() if toast_id in self._cards}
        if self._attention.is_close and self._places and not is_forced:
            top = min(box.top() for box in self._places.values())
            fresh = [card for card in cards if card.id not in self._places and not card.toast.is_viewed]
            self._place(arrange_above(fresh, self.size(), sizes.space_m, top), motion_ms)
            return
        room = available_area(self._window.rect(), sizes.toast, sizes.space_l, 4 * sizes.control, self._keep_clear)
        if cards or self._leaving:
            self.setGeometry(room.left(), room.top(), self._window.width() - room.left(), room.height())
            self._shadow.raise_()
            self.raise_()
            for above in self._above:
                above.raise_()
        held = {card.id for card in cards if _has_focus(card)}
        text = self._text_area().translated(-room.topLeft())
        while True:
            places = arrange(cards, room.size(), sizes.space_m, held, self._unfolded)
            over_text = [place.card for place in places if place.card.toast.is_viewed and place.box.intersects(text)]
            if not over_text:
                break
            cards = [card for card in cards if card not in over_text]
        self._places = {}
        self._place(places, motion_ms)

    def _place(self, places: Sequence[CardPlacement], motion_ms: int) -> None:
        """Put cards in their places. All that have none are hidden; their time begins when they have one."""
        for place in places:
            self._places[place.card.id] = place.box
            self._put(place, motion_ms)
        without = [card for card in self._cards.values() if card.id not in self._places]
        for card in without:
            card.hide()
        self._toasts.set_without_room({card.id for card in without if not card.toast.is_viewed})
        self._follow()

    def _put(self, place: CardPlacement, motion_ms: int) -> None:
        card = place.card
        card.take_shape(place.text_height)
        card.resize(place.box.size())
        if card.isHidden():
            card.move(self.width() if motion_ms > 0 else 0, place.box.top())
        card.show()
        card.glide.to(place.box.topLeft(), motion_ms)

    def _follow(self) -> None:
        """Move mask and shadow with the cards."""
        shown = [card for card in (*self._cards.values(), *self._leaving) if not card.isHidden()]
        boxes = [card.geometry() for card in shown]
        if not boxes:
            self.setGeometry(QRect())
        region = _united(boxes).intersected(QRegion(self.rect()))
        self.setMask(_NOWHERE if region.isEmpty() else region)
        self._shadow.cast(self.geometry(), boxes)

    # What a person wants

    def _dismiss(self, toast_id: str) -> None:
        self._dismissed.add(ToastId(toast_id))
        self._use(ToastId(toast_id))
        self._close(ToastId(toast_id))

    def _toggle(self, toast_id: str) -> None:
        self._unfolded = None if self._unfolded == toast_id else ToastId(toast_id)
        self._arrange(0, is_forced=True)

    def _go(self, toast_id: str) -> None:
        card = self._cards.get(ToastId(toast_id))
        if card is not None and card.toast.workflow_id is not None:
            self._use(card.id)
            self.go_requested.emit(card.toast.workflow_id)
            if not card.toast.persistent:
                self._close(card.id)

    def _act(self, action: str, toast_id: str) -> None:
        if toast_id in self._cards:
            self._use(ToastId(toast_id))
            self.action_requested.emit(action, toast_id)
            self._close(ToastId(toast_id))

    def _use(self, toast_id: ToastId) -> None:
        """Let the toast go although the pointer is over it: the user is done with it."""
        card = self._cards.get(toast_id)
        if card is not None and card.underMouse():
            self._used.add(toast_id)
            self._attention.keep_still()

    def _close(self, toast_id: ToastId) -> None:
        is_gone = self._toasts.find(toast_id) is None  # it only stayed for the pointer
        self._toasts.dismiss(toast_id)
        if is_gone:
            self._render()

    def _look_for_mouse(self) -> None:
        cards = self._cards.values()
        self._attention.set_hovered(is_hovered=any(card.underMouse() for card in cards))
        if any(self._toasts.find(card.id) is None and not card.underMouse() for card in cards):
            self._render()


def _has_focus(card: ToastCard) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and card.isAncestorOf(focus)


def _united(boxes: Sequence[QRect]) -> QRegion:
    region = QRegion()
    for box in boxes:
        region = region.united(box)
    return region
