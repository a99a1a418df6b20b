"""Which calls were seen well enough to be judged, and the approval of several at once (UI §6)."""

from PySide6.QtCore import QObject, QTimer, Signal

from core.domain.ids import InterruptionId
from core.domain.interruption import APPROVAL_SCOPES, Action, Answer, InterruptionKind
from desktop.attention.footer import CardFooter
from desktop.attention.request import Request
from desktop.attention.request_queue import RequestQueue
from desktop.attention.slot_card import RequestScrollArea

_JUDGED_LINES = 6  # that have been in view, or all, before a call can be approved


class CallReview(QObject):
    """Notes what comes into view in `scroller`, and offers in `footer` to approve all calls of a run.

    `approved` is emitted as `AttentionCard.answered`, once for each call: the next after the outcome of the one before.
    """

    approved = Signal(object, object, object)

    def __init__(self, requests: RequestQueue, scroller: RequestScrollArea, footer: CardFooter) -> None:
        super().__init__(scroller)
        self._requests = requests
        self._scroller = scroller
        self._footer = footer
        self._approving: list[InterruptionId] = []
        self._later = QTimer(self, singleShot=True, interval=0)  # after the layouts
        self._later.timeout.connect(self._note)
        scroller.verticalScrollBar().valueChanged.connect(self.note_later)
        footer.all_approved.connect(self._approve_all)

    def note_later(self) -> None:
        """Note what is in view once everything is laid out."""
        self._later.start()

    def has_seen(self, request: Request) -> bool:
        """Return whether enough of the call has been in view to judge it."""
        if request.call is not None and not request.was_seen and request is self._requests.current_request:
            request.was_seen = self._scroller.shows(request.call_view, _JUDGED_LINES)
        return request.was_seen or request.call is None or request.kind is InterruptionKind.OUTCOME

    def go_on(self) -> None:
        """Approve the next of the calls that are approved together, if any is left."""
        request = self._requests.current_request
        if request is not None and request.question.id in self._approving and self._requests.sending is None:
            self._approving.remove(request.question.id)
            self._requests.sending = request.question.id
            self.approved.emit(request.question, Answer(Action.APPROVE, APPROVAL_SCOPES[0]), request.call)
        else:
            self._approving = []

    def _note(self) -> None:
        request = self._requests.current_request
        if request is not None and self._scroller.isVisible():
            self.has_seen(request)
            self._footer.offer_all(*self._requests.alike(request))

    def _approve_all(self) -> None:
        self._approving = self._requests.approvable
        self.go_on()
