"""What a person does with an MCP server, and what becomes of it: told, and undone where that can be."""

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from core.domain.ids import ServerId
from core.domain.mcp_server import ServerState
from core.services.outcome import Failed
from desktop.settings.servers.server_row import ServerRow
from desktop.settings.servers.server_strings import server_refusal_text
from desktop.settings.sources.context import ServersContext
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.widgets.question_box import QuestionBox


class ServerActions(QObject):
    """`rows` gives those that are shown now, on `page`. `removed` tells of a server that is gone."""

    removed = Signal(object)

    def __init__(
        self,
        servers: ServersContext,
        told: Callable[[UndoableAction], None],
        rows: Callable[[], Mapping[str, ServerRow]],
        page: QWidget,
    ) -> None:
        super().__init__(page)
        self._servers = servers
        self._told = told
        self._rows = rows
        self._page = page

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._servers.spawn(work, name)

    def agree(self, server_id: ServerId, fingerprint: str) -> None:
        self._spawn(self._confirm(server_id, fingerprint), "allow an MCP server")

    async def _confirm(self, server_id: ServerId, fingerprint: str) -> None:
        self._is_done(await self._servers.service.confirm(server_id, fingerprint))

    def switch(self, server_id: ServerId, is_on: bool) -> None:
        self._spawn(self._enable(server_id, is_on), "switch an MCP server")

    async def _enable(self, server_id: ServerId, is_on: bool) -> None:
        self._is_done(await self._servers.service.enable(server_id, enabled=is_on))
        if (row := self._rows().get(server_id)) is not None:
            row.retranslate()  # where it was refused, the box says again how it is

    def test(self, server_id: ServerId) -> None:
        self._rows()[server_id].begin_test()
        self._spawn(self._connect_to(server_id), "test an MCP server")

    async def _connect_to(self, server_id: ServerId) -> None:
        answer = await self._servers.service.test(server_id)
        row = self._rows().get(server_id)
        if row is None:
            return
        was_cancelled = not row.is_testing
        row.end_test()
        if was_cancelled:
            return
        if not isinstance(answer, Failed):
            status, name = answer.data, row.name
            self._told(UndoableAction(partial(self._tested_words, name, len(status.tools))))
        elif answer.code != "failed":
            self._is_done(answer)
        else:
            words = self.tr("{server} does not answer: {why}").format(server=row.name, why=row.failure or "…")
            self._told(UndoableAction(lambda _: words, is_problem=True))

    def _tested_words(self, name: str, count: int, _is_undone: bool) -> str:
        return self.tr("{server} answers, and offers %n tool(s).", "", count).format(server=name)

    def cancel_test(self, server_id: ServerId) -> None:
        self._rows()[server_id].end_test()
        if self._rows()[server_id].status.state is ServerState.STARTING:
            self._spawn(self._stop(server_id), "cancel the test of an MCP server")

    async def _stop(self, server_id: ServerId) -> None:
        self._is_done(await self._servers.service.stop(server_id))

    # Removing

    def ask_removal(self, server_id: ServerId) -> None:
        box = QuestionBox(self._page, "remove_server_question")
        box.setWindowTitle(self.tr("Remove server"))
        box.setText(self.tr("Remove “{server}”?").format(server=self._rows()[server_id].name))
        what = self.tr("It is ended, and agents and templates lose its tools. You can undo it while the app is open.")
        box.setInformativeText("\n\n".join(part for part in (self._rows()[server_id].without(), what) if part))
        yes = box.addButton(self.tr("Remove"), QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(self.tr("Keep"), QMessageBox.ButtonRole.RejectRole)
        yes.setObjectName("remove")
        box.setDefaultButton(no)
        box.setEscapeButton(no)
        box.accepted.connect(partial(self._on_removal, server_id))
        box.open()

    def _on_removal(self, server_id: ServerId) -> None:
        self._spawn(self._remove(server_id), "remove an MCP server")

    async def _remove(self, server_id: ServerId) -> None:
        answer = await self._servers.service.remove(server_id)
        if isinstance(answer, Failed):
            self._is_done(answer)
            return
        self.removed.emit(server_id)
        undo, again = partial(self._put_back, server_id), partial(self._remove_again, server_id)
        self._told(
            UndoableAction(
                partial(self._removed_words, answer.data.name),
                lambda: self._spawn(undo(), "undo"),
                lambda: self._spawn(again(), "redo"),
            )
        )

    def _removed_words(self, name: str, is_undone: bool) -> str:
        words = self.tr("{server} is back.") if is_undone else self.tr("{server} is removed.")
        return words.format(server=name)

    async def _put_back(self, server_id: ServerId) -> None:
        self._is_done(await self._servers.service.restore(server_id))

    async def _remove_again(self, server_id: ServerId) -> None:
        self._is_done(await self._servers.service.remove(server_id))

    def _is_done(self, answer: object) -> bool:
        """Whether the service did what it was asked for; why not is told."""
        if isinstance(answer, Failed):
            words = server_refusal_text(answer)
            self._told(UndoableAction(lambda _: words, is_problem=True))
            return False
        return True
