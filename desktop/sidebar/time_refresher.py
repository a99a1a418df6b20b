"""Updates the times of the rows without painting anything else.

Every second while a running workflow is visible, else every 30 seconds; never while the list is hidden.
"""

from collections.abc import Hashable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QListView

from core.ports import Clock
from desktop.sidebar.model import SidebarModel
from desktop.sidebar.painters import changed_areas
from desktop.sidebar.pointer_intent import visible_rows
from desktop.sidebar.sidebar_strings import RowTexts, row_texts
from desktop.theme import Theme

_LIVE_MS = 1_000
_IDLE_MS = 30_000


class TimeRefresher(QObject):
    """A child of its view."""

    def __init__(self, view: QListView, model: SidebarModel, theme: Theme, clock: Clock) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        self._theme = theme
        self._clock = clock
        self._is_enabled = True
        self._texts: dict[Hashable, RowTexts] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.refresh)
        view.installEventFilter(self)
        view.verticalScrollBar().valueChanged.connect(self.start)

    def start(self) -> None:
        """Schedule the next tick for what is visible now."""
        if not self._is_enabled or not self._view.isVisible():
            return
        is_live = any(row.is_live for row in visible_rows(self._view, self._model))
        interval_ms = _LIVE_MS if is_live else _IDLE_MS
        if not self._timer.isActive() or self._timer.remainingTime() > interval_ms:
            self._timer.start(interval_ms)

    def set_enabled(self, is_enabled: bool) -> None:
        """Set whether the rows show times."""
        self._is_enabled = is_enabled
        if is_enabled:
            self.start()
        else:
            self._timer.stop()

    def refresh(self) -> None:
        """Repaint the texts that have changed since the last tick."""
        now, before, self._texts = self._clock.now(), self._texts, {}
        for row in visible_rows(self._view, self._model):
            texts = row_texts(row, now)
            self._texts[row.key] = texts
            # most texts change once a minute: nothing is repainted for the others
            if texts != before.get(row.key):
                box = self._view.visualRect(self._model.index_of(row.key))
                for part in changed_areas(box, self._theme, row, before.get(row.key), texts):
                    self._view.viewport().update(part)
        self.start()

    def eventFilter(self, _view: QObject, event: QEvent) -> bool:
        """Start when the view is shown, stop when it is hidden."""
        if event.type() == QEvent.Type.Show:
            self.start()
        elif event.type() == QEvent.Type.Hide:
            self._timer.stop()
        return False
