"""Settings that change while a server's call waits for the user: no request is lost or answered."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.interruption import Action
from core.domain.mcp_server import ServerState
from core.domain.run import Run, RunStatus
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.settings.parts.page import PageId
from tests.gui.window.rig import App, an_app
from tests.gui.window.settings_rig import control, dialog, press, settings
from tests.gui.window.test_attention import ended, section, take_card, view, waits
from tests.support.mcp_rig import hostile, programs

pytestmark = [
    pytest.mark.usefixtures("bare"),
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]

Until = Callable[..., Awaitable[None]]


async def asked(app: App, agent: str) -> Run:
    """A call of the server's tool, made by that agent, that waits for consent."""
    script = ({"call": "mcp__x__once", "arguments": {}}, {"say": "so"})
    sent = await app.core.chat.send("go", mode=ValidationMode.MANUAL, agent=agent, script=script)
    assert isinstance(sent, Ok)
    await waits(app, sent.data)
    return sent.data


async def approve(app: App, run: Run) -> tuple[str, str | None]:
    """By keyboard: how the call ended then, and the code of its error."""
    card = await view(app, run)
    await take_card(app)
    card.button(Action.APPROVE).setFocus(Qt.FocusReason.TabFocusReason)
    app.key(Qt.Key.Key_Return)
    assert (await ended(app, run)).status is RunStatus.SUCCESS
    described = await app.core.runs.describe(run.id)
    assert isinstance(described, Ok)
    (call,) = described.data["tool_calls"]
    return call["status"], call["error"] and call["error"]["code"]


async def test_a_server_that_is_switched_or_removed_leaves_what_waits_as_it_is(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    file = tmp_path / "calls"
    async with an_app(tmp_path, qapp) as app:
        made = await app.core.servers.save(name="x", confirmed=True, **hostile("good", file))
        assert isinstance(made, Ok)
        assert isinstance(await app.core.servers.test(made.data.server.id), Ok)
        clerk = await app.core.agents.save(name="Clerk")
        assert isinstance(clerk, Ok)
        again, gone = await asked(app, "Clerk"), await asked(app, "Clerk")

        await settings(app, PageId.SERVERS, until)
        for state in (ServerState.DISABLED, ServerState.STOPPED):
            QTest.keyClick(control(app, "x is on"), Qt.Key.Key_Space)
            if state is ServerState.DISABLED:
                press(app, "Switch it off")  # it has warned before
            await until(lambda state=state: app.core.servers.named("x").state is state)
        changed = await app.core.agents.save(clerk.data.id, name="Clerk", mcp_servers=())
        assert isinstance(changed, Ok)
        dialog(app).close()
        app.window.activateWindow()
        await until(app.window.isActiveWindow)
        assert [count for _, count in section(app)] == [1, 1]
        assert await approve(app, again) == ("completed", None)  # as its run was begun
        assert "call once" in file.read_text()

        assert isinstance(await app.core.servers.remove(made.data.server.id), Ok)
        assert [count for _, count in section(app)] == [1]
        assert await approve(app, gone) == ("error", "not_registered")
        await until(lambda: section(app) == [])
        assert file.read_text().count("call once") == 1
    assert programs(tmp_path) == []
