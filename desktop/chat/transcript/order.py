"""The order in which Tab and a screen reader walk: that of the conversation, not that in which views were made."""

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
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

    def _find_stops(self) -> Iterator[QWidget]:
        for live in self._stage.live():
            for widget in (live.view, *live.view.findChildren(QAbstractButton)):
                if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                    yield widget
