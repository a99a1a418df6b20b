"""Actions on whole messages: copy, retry, edit, in a bar and in a menu (UI §5)."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMenu, QWidget

from core.domain.ids import MessageId
from core.domain.messages import MessageState, Role
from desktop.chat.layout.blocks import HeaderBlock
from desktop.chat.layout.column import Column
from desktop.chat.transcript.clipboard import Copier, copy_text, source_of_turn, turn_text_pieces
from desktop.chat.transcript.stage import Stage
from desktop.chat.transcript.turn_view import TurnView
from desktop.chat.turn_parts import Output, Text, Turn
from desktop.chat.views.view_context import Intents
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, IconButton, Surface

translate = QCoreApplication.translate  # under this name, since lupdate looks for calls of `translate`


class MessageAction(StrEnum):
    """COPY copies the plain text, COPY_MARKDOWN the source. RETRY sends the message of the last answer again, EDIT
    edits the last message.
    """

    COPY = "copy"
    COPY_MARKDOWN = "copy_markdown"
    RETRY = "retry"
    EDIT = "edit"


def actions_of(column: Column, number: int) -> Sequence[MessageAction]:
    """Return the actions that the turn of this number offers now."""
    turn = column.layouts[number].turn
    offered = []
    if any(isinstance(part, Text | Output) and part.text for part in turn.parts):
        offered.append(MessageAction.COPY)
        if turn.role is Role.ASSISTANT:
            offered.append(MessageAction.COPY_MARKDOWN)
    if number == len(column.layouts) - 1 and may_retry(turn):
        offered.append(MessageAction.RETRY)
    if number == last_user_turn(column):
        offered.append(MessageAction.EDIT)
    return offered


def may_retry(turn: Turn) -> bool:
    """Return whether the message that the turn answers can be sent again, if the turn is the last."""
    return turn.role is Role.ASSISTANT and turn.is_answer and turn.state is not MessageState.OPEN


def last_user_turn(column: Column) -> int | None:
    """Return the number of the last turn of the user."""
    numbers = range(len(column.layouts) - 1, -1, -1)
    return next((number for number in numbers if column.layouts[number].turn.role is Role.USER), None)


def action_title(action: MessageAction) -> str:
    match action:
        case MessageAction.COPY:
            return translate("MessageActions", "Copy message")
        case MessageAction.COPY_MARKDOWN:
            return translate("MessageActions", "Copy as Markdown")
        case MessageAction.RETRY:
            return translate("MessageActions", "Try again")
        case MessageAction.EDIT:
            return translate("MessageActions", "Edit and send again")


_ICONS = {
    MessageAction.COPY: Icon.COPY,
    MessageAction.COPY_MARKDOWN: Icon.FILE_TEXT,
    MessageAction.RETRY: Icon.ROTATE_CCW,
    MessageAction.EDIT: Icon.PENCIL,
}
_COPIED_MS = 1500


class MessageBar(Adaptive, Surface):
    """The actions of a message as buttons, at its upper right corner while the mouse or the focus is on it. Tab skips
    the bar, since the menu of the message offers the same.
    """

    chosen = Signal(object)
    """Carries the MessageAction."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self._theme = theme
        self._buttons = {action: IconButton(theme, icon, parent=self) for action, icon in _ICONS.items()}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(1, 1, 1, 1)
        self._row.setSpacing(0)
        for action, button in self._buttons.items():
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(partial(self.chosen.emit, action))
            self._row.addWidget(button)
        self._restore = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._restore.timeout.connect(self.retranslate)
        self.hide()
        self.adapt_to(theme)

    def offer(self, actions: Collection[MessageAction]) -> None:
        """Show the buttons of these actions."""
        for action, button in self._buttons.items():
            button.setVisible(action in actions)
        self.adjustSize()

    def show_copied(self, action: MessageAction) -> None:
        """Show a check mark for a moment."""
        self._buttons[action].set_icon(Icon.CHECK, "ok")
        self._buttons[action].describe(self.tr("Copied"))
        self._restore.start()

    def retranslate(self) -> None:
        self._restore.stop()
        self.setAccessibleName(self.tr("Message"))
        for action, button in self._buttons.items():
            button.set_icon(_ICONS[action])
            button.describe(action_title(action))


