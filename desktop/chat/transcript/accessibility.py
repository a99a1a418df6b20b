"""What a screen reader is told by itself: that an answer has begun and ended. Never its words, piece by piece."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QWidget

from core.domain.ids import MessageId
from core.domain.messages import MessageState, Role
from desktop.chat.layout.display_text import reveal_hidden
from desktop.chat.transcript.stage import Stage
from desktop.chat.transcript.turn_view import TurnView
from desktop.chat.turn_parts import Failure, Output, Text, Turn
from desktop.translation.agent_strings import agent_words
from desktop.translation.formats import time_of_day

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


class Announcer:
    """Knows which answer is open, and has a sentence for each change of that."""

    def __init__(self) -> None:
        self._open: MessageId | None = None

    def reset(self, turns: Sequence[Turn]) -> None:
        """Another conversation is shown: what it is at is no news."""
        last = turns[-1] if turns else None
        self._open = last.id if last is not None and last.state is MessageState.OPEN else None

    def notice(self, turn: Turn) -> str | None:
        """The turn is new or has changed: what there is to say about it."""
        is_open = turn.role is Role.ASSISTANT and turn.state is MessageState.OPEN
        if is_open and self._open != turn.id:
            self._open = turn.id
            return translate("Announcer", "Answer started")
        if is_open or self._open != turn.id:
            return None
        self._open = None
        if any(isinstance(part, Failure) for part in turn.parts):
            return translate("Announcer", "Answer failed")
        if turn.state is MessageState.INTERRUPTED:
            return translate("Announcer", "Answer stopped")
        return translate("Announcer", "Answer finished")


translate_name = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_DESCRIPTION_CHARACTERS = 300  # characters


def name_turn(view: TurnView, turn: Turn) -> None:
    """Name the widget of a turn."""
    name, beginning = accessible_turn_name(turn), _description(turn)
    if view.accessibleName() != name:
        view.setAccessibleName(name)
    if view.accessibleDescription() != beginning:
        view.setAccessibleDescription(beginning)


def accessible_turn_name(turn: Turn) -> str:
    """`You, 14:02`, `Code agent, 14:02, writing`."""
    words = [_speaker(turn), time_of_day(turn.at.astimezone()), _state(turn)]
    return ", ".join(word for word in words if word)


def _speaker(turn: Turn) -> str:
    match turn.role:
        case Role.USER:
            return translate_name("Transcript", "You")
        case Role.ASSISTANT:
            author = translate_name("Transcript", "Assistant") if not turn.author else agent_words(turn.author)
            return reveal_hidden(author if turn.model is None else f"{author}, {turn.model}")
        case Role.SYSTEM:
            return translate_name("Transcript", "Notice")


def _state(turn: Turn) -> str:
    if any(isinstance(part, Failure) for part in turn.parts):
        return translate_name("Transcript", "failed")
    match turn.state:
        case MessageState.OPEN:
            return translate_name("Transcript", "writing")
        case MessageState.INTERRUPTED:
            return translate_name("Transcript", "interrupted")
        case MessageState.FINAL:
            return ""


def _description(turn: Turn) -> str:
    said = next((part.text for part in turn.parts if isinstance(part, Text | Output)), "")
    return reveal_hidden(said[:_DESCRIPTION_CHARACTERS])


class FocusOrder:
    """Brought up to date after each pass; does nothing while the same views are on stage."""

    def __init__(self, stage: Stage, start: QWidget) -> None:
        self._stage = stage
        self._start = start
        self._stops: list[QWidget] = []
        self._read: list[QWidget] = []

    def update(self) -> None:
        stops = [self._start, *self._find_stops()]
        if stops != self._stops:
            self._stops = stops
            for before, after in pairwise(stops):
                QWidget.setTabOrder(before, after)
        if QAccessible.isActive():
            read: list[QWidget] = [*self._stage.turn_views(), *(live.view for live in self._stage.live())]
            if read != self._read:
                self._read = read
                for widget in read:
                    widget.raise_()  # a widget's children are told in the order of their stacking

    def leave_turn(self, turn: QWidget, *, is_next: bool) -> None:
        """Tab was pressed on a turn as a whole, which is no stop: go on to the stop below its head, or back above."""
        top = turn.mapToGlobal(QPoint(0, 0)).y()
        inside = self._stops[1:]
        if is_next:
            found = next((stop for stop in inside if stop.mapToGlobal(QPoint(0, 0)).y() >= top), None)
            found = found or _stop_after(self._stops[-1], turn)
        else:
            found = next((stop for stop in reversed(inside) if stop.mapToGlobal(QPoint(0, 0)).y() < top), self._start)
        found.setFocus(Qt.FocusReason.TabFocusReason if is_next else Qt.FocusReason.BacktabFocusReason)

    def _find_stops(self) -> Iterator[QWidget]:
        for live in self._stage.live():
            for widget in (live.view, *live.view.findChildren(QAbstractButton)):
                if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                    yield widget


def _stop_after(last: QWidget, turn: QWidget) -> QWidget:
    """The stop that follows the last one of the conversation; the turn itself where there is none."""
    found = last.nextInFocusChain()
    while found is not None and found is not last:
        can_focus = found.focusPolicy() & Qt.FocusPolicy.TabFocus and found.isVisible() and found.isEnabled()
        if can_focus and found.window() is last.window():
            return found
        found = found.nextInFocusChain()
    return turn
