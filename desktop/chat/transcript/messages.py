"""Whole messages: their bar, their menu, and what either does (UI §5)."""

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from core.domain.ids import MessageId
from desktop.chat.layout.blocks import HeadBlock
from desktop.chat.transcript.copier import Copier, copy_text
from desktop.chat.transcript.copying import source_of_turn
from desktop.chat.transcript.message_actions import MessageAction, action_words, actions_of
from desktop.chat.transcript.message_bar import MessageBar
from desktop.chat.transcript.reading import pieces_of_turn
from desktop.chat.transcript.stage import Stage
from desktop.chat.transcript.turn_view import TurnView
from desktop.chat.views.intents import Intents
from desktop.theme.theme import Theme


class Messages(QObject):
    """One bar for all messages: it stands on the one that the mouse is on, else on the one that has the focus; beside
    what a person said, which it would cover."""

    retried = Signal(str)
    edited = Signal(str)
    """The message of this id: of an answer what it answers is to be sent again, of a message of a person itself."""

    def __init__(
        self, theme: Theme, stage: Stage, intents: Intents, copier: Copier, viewport: QWidget, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._stage = stage
        self._copier = copier
        self._viewport = viewport
        self.bar = MessageBar(theme, viewport)
        self._pointed: TurnView | None = None
        self._turn: MessageId | None = None
        self.bar.chosen.connect(self._on_chosen)
        intents.point_out.connect(self._on_pointed_out)
        intents.message_menu.connect(self._on_menu)

    def place(self) -> None:
        """Everything has been placed anew: the bar stays with its message, or goes with it."""
        view = self._pointed
        if view is None:
            return
        if view.isHidden() or view.turn != self._turn or not self._stage.column.has(view.turn):
            self._leave()
            return
        number = self._stage.column.number_of(view.turn)
        self.bar.offer(actions_of(self._stage.column, number))
        head = view.top_of(HeadBlock) or 0
        below_edge = self._theme.sizes.space_xs - view.y()
        lowest = max(0, view.height() - self._theme.sizes.space_xl - self.bar.height())
        top = min(max(head, below_edge), lowest)
        bubble, gap = view.bubble_left, self._theme.sizes.space_xs
        right = view.width() if bubble is None else bubble - gap
        inset = gap if bubble is None and view.hasFocus() else 0  # within the focus ring
        self.bar.move(max(0, right - inset - self.bar.width()), max(top, inset))

    def fill(self, menu: QMenu, turn: MessageId) -> None:
        """Offer in a menu what can be done with this message."""
        for action in actions_of(self._stage.column, self._stage.column.number_of(turn)):
            menu.addAction(action_words(action), partial(self.carry_out, action, turn))

    def carry_out(self, action: MessageAction, turn: MessageId) -> None:
        """Without effect on a message that is gone by now, or for which it is not offered any more."""
        column = self._stage.column
        if not column.has(turn) or action not in actions_of(column, column.number_of(turn)):
            return
        layout = column.layouts[column.number_of(turn)]
        match action:
            case MessageAction.COPY:
                self._copier.copy(pieces_of_turn(layout))
            case MessageAction.COPY_MARKDOWN:
                copy_text(source_of_turn(layout.turn))
            case MessageAction.RETRY:
                self.retried.emit(turn)
            case MessageAction.EDIT:
                self.edited.emit(turn)

    def copy_focused(self) -> bool:
        """Copy the message that has the focus; false if none has."""
        view = QApplication.focusWidget()
        if isinstance(view, TurnView) and self._stage.column.has(view.turn):
            self.carry_out(MessageAction.COPY, view.turn)
            return True
        return False

    def _on_chosen(self, action: MessageAction) -> None:
        if self._pointed is not None:
            if action in (MessageAction.COPY, MessageAction.COPY_MARKDOWN):
                self.bar.say_copied(action)
            self.carry_out(action, self._pointed.turn)

    def _on_pointed_out(self, view: TurnView, is_in: bool) -> None:
        if is_in and not QApplication.mouseButtons():  # not while a selection is drawn
            self._stand_on(view)
        elif not is_in and view is self._pointed:
            focused = QApplication.focusWidget()
            if isinstance(focused, TurnView) and not focused.isHidden():
                self._stand_on(focused)
            elif not view.underMouse():
                self._leave()

    def _stand_on(self, view: TurnView) -> None:
        self._pointed, self._turn = view, view.turn
        self.bar.setParent(view)
        self.place()
        self.bar.show()
        self.bar.raise_()

    def _leave(self) -> None:
        self._pointed = None
        self.bar.hide()
        self.bar.setParent(self._viewport)

    def _on_menu(self, view: TurnView, at: QPoint) -> None:
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill(menu, view.turn)
        if menu.isEmpty():
            menu.deleteLater()
        else:
            menu.popup(at)
