"""Find in the viewed workflow: the bar, its keys, and the query of each workflow (UI §3, §4)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from core.domain.ids import MessageId, WorkflowId
from desktop.chat.transcript.find_bar import FindBar
from desktop.chat.transcript.find_scan import FindMatch, FindQuery
from desktop.chat.transcript.find_search import ConversationSearch, TurnMatch
from desktop.shortcuts.chords import is_pressed
from desktop.shortcuts.command import command
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.focus import FocusRestorer, PreeditTracker
from desktop.window.conversation.chat_pane import ChatPane

MOST_SELECTED_CHARACTERS = 100
"""A longer selection is text to copy, not to search for."""

_NO_QUERY = FindQuery("")


@dataclass(frozen=True, slots=True)
class _FindState:
    """The search state of a workflow. `target` is the message that a global search opened."""

    query: FindQuery = _NO_QUERY
    is_open: bool = False
    current: tuple[MessageId, FindMatch] | None = None
    target: MessageId | None = None


class FindController(Controller):
    """Connects the find bar to the transcript. `focus_centre` takes the focus where the previous widget is gone."""

    def __init__(self, context: WindowContext, chat: ChatPane, focus_centre: Callable[[], object]) -> None:
        super().__init__(context)
        self._chat = chat
        self._view = context.stores.view
        self._focus = FocusRestorer(focus_centre)
        self._states: dict[WorkflowId | None, _FindState] = {}
        self._shown: WorkflowId | None = None
        self._preedit = PreeditTracker()
        self._search = ConversationSearch(context.theme, chat.transcript.column, context.tasks, self)
        self.bar = FindBar(context.theme, chat)
        self.bar.edited.connect(self._on_edited)
        self.bar.stepped.connect(self.step)
        self.bar.closed.connect(self.close_bar)
        self._search.changed.connect(self._show)
        self._search.reached.connect(self._reach)
        chat.transcript.conversation_shown.connect(self._on_conversation)
        chat.transcript.turns_changed.connect(self._on_turns)
        chat.put_above(self.bar)

    @command("find.here")
    def open(self) -> None:
        """Open the bar with the selected text, or with the previous query."""
        if not self._chat.isVisible():
            return
        if not self._has_focus():
            self._focus.save()
        selected = self._selected()
        state = self._state
        if selected and not self._has_focus():
            self._start_search(replace(state, query=FindQuery(selected), is_open=True))
        elif not state.is_open:
            self._search_in_place(replace(state, is_open=True))
        self.bar.take_focus()

    @command("find.next", 1)
    @command("find.previous", -1)
    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) match; a closed bar reopens with its last query."""
        if not self._chat.isVisible():
            return
        if not self._state.is_open:
            if self._state.query.text:
                self._start_search(replace(self._state, is_open=True))
            else:
                self.open()
            return
        self._search.step(by, self._chat.transcript.first_visible_turn())

    def show_message(self, workflow_id: WorkflowId, message_id: MessageId, query: str) -> None:
        """Show a message that the global search found, with the words of the query marked, once it is loaded."""
        self._focus.forget()
        self._states[workflow_id] = _FindState(FindQuery(query, matches_words=True), is_open=True, target=message_id)
        if self._shown == workflow_id == self._view.workflow_id:
            self._restore()
        self.bar.take_focus()

    def close_bar(self) -> None:
        """Remove all marks and restore the focus."""
        had_focus = self._has_focus()
        self._put(replace(self._state, is_open=False, current=self._current_match(), target=None))
        self._search.stop()
        self._chat.transcript.highlight(None)
        self._show_bar()
        if had_focus:
            self._focus.restore()
        else:
            self._focus.forget()

    def close(self) -> None:
        """Stop searching and remove the event filter."""
        self._search.stop()
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close the open bar on Esc, before the card, composer or transcript handle it, but after an input method and a
        completion list (UI §4).
        """
        if not isinstance(event, QKeyEvent):
            return self._preedit.track(watched, event)
        if not is_pressed("Esc", event):
            return False
        is_here = isinstance(watched, QWidget) and self._chat.isAncestorOf(watched)
        if not is_here or self._preedit.is_at(watched) or self._chat.is_completing or not self.bar.isVisible():
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # else a shortcut of the window would get Esc instead of a key press
            return True
        if event.type() == QEvent.Type.KeyPress:
            self.close_bar()
            return True
        return False

    def _on_edited(self, text: str) -> None:
        self._start_search(replace(self._state, query=FindQuery(text), target=None))

    def _on_conversation(self) -> None:
        """Switch to the search state of another workflow."""
        viewed = self._view.workflow_id
        if viewed != self._shown:
            if self._state.is_open:
                self._put(replace(self._state, current=self._current_match()))
            self._shown = viewed
        self._restore()

    def _on_turns(self, turns: list[MessageId]) -> None:
        state = self._state
        if not state.is_open:
            return
        if state.target is not None and self._chat.transcript.column.contains(state.target):
            self._restore()
        else:
            self._search.search_again(turns)

    def _restore(self) -> None:
        """Render the saved state, or go to the message that the global search opened."""
        state, transcript = self._state, self._chat.transcript
        self._show_bar()
        if not state.is_open:
            self._search.stop()
            transcript.highlight(None)
            return
        self.bar.set_text(state.query.text)
        if state.target is not None and transcript.column.contains(state.target):
            transcript.show_turn(state.target)
            self._start_search(replace(state, target=None), only_in=state.target)
        else:
            self._search_in_place(state)

    def _start_search(self, state: _FindState, *, seeks: bool = True, only_in: MessageId | None = None) -> None:
        """Search from the current match, or from the first visible turn."""
        transcript = self._chat.transcript
        first = transcript.first_visible_turn()
        now = self._current_match()
        for turn in (only_in, now[0] if now is not None else None):
            if turn is not None and transcript.column.contains(turn):
                first = transcript.column.number_of(turn)
                break
        self._put(state)
        self.bar.set_text(state.query.text)
        self._show_bar()
        self._search.search(state.query, first, seeks=seeks, only_in=only_in)

    def _search_in_place(self, state: _FindState) -> None:
        """Search without scrolling."""
        self._start_search(state, seeks=False)
        self._search.current = TurnMatch(*state.current) if state.current is not None else None

    def _show(self) -> None:
        search = self._search
        if self._state.is_open:
            self.bar.show_count(search.ordinal, search.total, is_at_work=search.is_at_work)
            self._chat.transcript.highlight(search.matches_in, self._current_match())

    def _reach(self, match: TurnMatch) -> None:
        self._chat.transcript.show_match(match.turn, match.match)

    def _has_focus(self) -> bool:
        """Return whether the bar has the focus."""
        focus = QApplication.focusWidget()
        return focus is not None and self.bar.isAncestorOf(focus)

    def _current_match(self) -> tuple[MessageId, FindMatch] | None:
        now = self._search.current
        return (now.turn, now.match) if now is not None else None

    def _selected(self) -> str:
        """Return the selected text if it is part of one line."""
        text = self._chat.transcript.short_selection(MOST_SELECTED_CHARACTERS).strip()
        return text if "\n" not in text else ""

    @property
    def _state(self) -> _FindState:
        return self._states.get(self._shown, _FindState())

    def _put(self, state: _FindState) -> None:
        self._states[self._shown] = state

    def _show_bar(self) -> None:
        is_open = self._state.is_open
        self.bar.setVisible(is_open)
        # a filter of the application sees Esc before the focused widget; installed only while the bar is open, since
        # every event of the app passes through it
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
            if is_open:
                app.installEventFilter(self)
