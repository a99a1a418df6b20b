"""Resources and prompts of MCP servers in the composer of the real window, by keys alone."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.services.outcome import Ok
from tests.gui.window.rig import App, an_app
from tests.support.mcp_rig import hostile
from tests.support.waiting import until

pytestmark = [pytest.mark.usefixtures("bare"), pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]

Key = Qt.Key


def chips(app: App) -> list[str]:
    return [file.name for file in app.content.chat.composer.files]


async def begin(app: App, text: str, title: str) -> None:
    """Type in the empty composer, until the list has the title; and choose what is above all in it."""
    chat = app.content.chat
    chat.composer.focus_text()
    app.control(Key.Key_A)
    app.key(Key.Key_Backspace)
    app.write(text)
    shown = chat.completion if text.startswith("/") else chat.mentions
    await until(lambda: [suggestion.title for suggestion in shown.shown()][:1] == [title])
    app.key(Key.Key_Return)


async def test_resources_are_attached_and_prompts_fill_the_composer(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        made = await app.core.servers.save(name="notes", confirmed=True, **hostile("offers", tmp_path / "trace"))
        assert isinstance(made, Ok)
        await app.core.servers.test(made.data.server.id)
        app.content.opener.open_new()
        chat = app.content.chat
        composer, inputs = chat.composer, chat.inputs

        await begin(app, "see @tod", "Today")
        await until(lambda: chips(app) == ["today.txt"])
        assert composer.draft().text == "see "
        # A resource may differ each time that it is read: what it is when the message is sent is sent.
        app.key(Key.Key_Return)
        await until(lambda: app.core.stores.view.messages)
        message = app.core.stores.view.messages[0]
        texts = await app.core.attachments.texts(message.workflow_id, message.id)
        assert isinstance(texts, Ok)
        assert texts.data == ["notes://today read 2 times"]
        await app.core.engine.wait((await app.core.storage.runs.page(limit=1))[0].id)

        await begin(app, "@{part", "A day's notes")
        await until(inputs.isVisible)
        QTest.keyClicks(app.focused(), "none")
        app.key(Key.Key_Tab)
        QTest.keyClicks(app.focused(), "evening")
        app.control(Key.Key_Return)
        await until(lambda: "no such notes" in inputs.problem)
        assert inputs.form is not None
        inputs.form.fields[0].set_raw_value("monday")
        app.control(Key.Key_Return)
        await until(lambda: chips(app) == ["evening.txt"])
        assert not inputs.isVisible()

        await begin(app, "/notes:a", "notes:ask")
        app.key(Key.Key_Return)
        await until(inputs.isVisible)
        app.key(Key.Key_Down)  # the first of the values that the server suggests
        app.control(Key.Key_Return)
        await until(lambda: composer.draft().text == "Tell me of whales, plainly.")
        await until(lambda: chips(app) == ["evening.txt", "it.txt"])

        await begin(app, "/notes:ask", "notes:ask")
        QTest.keyClicks(app.focused(), 'topic="the sea" tone=loudly and more')
        app.key(Key.Key_Return)
        await until(lambda: composer.draft().text == "Tell me of the sea, loudly.\n\nand more")

        await begin(app, "/notes:p", "notes:plain")
        app.key(Key.Key_Return)
        await until(lambda: composer.draft().text.startswith("User: Hello."))
        await until(lambda: "today.txt" in chips(app))
