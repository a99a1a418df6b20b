"""Through the workflows viewed last: a tap goes to the one before, a held key through the list of them (UI §4)."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from core.domain.ids import WorkflowId
from desktop.window.navigation import Recent
from desktop.window.offers import Offer
from desktop.window.recent_list import RecentList

_HELD = {
    Qt.Key.Key_Control: Qt.KeyboardModifier.ControlModifier,
    Qt.Key.Key_Meta: Qt.KeyboardModifier.MetaModifier,
    Qt.Key.Key_Alt: Qt.KeyboardModifier.AltModifier,
}
_HOLDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier | Qt.KeyboardModifier.AltModifier
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class RecentWalk(QObject):
    """An event filter of the application, for the keys of one window.

    at rest ──(the key, held)──► walking ──(let go, Enter, a click)──► at rest, elsewhere
                                  │  ▲ └──(Esc, any other key, the window left)──► at rest, where it was
                                  └──┘ the key again, arrows
    """

    def __init__(
        self,
        window: QWidget,
        recent: Recent,
        shown: RecentList,
        is_there: Callable[[WorkflowId], bool],
        describe: Callable[[Sequence[WorkflowId]], list[Offer]],
        open_workflow: Callable[[WorkflowId], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._recent = recent
        self._shown = shown
        self._is_there = is_there
        self._describe = describe
        self._open = open_workflow
        self._modifiers = Qt.KeyboardModifier.NoModifier
        self._holding = Qt.KeyboardModifier.NoModifier
        shown.clicked.connect(self._on_clicked)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.applicationStateChanged.connect(self._on_application)

    def step(self, by: int) -> None:
        """Further back (1), or the other way (-1), in the order in which they were viewed."""
        recent, is_first = self._recent, not self._recent.is_walking
        if is_first:
            recent.keep(self._is_there)
        if recent.step(by) is None:
            return
        if not self._modifiers & _HOLDING:
            self._settle()  # nothing is held that could be let go: a menu, the palette, or a key of a person's own
            return
        if is_first:
            self._holding = self._modifiers & _HOLDING
            self._shown.offer(self._describe(recent.order))
        else:
            self._shown.appear_now()
        self._shown.go_to(recent.place)

    def cancel(self) -> None:
        """Stay where one is."""
        self._recent.cancel()
        self._shown.put_away()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):  # first: this is asked of every event that there is
            if self._recent.is_walking and event.type() == QEvent.Type.WindowDeactivate and watched is self._window:
                self.cancel()
            return False
        if event.type() == QEvent.Type.KeyRelease:
            self._on_release(event)
            return False
        self._modifiers = event.modifiers()
        return self._recent.is_walking and isinstance(watched, QWidget) and self._on_press(event)

    def _on_application(self) -> None:
        """Who comes back from another program holds nothing that was held when they left."""
        self._modifiers = Qt.KeyboardModifier.NoModifier

    def _on_release(self, event: QKeyEvent) -> None:
        modifier = _HELD.get(Qt.Key(event.key()), Qt.KeyboardModifier.NoModifier)
        self._modifiers &= ~modifier
        if self._recent.is_walking and modifier & self._holding:
            self._settle()

    def _on_press(self, event: QKeyEvent) -> bool:
        """Whether the key is the list's."""
        key = Qt.Key(event.key())
        is_own = key == Qt.Key.Key_Escape or key in _STEPS or key in _ENTER
        if event.type() == QEvent.Type.ShortcutOverride:
            if is_own:
                event.accept()
            return is_own
        if key == Qt.Key.Key_Escape:
            self.cancel()
        elif key in _STEPS:
            self.step(_STEPS[key])
        elif key in _ENTER:
            self._settle()
        elif key not in _HELD and key != Qt.Key.Key_Shift:
            self.cancel()
        return is_own

    def _settle(self) -> None:
        reached = self._recent.settle()
        self._shown.put_away()
        if reached is not None and self._is_there(reached):
            self._open(reached)

    def _on_clicked(self, row: int) -> None:
        if self._recent.is_walking:
            self._recent.step(row - self._recent.place)
            self._settle()
