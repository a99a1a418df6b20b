"""Find in the workflow that is shown: the bar, its keys, and what was looked for in each workflow (UI §3, §4)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from core.domain.ids import MessageId, WorkflowId
from desktop.aio import Tasks
from desktop.chat.find.bar import FindBar
from desktop.chat.find.finder import Finder, Match
from desktop.chat.find.sought import Found, Sought
from desktop.theme.theme import Theme
from desktop.window.chat_pane import ChatPane

SELECTED_CHARACTERS = 100
"""As much of a selection is looked for at the most."""


_NOTHING = Sought("")
_PLAIN = Qt.KeyboardModifier.NoModifier


@dataclass(frozen=True, slots=True)
class _State:
    """What is looked for in a workflow. `now` is where one was; `wanted` the message that a search has found."""

    sought: Sought = _NOTHING
    is_open: bool = False
    now: tuple[MessageId, Found] | None = None
    wanted: MessageId | None = None


class FindingHere(QObject):
    """`viewed` tells which workflow is shown; `focus_centre` takes the focus where what had it is gone."""

    def __init__(
        self,
        theme: Theme,
        chat: ChatPane,
        tasks: Tasks,
        viewed: Callable[[], WorkflowId | None],
        focus_centre: Callable[[], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._viewed = viewed
        self._focus_centre = focus_centre
        self._states: dict[WorkflowId | None, _State] = {}
        self._shown: WorkflowId | None = None
        self._before: QWidget | None = None
        self._is_composing = False
        self._finder = Finder(theme, chat.transcript.column, tasks, self)
        self.bar = FindBar(theme, chat)
        self.bar.edited.connect(self._on_edited)
        self.bar.stepped.connect(self.step)
        self.bar.closed.connect(self.close_bar)
        self._finder.changed.connect(self._show)
        self._finder.reached.connect(self._reach)
        chat.transcript.conversation_shown.connect(self._on_conversation)
        chat.transcript.turns_changed.connect(self._on_turns)
        chat.put_above(self.bar)

    # From elsewhere

    def open(self) -> None:
        """Open the bar, with what is selected in the conversation, or with what was looked for before."""
        if not self._chat.isVisible():
            return
        if not self._has_focus():
            self._before = QApplication.focusWidget()
        selected = self._selected()
        state = self._state
        if selected and not self._has_focus():
            self._look(replace(state, sought=Sought(selected), is_open=True))
        elif not state.is_open:
            self._look_where_one_was(replace(state, is_open=True))
        self.bar.take_focus()

    def step(self, by: int) -> None:
        """To the next place (1) or the one before (-1); with a bar that is closed, of what was looked for before."""
        if not self._chat.isVisible():
            return
        if not self._state.is_open:
            if self._state.sought.text:
                self._look(replace(self._state, is_open=True))
            else:
                self.open()
            return
        self._finder.step(by, self._chat.transcript.first_in_sight())

    def show_message(self, workflow_id: WorkflowId, message_id: MessageId, query: str) -> None:
        """A search has found this: have the message in sight, with the words of the query marked, once it is there."""
        self._before = None
        self._states[workflow_id] = _State(Sought(query, is_words=True), is_open=True, wanted=message_id)
        if self._shown == workflow_id == self._viewed():
            self._restore()
        self.bar.take_focus()

    def close_bar(self) -> None:
        """Nothing is marked any more; the focus goes back where it was."""
        had_focus = self._has_focus()
        self._put(replace(self._state, is_open=False, now=self._now(), wanted=None))
        self._finder.stop()
        self._chat.transcript.mark_found(None)
        self._show_bar()
        before, self._before = self._before, None
        if had_focus and before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        elif had_focus:
            self._focus_centre()

    def leave(self) -> None:
        """Look for nothing more, and at no key."""
        self._finder.stop()
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)

    # What changes

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Of the application, while the bar is open: Esc closes it before the card, the composer or the conversation
        have it, but after a list of completions, and never while an input method composes (UI §4)."""
        if isinstance(event, QInputMethodEvent):
            self._is_composing = bool(event.preeditString())
        elif isinstance(event, QFocusEvent):
            self._is_composing = False  # what was not committed is gone
        if not isinstance(event, QKeyEvent) or self._is_composing:
            return False
        if event.key() != Qt.Key.Key_Escape or event.modifiers() != _PLAIN:
            return False
        is_here = isinstance(watched, QWidget) and self._chat.isAncestorOf(watched)
        if not is_here or self._chat.is_completing or not self.bar.isVisible():
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress:
            self.close_bar()
            return True
        return False

    def _on_edited(self, text: str) -> None:
        self._look(replace(self._state, sought=Sought(text), wanted=None))

    def _on_conversation(self) -> None:
        """Another workflow is shown: what is looked for belongs to it."""
        viewed = self._viewed()
        if viewed != self._shown:
            if self._state.is_open:
                self._put(replace(self._state, now=self._now()))
            self._shown = viewed
        self._restore()

    def _on_turns(self, turns: list[MessageId]) -> None:
        state = self._state
        if not state.is_open:
            return
        if state.wanted is not None and self._chat.transcript.column.has(state.wanted):
            self._restore()
        else:
            self._finder.look_again(turns)

    def _restore(self) -> None:
        """As it was left, or at the message that a search has found."""
        state, transcript = self._state, self._chat.transcript
        self._show_bar()
        if not state.is_open:
            self._finder.stop()
            transcript.mark_found(None)
            return
        self.bar.set_text(state.sought.text)
        if state.wanted is not None and transcript.column.has(state.wanted):
            transcript.show_turn(state.wanted)
            self._look(replace(state, wanted=None), only_in=state.wanted)
        else:
            self._look_where_one_was(state)

    # Looking

    def _look(self, state: _State, *, seeks: bool = True, only_in: MessageId | None = None) -> None:
        """From what is in sight on, or from the place that one is at."""
        transcript = self._chat.transcript
        first = transcript.first_in_sight()
        now = self._now()
        for turn in (only_in, now[0] if now is not None else None):
            if turn is not None and transcript.column.has(turn):
                first = transcript.column.number_of(turn)
                break
        self._put(state)
        self.bar.set_text(state.sought.text)
        self._show_bar()
        self._finder.look(state.sought, first, seeks=seeks, only_in=only_in)

    def _look_where_one_was(self, state: _State) -> None:
        """Without going anywhere."""
        self._look(state, seeks=False)
        self._finder.now = Match(*state.now) if state.now is not None else None

    def _show(self) -> None:
        finder = self._finder
        if self._state.is_open:
            self.bar.show_count(finder.ordinal, finder.total, is_at_work=finder.is_at_work)
            self._chat.transcript.mark_found(finder.found_in, self._now())

    def _reach(self, match: Match) -> None:
        self._chat.transcript.show_found(match.turn, match.found)

    def _has_focus(self) -> bool:
        """Whether the bar has it."""
        focus = QApplication.focusWidget()
        return focus is not None and self.bar.isAncestorOf(focus)

    def _now(self) -> tuple[MessageId, Found] | None:
        now = self._finder.now
        return (now.turn, now.found) if now is not None else None

    def _selected(self) -> str:
        """What is selected, if it is a part of one line."""
        text = self._chat.transcript.short_selection(SELECTED_CHARACTERS).strip()
        return text if "\n" not in text else ""

    @property
    def _state(self) -> _State:
        return self._states.get(self._shown, _State())

    def _put(self, state: _State) -> None:
        self._states[self._shown] = state

    def _show_bar(self) -> None:
        is_open = self._state.is_open
        self.bar.setVisible(is_open)
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
            if is_open:
                app.installEventFilter(self)
