"""The card for open requests, in the composer's place.

shown ──(answer emitted)──► sending ──(accepted)──► next request, or hidden
  │  ▲                         └──(rejected)──► shown, with the problem
  │  └──(unfold)── folded ◄──(later)── shown
  └──(closed elsewhere while focused)──► closed: a note and a Close button
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.domain.ids import InterruptionId, WorkflowId
from core.domain.interruption import Action, InterruptionKind
from core.services.outcome import Failed
from core.stores.questions import Question
from desktop.attention.attention_strings import asked_text, closed_text, refusal_text
from desktop.attention.call_review import CallReview
from desktop.attention.call_view import DecidingValues
from desktop.attention.field import ValueField
from desktop.attention.focus_guard import FocusGuard
from desktop.attention.footer import CardFooter
from desktop.attention.form import show_violations
from desktop.attention.header import CardHeader
from desktop.attention.keys import MOST_PICKS, CardKeys, active_keys
from desktop.attention.request import Request
from desktop.attention.request_queue import RequestQueue
from desktop.attention.slot_card import ClosedNote, SlotCard
from desktop.shortcuts.command import ActiveKeys
from desktop.theme import Theme
from desktop.widgets import Button, announce, queue_announcement

_CLOSED_CODES = frozenset({"already_answered", "nothing_open", "not_found"})
ClosedStatusLookup = Callable[[InterruptionId], str | None]
"""How a request was closed, where that is known."""


class AttentionCard(SlotCard):
    """Shows open requests one at a time and never takes focus by itself. `now` returns the current time.

    Its owner answers each `answered(question, answer, call)` by `show_outcome`, and each `call_wanted(request)` by
    `Request.show_call`; `call` is what the card showed of a call. `emptied` is emitted when the last request is
    gone while the card had focus. `requests` has the drafts. `whole_wanted`: the user wants the card in the whole
    pane, or no longer.
    """

    answered = Signal(object, object, object)
    call_wanted = Signal(object)
    postponed = Signal()
    emptied = Signal()
    drafts_changed = Signal()
    unfold_requested = Signal()
    whole_wanted = Signal()

    def __init__(self, theme: Theme, now: Callable[[], datetime], focus_keys: QKeySequence, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self.setObjectName("attention")
        self._workflow = ""
        self._workflow_id: WorkflowId | None = None
        self.requests = RequestQueue(self._make_request)
        self._is_closed = False
        self._is_folded = False
        self.guard = FocusGuard(self)
        self._header = CardHeader(theme, now, focus_keys)
        self._deciding = DecidingValues(theme)
        self._footer = CardFooter(theme)
        self._review = CallReview(self.requests, self._scroller, self._footer)
        self._note = ClosedNote(theme)
        self._column = QVBoxLayout(self)
        self._actions |= {"Ctrl+D": self._reject, "PgUp": partial(self._step, -1), "PgDown": partial(self._step, 1)}
        self._actions |= {str(number): partial(self._pick, number) for number in range(1, MOST_PICKS + 1)}
        self._build()
        self.hide()
        self.adapt_to(theme)

    # What it shows

    def show_questions(
        self,
        workflow_id: WorkflowId | None,
        workflow: str,
        questions: Sequence[Question],
        how_closed: ClosedStatusLookup,
    ) -> None:
        """Show the open questions of the viewed workflow, oldest first."""
        if not questions and not self.has_request and workflow_id == self._workflow_id:
            return
        if workflow_id != self._workflow_id:
            self._workflow_id = workflow_id
            self._show_request(None)
        self._workflow = workflow
        requests = self.requests
        requests.set_questions(questions)
        if requests.is_current_closed and not self._is_closed:
            assert requests.current is not None
            # A card that has the focus must not vanish under the user: it explains itself, and waits to be closed.
            if self.has_focus:
                self._show_closed(how_closed(requests.current))
            else:
                self._show_request(None)
        comes_up = not self.has_request and requests.first is not None
        if comes_up:
            self._show_request(requests.first)
        self._update()
        if comes_up:
            self._announce_request()  # the card takes no focus, so a screen reader would not notice it

    def discard_closed(self, open_ids: set[InterruptionId]) -> None:
        """Discard drafts of requests that are no longer open in any workflow."""
        if self.requests.discard_closed(open_ids):
            self.drafts_changed.emit()

    def show_outcome(self, question_id: InterruptionId, failed: Failed | None) -> None:
        """Report the outcome of an answer: accepted (None), or why it failed."""
        self.requests.record_outcome(question_id, is_accepted=failed is None)
        if self.requests.current != question_id:
            return
        if failed is None:
            self._show_next()
            self._review.go_on()
        elif failed.code in _CLOSED_CODES:
            self._show_closed(str(failed.details["status"]) if "status" in failed.details else None)
        else:
            self._show_failure(failed)
            if failed.code == "file_changed" and self.request is not None:
                self.call_wanted.emit(self.request)
        self._update()

    def set_shortcuts(self, keys: CardKeys) -> None:
        """Set the displayed shortcuts."""
        self._header.set_shortcuts(keys)
        self._footer.set_shortcuts(keys)

    def fold(self, *, is_folded: bool) -> None:
        """Collapse the card to its header, or expand it."""
        if is_folded == self._is_folded:
            return  # a layout takes its time, and this comes with each change of a workflow
        if is_folded:
            self.show_whole(is_whole=False)
        self._is_folded = is_folded
        self._update()

    @property
    def is_about_call(self) -> bool:
        """Whether it shows a call of a tool."""
        return self.request is not None and self.request.is_about_call

    @property
    def active_keys(self) -> ActiveKeys | None:
        """The keys that act on the card; None without a request."""
        shown, (_, count) = self.requests.current_request, self.requests.position
        return active_keys(shown.kind, self.request, count) if shown is not None else None

    @property
    def workflow_id(self) -> WorkflowId | None:
        return self._workflow_id

    @property
    def has_request(self) -> bool:
        return self.requests.current is not None

    @property
    def is_folded(self) -> bool:
        return self._is_folded

    @property
    def request(self) -> Request | None:
        """The current request while it can be answered, else None."""
        return self.requests.current_request if not self._is_closed else None

    @property
    def note(self) -> str:
        """The note that the request is closed; empty while it is open."""
        return self._note.text if self._is_closed else ""

    @property
    def error(self) -> str:
        return self._footer.error

    @property
    def all_button(self) -> Button:
        """The button that approves all calls of the run that wait."""
        return self._footer.all_button

    def button(self, action: Action) -> Button:
        return self._footer.button(action)

    def take_focus(self) -> None:
        """Unfold the card and focus the first field, or the button that is safe to press by mistake."""
        if not self.has_request:
            return
        self.fold(is_folded=False)
        request = self.request
        if request is None:
            self._note.close_button.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            target = request.first_focus
            if isinstance(target, ValueField):
                self._focus_field(target)
            else:
                self._footer.button(target).setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.guard.start()

    def retranslate(self) -> None:
        self._update()

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_m)
        super().apply_theme()

    def _build(self) -> None:
        for widget in (self._header, self._deciding, self._scroller, self._note, self._footer):
            self._column.addWidget(widget)
        self._header.stepped.connect(self._step)
        self._header.unfolded.connect(self.unfold_requested)
        self._header.whole_wanted.connect(self.whole_wanted)
        self.room_changed.connect(self._show_room)
        self._header.time_left_changed.connect(self._describe)
        self._footer.action_chosen.connect(self._send_answer)
        self.guard.changed.connect(self._footer.set_blocked)
        self._footer.postponed.connect(self._cancel)
        self._review.approved.connect(self.answered)
        self._footer.reason_edited.connect(self.drafts_changed)
        self._note.close_button.clicked.connect(self._cancel)

    # Navigation

    def _show_request(self, question_id: InterruptionId | None) -> None:
        """Show this request with its draft."""
        self._is_closed = False
        self._footer.show_error("")
        request = self.requests.set_current(question_id)
        self._scroller.show_page(request)
        if request is not None:
            self._footer.show_request(request)
        else:
            self.show_whole(is_whole=False)
        self.room_changed.emit()

    def _show_next(self) -> None:
        """Show the first remaining request; keep focus in the card only if it was there."""
        # Hiding the old request would move the focus, so it is looked up before.
        had_focus = self.has_focus
        self._show_request(self.requests.first)
        self._update()
        if had_focus and self.has_request:
            self.take_focus()
            self._announce_request()
        elif had_focus:
            self.emptied.emit()

    def _step(self, by: int) -> None:
        question_id = self.requests.neighbour(by)
        if question_id is None:
            return
        had_focus = self.has_focus
        self._show_request(question_id)
        self._update()
        # Another request has other buttons in the same places; only paging on is safe at once.
        if had_focus:
            self.take_focus()
            self.guard.start(frees_pages=True)
            self._announce_request()  # its buttons alone would not say which it is

    # Answering

    def _pick(self, number: int) -> None:
        if self.request is not None and self.request.options is not None:
            self.request.options.toggle_option(number)

    def _submit(self) -> None:
        """Handle Ctrl+Enter: submit the form, or approve."""
        request = self.request
        if request is None or not self.has_focus:
            return
        if request.kind is InterruptionKind.OUTCOME and request.draft is None and request.fields:
            self._focus_field(request.fields[0])  # nothing is claimed by a key before it is written
        else:
            self._send_answer(request.submit_action)

    def _reject(self) -> None:
        """Reject or skip by key. What is written would be lost by that, so then the key only leads to the button."""
        request = self.request
        action = request.reject_action if request is not None else None
        if request is None or action is None:
            return
        if any(field.is_edited for field in request.fields):
            self._footer.button(action).setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self._send_answer(action)

    def _send_answer(self, action: str) -> None:
        request = self.request
        # A second press, or keys that were typed for another widget, must not answer.
        if request is None or self.requests.sending is not None or self.guard.is_on or self._is_folded:
            return
        self._footer.show_error("")
        if action == Action.APPROVE and not self.is_whole and not self._review.has_seen(request):
            self._footer.show_error(self.tr("Look at the arguments first."))
            self.whole_wanted.emit()
            return
        answer = request.answer(Action(action))
        if answer is None:
            if (invalid := request.first_error) is not None:
                self._focus_field(invalid)
                announce(self, invalid.error, is_urgent=True)
            return
        self.requests.sending = request.question.id
        self.answered.emit(request.question, answer, request.call)

    def _show_failure(self, failed: Failed) -> None:
        request = self.request
        show_error = request.show_error if request is not None else None
        self._footer.show_error(show_violations(show_error, failed.details.get("violations", ()), refusal_text(failed)))
        invalid = request.first_error if request is not None else None
        if invalid is not None and self.has_focus:
            self._focus_field(invalid)
        announce(self, self._footer.error or (invalid.error if invalid is not None else ""), is_urgent=True)

    def _show_closed(self, status: str | None) -> None:
        """Show that the request was closed elsewhere."""
        had_focus = self.has_focus
        self._is_closed = True
        self._note.set_text(closed_text(status))
        self._update()
        # Enter was meant for the answer: the guard keeps it from closing the note unread.
        if had_focus:
            self._note.close_button.setFocus(Qt.FocusReason.OtherFocusReason)
            self.guard.start()
        announce(self, self._note.text, is_urgent=True)

    def _cancel(self) -> None:
        """Postpone the request, or dismiss a closed request."""
        if self._is_closed:
            self.requests.remove(self.requests.current)
            self._show_next()
        else:
            self.postponed.emit()

    def _make_request(self, question: Question) -> Request:
        request = Request(self._theme, question)
        request.edited.connect(self._footer.update_scope)
        request.edited.connect(self.drafts_changed)
        request.confirmed.connect(partial(self._send_answer, Action.SUBMIT))
        request.deciding_changed.connect(self._show_deciding)
        if not request.is_ready:
            self.call_wanted.emit(request)
        return request

    def _fit(self) -> None:
        super()._fit()
        self._review.note_later()

    def _show_room(self) -> None:
        self._header.show_whole(is_whole=self.is_whole)

    def _show_deciding(self) -> None:
        """Show what decides about the call, above what scrolls."""
        request = self.request if not self._is_folded else None
        are_secrets_shown = request is not None and request.call_view.are_secrets_shown
        self._deciding.show_values(request.deciding if request is not None else (), are_secrets_shown=are_secrets_shown)
        if request is not None:
            self._footer.continue_tab_order(request, self._header)

    def _update(self) -> None:
        is_open = self.request is not None and not self._is_folded
        self._scroller.setVisible(is_open)
        self._footer.setVisible(is_open)
        self._note.setVisible(self._is_closed and not self._is_folded)
        self._header.fold(is_folded=self._is_folded)
        self._show_deciding()
        self._update_texts()
        self.setVisible(self.has_request)
        self._fit()

    def _update_texts(self) -> None:
        shown = self.requests.current_request
        if shown is None:
            self._header.clear()
            return
        question = shown.question
        self._header.show_question(self._workflow, question, self.requests.position, is_open=not self._is_closed)
        self.setAccessibleName(self._header.spoken)
        self._describe()

    def _announce_request(self) -> None:
        queue_announcement(self, f"{self.accessibleName()}. {self.accessibleDescription()}", is_urgent=True)

    def _describe(self) -> None:
        if (shown := self.requests.current_request) is not None:
            self.setAccessibleDescription(f"{asked_text(shown.question)} {self._header.time_left}".rstrip())
