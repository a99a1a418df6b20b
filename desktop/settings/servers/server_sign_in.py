"""Signing in to MCP servers and out: what waits for the browser, with reports."""

import asyncio
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from core.domain.ids import ServerId
from core.services.outcome import Failed
from desktop.settings.parts.list_page import ListPage
from desktop.settings.servers.server_row import ServerRow
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.translation import connection_failure_text


class SignInActions(QObject):
    """Signs in and out for the rows of `page`, which reports the outcome."""

    def __init__(self, context: SettingsContext, page: ListPage[ServerRow]) -> None:
        super().__init__(page)
        self._servers = context.servers
        self._history = context.history
        self._page = page
        self._waiting: dict[ServerId, asyncio.Future[Any]] = {}

    def sign_in(self, server_id: ServerId) -> None:
        if server_id not in self._waiting:
            self._page.run(self._sign_in(server_id), "sign in to an MCP server")

    def cancel(self, server_id: ServerId) -> None:
        if (waiting := self._waiting.get(server_id)) is not None:
            waiting.cancel()

    def sign_out(self, server_id: ServerId) -> None:
        self._page.run(self._servers.sign_out(server_id), "sign out of an MCP server")

    async def _sign_in(self, server_id: ServerId) -> None:
        name = self._page.rows[server_id].name
        waiting = asyncio.ensure_future(self._servers.sign_in(server_id, _open_page))
        self._waiting[server_id] = waiting
        self._show_waiting(server_id, True)
        try:
            await asyncio.wait({waiting})
        finally:
            waiting.cancel()
            del self._waiting[server_id]
            self._show_waiting(server_id, False)
        if waiting.cancelled():
            return
        outcome = waiting.result()
        if isinstance(outcome, Failed):
            text = self.tr("You are not signed in to {server}. {why}")
            self._history.report(text.format(server=name, why=self._reason(outcome.details)), is_problem=True)
        else:
            self._history.record(UndoableAction(lambda _is_undone: self._signed_in_text(name)))

    def _show_waiting(self, server_id: ServerId, is_waiting: bool) -> None:
        if (row := self._page.rows.get(server_id)) is not None:
            row.sign_in.show_waiting(is_waiting)

    def _signed_in_text(self, name: str) -> str:
        return self.tr("You are signed in to {server}.").format(server=name)

    def _reason(self, details: Mapping[str, Any]) -> str:
        if (sentence := connection_failure_text(details)) is not None:
            return f"{sentence}."
        match details.get("reason"):
            case "refused":
                return self.tr("The page has refused it.")
            case "slow":
                return self.tr("The browser has not come back in time.")
            case "no_sign_in":
                return self.tr("The server names no page to sign in: see in its documentation which key it takes.")
            case _:
                return str(details.get("why", ""))


def _open_page(url: str) -> None:
    QDesktopServices.openUrl(QUrl(url))
