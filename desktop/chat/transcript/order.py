"""The order in which Tab and a screen reader walk: that of the conversation, not that in which views were made."""

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QWidget

from desktop.chat.transcript.stage import Stage


class WalkingOrder:
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
            found = found or _beyond(self._stops[-1], turn)
        else:
            found = next((stop for stop in reversed(inside) if stop.mapToGlobal(QPoint(0, 0)).y() < top), self._start)
        found.setFocus(Qt.FocusReason.TabFocusReason if is_next else Qt.FocusReason.BacktabFocusReason)

    def _find_stops(self) -> Iterator[QWidget]:
        for live in self._stage.live():
            for widget in (live.view, *live.view.findChildren(QAbstractButton)):
                if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                    yield widget


def _beyond(last: QWidget, turn: QWidget) -> QWidget:
    """The stop that follows the last one of the conversation; the turn itself where there is none."""
    found = last.nextInFocusChain()
    while found is not None and found is not last:
        can_focus = found.focusPolicy() & Qt.FocusPolicy.TabFocus and found.isVisible() and found.isEnabled()
        if can_focus and found.window() is last.window():
            return found
        found = found.nextInFocusChain()
    return turn
