"""What assistive technology gets of a conversation: announcements, names of turns, and the focus order."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QWidget

from core.domain.ids import MessageId
from core.domain.messages import MessageState, Role
from core.domain.text.hidden import reveal
from desktop.chat.transcript.stage import Stage
from desktop.chat.transcript.turn_view import TurnView
from desktop.chat.turn_parts import Failure, Output, Text, Turn
from desktop.translation import agent_display_name, time_of_day

translate = QCoreApplication.translate  # under this name, since lupdate looks for calls of `translate`


class Announcer:
    """Announces when an answer begins and ends, never its text as it streams."""

    def __init__(self) -> None:
        self._open: MessageId | None = None

    def reset(self, turns: Sequence[Turn]) -> None:
        """Show another conversation, without announcing its state."""
        last = turns[-1] if turns else None
        self._open = last.id if last is not None and last.state is MessageState.OPEN else None

    def announcement_for(self, turn: Turn) -> str | None:
        """Return the announcement for a new or changed turn, if there is one."""
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


_DESCRIPTION_CHARACTERS = 300  # characters


def name_turn(view: TurnView, turn: Turn) -> None:
    """Set the accessible name and description of a turn's widget."""
    name, beginning = accessible_turn_name(turn), _description(turn)
    if view.accessibleName() != name:
        view.setAccessibleName(name)
    if view.accessibleDescription() != beginning:
        view.setAccessibleDescription(beginning)


def accessible_turn_name(turn: Turn) -> str:
    """Return the accessible name: `You, 14:02`, `Code agent, 14:02, writing`."""
    parts = [_speaker(turn), time_of_day(turn.at.astimezone()), _state(turn)]
    return ", ".join(word for word in parts if word)


def _speaker(turn: Turn) -> str:
    match turn.role:
        case Role.USER:
            return translate("Transcript", "You")
        case Role.ASSISTANT:
            author = translate("Transcript", "Assistant") if not turn.author else agent_display_name(turn.author)
            return reveal(author if turn.model is None else f"{author}, {turn.model}")
        case Role.SYSTEM:
            return translate("Transcript", "Notice")


def _state(turn: Turn) -> str:
    if any(isinstance(part, Failure) for part in turn.parts):
        return translate("Transcript", "failed")
    match turn.state:
        case MessageState.OPEN:
            return translate("Transcript", "writing")
        case MessageState.INTERRUPTED:
            return translate("Transcript", "interrupted")
        case MessageState.FINAL:
            return ""


def _description(turn: Turn) -> str:
    text = next((part.text for part in turn.parts if isinstance(part, Text | Output)), "")
    return reveal(text[:_DESCRIPTION_CHARACTERS])


class FocusOrder:
    """Keeps the order of Tab and of screen readers that of the conversation, whatever order views were made in. Updated
    after each pass; does nothing while the same views are on stage.
    """

    def __init__(self, stage: Stage, start: QWidget) -> None:
        self._stage = stage
        self._start = start
        self._stops: list[QWidget] = []
        self._reading_order: list[QWidget] = []

    def update(self) -> None:
        stops = [self._start, *self._find_stops()]
        if stops != self._stops:
            self._stops = stops
            for before, after in pairwise(stops):
                QWidget.setTabOrder(before, after)
        # the stacking order matters only where a screen reader walks the children of the viewport
        if QAccessible.isActive():
            reading_order: list[QWidget] = [
                *self._stage.turn_views(),
                *(live.view for live in self._stage.live_blocks()),
            ]
            if reading_order != self._reading_order:
                self._reading_order = reading_order
                for widget in reading_order:
                    widget.raise_()  # accessibility lists a widget's children in stacking order

    def leave_turn(self, turn: QWidget, is_next: bool) -> None:
        """Handle Tab on a turn as a whole, which is no tab stop: go to the next stop below its top, or to the previous
        stop above.
        """
        top = turn.mapToGlobal(QPoint(0, 0)).y()
        inside = self._stops[1:]
        if is_next:
            stop = next((stop for stop in inside if stop.mapToGlobal(QPoint(0, 0)).y() >= top), None)
            stop = stop or _stop_after(self._stops[-1], turn)
        else:
            stop = next((stop for stop in reversed(inside) if stop.mapToGlobal(QPoint(0, 0)).y() < top), self._start)
        stop.setFocus(Qt.FocusReason.TabFocusReason if is_next else Qt.FocusReason.BacktabFocusReason)

    def _find_stops(self) -> Iterator[QWidget]:
        for live in self._stage.live_blocks():
            for widget in (live.view, *live.view.findChildren(QAbstractButton)):
                if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                    yield widget


def _stop_after(last: QWidget, turn: QWidget) -> QWidget:
    """Return the tab stop after the last of the conversation; the turn itself if there is none."""
    stop = last.nextInFocusChain()
    while stop is not None and stop is not last:
        can_focus = stop.focusPolicy() & Qt.FocusPolicy.TabFocus and stop.isVisible() and stop.isEnabled()
        if can_focus and stop.window() is last.window():
            return stop
        stop = stop.nextInFocusChain()
    return turn
