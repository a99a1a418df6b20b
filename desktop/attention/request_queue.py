"""The open requests of the viewed workflow: their order, the current request, pending answers and drafts."""

from collections.abc import Callable, Collection, Mapping, Sequence

from core.domain.ids import InterruptionId
from core.domain.interruption import InterruptionKind
from core.stores.questions import Question
from desktop.attention.request import DraftAnswer, Request


class RequestQueue:
    """`sending` is the request whose answer is pending. A request with an accepted answer counts as closed, even while
    the store still lists it.
    """

    def __init__(self, make: Callable[[Question], Request]) -> None:
        self._make_request = make
        self._questions: Sequence[Question] = ()
        self._requests: dict[InterruptionId, Request] = {}
        self._saved_drafts: dict[InterruptionId, DraftAnswer] = {}
        self._open_ids: set[InterruptionId] = set()
        self._accepted: set[InterruptionId] = set()
        self._current: InterruptionId | None = None
        self.sending: InterruptionId | None = None

    def set_questions(self, questions: Sequence[Question]) -> None:
        """Replace the open questions, oldest first."""
        # The store may still list a request whose answer was accepted.
        self._accepted &= {question.id for question in questions}
        self._questions = [question for question in questions if question.id not in self._accepted]

    def restore_drafts(self, drafts: Mapping[InterruptionId, DraftAnswer]) -> None:
        """Restore saved drafts; each is applied when its request is first shown."""
        self._saved_drafts = dict(drafts)

    def drafts(self) -> dict[InterruptionId, DraftAnswer]:
        """Return the drafts of all requests that may still be open."""
        saved = {key: draft for key, draft in self._saved_drafts.items() if key not in self._requests}
        edited = {key: self._requests[key].draft for key in self._requests.keys() & self._open_ids}
        return saved | {key: draft for key, draft in edited.items() if draft is not None}

    def discard_closed(self, open_ids: Collection[InterruptionId]) -> bool:
        """Delete widgets and drafts of all requests but these, in any workflow. Return whether a request was closed."""
        # The current request may have closed while it is shown, and a pending answer may still fail.
        for key in self._requests.keys() - set(open_ids) - {self._current, self.sending}:
            self._requests.pop(key).deleteLater()
        closed, self._open_ids = self._open_ids - set(open_ids), set(open_ids)
        self._saved_drafts = {key: draft for key, draft in self._saved_drafts.items() if key not in closed}
        return bool(closed)

    def record_outcome(self, question_id: InterruptionId, *, is_accepted: bool) -> None:
        """Record the outcome of an answer."""
        if self.sending == question_id:
            self.sending = None
        if is_accepted:
            self._accepted.add(question_id)
            self.remove(question_id)

    def remove(self, question_id: InterruptionId | None) -> None:
        """Remove a request from the queue."""
        self._questions = [question for question in self._questions if question.id != question_id]

    @property
    def current(self) -> InterruptionId | None:
        return self._current

    @property
    def current_request(self) -> Request | None:
        """The widget of the current request, open or closed."""
        return self._requests.get(self._current) if self._current is not None else None

    @property
    def first(self) -> InterruptionId | None:
        return self._questions[0].id if self._questions else None

    @property
    def is_current_closed(self) -> bool:
        """Whether the current request was closed by something else than its answer."""
        return self._current not in (None, self.sending) and self._current not in self._ids

    @property
    def position(self) -> tuple[int, int]:
        """The position of the current request and the number of requests, from 1."""
        ids = self._ids
        return (ids.index(self._current) + 1 if self._current in ids else 1), max(1, len(ids))

    def alike(self, request: Request) -> tuple[int, int]:
        """Return how many calls of its run wait for an approval with this request, and how many of them were seen."""
        alike = [] if request.kind is not InterruptionKind.TOOL_APPROVAL else self._alike(request)
        return len(alike), len(self.approvable)

    @property
    def approvable(self) -> list[InterruptionId]:
        """The calls of the current request's run that were seen and not changed, in their order."""
        current = self.current_request
        seen = [self._requests.get(key) for key in (self._alike(current) if current is not None else [])]
        return [each.question.id for each in seen if each is not None and each.was_seen and not each.is_changed]

    def _alike(self, request: Request) -> list[InterruptionId]:
        return [
            asked.id
            for asked in self._questions
            if asked.run_id == request.question.run_id and asked.kind is InterruptionKind.TOOL_APPROVAL
        ]

    def neighbour(self, by: int) -> InterruptionId | None:
        """Return the next (1) or previous (-1) request, cyclically; None without another, or while sending."""
        ids = self._ids
        # While an answer is pending the card stays, so that a failure can be shown there.
        if self.sending is not None or len(ids) < 2 or self._current not in ids:
            return None
        return ids[(ids.index(self._current) + by) % len(ids)]

    def set_current(self, question_id: InterruptionId | None) -> Request | None:
        """Make this request current and return its widget, which is created on the first visit."""
        self._current = question_id
        if question_id is not None and question_id not in self._requests:
            request = self._make_request(next(asked for asked in self._questions if asked.id == question_id))
            if (draft := self._saved_drafts.get(question_id)) is not None:
                request.restore_draft(draft)
            self._requests[question_id] = request
        return self.current_request

    @property
    def _ids(self) -> list[InterruptionId]:
        return [question.id for question in self._questions]
