"""The conversation on screen. Only visible blocks are laid out, so a long conversation costs as much as a short one."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QElapsedTimer, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from core.domain.ids import MessageId
from desktop.chat.layout.column import BlockIndex, Column
from desktop.chat.pictures.cache import PictureCache
from desktop.chat.transcript.accessibility import Announcer, FocusOrder, name_turn
from desktop.chat.transcript.block_actions import BlockActions
from desktop.chat.transcript.clipboard import Copier, copy_text, last_answer, last_code
from desktop.chat.transcript.code_frames import CodeHighlighter, CodeScrollSync
from desktop.chat.transcript.find_highlights import FindHighlighter, MatchesIn
from desktop.chat.transcript.find_scan import FindMatch
from desktop.chat.transcript.message_actions import MessageController
from desktop.chat.transcript.overlays import LatestButton, LinkHint
from desktop.chat.transcript.scroll_area import TranscriptScrollArea
from desktop.chat.transcript.selection import Selection, SelectionGestures
from desktop.chat.transcript.stage import LiveBlock
from desktop.chat.transcript.turn_view import TurnView
from desktop.chat.turn_parts import Turn
from desktop.chat.view_state import AT_END, Fold, ScrollAnchor, ViewState
from desktop.chat.views.text_view import TextView
from desktop.chat.views.view_context import Intents, ViewContext
from desktop.shortcuts.command import command
from desktop.theme import Theme
from desktop.widgets import Adaptive, has_focus_within, paint_focus, queue_announcement, set_role
from desktop.widgets.syntax import SyntaxScanner

# Streaming updates are drawn at most this often.
FRAME_MS = 33
_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class Transcript(Adaptive, TranscriptScrollArea):
    """Shows turns, and emits requests that it cannot serve itself. `now` returns the time for durations of running
    work.

    A streaming turn may change hundreds of times a second. `update_turn` only stores the newest value; a single-shot
    timer draws all of them in one pass, at most every 33 ms.
    """

    link_activated = Signal(str)
    """The address of an allowed link: http, https or mailto."""
    retry_requested = Signal(str)
    """The message that the message of this id answers is to be sent again."""
    edit_requested = Signal(str)
    """The message of this id, or the message that it answers, is to be edited."""
    attachment_requested = Signal(str)
    """The attached texts of the message of this id are to be loaded."""
    changes_requested = Signal(str)
    """The differences of the files that the run of the message of this id has changed are to be loaded."""
    file_acted = Signal(str, object, str)
    """`open`, `folder`, `undo` or `redo` for a ShownChange of the message of this id."""
    announced = Signal(str)
    """The announcement to screen readers that an answer has begun or ended."""
    conversation_shown = Signal()
    """Another conversation is shown."""
    turns_changed = Signal(object)
    """The ids of turns that are new or have changed."""

    def __init__(self, theme: Theme, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        intents = Intents()
        super().__init__(ViewContext(theme, intents, now, PictureCache(intents)), parent)
        intents.setParent(self)
        self._selection = Selection(self._stage)
        self._gestures = SelectionGestures(self._selection, intents, self.viewport(), self)
        copier = Copier(self)
        self._messages = MessageController(theme, self._stage, intents, copier, self.viewport(), self)
        self._actions = BlockActions(self._stage, self._selection, intents, self._messages.add_actions, copier, self)
        self._code_scroll = CodeScrollSync(self._stage, intents, self)
        self._syntax = SyntaxScanner(self)
        self._code_highlighter = CodeHighlighter(self._stage, self._syntax)
        self._find_highlighter = FindHighlighter(theme, self._stage)
        self._focus_order = FocusOrder(self._stage, self)
        self._announcer = Announcer()
        self._latest = LatestButton(theme, self)
        self.link_hint = LinkHint(theme, self)
        self._pending: dict[MessageId, Turn] = {}
        self._is_ringed = False
        self._frame = QTimer(self, singleShot=True)
        self._last_frame = QElapsedTimer()
        self.setObjectName("transcript")
        set_role(Transcript, QAccessible.Role.List)
        set_role(TurnView, QAccessible.Role.ListItem)
        self._connect(intents)
        self.adapt_to(theme)

    # Content

    def show_conversation(self, turns: Sequence[Turn], state: ViewState = AT_END) -> None:
        """Show another conversation, in the given view state."""
        self._drop_frame()
        self._code_scroll.reset()
        self._column.show(turns, state.folds)
        # what the other conversation does is not news
        self._announcer.reset(turns)
        self._follow.restore(state.seen, is_on=state.is_following)
        self._top = state.anchor
        self._selection.set_ends(state.selection)
        self._place()
        self.conversation_shown.emit()

    def set_turns(self, turns: Sequence[Turn]) -> None:
        """Replace the turns of the conversation. Unchanged turns are not touched."""
        self._drop_frame()
        self._column.set_turns(turns)
        if turns:
            self._announce(turns[-1])
        self._place()
        self.turns_changed.emit([layout.turn.id for layout in self._column.layouts])

    def update_turn(self, turn: Turn) -> None:
        """Update a turn, or append a new turn. Drawn in the next frame, at most every 33 ms."""
        self._pending[turn.id] = turn
        if not self._frame.isActive():
            # the first change after a pause is drawn at once, all others wait for the frame
            since = self._last_frame.elapsed() if self._last_frame.isValid() else FRAME_MS
            self._frame.start(max(0, FRAME_MS - since))

    def view_state(self) -> ViewState:
        """Return the view state, for a later `show_conversation`."""
        folds = (Fold(turn, key, to) for turn, lines in self._column.folds.items() for key, to in lines.items())
        follow = self._follow
        top = None if follow.is_on else self._top
        below = (
            len(self._column.layouts) - self._column.number_of(top.turn)
            if top and self._column.contains(top.turn)
            else 0
        )
        return ViewState(follow.is_on, top, follow.seen, frozenset(folds), self._selection.ends, below)

    # Commands

    @command("transcript.next_message", 1)
    @command("transcript.previous_message", -1)
    def focus_turn(self, step: int) -> None:
        """Focus the next turn (1) or the previous (-1), and scroll to it.

        From elsewhere, both focus the last visible turn, which is the nearest to the composer below.
        """
        if self._column.layouts:
            focused = self._focused_turn()
            number = self._last_visible_turn() if focused is None else focused + step
            number = min(max(number, 0), len(self._column.layouts) - 1)
            self.show_place(BlockIndex(number, 0))
            view = self._stage.turn_view(self._column.layouts[number].turn.id)
            if view is not None:
                view.setFocus()

    def highlight(self, found_in: MatchesIn | None, now: tuple[MessageId, FindMatch] | None = None) -> None:
        """Highlight matches, and `now` in particular; None highlights nothing."""
        self._find_highlighter.set_matches(found_in, now)
        self._find_highlighter.apply()

    def show_match(self, turn: MessageId, match: FindMatch) -> None:
        """Show a match: unfold its lines, and scroll as little as needed."""
        self.stay_here()
        folded = [key for key in match.folds if not self._column.folds_of(turn).get(key, False)]
        for key in folded if self._column.contains(turn) else ():
            self._column.set_fold(self._column.number_of(turn), key, is_unfolded=True)
        index = self._column.index_of(turn, match.key)
        if index is None:
            return
        if folded:
            self._place()
        box = self._box_of(index, match)
        if box is None or not self.viewport().rect().intersects(box):
            self.show_point(ScrollAnchor(turn, match.key, -self.viewport().height() // 3))
            box = self._box_of(index, match)
        if box is not None:
            self.show_box(box)

    def show_turn(self, turn: MessageId) -> None:
        """Scroll to the beginning of a turn."""
        if self._column.contains(turn):
            self.show_place(BlockIndex(self._column.number_of(turn), 0))

    @property
    def column(self) -> Column:
        """The layout of the conversation."""
        return self._column

    def first_visible_turn(self) -> int:
        """Return the number of the turn at the upper edge; 0 in an empty conversation."""
        return self._column.index_at(self.verticalScrollBar().value()).turn if self._column.layouts else 0

    def short_selection(self, max_characters: int) -> str:
        """Return the selected text if it is at most `max_characters` of one block."""
        return self._selection.short_text(max_characters)

    @command("transcript.copy_answer")
    def copy_answer(self) -> bool:
        """Copy the source of the last answer. Return False if there is none."""
        return _copy_if_present(last_answer(self._column))

    @command("transcript.copy_code")
    def copy_code(self) -> bool:
        """Copy the focused code frame, else the last. Return False if there is none."""
        focused = self._actions.focused_code()
        return _copy_if_present(last_code(self._column) if focused is None else focused)

    def clear_selection(self) -> bool:
        """Clear the selection. Return False if nothing was selected."""
        was_selected = self._selection.ends is not None
        if was_selected:
            self._selection.set_ends(None)
            self._selection.apply()
        return was_selected

    # Qt events

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Conversation"))
        self._show_again()

    def apply_theme(self) -> None:
        self._fit_area()
        self._show_again()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._latest.place_in(self.viewport().geometry())
        self.link_hint.place_in(self.viewport().geometry())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            if not self._actions.copy_selection():
                self._messages.copy_focused()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._selection.select_all()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._is_ringed = event.reason() in _KEYBOARD
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._is_ringed = False
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._is_ringed:
            painter = QPainter(self.viewport())
            paint_focus(painter, self._theme, self.viewport().rect(), self._theme.sizes.radius_small)
            painter.end()

    def _connect(self, intents: Intents) -> None:
        intents.open_link.connect(self.link_activated)
        intents.leave_turn.connect(self._focus_order.leave_turn)
        intents.point_at_link.connect(self.link_hint.show_target)
        self._actions.retried.connect(self.retry_requested)
        self._actions.edited.connect(self.edit_requested)
        self._actions.attachment_requested.connect(self.attachment_requested)
        self._actions.changes_requested.connect(self.changes_requested)
        self._actions.file_acted.connect(self.file_acted)
        self._messages.retried.connect(self.retry_requested)
        self._messages.edited.connect(self.edit_requested)
        self._actions.folded.connect(self.place_from_top)
        self._gestures.scrolled.connect(self.scroll_by)
        self._gestures.pressed.connect(self._stage.pin)
        self._gestures.released.connect(self._stage.pin)
        self._latest.clicked.connect(self.jump_to_latest)
        self._frame.timeout.connect(self._draw_frame)
        self.placed.connect(self._on_placed)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def _show_again(self) -> None:
        self._stage.invalidate()
        self._place()

    def _on_shown(self, live: LiveBlock) -> None:
        self._find_highlighter.clear(live.view)
        self._code_highlighter.color(live)

    def _on_placed(self) -> None:
        for view in self._stage.turn_views():
            name_turn(view, self._column.layouts[self._column.number_of(view.turn)].turn)
        self._code_scroll.apply()
        self._selection.apply()
        self._find_highlighter.apply()
        self._focus_order.update()
        self._messages.place()
        self._latest.set_count(self._follow.new_count())
        self._latest.setVisible(not self._follow.is_on)
        self._latest.raise_()

    def _on_focus_changed(self, _old: QWidget | None, now: QWidget | None) -> None:
        """Scroll to what the keyboard focuses; what the mouse presses is visible already."""
        if now is None or not self.viewport().isAncestorOf(now) or QApplication.mouseButtons():
            return
        self.show_box(self._in_viewport(now, now.cursorRect() if isinstance(now, TextView) else now.rect()))

    def _draw_frame(self) -> None:
        pending, self._pending = self._pending, {}
        self._last_frame.restart()
        for turn in pending.values():
            self._column.set_turn(turn)
            self._announce(turn)
        self._place()
        self.turns_changed.emit(list(pending))

    def _drop_frame(self) -> None:
        self._pending.clear()
        self._frame.stop()

    def _announce(self, turn: Turn) -> None:
        text = self._announcer.announcement_for(turn)
        if text is not None:
            queue_announcement(self, text)
            self.announced.emit(text)

    def _box_of(self, index: BlockIndex, match: FindMatch) -> QRect | None:
        """Return the rectangle of a match in the viewport, if its block is on stage; a long line of code is scrolled to
        it.
        """
        live = self._stage.live_at(index)
        if live is None:
            return None
        view = live.view
        return self._in_viewport(
            view, view.box_of(match.start, match.end) if isinstance(view, TextView) else view.rect()
        )

    def _in_viewport(self, widget: QWidget, box: QRect) -> QRect:
        return QRect(widget.mapTo(self.viewport(), box.topLeft()), box.size())

    def _focused_turn(self) -> int | None:
        """Return the number of the turn that contains the focus."""
        turns = (view.turn for view in self._stage.turn_views() if has_focus_within(view))
        return next(map(self._column.number_of, turns), None)

    def _last_visible_turn(self) -> int:
        return self._column.index_at(self.verticalScrollBar().value() + self.viewport().height()).turn


def _copy_if_present(text: str | None) -> bool:
    if text is not None:
        copy_text(text)
    return text is not None