class MessageController(QObject):
    """Performs the actions of messages. A single bar stands on the message under the mouse, else on the focused
    message; for a message of the user beside the bubble, which it would cover.
    """

    retried = Signal(str)
    edited = Signal(str)
    """The message of this id, or the message that this answer answers, is to be edited."""

    def __init__(
        self, theme: Theme, stage: Stage, intents: Intents, copier: Copier, viewport: QWidget, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._stage = stage
        self._copier = copier
        self._viewport = viewport
        self.bar = MessageBar(theme, viewport)
        self._target: TurnView | None = None
        self._turn: MessageId | None = None
        self.bar.chosen.connect(self._on_chosen)
        intents.point_out.connect(self._on_pointed_out)
        intents.message_menu.connect(self._on_menu)

    def place(self) -> None:
        """Move the bar with its message, or hide it, after a pass."""
        view = self._target
        if view is None:
            return
        if view.isHidden() or view.turn != self._turn or not self._stage.column.contains(view.turn):
            self._hide_bar()
            return
        number = self._stage.column.number_of(view.turn)
        offered = actions_of(self._stage.column, number)
        self.bar.setVisible(bool(offered))  # an answer that has no text yet offers none
        self.bar.offer(offered)
        header_top = view.top_of(HeaderBlock) or 0
        below_edge = self._theme.sizes.space_xs - view.y()
        lowest = max(0, view.height() - self._theme.sizes.space_xl - self.bar.height())
        # the bar stays visible while the upper end of a tall message is scrolled away
        top = min(max(header_top, below_edge), lowest)
        bubble, gap = view.bubble_left, self._theme.sizes.space_xs
        right = view.width() if bubble is None else bubble - gap
        inset = gap if bubble is None and view.hasFocus() else 0  # within the focus ring
        self.bar.move(max(0, right - inset - self.bar.width()), max(top, inset))

    def add_actions(self, menu: QMenu, turn: MessageId) -> None:
        """Add the actions of this message to a menu."""
        for action in actions_of(self._stage.column, self._stage.column.number_of(turn)):
            menu.addAction(action_title(action), partial(self.perform, action, turn))

    def perform(self, action: MessageAction, turn: MessageId) -> None:
        """Perform an action. Has no effect on a message that is gone or no longer offers it."""
        column = self._stage.column
        if not column.contains(turn) or action not in actions_of(column, column.number_of(turn)):
            return
        layout = column.layouts[column.number_of(turn)]
        match action:
            case MessageAction.COPY:
                self._copier.copy(turn_text_pieces(layout))
            case MessageAction.COPY_MARKDOWN:
                copy_text(source_of_turn(layout.turn))
            case MessageAction.RETRY:
                self.retried.emit(turn)
            case MessageAction.EDIT:
                self.edited.emit(turn)

    def copy_focused(self) -> bool:
        """Copy the focused message. Return False if no message has the focus."""
        view = QApplication.focusWidget()
        if isinstance(view, TurnView) and self._stage.column.contains(view.turn):
            self.perform(MessageAction.COPY, view.turn)
            return True
        return False

    def _on_chosen(self, action: MessageAction) -> None:
        if self._target is not None:
            if action in (MessageAction.COPY, MessageAction.COPY_MARKDOWN):
                self.bar.show_copied(action)
            self.perform(action, self._target.turn)

    def _on_pointed_out(self, view: TurnView, is_in: bool) -> None:
        if is_in and not QApplication.mouseButtons():  # not while a selection is drawn
            self._move_bar(view)
        elif not is_in and view is self._target:
            focused = QApplication.focusWidget()
            if isinstance(focused, TurnView) and not focused.isHidden():
                self._move_bar(focused)
            elif not view.underMouse():
                self._hide_bar()

    def _move_bar(self, view: TurnView) -> None:
        self._target, self._turn = view, view.turn
        self.bar.setParent(view)
        self.place()
        self.bar.raise_()

    def _hide_bar(self) -> None:
        self._target = None
        self.bar.hide()
        self.bar.setParent(self._viewport)

    def _on_menu(self, view: TurnView, at: QPoint) -> None:
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.add_actions(menu, view.turn)
        if menu.isEmpty():
            menu.deleteLater()
        else:
            menu.popup(at)
