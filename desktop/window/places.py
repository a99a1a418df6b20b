"""Where in the window the focus is, as far as keys mean something else there (UI §4)."""

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from desktop.shortcuts.command import Where
from desktop.sidebar.list_view import SidebarList
from desktop.sidebar.sidebar import Sidebar
from desktop.toasts.overlay import ToastOverlay
from desktop.window.chat_pane import ChatPane


class Places:
    """Of one window."""

    def __init__(self, sidebar: Sidebar, chat: ChatPane, toasts: ToastOverlay) -> None:
        self._sidebar = sidebar
        self._chat = chat
        self._toasts = toasts

    def of(self, focus: QWidget | None) -> tuple[Where, ...]:
        """What holds for the keys of a widget, the innermost first, EVERYWHERE left out."""
        if focus is None:
            return ()
        chat = self._chat
        if focus is chat.composer.text_box:
            return (Where.COMPLETION, Where.COMPOSER) if chat.is_completing else (Where.COMPOSER,)
        if _is_in(focus, chat.card) or _is_in(focus, chat.inputs):
            return (Where.ANSWERING,) if takes_text(focus) else (Where.CHOOSING, Where.ANSWERING)
        if isinstance(focus, SidebarList) and _is_in(focus, self._sidebar):
            return (Where.LIST,)
        if _is_in(focus, chat.transcript):
            return (Where.TRANSCRIPT,)
        return (Where.TOAST,) if _is_in(focus, self._toasts) else ()


def takes_text(widget: QWidget) -> bool:
    """Whether what is typed goes into it."""
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    return False


def _is_in(focus: QWidget, part: QWidget) -> bool:
    return focus is part or part.isAncestorOf(focus)
