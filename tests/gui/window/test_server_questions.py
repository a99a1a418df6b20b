"""What an MCP server asks in the middle of a call, in the real window: to fill in a form, to open an address."""

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.interruption import Action, InterruptionKind
from core.services.outcome import Ok
from desktop.attention.card import AttentionCard
from desktop.attention.field import ValueField
from tests.gui.window.rig import App, an_app
from tests.support.mcp_rig import hostile
from tests.support.waiting import until

pytestmark = [pytest.mark.usefixtures("bare"), pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]


async def asked(app: App, behaviour: str, trace: Path) -> AttentionCard:
    """Call a tool of a server that asks, and give the focus to its card."""
    if behaviour not in [status.server.name for status in app.core.servers.states]:
        made = await app.core.servers.save(name=behaviour, confirmed=True, **hostile(behaviour, trace))
        assert isinstance(made, Ok)
        await app.core.servers.test(made.data.server.id)
    run = await app.say(f"/tool mcp__{behaviour}__once {{}}")
    await until(lambda: app.core.stores.questions.count(run.workflow_id))
    app.content.workflow_actions.show(run.workflow_id)
    card = app.content.chat.card
    await until(lambda: card.isVisible() and card.workflow_id == run.workflow_id)
    card.take_focus()
    await until(lambda: not card.guard.is_on)
    return card


async def given(trace: Path, count: int) -> Any:
    """Return what the server has got for its question with this number."""

    def lines() -> list[str]:
        return [line for line in trace.read_text().splitlines() if line.startswith("got ")]

    await until(lambda: len(lines()) == count)
    return json.loads(lines()[-1].removeprefix("got "))


async def test_a_form_says_what_is_wrong_beside_its_fields_and_an_address_is_opened_by_consent_alone(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "trace"
    opened: list[str] = []

    def record(url: QUrl) -> bool:
        opened.append(url.toString())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", record)
    async with an_app(tmp_path, qapp) as app:
        card = await asked(app, "ask", trace)
        request = card.request
        assert request is not None
        assert (request.kind, request.buttons) == (
            InterruptionKind.ELICITATION,
            (Action.SKIP, Action.REJECT, Action.SUBMIT),
        )
        colour, count = request.fields
        assert isinstance(colour, ValueField)
        count.setFocus()
        QTest.keyClicks(app.focused(), "0")
        app.control(Qt.Key.Key_Return)
        assert colour.error
        assert count.error == "At least 1."
        assert card.request is request  # nothing was sent
        count.set_raw_value("3")
        colour.setFocus()
        QTest.keyClicks(app.focused(), "r")
        app.control(Qt.Key.Key_Return)
        assert await given(trace, 1) == {"action": "accept", "content": {"colour": "red", "count": 3}}
        for number, action, name in ((2, Action.REJECT, "decline"), (3, Action.SKIP, "cancel")):
            card = await asked(app, "ask", trace)
            card.button(action).click()
            assert await given(trace, number) == {"action": name}
        card = await asked(app, "address", trace)
        assert card.request is not None
        assert [value.text for value in card.request.deciding] == ["a.example", "https://a.example/in"]
        app.key(Qt.Key.Key_Return)  # the focus is on the harmless button
        assert await given(trace, 4) == {"action": "cancel"}
        assert opened == []
        card = await asked(app, "address", trace)
        app.control(Qt.Key.Key_Return)
        assert await given(trace, 5) == {"action": "accept"}
        await until(lambda: opened)
        assert opened == ["https://a.example/in"]
