"""The MCP servers page: add, edit, test and remove servers (AGENTS_AND_TOOLS §7)."""

from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent

from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, ServerState, ServerStatus
from core.services.outcome import Failed
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.parts.list_page import ListPage
from desktop.settings.parts.page import PageId
from desktop.settings.servers.configuration_import import ConfigurationImport, InstalledImport, ServerImport
from desktop.settings.servers.server_actions import ServerActions
from desktop.settings.servers.server_form import ServerForm
from desktop.settings.servers.server_row import ServerRow
from desktop.settings.servers.server_sign_in import SignInActions
from desktop.settings.servers.server_strings import server_refusal_text
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.theme import Icon
from desktop.widgets import Button

_TICK_MS = 1000


class ServersPage(ListPage[ServerRow]):
    """Follows changes of servers from any origin. A form is shown below the list while a server is added or edited."""

    page_id = PageId.SERVERS

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        theme = context.theme
        self._actions = ServerActions(context, self)
        self._sign_ins = SignInActions(context, self)
        self._new, self._paste_open = Button(theme, icon=Icon.PLUS), Button(theme, icon=Icon.LIST_PLUS)
        self._import_open = Button(theme, icon=Icon.DOWNLOAD)
        openers = [self._new, self._paste_open, self._import_open]
        self.list_column.addWidget(ResponsiveRow(theme, openers, compact=True))
        self._form, self._paste = ServerForm(context), ConfigurationImport(context)
        self._import = InstalledImport(context)
        self.add_form(self._form, self._new)
        self.add_form(self._paste, self._paste_open)
        self.add_form(self._import, self._import_open)
        self._timer = QTimer(self, interval=_TICK_MS)
        self._connect()
        self.follow(context.servers.changed)
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
        self._import_open.setText(self.tr("Import from…"))

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
        self._form.saved.connect(self._on_saved)
        self._import_open.clicked.connect(self._open_import)
        for form in (self._paste, self._import):
            form.added.connect(self._on_added)
            form.previewed.connect(partial(self._scroll_to_preview, form))

    # The list

    def _tick(self) -> None:
        """Refresh latencies, logs and pauses, which change without an event."""
        self.show_list()
        for row in self.rows.values():
            row.tick()

    def show_list(self) -> None:
        """Update each row in place; add and remove rows with their servers."""
        rows: dict[str, ServerRow] = {}
        for status in self._context.servers.states:
            shown = self.rows.get(status.server.id)
            rows[status.server.id] = shown if shown is not None else self._row(status)
            if shown is not None and shown.status != status:
                shown.show_status(status)
        self.show_rows(rows)

    def _row(self, status: ServerStatus) -> ServerRow:
        row = ServerRow(self._context, status, self.list_)
        server_id = status.server.id
        row.test_requested.connect(partial(self._actions.test, server_id))
        row.test_cancelled.connect(partial(self._actions.cancel_test, server_id))
        row.switch_requested.connect(partial(self._actions.switch, server_id))
        row.edit_requested.connect(partial(self._edit_row, server_id))
        row.remove_requested.connect(partial(self._actions.confirm_removal, server_id))
        row.agreed.connect(partial(self._actions.agree, server_id))
        row.sign_in.requested.connect(partial(self._sign_ins.sign_in, server_id))
        row.sign_in.cancelled.connect(partial(self._sign_ins.cancel, server_id))
        row.sign_in.left.connect(partial(self._sign_ins.sign_out, server_id))
        row.filled.connect(partial(self._actions.fill_in, server_id))
        return row

    def list_search_text(self) -> str:
        return f"MCP {super().list_search_text()}"

    # Adding and changing

    def _edit_row(self, server_id: ServerId) -> None:
        self._edit(self.rows[server_id].status.server)

    def _edit(self, server: McpServer | None) -> None:
        self._form.show_server(server)
        self.open_form(self._form, None if server is None else server.id)

    def _open_paste(self) -> None:
        self.open_form(self._paste, None)

    def _open_import(self) -> None:
        self.open_form(self._import, None)
        self._import.load()

    def close_form(self, key: str | None = None) -> None:
        super().close_form(key)
        self._paste.clear()
        self._import.clear()

    def _on_saved(self, status: ServerStatus) -> None:
        self.close_form(status.server.id)
        self._report_saved([status])

    def _on_added(self, added: list[ServerStatus]) -> None:
        self.close_form()
        self._report_saved(added)

    def _scroll_to_preview(self, form: ServerImport) -> None:
        self.scroll_to(form, form.message)

    def _report_saved(self, saved: list[ServerStatus]) -> None:
        """Report the saved servers and scroll to the first that needs consent."""
        unconfirmed = [status for status in saved if status.state is ServerState.UNCONFIRMED]
        first = (unconfirmed or saved)[0].server
        if (row := self.rows.get(first.id)) is not None:
            row.take_focus()
            self.scroll_to(row, row)
        text = partial(self._saved_text, first.name, len(saved), bool(unconfirmed))
        self._context.history.record(UndoableAction(text))

    def _saved_text(self, name: str, count: int, needs_consent: bool, _is_undone: bool) -> str:
        if count > 1:
            return self.tr("%n server(s) are added. Each waits for you to allow it.", "", count)
        unconfirmed = self.tr("{server} is saved, and runs once you allow it.")
        return (unconfirmed if needs_consent else self.tr("{server} is saved.")).format(server=name)

    def failure_text(self, failed: Failed) -> str:
        return server_refusal_text(failed)
