"""Signing in to an MCP server in the settings: a real server, and a browser that follows its redirects."""

import threading
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from core.services.outcome import unwrap
from desktop.settings.parts.page import PageId
from desktop.settings.servers.server_row import ServerRow
from tests.gui.window.rig import an_app
from tests.gui.window.settings_rig import dialog, notice, press, settings, texts
from tests.support.oauth_server import oauth_server

Until = Callable[..., Awaitable[None]]


async def test_a_server_that_asks_who_the_user_is_is_signed_in_to_and_out_of(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: pages.append(QUrl(url).toString()))
    with oauth_server() as server:
        async with an_app(tmp_path, qapp) as app:
            added = unwrap(await app.core.servers.save(name="Guarded", url=f"{server.origin}/mcp", confirmed=True))
            await app.core.servers.test(added.server.id)
            await settings(app, PageId.SERVERS, until)
            (row,) = dialog(app).findChildren(ServerRow)
            assert row.state_text == "Waits for your sign-in"
            assert "It asks who you are. You sign in at its own page, in the browser." in texts(app)
            press(app, "Sign in to Guarded")
            await until(lambda: pages)
            assert "Sign in on the page that has opened in the browser…" in texts(app)
            press(app, "Cancel the sign-in to Guarded")
            await until(lambda: "Sign in on the page that has opened" not in texts(app))
            press(app, "Sign in to Guarded")
            await until(lambda: len(pages) == 2)
            threading.Thread(target=lambda: urllib.request.urlopen(pages[1], timeout=5).close()).start()
            await until(lambda: row.state_text == "Running")
            await until(lambda: notice(app) == "You are signed in to Guarded.")
            press(app, "Sign out of Guarded")
            await until(lambda: row.state_text == "Not started")
            press(app, "Test Guarded")
            await until(lambda: row.state_text == "Waits for your sign-in")
            server.refuses = True
            press(app, "Sign in to Guarded")
            await until(lambda: len(pages) == 3)
            threading.Thread(target=lambda: urllib.request.urlopen(pages[2], timeout=5).close()).start()
            await until(lambda: notice(app) == "You are not signed in to Guarded. The page has refused it.")
