"""Actions on MCP servers: allow, switch, test and remove, with reports and undo."""

from collections.abc import Awaitable, Mapping
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox

from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, ServerState, ServerStatus
from core.services.outcome import Failed, Outcome
from desktop.operations import unwrap
from desktop.settings.parts.list_page import ListPage
from desktop.settings.servers.server_row import ServerRow
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.widgets import QuestionBox


class ServerActions(QObject):
    """Acts on the rows of `page`, which reports the outcome."""

    def __init__(self, context: SettingsContext, page: ListPage[ServerRow]) -> None:
        super().__init__(page)
        self._servers = context.servers
        self._history = context.history
        self._page = page

    def agree(self, server_id: ServerId, fingerprint: str) -> None:
        self._page.run(self._servers.confirm(server_id, fingerprint), "allow an MCP server")

    def fill_in(self, server_id: ServerId, values: Mapping[str, str]) -> None:
        self._page.run(self._servers.fill_in(server_id, values), "fill in values of an MCP server")

    def switch(self, server_id: ServerId, is_on: bool) -> None:
        self._page.run(self._switch(server_id, is_on), "switch an MCP server")

    async def _switch(self, server_id: ServerId, is_on: bool) -> Outcome[ServerStatus]:
        outcome = await self._servers.enable(server_id, enabled=is_on)
        if (row := self._page.rows.get(server_id)) is not None:
            row.retranslate()  # after a failure the box must show the state again
        return outcome

    def test(self, server_id: ServerId) -> None:
        self._page.rows[server_id].begin_test()
        self._page.run(self._test(server_id), "test an MCP server")

    async def _test(self, server_id: ServerId) -> None:
        outcome = await self._servers.test(server_id)
        row = self._page.rows.get(server_id)
        if row is None:
            return
        was_cancelled = not row.is_testing
        row.end_test()
        if was_cancelled:
            return
        if isinstance(outcome, Failed) and outcome.code == "failed":  # the row shows why
            text = self.tr("{server} does not answer: {why}").format(server=row.name, why=row.failure or "…")
            self._history.report(text, is_problem=True)
        else:
            status = unwrap(outcome)
            self._history.record(UndoableAction(partial(self._tested_text, row.name, len(status.tools))))

    def _tested_text(self, name: str, count: int, _is_undone: bool) -> str:
        return self.tr("{server} answers, and offers %n tool(s).", "", count).format(server=name)

    def cancel_test(self, server_id: ServerId) -> None:
        row = self._page.rows[server_id]
        row.end_test()
        if row.status.state is ServerState.STARTING:
            self._page.run(self._servers.stop(server_id), "cancel the test of an MCP server")

    def confirm_removal(self, server_id: ServerId) -> None:
        box = QuestionBox(self._page, "remove_server_question")
        box.setWindowTitle(self.tr("Remove server"))
        box.setText(self.tr("Remove “{server}”?").format(server=self._page.rows[server_id].name))
        about = self.tr("It is ended, and agents and templates lose its tools. You can undo it while the app is open.")
        box.setInformativeText("\n\n".join(part for part in (self._page.rows[server_id].consequences(), about) if part))
        yes = box.addButton(self.tr("Remove"), QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(self.tr("Keep"), QMessageBox.ButtonRole.RejectRole)
        yes.setObjectName("remove")
        box.setDefaultButton(no)
        box.setEscapeButton(no)
        box.accepted.connect(partial(self._remove, server_id))
        box.open()

    def _remove(self, server_id: ServerId) -> None:
        self._page.remove(server_id, partial(self._servers.remove, server_id), self._restore, self._removed_text)

    def _restore(self, server: McpServer) -> Awaitable[Outcome[ServerStatus]]:
        return self._servers.restore(server.id)

    def _removed_text(self, server: McpServer, is_undone: bool) -> str:
        text = self.tr("{server} is back.") if is_undone else self.tr("{server} is removed.")
        return text.format(server=server.name)
