"""The card that asks, in the place where messages are written. It waits, and takes nothing that was not given to it.

shown ──(an answer is on its way)──► sending ──(taken)──► the next one, or gone
  │  ▲                                  └──(not taken)──► shown, with what is wrong
  │  └──(a person asks for it)── folded ◄──(later)── shown
  └──(it closes while focus is in it)──► closed: it says so, and does nothing
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QSizePolicy, QVBoxLayout, QWidget

from core.domain.ids import InterruptionId, WorkflowId
from core.domain.interruption import Action, InterruptionKind
from core.services.outcome import Failed
from core.stores.questions import Question
from desktop.attention.attention_strings import (
    action_label,
    asker_path,
    closed_text,
    kind_label,
    refusal_text,
    violation_text,
)
from desktop.attention.field import FormField
from desktop.attention.focus_guard import FocusGuard
from desktop.attention.footer import CardFooter
from desktop.attention.header import CardHeader
from desktop.attention.request import DraftAnswer, Request
from desktop.attention.request_queue import RequestQueue
from desktop.attention.slot_card import SlotCard
from desktop.shortcuts.chords import is_pressed
from desktop.theme.theme import Theme
from desktop.translation.agent_strings import agent_words
from desktop.translation.request_strings import asking_sentence
from desktop.widgets.accessibility import announce, tell_news
from desktop.widgets.buttons import Button
from desktop.widgets.paragraph import Paragraph

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_OPTION_KEYS = range(Qt.Key.Key_1, Qt.Key.Key_9 + 1)
_PAGE_STEPS = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}
ClosedStatusLookup = Callable[[InterruptionId], str | None]
"""How a request was closed, where that is known."""


@dataclass(frozen=True, slots=True)
class CardKeys:
    """The keys that the card names. It hears the default ones."""

    focus: QKeySequence
    previous: QKeySequence
    next: QKeySequence
    later: QKeySequence


_CLOSED_CODES = frozenset({"already_answered", "nothing_open", "not_found"})


class AttentionCard(SlotCard):
    """Shows what it is given; never takes focus by itself. `now` tells the time of what expires.

    `answered(question, answer)` is what a person said; `settle` is then to be told what came of it. `put_off`:
    they turn to something else. `left`: focus was in the card, and there is nothing left to ask. `begun_changed`: what
    is begun for any request is another now.
    """

    answered = Signal(object, object)
    put_off = Signal()
    left = Signal()
    begun_changed = Signal()
    unfold_requested = Signal()

    def __init__(self, theme: Theme, now: Callable[[], datetime], focus_keys: QKeySequence, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self.setObjectName("attention")
        self._workflow = ""
        self._workflow_id: WorkflowId | None = None
        self._requests = RequestQueue(self._begin)
        self._kept: dict[InterruptionId, DraftAnswer] = {}
        self._seen: set[InterruptionId] = set()
        self._is_closed = False
        self._is_folded = False
        self.guard = FocusGuard(self)
        self._head = CardHeader(theme, now, focus_keys)
        self._foot = CardFooter(theme)
        self._note = Paragraph("", "label")
        self._close = Button(theme, "", "secondary")
        self._column = QVBoxLayout(self)
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
        """What waits in the workflow that is shown, oldest first."""
        if workflow_id != self._workflow_id:
            self._workflow_id = workflow_id
            self._go_to(None)
        self._workflow = workflow
        requests = self._requests
        requests.take(questions)
        if requests.is_lost and not self._is_closed:
            assert requests.current is not None
            if self.has_focus:
                self._say_closed(how_closed(requests.current))
            else:
                self._go_to(None)
        if not self.is_wanted and requests.first is not None:
            self._go_to(requests.first)
            self._update()
            tell_news(self, f"{self.accessibleName()}. {self.accessibleDescription()}", is_urgent=True)
        self._update()

    def keep(self, open_ids: set[InterruptionId]) -> None:
        """Forget what was begun for requests that are open in no workflow any more."""
        self._requests.keep(open_ids)
        gone, self._seen = self._seen - open_ids, set(open_ids)
        if gone:
            self._kept = {one: begun for one, begun in self._kept.items() if one not in gone}
            self.begun_changed.emit()

    def take_up(self, kept: Mapping[InterruptionId, DraftAnswer]) -> None:
        """What was begun for requests before there was this card: it stands there once they are looked at."""
        self._kept = dict(kept)

    def begun(self) -> dict[InterruptionId, DraftAnswer]:
        """What is begun for every request that may still be open."""
        made = self._requests.made
        kept = {one: begun for one, begun in self._kept.items() if one not in made}
        is_open = self._seen.__contains__
        return kept | {one: begun for one in filter(is_open, made) if (begun := made[one].begun) is not None}

    def settle(self, question_id: InterruptionId, failed: Failed | None) -> None:
        """What became of an answer: taken, or why not."""
        self._requests.settle(question_id, is_taken=failed is None)
        if self._requests.current != question_id:
            return
        if failed is None:
            self._go_on()
        elif failed.code in _CLOSED_CODES:
            self._say_closed(str(failed.details["status"]) if "status" in failed.details else None)
        else:
            self._refuse(failed)
        self._update()

    def set_keys(self, keys: CardKeys) -> None:
        """It names these."""
        self._head.set_keys(keys.focus, keys.previous, keys.next)
        self._foot.set_keys(keys.later)

    def fold(self, *, is_folded: bool) -> None:
        """Folded, only its first line is seen."""
        self._is_folded = is_folded
        self._update()

    @property
    def workflow_id(self) -> WorkflowId | None:
        """Whose requests it shows."""
        return self._workflow_id

    @property
    def is_wanted(self) -> bool:
        """Whether there is something to show."""
        return self._requests.current is not None

    @property
    def is_folded(self) -> bool:
        """Whether only its first lines are seen."""
        return self._is_folded

    @property
    def has_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    @property
    def request(self) -> Request | None:
        """The one that is shown, as long as it can be answered."""
        return self._requests.shown if not self._is_closed else None

    @property
    def note(self) -> str:
        """That the request is closed, where it says so."""
        return self._note.text() if self._is_closed else ""

    @property
    def refusal(self) -> str:
        return self._foot.complaint

    def button(self, action: Action) -> Button:
        return self._foot.button(action)

    def take_focus(self) -> None:
        """A person asks for it: focus goes where nothing happens by mistake."""
        if not self.is_wanted:
            return
        self.fold(is_folded=False)
        request = self.request
        if request is None:
            self._close.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            target = request.first_focus
            self._focus(target if isinstance(target, FormField) else self._foot.button(target))
        self.guard.start()

    def retranslate(self) -> None:
        self._close.setText(self.tr("Close"))
        request = self.request
        if request is not None:
            self._foot.say(_buttons(request))
        self._update()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_m, sizes.space_m)
        self._column.setSpacing(sizes.space_m)
        self.setMaximumWidth(sizes.composer)
        self._fit()

    # Qt

    def _is_own(self, event: QKeyEvent) -> bool:
        return is_pressed("Esc", event) or _is_submit(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        focus = QApplication.focusWidget()
        written = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier  # a digit, on some layouts
        plain = not event.modifiers() & ~written
        if is_pressed("Esc", event):
            self._leave()
        elif _is_submit(event):
            self._submit()
        elif plain and event.key() in _OPTION_KEYS:
            self._pick(event.key() - Qt.Key.Key_0)
        elif event.key() in _ENTER and isinstance(focus, QAbstractButton) and not event.isAutoRepeat():
            focus.click()
        elif event.key() in _PAGE_STEPS and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._step(_PAGE_STEPS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    # Building

    def _build(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for widget in (self._head, self._scroller, self._note, self._foot):
            self._column.addWidget(widget)
        self._column.addWidget(self._close, 0, Qt.AlignmentFlag.AlignRight)
        self._head.stepped.connect(self._step)
        self._head.unfolded.connect(self.unfold_requested)
        self._head.turned.connect(self._describe)
        self._foot.acted.connect(self._act)
        self.guard.changed.connect(self._foot.set_waiting)
        self._foot.put_off.connect(self._leave)
        self._foot.reasoned.connect(self._on_reason)
        self._foot.scoped.connect(self._on_scope)
        self._close.clicked.connect(self._leave)

    # Going from one to another

    def _go_to(self, question_id: InterruptionId | None) -> None:
        """Show this request, with what was begun for it."""
        self._is_closed = False
        self._foot.complain("")
        request = self._requests.go_to(question_id)
        self._scroller.show_page(request)
        if request is not None:
            self._foot.offer(_buttons(request), reason=request.reason if request.takes_reason else None)
            self._foot.follow(request)
            self._offer_scope()

    def _go_on(self) -> None:
        """The first of the others, or none; where focus was in the card it stays in it, and else goes nowhere."""
        had_focus = self.has_focus
        self._go_to(self._requests.first)
        self._update()
        if had_focus and self.is_wanted:
            self.take_focus()
        elif had_focus:
            self.left.emit()

    def _step(self, by: int) -> None:
        found = self._requests.beside(by)
        if found is None:
            return
        had_focus = self.has_focus
        self._go_to(found)
        self._update()
        if had_focus:
            self.take_focus()
            self.guard.start(frees_pages=True)

    # Answering

    def _submit(self) -> None:
        """Ctrl+Enter: what is written goes. For an approval nothing is written."""
        request = self.request
        if request is None or not self.has_focus:
            return
        if Action.SUBMIT in request.buttons:
            self._act(Action.SUBMIT)
        elif request.kind is InterruptionKind.TOOL_APPROVAL:
            self._act(Action.APPROVE)

    def _pick(self, number: int) -> None:
        """The option of that number, from 1, where the request has options."""
        if self.request is not None and not self.guard.is_on:
            self.request.pick(number)

    def _act(self, action: str) -> None:
        request = self.request
        if request is None or self._requests.sending is not None or self.guard.is_on or self._is_folded:
            return
        self._foot.complain("")
        answer = request.answer(Action(action))
        if answer is None:
            wrong = request.first_wrong()
            if wrong is not None:
                self._focus(wrong)
            return
        self._requests.sending = request.question.id
        self.answered.emit(request.question, answer)

    def _refuse(self, failed: Failed) -> None:
        request = self.request
        unplaced = []
        violations = failed.details.get("violations", ())
        for violation in violations:
            words = violation_text(str(violation.get("message", "")))
            if request is None or not request.complain(str(violation.get("path", "")), words):
                unplaced.append(words)
        self._foot.complain("\n".join(unplaced) if violations else refusal_text(failed))
        wrong = request.first_wrong() if request is not None else None
        if wrong is not None and self.has_focus:
            self._focus(wrong)
        announce(self, self._foot.complaint or (wrong.complaint if wrong is not None else ""), is_urgent=True)

    def _say_closed(self, status: str | None) -> None:
        """It closed otherwise than by this card."""
        had_focus = self.has_focus
        self._is_closed = True
        self._note.setText(closed_text(status))
        self._update()
        if had_focus:
            self._close.setFocus(Qt.FocusReason.OtherFocusReason)
            self.guard.start()
        announce(self, self._note.text(), is_urgent=True)

    def _leave(self) -> None:
        """Later; or, where it is closed, done with."""
        if self._is_closed:
            self._requests.leave_out(self._requests.current)
            self._go_on()
        else:
            self.put_off.emit()

    def _on_reason(self, reason: str) -> None:
        if self.request is not None:
            self.request.reason = reason
            self.begun_changed.emit()

    def _on_scope(self, scope: str) -> None:
        if self.request is not None:
            self.request.scope = scope

    def _offer_scope(self) -> None:
        """What an approval may be for: other arguments are approved once alone."""
        request = self.request
        if request is not None:
            tool = request.question.asked.tool if request.takes_scope else None
            self._foot.offer_scope(tool, request.scope, is_edited=request.is_changed)

    def _begin(self, question: Question) -> Request:
        request = Request(self._theme, question)
        if (begun := self._kept.get(question.id)) is not None:
            request.take_up(begun)
        request.edited.connect(self._offer_scope)
        request.edited.connect(self.begun_changed)
        return request

    # Looks

    def _update(self) -> None:
        request = self.request
        is_open = request is not None and not self._is_folded
        self._scroller.setVisible(is_open)
        self._foot.setVisible(is_open)
        self._note.setVisible(self._is_closed and not self._is_folded)
        self._close.setVisible(self._is_closed and not self._is_folded)
        self._head.fold(is_folded=self._is_folded)
        self._say()
        self.setVisible(self.is_wanted)
        self._fit()

    def _say(self) -> None:
        shown = self._requests.shown
        if shown is None:
            self._head.rest()
            return
        question = shown.question
        self._head.say(self._workflow, question, self._requests.place, is_open=not self._is_closed)
        self.setAccessibleName(f"{kind_label(question.kind)}, {asker_path(self._workflow, question)}")
        self._describe()

    def _describe(self) -> None:
        shown = self._requests.shown
        if shown is not None:
            question = shown.question
            asked = question.asked.prompt or asking_sentence(question.kind, agent_words(question.asker))
            self.setAccessibleDescription(f"{asked} {self._head.time_left}".rstrip())

    def _focus(self, target: QWidget) -> None:
        if isinstance(target, FormField):
            target.setFocus(Qt.FocusReason.OtherFocusReason)  # what stands there is not selected
            self._scroller.reveal(target)
        else:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _buttons(request: Request) -> list[tuple[Action, str]]:
    return [(action, action_label(request.kind, action)) for action in request.buttons]


def _is_submit(event: QKeyEvent) -> bool:
    return is_pressed("Ctrl+Return", event) and not event.isAutoRepeat()
