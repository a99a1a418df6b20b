"""Going from pane to pane by F6, to the menu bar, and to the whole screen."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from desktop.activity.panel import ActivityPanel
from desktop.sidebar.sidebar import Sidebar
from desktop.toasts.overlay import ToastOverlay
from desktop.window.chat_pane import ChatPane
from desktop.window.start_page import StartPage


@dataclass(frozen=True, slots=True)
class Pane:
    """A part of the window, and what puts the focus into it."""

    widget: QWidget
    enter: Callable[[], object]


class Panes:
    """The parts of one window, in their order."""

    def __init__(
        self,
        window: QMainWindow,
        sidebar: Sidebar,
        chat: ChatPane,
        start: StartPage,
        activity: ActivityPanel,
        toasts: ToastOverlay,
    ) -> None:
        self._window = window
        by_key = Qt.FocusReason.ShortcutFocusReason
        self._panes = (
            Pane(sidebar, sidebar.take_focus),
            Pane(chat.transcript, partial(chat.transcript.setFocus, by_key)),
            Pane(chat.card, chat.focus_card),
            Pane(chat.queue, chat.queue.take_focus),
            Pane(chat.composer, chat.focus_composer),
            Pane(start, partial(start.setFocus, by_key)),
            Pane(activity, activity.take_focus),
            Pane(toasts, toasts.take_focus),
        )

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {
            "focus.next_pane": partial(self.go, 1),
            "focus.previous_pane": partial(self.go, -1),
            "focus.menu_bar": self.focus_menu_bar,
            "view.full_screen": self.toggle_full_screen,
        }

    def go(self, by: int) -> None:
        """Into the next pane that is seen (1), or the one before (-1), going around."""
        shown = [pane for pane in self._panes if pane.widget.isVisible() and not pane.widget.size().isEmpty()]
        focused = QApplication.focusWidget()
        at = next((n for n, pane in enumerate(shown) if focused is not None and _holds(pane.widget, focused)), None)
        if shown:
            shown[0 if at is None else (at + by) % len(shown)].enter()

    def focus_menu_bar(self) -> None:
        bar = self._window.menuBar()
        bar.setFocus(Qt.FocusReason.MenuBarFocusReason)
        bar.setActiveAction(bar.actions()[0])

    def toggle_full_screen(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)


def _holds(pane: QWidget, focused: QWidget) -> bool:
    return pane is focused or pane.isAncestorOf(focused)
