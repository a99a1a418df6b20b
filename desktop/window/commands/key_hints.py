"""Shows the current keys in the tooltips and hints of all parts of the window (UI §4)."""

from desktop.activity.panel import ActivityPanel
from desktop.attention.header import CardKeys
from desktop.chat.transcript.find_bar import FindBar
from desktop.shortcuts.keymap import Keymap
from desktop.sidebar.row_menu import SidebarKeys
from desktop.sidebar.sidebar import Sidebar
from desktop.window.base.context import Controller, WindowContext
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.conversation.header import Header, HeaderKeys
from desktop.window.frame.status_line import StatusLine


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
        self._header.set_keys(HeaderKeys(first("validation.mode"), first("workflow.model"), first("run.stop")))
        self._activity.set_keys(first("view.activity"), first("focus.composer"))
        self._status.set_inbox_keys(first("go.inbox"))
        self._find.set_keys(first("find.next"), first("find.previous"))
        chat.card.set_shortcuts(
            CardKeys(
                first("focus.attention"), first("attention.previous"), first("attention.next"), first("attention.later")
            )
        )
        chat.inputs.set_submit_keys(first("attention.submit"))
        send = first("composer.send")
        usual = first("composer.send_always") if send.isEmpty() else send
        chat.composer.set_send_keys(usual, now=first("composer.send_now"))
