"""Before a change, the settings show what it means for pending requests, so that none is lost silently."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from core.domain.mcp_server import ServerState
from core.domain.run import Run, RunStatus
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.settings.parts.banners import ConfirmationBanner, PendingRequestsBanner
from desktop.settings.parts.page import PageId
from tests.gui.window.rig import App, an_app
from tests.gui.window.settings_rig import control, dialog, press, settings
from tests.gui.window.test_attention import section, waits
from tests.gui.window.test_settings_meanwhile import approve, asked
from tests.support.mcp_rig import hostile, programs
from tests.support.progress import stored_interruptions

pytestmark = [
    pytest.mark.usefixtures("bare"),
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]

Until = Callable[..., Awaitable[None]]


async def a_server(app: App, name: str, behaviour: str, file: Path) -> None:
    made = await app.core.servers.save(name=name, confirmed=True, **hostile(behaviour, file))
    assert isinstance(made, Ok)
    assert isinstance(await app.core.servers.test(made.data.server.id), Ok)


def cautions(app: App) -> list[ConfirmationBanner]:
    return [widget for widget in dialog(app).findChildren(ConfirmationBanner) if widget.isVisible()]


def notes(app: App) -> list[str]:
    return [widget.text for widget in dialog(app).findChildren(PendingRequestsBanner) if widget.isVisible()]


def state(app: App, name: str) -> ServerState:
    return app.core.servers.named(name).state


async def leave(app: App, until: Until) -> None:
    dialog(app).close()
    app.window.activateWindow()
    await until(app.window.isActiveWindow)


async def test_a_server_that_a_request_needs_is_switched_off_only_after_a_warning(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await a_server(app, "x", "good", tmp_path / "calls")
        await a_server(app, "idle", "good", tmp_path / "idle")
        assert isinstance(await app.core.agents.save(name="Clerk"), Ok)
        run = await asked(app, "Clerk")
        await settings(app, PageId.SERVERS, until)

        press(app, "idle is on")  # nothing waits for that one: nothing is said
        await until(lambda: state(app, "idle") is ServerState.DISABLED)
        assert cautions(app) == []

        switch = control(app, "x is on")
        for key in (Qt.Key.Key_Escape, Qt.Key.Key_Return):
            press(app, "x is on")
            (caution,) = cautions(app)
            assert caution.text.startswith("A call of x waits for you in “go”. The request stays open")
            assert app.focused() is caution.cancel_button
            assert state(app, "x") is not ServerState.DISABLED
            QTest.keyClick(app.focused(), key)
            assert cautions(app) == []
            assert dialog(app).isVisible()
            assert app.focused() is switch
            assert switch.isChecked()  # type: ignore[attr-defined]
        assert state(app, "x") is not ServerState.DISABLED

        press(app, "x is on")
        QTest.keyClick(app.focused(), Qt.Key.Key_Tab)
        assert app.focused() is cautions(app)[0].confirm_button
        QTest.keyClick(app.focused(), Qt.Key.Key_Return)
        await until(lambda: state(app, "x") is ServerState.DISABLED)
        await until(lambda: not switch.isChecked())  # type: ignore[attr-defined]
        assert [count for _, count in section(app)] == [1]
        await leave(app, until)
        assert await approve(app, run) == ("error", "not_registered")
        await until(lambda: section(app) == [])
    assert programs(tmp_path) == []


async def test_a_server_that_asks_in_a_call_takes_its_question_with_it_as_warned(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await a_server(app, "x", "ask", tmp_path / "calls")
        script: tuple[dict[str, object], ...] = (
            {"call": "mcp__x__once", "arguments": {}},
            {"call": "wait", "arguments": {"seconds": 60}},
        )
        sent = await app.core.chat.send("go", mode=ValidationMode.AUTO, script=script)
        assert isinstance(sent, Ok)
        run: Run = sent.data
        await waits(app, run)
        await settings(app, PageId.SERVERS, until)
        press(app, "Remove x")
        (box,) = dialog(app).findChildren(QMessageBox)
        assert box.informativeText().startswith("x has asked you something in “go”.")
        QTest.keyClick(box, Qt.Key.Key_Escape)
        assert [count for _, count in section(app)] == [1]
        press(app, "x is on")
        (caution,) = cautions(app)
        assert "its question is closed unanswered" in caution.text
        press(app, "Switch it off")
        await until(lambda: section(app) == [], 10)  # at once, and not when the run has ended
        (closed,) = await stored_interruptions(app.core.storage, run.id)
        assert (str(closed.status), closed.answer) == ("cancelled", None)
        execution = app.core.stores.background.get_execution(run.workflow_id)
        assert execution is not None
        await until(lambda: execution.status is RunStatus.RUNNING)


async def test_the_pages_say_beforehand_that_what_waits_is_left_as_it_is(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    pages = {
        PageId.MODELS: "goes on with the model that it began with",
        PageId.AGENTS: "goes on with the agent as it was at the beginning",
        PageId.VALIDATION: "It stays open in every mode",
    }
    async with an_app(tmp_path, qapp) as app:
        for page in pages:
            await settings(app, page, until)
            assert notes(app) == []
        script: tuple[dict[str, object], ...] = (
            {"call": "calculator", "arguments": {"expression": "6*7"}},
            {"say": "so"},
        )
        sent = await app.core.chat.send("go", mode=ValidationMode.MANUAL, script=script)
        assert isinstance(sent, Ok)
        await waits(app, sent.data)
        for page, words in pages.items():
            await settings(app, page, until)
            await until(lambda words=words: [words in note and "“go”" in note for note in notes(app)] == [True])
        await app.core.settings.change(validation_mode=ValidationMode.SELECTIVE)
        assert app.core.stores.questions.count(sent.data.workflow_id) == 1
        await app.core.engine.cancel(sent.data.id)
        await until(lambda: notes(app) == [])
        await asyncio.sleep(0)
