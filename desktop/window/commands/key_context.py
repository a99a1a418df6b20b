"""Where in the window the focus is, as far as keys mean something else there (UI §4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QPlainTextEdit, QTextEdit, QWidget

from desktop.activity.panel import ActivityPanel
from desktop.shortcuts.command import KeyScope
from desktop.sidebar.list_view import SidebarList
from desktop.sidebar.sidebar import Sidebar
from desktop.toasts.overlay import ToastOverlay
from desktop.window.conversation.centre import StartPage
from desktop.window.conversation.chat_pane import ChatPane


class KeyContext:
    """Of one window."""

    def __init__(self, sidebar: Sidebar, chat: ChatPane, toasts: ToastOverlay) -> None:
        self._sidebar = sidebar
        self._chat = chat
        self._toasts = toasts

    def of(self, focus: QWidget | None) -> tuple[KeyScope, ...]:
        """What holds for the keys of a widget, the innermost first, EVERYWHERE left out."""
        if focus is None:
            return ()
        chat = self._chat
        if focus is chat.composer.text_box:
            return (KeyScope.COMPLETION, KeyScope.COMPOSER) if chat.is_completing else (KeyScope.COMPOSER,)
        if _is_in(focus, chat.card) or _is_in(focus, chat.inputs):
            return (KeyScope.ANSWERING,) if takes_text(focus) else (KeyScope.CHOOSING, KeyScope.ANSWERING)
        if isinstance(focus, SidebarList) and _is_in(focus, self._sidebar):
            return (KeyScope.LIST,)
        if _is_in(focus, chat.transcript):
            return (KeyScope.TRANSCRIPT,)
        return (KeyScope.TOAST,) if _is_in(focus, self._toasts) else ()


def takes_text(widget: QWidget) -> bool:
    """Whether what is typed goes into it."""
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    return False


def _is_in(focus: QWidget, part: QWidget) -> bool:
    return focus is part or part.isAncestorOf(focus)


class EscapeChain:
    """`steps` are tried in their order: each closes something and says True, or has nothing to close."""

    def __init__(self, steps: Sequence[Callable[[], bool]]) -> None:
        self._steps = tuple(steps)

    def close_innermost(self) -> None:
        """Do the first that can be done."""
        for step in self._steps:
            if step():
                return


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
