"""The key scopes of the focused widget, the panes the focus moves between, the last steps of Esc, and key hints (UI
§4).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from desktop.activity.panel import ActivityPanel
from desktop.attention.keys import CardKeys
from desktop.chat.transcript.find_bar import FindBar
from desktop.shortcuts.command import ActiveKeys, KeyScope, command
from desktop.shortcuts.keymap import Keymap
from desktop.sidebar.list_view import SidebarList
from desktop.sidebar.row_menu import SidebarKeys
from desktop.sidebar.sidebar import Sidebar
from desktop.toasts.overlay import ToastOverlay
from desktop.window.base.context import Controller, WindowContext
from desktop.window.conversation.centre import StartPage
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.conversation.header import Header, HeaderKeys
from desktop.window.frame.status_line import StatusLine


class KeyContext:
    """Maps a widget to the scopes of its keys."""

    def __init__(self, sidebar: Sidebar, chat: ChatPane, toasts: ToastOverlay) -> None:
        self._sidebar = sidebar
        self._chat = chat
        self._toasts = toasts

    def active_keys(self, focus: QWidget | None) -> ActiveKeys | None:
        """Return the keys that act in what has the focus; None where all keys of its scopes do."""
        chat = self._chat
        if focus is None:
            return None
        if _is_in(focus, chat.card):
            return chat.card.active_keys
        return chat.inputs.active_keys if _is_in(focus, chat.inputs) else None

    def of(self, focus: QWidget | None) -> tuple[KeyScope, ...]:
        """Return the scopes of a widget, innermost first, without EVERYWHERE."""
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


def takes_text(widget: QWidget | None) -> bool:
    """Return whether typed text goes into the widget."""
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    return False


def _is_in(focus: QWidget, part: QWidget) -> bool:
    return focus is part or part.isAncestorOf(focus)


class EscapeChain:
    """Handles Esc that no open widget accepted (UI §4).

    Esc closes the innermost thing and never stops, denies or discards. There is no central list of what is open: Qt
    delivers Esc to the focused widget first and then to its parents, so each open widget handles it itself, and the
    nesting of widgets gives the order: input method, completion list, menu, overlay, toast, request card. The find bar
    is the exception, since the focus may be outside of it: it installs an event filter while it is open. What no widget
    accepted arrives at the content, which runs these `steps`; a step returns True if it closed something.
    """

    def __init__(self, steps: Sequence[Callable[[], bool]]) -> None:
        self._steps = tuple(steps)

    def close_innermost(self) -> None:
        """Run the first step that closes something."""
        for step in self._steps:
            if step():
                return


@dataclass(frozen=True, slots=True)
class Pane:
    """A part of the window and the function that focuses it."""

    widget: QWidget
    enter: Callable[[], object]


class Panes:
    """Moves the focus between the parts of the window by F6."""

    def __init__(
        self,
        context: WindowContext,
        sidebar: Sidebar,
        chat: ChatPane,
        start: StartPage,
        activity: ActivityPanel,
        toasts: ToastOverlay,
    ) -> None:
        self._window = context.window
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

    @command("focus.next_pane", 1)
    @command("focus.previous_pane", -1)
    def focus_next(self, by: int) -> None:
        """Focus the next (1) or previous (-1) visible pane, wrapping around."""
        shown = [pane for pane in self._panes if pane.widget.isVisible() and not pane.widget.size().isEmpty()]
        focused = QApplication.focusWidget()
        current = next(
            (n for n, pane in enumerate(shown) if focused is not None and _is_in(focused, pane.widget)), None
        )
        if shown:
            shown[0 if current is None else (current + by) % len(shown)].enter()

    @command("focus.menu_bar")
    def focus_menu_bar(self) -> None:
        bar = self._window.menuBar()
        bar.setFocus(Qt.FocusReason.MenuBarFocusReason)
        bar.setActiveAction(bar.actions()[0])

    @command("view.full_screen")
    def toggle_full_screen(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)


def sidebar_keys(keymap: Keymap) -> SidebarKeys:
    """Return the keys that the sidebar shows."""
    first = keymap.first
    return SidebarKeys(
        new=first("workflow.new"),
        settings=first("app.settings"),
        collapse=first("view.sidebar"),
        open=first("list.open"),
        peek=first("list.peek"),
        rename=first("workflow.rename"),
        archive=first("workflow.archive"),
        delete=first("workflow.delete"),
    )


class KeyHints(Controller):
    """Passes the keys of the keymap to the widgets, again after each change."""

    def __init__(
        self,
        context: WindowContext,
        sidebar: Sidebar,
        header: Header,
        chat: ChatPane,
        activity: ActivityPanel,
        status: StatusLine,
        find: FindBar,
    ) -> None:
        super().__init__(context)
        self._keymap = context.keymap
        self._sidebar = sidebar
        self._header = header
        self._chat = chat
        self._activity = activity
        self._status = status
        self._find = find
        self.update()
        self._keymap.changed.connect(self.update)

    def update(self) -> None:
        """Set the keys of all widgets."""
        first, chat = self._keymap.first, self._chat
        self._sidebar.set_keys(sidebar_keys(self._keymap))
        self._header.set_keys(
            HeaderKeys(first("validation.mode"), first("workflow.model"), first("run.stop"), first("workflow.folder"))
        )
        self._activity.set_keys(first("view.activity"), first("focus.composer"))
        self._status.set_inbox_keys(first("go.inbox"))
        self._find.set_keys(first("find.next"), first("find.previous"))
        chat.card.set_shortcuts(
            CardKeys(
                first("focus.attention"),
                first("attention.previous"),
                first("attention.next"),
                first("attention.later"),
                first("attention.submit"),
                first("attention.reject"),
                first("attention.whole"),
            )
        )
        chat.inputs.set_keys(first("attention.submit"), first("attention.later"))
        send = first("composer.send")
        usual = first("composer.send_always") if send.isEmpty() else send
        chat.composer.set_send_keys(usual, now=first("composer.send_now"))
