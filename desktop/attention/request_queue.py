"""The open requests of the workflow that is shown: their order, which one stands in the card, and what became of it."""

from collections.abc import Callable, Collection, Mapping, Sequence

from core.domain.ids import InterruptionId
from core.stores.questions import Question
from desktop.attention.request import Request


class RequestQueue:
    """`sending` is the one whose answer is on its way. One whose answer was taken is open no longer, whatever the store
    still says of it."""

    def __init__(self, make: Callable[[Question], Request]) -> None:
        self._make = make
        self._questions: Sequence[Question] = ()
        self._begun: dict[InterruptionId, Request] = {}
        self._taken: set[InterruptionId] = set()
        self._current: InterruptionId | None = None
        self.sending: InterruptionId | None = None

    def take(self, questions: Sequence[Question]) -> None:
        """These are open, oldest first."""
        self._taken &= {one.id for one in questions}
        self._questions = [one for one in questions if one.id not in self._taken]

    @property
    def made(self) -> Mapping[InterruptionId, Request]:
        """Those that were looked at, as they stand now."""
        return self._begun

    def keep(self, open_ids: Collection[InterruptionId]) -> None:
        """Forget what was begun for all others, in whatever workflow."""
        for one in set(self._begun) - set(open_ids) - {self._current, self.sending}:
            self._begun.pop(one).deleteLater()

    def settle(self, question_id: InterruptionId, *, is_taken: bool) -> None:
        """What became of an answer."""
        if self.sending == question_id:
            self.sending = None
        if is_taken:
            self._taken.add(question_id)
            self.leave_out(question_id)

    def leave_out(self, question_id: InterruptionId | None) -> None:
        """It is done with."""
        self._questions = [one for one in self._questions if one.id != question_id]

    @property
    def current(self) -> InterruptionId | None:
        return self._current

    @property
    def shown(self) -> Request | None:
        """The one in the card, be it open or closed by now."""
        return self._begun.get(self._current) if self._current is not None else None

    @property
    def first(self) -> InterruptionId | None:
        return self._questions[0].id if self._questions else None

    @property
    def is_lost(self) -> bool:
        """Whether the one in the card has closed, and not by its answer."""
        return self._current not in (None, self.sending) and self._current not in self._ids

    @property
    def place(self) -> tuple[int, int]:
        """Which one it is of how many, from 1."""
        ids = self._ids
        return (ids.index(self._current) + 1 if self._current in ids else 1), max(1, len(ids))

    def beside(self, by: int) -> InterruptionId | None:
        """The next (1) or the one before (-1), going around; None where there is no other, or an answer is going."""
        ids = self._ids
        if self.sending is not None or len(ids) < 2 or self._current not in ids:
            return None
        return ids[(ids.index(self._current) + by) % len(ids)]

    def go_to(self, question_id: InterruptionId | None) -> Request | None:
        """Have this one in the card, with what was begun for it."""
        self._current = question_id
        if question_id is not None and question_id not in self._begun:
            question = next(one for one in self._questions if one.id == question_id)
            self._begun[question_id] = self._make(question)
        return self.shown

    @property
    def _ids(self) -> list[InterruptionId]:
        return [one.id for one in self._questions]
