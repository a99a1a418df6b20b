"""MCP servers: which there are and how they are, how one is added, changed and removed (AGENTS_AND_TOOLS §7)."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.bus import ServersChanged, Subscription
from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, ServerState, ServerStatus
from desktop.settings.page import Page, PageId
from desktop.settings.server_deeds import ServerDeeds
from desktop.settings.server_form import ServerForm
from desktop.settings.server_paste import ServerPaste
from desktop.settings.server_row import ServerRow
from desktop.settings.servers import Servers
from desktop.settings.side_by_side import SideBySide
from desktop.settings.tab_order import chain, stop_before
from desktop.settings.values import Deed
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.buttons import Button
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

_TICK_MS = 1000
_SETTLE_MS = 50
"""What has grown is laid out by then."""


class ServersPage(Page):
    """The list follows the servers, whoever changes them. A form stands below it while one is added or changed."""

    def __init__(
        self, theme: Theme, servers: Servers, told: Callable[[Deed], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, PageId.SERVERS, Icon.WRENCH, parent)
        self._servers = servers
        self._told = told
        self.rows: dict[ServerId, ServerRow] = {}
        self._deeds = ServerDeeds(servers, told, lambda: self.rows, self)
        self._shown_form: QWidget | None = None
        self._about = Paragraph("", "label", "muted")
        self._list = QWidget()
        self._list_column = QVBoxLayout(self._list)
        self._list_column.setContentsMargins(0, 0, 0, 0)
        self._empty = Paragraph("", "label", "muted")
        self._new, self._paste_open = Button(theme, icon=Icon.PLUS), Button(theme, icon=Icon.LIST_PLUS)
        self._buttons = SideBySide(theme, [self._new, self._paste_open])
        self._list_column.addWidget(self._empty)
        self._list_column.addWidget(self._buttons)
        self._form, self._paste = ServerForm(theme, servers), ServerPaste(theme, servers)
        self.add(self._about, self._about.text)
        self.add(self._list, self._searched_list)
        self.add(self._form, self._form.searched)
        self.add(self._paste, self._paste.searched)
        show_when(self._form, False)
        show_when(self._paste, False)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._connect()
        subscription = servers.bus.subscribe(ServersChanged, self._on_change)
        self.destroyed.connect(partial(Subscription.close, subscription))
        self.adapt_to(theme)

    def title(self) -> str:
        return self.tr("MCP servers")

    def focus_first(self) -> None:
        """In the list, where it has one."""
        row = next(iter(self.rows.values()), None)
        if row is not None and row.isVisible():
            row.take_focus()
        else:
            super().focus_first()

    def filter(self, query: str) -> bool:
        is_found = super().filter(query)
        for form in (self._form, self._paste):
            form.setVisible(form is self._shown_form and not form.isHidden())
        return is_found

    def retranslate(self) -> None:
        super().retranslate()
        self._about.setText(
            self.tr(
                "An MCP server offers tools to agents and templates: a program on this computer, or an address. None "
                "runs before you have seen what it is, and allowed it."
            )
        )
        self._empty.setText(
            self.tr("There is none yet. Add one, or paste the configuration that its documentation has for other apps.")
        )
        self._new.setText(self.tr("New server"))
        self._paste_open.setText(self.tr("Paste a configuration…"))
        self._show()

    def dress(self) -> None:
        super().dress()
        self._list_column.setSpacing(self._theme.sizes.space_s)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _connect(self) -> None:
        self._timer.timeout.connect(self._tick)
        self._new.clicked.connect(partial(self._edit, None))
        self._paste_open.clicked.connect(self._open_paste)
        self._form.kept.connect(self._on_kept)
        self._form.left.connect(self._close)
        self._paste.added.connect(self._on_added)
        self._paste.left.connect(self._close)
        self._deeds.removed.connect(self._on_removed)
        self._paste.looked.connect(self._lead_to_words)

    # The list

    def _on_change(self, _message: ServersChanged) -> None:
        self._show()

    def _tick(self) -> None:
        """Latencies, logs and pauses change without a word."""
        self._show()
        for row in self.rows.values():
            row.tick()

    def _show(self) -> None:
        """Each row shows how its server is; only those come and go whose servers do."""
        states = self._servers.service.states
        there = {one.server.id for one in states}
        focused = next((at for at, row in enumerate(self.rows.values()) if row.has_focus()), None)
        gone = [row for server_id, row in self.rows.items() if server_id not in there]
        for row in gone:
            self._list_column.removeWidget(row)
            row.hide()
            row.deleteLater()
            del self.rows[row.server_id]
        for status in states:
            shown = self.rows.get(status.server.id)
            if shown is None:
                self.rows[status.server.id] = self._row(status)
            elif shown.status != status:
                shown.show_status(status)
        self._order([one.server.id for one in states])
        show_when(self._empty, not states)
        if focused is not None and any(row.has_focus() for row in gone):
            left = list(self.rows.values())
            if left:
                left[min(focused, len(left) - 1)].take_focus()
            else:
                self._new.setFocus(Qt.FocusReason.OtherFocusReason)

    def _order(self, wanted: list[ServerId]) -> None:
        """By name: places in the layout and stops of Tab."""
        if list(self.rows) == wanted and all(
            self._list_column.indexOf(self.rows[server_id]) == at for at, server_id in enumerate(wanted)
        ):
            return
        self.rows = {server_id: self.rows[server_id] for server_id in wanted}
        for at, row in enumerate(self.rows.values()):
            self._list_column.removeWidget(row)
            self._list_column.insertWidget(at, row)
            row.show()  # now, not when the layout comes to it: focus may go there
        stops = [stop for row in self.rows.values() for stop in row.stops()]
        before = stop_before(self._new)
        while before in stops:
            before = stop_before(before)
        chain([before, *stops])

    def _row(self, status: ServerStatus) -> ServerRow:
        row = ServerRow(self._theme, self._servers, status, self._list)
        server_id = status.server.id
        row.tested.connect(partial(self._deeds.test, server_id))
        row.test_cancelled.connect(partial(self._deeds.cancel_test, server_id))
        row.switched.connect(partial(self._deeds.switch, server_id))
        row.edited.connect(partial(self._edit_one, server_id))
        row.removed.connect(partial(self._deeds.ask_removal, server_id))
        row.agreed.connect(partial(self._deeds.agree, server_id))
        return row

    def _searched_list(self) -> str:
        words = [self._new.text(), self._paste_open.text(), "MCP", *(row.searched() for row in self.rows.values())]
        return " ".join(words)

    # Adding and changing

    def _edit_one(self, server_id: ServerId) -> None:
        self._edit(self.rows[server_id].status.server)

    def _edit(self, server: McpServer | None) -> None:
        self._form.show_server(server)
        self._open(self._form)
        self._form.focus_name()

    def _open_paste(self) -> None:
        self._open(self._paste)
        self._paste.focus_text()

    def _open(self, form: QWidget) -> None:
        self._shown_form = form
        for one in (self._form, self._paste):
            one.setVisible(one is form)
        self._lead_to(form, form)

    def _close(self) -> None:
        came_from = self._paste_open if self._shown_form is self._paste else self._new
        if self._shown_form is self._form and self._form.server_id in self.rows:
            self.rows[self._form.server_id].take_focus()
        else:
            came_from.setFocus(Qt.FocusReason.OtherFocusReason)
        self._shown_form = None
        self._form.hide()
        self._paste.hide()
        self._paste.clear()

    def _on_kept(self, status: ServerStatus) -> None:
        self._form.server_id = status.server.id
        self._close()
        self._tell_kept([status])

    def _on_added(self, added: list[ServerStatus]) -> None:
        self._close()
        self._tell_kept(added)

    def _on_removed(self, server_id: ServerId) -> None:
        if self._form.server_id == server_id and self._shown_form is self._form:
            self._close()

    def _lead_to_words(self) -> None:
        self._lead_to(self._paste, self._paste.sentence)

    def _lead_to(self, whole: QWidget, first: QWidget) -> None:
        """Scroll so that all of it is seen, or at least where it begins."""
        gap = self._theme.sizes.space_l

        def scroll() -> None:
            if (body := self.widget()) is not None:
                self.ensureVisible(0, whole.mapTo(body, whole.rect().bottomLeft()).y(), 0, gap)
                self.ensureVisible(0, first.mapTo(body, QPoint()).y(), 0, 2 * gap)

        QTimer.singleShot(_SETTLE_MS, whole, scroll)

    def _tell_kept(self, kept: list[ServerStatus]) -> None:
        """Say that they are there, and lead to what is to be allowed."""
        waiting = [one for one in kept if one.state is ServerState.UNCONFIRMED]
        first = (waiting or kept)[0].server
        if (row := self.rows.get(first.id)) is not None:
            row.take_focus()
            self._lead_to(row, row)
        name, count, is_waiting = first.name, len(kept), bool(waiting)

        def words(_is_undone: bool) -> str:
            if count > 1:
                return self.tr("%n server(s) are added. Each waits for you to allow it.", "", count)
            saved = self.tr("{server} is saved, and runs once you allow it.")
            return (saved if is_waiting else self.tr("{server} is saved.")).format(server=name)

        self._told(Deed(words))
