"""The time left to answer a request and what happens then (ENGINE §8).

A timer fires only when the displayed text changes: every minute, and every second of the last minute.
"""

from collections.abc import Callable
from datetime import datetime
from math import ceil

from PySide6.QtCore import QEvent, QSize, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent

from core.domain.interruption import ASKED_IN_CALLS, CALL_KINDS, Action
from core.stores.questions import Question
from desktop.widgets import Paragraph, queue_announcement, show_when

_MINUTE_S = 60
_HALF_S = _MINUTE_S // 2
_LATE_S = 0.01
"""A timer may ring a little early: then the words of before would still hold."""


def shown_minutes(left_s: float) -> int:
    """Return the displayed minutes, rounded to the nearest; 0 in the last minute, which is shown in seconds."""
    return 0 if left_s <= _MINUTE_S - 1 else max(1, int((left_s + _HALF_S) // _MINUTE_S))


def until_next_s(left_s: float) -> float:
    """Return the seconds until the text changes, at most a minute, so that clock changes are noticed."""
    minutes = shown_minutes(left_s)
    if minutes == 0:
        return left_s - (ceil(left_s) - 1)
    return left_s - (_MINUTE_S - 1 if minutes == 1 else minutes * _MINUTE_S - _HALF_S)


class TimeLeft(Paragraph):
    """Never shrinks for the same request, so that the layout stays still while time passes.

    A screen reader gets minutes, and a single announcement for the last minute.
    """

    accessible_text_changed = Signal()

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._tallest: dict[int, int] = {}  # by width; before Qt asks for it
        super().__init__("", "secondary", "muted")
        self.setObjectName("time_left")
        self._now = now
        self._question: Question | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.refresh)

    def set_question(self, question: Question | None) -> None:
        """Show the countdown of this question; None and questions without a limit hide it."""
        timed = question if question is not None and question.expires_at is not None else None
        if timed is None or self._question is None or timed.id != self._question.id:
            self._tallest.clear()
            self.setAccessibleName("")
        self._question = timed
        show_when(self, timed is not None)
        self.refresh()

    def refresh(self) -> None:
        """Update the text and schedule the next update."""
        self._timer.stop()
        question = self._question
        if question is None or question.expires_at is None:
            self.setText("")
            return
        left_s = (question.expires_at - self._now()).total_seconds()
        text = self._sentence(question, self._duration(left_s)) if left_s > 0 else self.tr("Its time is over.")
        if text != self.text():
            self.setText(text)
        self._update_accessible_text(question, left_s, text)
        # A hidden card needs no timer; showing it refreshes the text.
        if left_s > 0 and self.isVisible():
            self._timer.start(ceil((until_next_s(left_s) + _LATE_S) * 1000))

    def heightForWidth(self, width: int) -> int:
        # Text that shrinks, as from ten to nine, must not move the card.
        self._tallest[width] = max(self._tallest.get(width, 0), super().heightForWidth(width))
        return self._tallest[width]

    def sizeHint(self) -> QSize:
        """Return the size on a single line."""
        width = self.fontMetrics().horizontalAdvance(self.text()) + 2
        return QSize(width, self.heightForWidth(width))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._tallest.clear()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _update_accessible_text(self, question: Question, left_s: float, text: str) -> None:
        is_last = left_s > 0 and shown_minutes(left_s) == 0
        sentence = self._sentence(question, self.tr("less than a minute")) if is_last else text
        previous = self.accessibleName()
        if sentence == previous:
            return
        self.setAccessibleName(sentence)
        self.accessible_text_changed.emit()
        # Announced once; without a previous text the whole card is announced anyway.
        if is_last and previous and self.isVisible():
            queue_announcement(self, sentence)

    def _duration(self, left_s: float) -> str:
        minutes = shown_minutes(left_s)
        if minutes == 0:
            return self.tr("%n second(s)", "", max(1, ceil(left_s)))
        days, hours = minutes // (24 * _MINUTE_S), minutes // _MINUTE_S % 24
        if days:
            parts = self.tr("%n day(s)", "", days), self.tr("%n hour(s)", "", hours) if hours else ""
        elif hours:
            rest = minutes % _MINUTE_S
            parts = self.tr("%n hour(s)", "", hours), self.tr("%n minute(s)", "", rest) if rest else ""
        else:
            parts = self.tr("%n minute(s)", "", minutes), ""
        if not parts[1]:
            return parts[0]
        return self.tr("{more} and {less}").format(more=parts[0], less=parts[1])

    def _sentence(self, question: Question, time: str) -> str:
        """Return the default action in words; requests of old versions have none recorded."""
        is_call = question.kind in CALL_KINDS
        match question.asked.default_action:
            case None if question.kind not in ASKED_IN_CALLS:
                text = self.tr("{time} left.")
            case Action.APPROVE if is_call:
                text = self.tr("{time} left, then the call is approved without you.")
            case Action.APPROVE:
                text = self.tr("{time} left, then it goes on as if you had approved.")
            case Action.SKIP if is_call:
                text = self.tr("{time} left, then you are asked again.")
            case Action.REJECT if is_call:
                text = self.tr("{time} left, then the call is rejected.")
            case Action.REJECT:
                text = self.tr("{time} left, then it is rejected.")
            case _:
                text = self.tr("{time} left, then it goes on without an answer.")
        sentence = text.format(time=time)
        return sentence[:1].upper() + sentence[1:]
