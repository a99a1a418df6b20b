"""MCP servers: which there are and how they are, how one is added, changed and removed (AGENTS_AND_TOOLS §7)."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from core.bus import ServersChanged
from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, ServerState, ServerStatus
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.parts.list_page import ListPage
from desktop.settings.parts.page import PageId
from desktop.settings.servers.configuration_import import ConfigurationImport
from desktop.settings.servers.server_actions import ServerActions
from desktop.settings.servers.server_form import ServerForm
from desktop.settings.servers.server_row import ServerRow
from desktop.settings.servers.server_strings import server_refusal_text
from desktop.settings.sources.context import ServersContext
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.buttons import Button

_TICK_MS = 1000


class ServersPage(ListPage[ServerRow]):
    """The list follows the servers, whoever changes them. A form stands below it while one is added or changed."""

    def __init__(
        self,
        theme: Theme,
        servers: ServersContext,
        told: Callable[[UndoableAction], None],
        parent: QWidget | None = None,
    ) -> None:
        spawn = servers.spawn
        super().__init__(theme, PageId.SERVERS, spawn, told, server_refusal_text, parent)
        self._servers = servers
        self._deeds = ServerActions(servers, told, lambda: self.rows, self)
        self._new, self._paste_open = Button(theme, icon=Icon.PLUS), Button(theme, icon=Icon.LIST_PLUS)
        self.list_column.addWidget(ResponsiveRow(theme, [self._new, self._paste_open], compact=True))
        self._form, self._paste = ServerForm(theme, servers), ConfigurationImport(theme, servers)
        self.add_form(self._form, self._form.searched, self._new)
        self.add_form(self._paste, self._paste.searched, self._paste_open)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._connect()
        self.follow(servers.bus, ServersChanged)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.about.setText(
            self.tr(
                "An MCP server offers tools to agents and templates: a program on this computer, or an address. None "
                "runs before you have seen what it is, and allowed it."
            )
        )
        self.empty.setText(
            self.tr("There is none yet. Add one, or paste the configuration that its documentation has for other apps.")
        )
        self._new.setText(self.tr("New server"))
        self._paste_open.setText(self.tr("Paste a configuration…"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_list()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _connect(self) -> None:
        self._timer.timeout.connect(self._tick)
        self._new.clicked.connect(partial(self._edit, None))
        self._paste_open.clicked.connect(self._open_paste)
        self._form.kept.connect(self._on_kept)
        self._form.left.connect(self._leave)
        self._paste.added.connect(self._on_added)
        self._paste.left.connect(self._leave)
        self._deeds.removed.connect(self._on_removed)
        self._paste.looked.connect(self._lead_to_words)

    # The list

    def _tick(self) -> None:
        """Latencies, logs and pauses change without a word."""
        self.show_list()
        for row in self.rows.values():
            row.tick()

    def show_list(self) -> None:
        """Each row shows how its server is; only those come and go whose servers do."""
        rows: dict[str, ServerRow] = {}
        for status in self._servers.service.states:
            shown = self.rows.get(status.server.id)
            rows[status.server.id] = shown if shown is not None else self._row(status)
            if shown is not None and shown.status != status:
                shown.show_status(status)
        self.show_rows(rows)

    def _row(self, status: ServerStatus) -> ServerRow:
        row = ServerRow(self._theme, self._servers, status, self.list_)
        server_id = status.server.id
        row.tested.connect(partial(self._deeds.test, server_id))
        row.test_cancelled.connect(partial(self._deeds.cancel_test, server_id))
        row.switched.connect(partial(self._deeds.switch, server_id))
        row.edited.connect(partial(self._edit_one, server_id))
        row.removed.connect(partial(self._deeds.ask_removal, server_id))
        row.agreed.connect(partial(self._deeds.agree, server_id))
        return row

    def searched_list(self) -> str:
        return f"MCP {super().searched_list()}"

    # Adding and changing

    def _edit_one(self, server_id: ServerId) -> None:
        self._edit(self.rows[server_id].status.server)

    def _edit(self, server: McpServer | None) -> None:
        self._form.show_server(server)
        self.open_form(self._form, None if server is None else server.id, self._form.focus_first)

    def _open_paste(self) -> None:
        self.open_form(self._paste, None, self._paste.focus_text)

    def _leave(self, key: str | None = None) -> None:
        self.close_form(key)
        self._paste.clear()

    def _on_kept(self, status: ServerStatus) -> None:
        self._leave(status.server.id)
        self._tell_kept([status])

    def _on_added(self, added: list[ServerStatus]) -> None:
        self._leave()
        self._tell_kept(added)

    def _on_removed(self, server_id: ServerId) -> None:
        if self.is_editing(server_id):
            self._leave()

    def _lead_to_words(self) -> None:
        self.lead_to(self._paste, self._paste.sentence)

    def _tell_kept(self, kept: list[ServerStatus]) -> None:
        """Say that they are there, and lead to what is to be allowed."""
        waiting = [one for one in kept if one.state is ServerState.UNCONFIRMED]
        first = (waiting or kept)[0].server
        if (row := self.rows.get(first.id)) is not None:
            row.take_focus()
            self.lead_to(row, row)
        name, count, is_waiting = first.name, len(kept), bool(waiting)

        def words(_is_undone: bool) -> str:
            if count > 1:
                return self.tr("%n server(s) are added. Each waits for you to allow it.", "", count)
            saved = self.tr("{server} is saved, and runs once you allow it.")
            return (saved if is_waiting else self.tr("{server} is saved.")).format(server=name)

        self.told(UndoableAction(words))
