"""The settings pages of models and agents in the real window, driven by keyboard."""

import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from core.domain.model import ModelChoice
from core.domain.settings import KeyLocation
from core.persistence.surreal import SurrealStorage
from core.services.outcome import Ok
from desktop.settings.parts.editors import OptionalChoiceBox
from desktop.settings.parts.page import PageId
from tests.gui.window.rig import an_app
from tests.gui.window.settings_rig import choose, control, dialog, notice, press, settings, texts, undo, write
from tests.llm.provider.contract.anthropic_messages import CELLS
from tests.llm.provider.contract.cells import Scenario
from tests.support.provider import Asked, Provider, Reply, fails, provider, says

Until = Callable[..., Awaitable[None]]
KEY = "sk-live-0123456789abcdefghij"

pytestmark = [pytest.mark.usefixtures("bare"), pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]


def guarded(asked: Asked) -> Reply:
    """A server that wants the key, and lists two models."""
    if asked.headers.get("authorization") != f"Bearer {KEY}":
        return fails(401, "wrong key")
    if asked.method == "GET":
        rows = [{"id": "small", "max_model_len": 8192}, {"id": "large"}]
        return Reply(json.dumps({"data": rows}).encode(), headers={"Content-Type": "application/json"})
    return says("I am a model")


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider(guarded) as server:
        yield server


def holding(folder: Path, text: str) -> list[Path]:
    """The files that hold the text."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


# Models


async def test_a_model_is_connected_with_a_key_that_is_nowhere_but_in_its_file(
    tmp_path: Path, qapp: QApplication, until: Until, server: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    storage = await SurrealStorage.open(tmp_path / "store")
    async with an_app(tmp_path, qapp, storage) as app:
        await settings(app, PageId.MODELS, until)
        choose(app, "Provider", "Another server")
        write(app, "Address", server.url)
        key = control(app, "API key")
        assert isinstance(key, QLineEdit)
        assert key.echoMode() is QLineEdit.EchoMode.Password
        write(app, "API key", KEY[:-1])
        QTest.keyClick(control(app, "Address"), Qt.Key.Key_Return)  # as a press of *Test and list models*
        await until(lambda: "The provider refused the key" in texts(app))
        assert key.text() == ""
        write(app, "API key", KEY)
        press(app, "Test and list models")
        await until(lambda: "It answers, and lists 2 models." in texts(app))
        await until(lambda: f"A key is kept in {tmp_path / 'keys.json'}" in texts(app))
        assert key.text() == ""
        key.undo()
        assert key.text() == ""
        choose(app, "Model", "large")
        press(app, "Add model")
        await until(lambda: "large can be chosen, and is the default." in notice(app))
        kept = app.core.settings.current
        assert kept.model is not None
        assert (kept.model.model, kept.key_places) == ("large", {kept.model.origin: KeyLocation.FILE})
        dialog(app).close()
        run = await app.core.chat.send("hello")
        assert isinstance(run, Ok)
        done = await app.core.engine.wait(run.data.id)
        assert json.loads(done.output_json or "") == "I am a model"
    await storage.close()
    assert KEY not in caplog.text
    assert holding(tmp_path, KEY) == [tmp_path / "keys.json"]


async def test_a_server_is_asked_in_the_api_that_its_address_or_the_user_names(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    def answers(asked: Asked) -> Reply:
        if asked.method == "GET":
            return Reply(b'{"data": [{"id": "claude"}]}', headers={"Content-Type": "application/json"})
        return Reply(CELLS[Scenario.PLAIN].body)

    async with an_app(tmp_path, qapp) as app:
        await settings(app, PageId.MODELS, until)
        assert "What the server speaks" not in texts(app)  # a known provider has its own
        choose(app, "Provider", "Another server")
        api = control(app, "API")
        assert isinstance(api, QComboBox)
        assert api.currentText() == "Chat completions (OpenAI)"
        with provider(answers) as server:
            write(app, "Address", server.url.replace("/v1", "/anthropic"))
            QTest.keyClick(app.focused(), Qt.Key.Key_Tab)
            assert api.currentText() == "Messages (Anthropic)"
            press(app, "Test and list models")
            await until(lambda: "It answers, and lists 1 model." in texts(app))
            press(app, "Add model")
            await until(lambda: "claude can be chosen, and is the default." in notice(app))
            dialog(app).close()
            run = await app.core.chat.send("hello")
            assert isinstance(run, Ok)
            done = await app.core.engine.wait(run.data.id)
            assert json.loads(done.output_json or "") == "Hello!"
        assert [asked.path for asked in server.asked] == ["/anthropic/v1/models?limit=1000", "/anthropic/v1/messages"]
        await settings(app, PageId.MODELS, until)
        press(app, "Edit claude")
        QTest.keyClick(control(app, "API"), Qt.Key.Key_Home)
        press(app, "Add model")
        await until(lambda: [model.wire_format for model in app.core.settings.current.models] == ["chat_completions"])


async def test_a_key_can_be_forgotten(tmp_path: Path, qapp: QApplication, until: Until, server: Provider) -> None:
    async with an_app(tmp_path, qapp) as app:
        await app.core.providers.save_key(ModelChoice(base_url=server.url), KEY)
        await settings(app, PageId.MODELS, until)
        choose(app, "Provider", "Another server")
        write(app, "Address", server.url)
        QTest.keyClick(app.focused(), Qt.Key.Key_Tab)
        await until(lambda: "A key is kept in" in texts(app))
        press(app, "Forget the key")
        await until(lambda: "No key is kept" in texts(app))
        assert app.core.settings.current.key_places == {}


async def test_what_cannot_be_asked_shows_why(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        await settings(app, PageId.MODELS, until)
        choose(app, "Provider", "Another server")
        for address, words in (
            ("nonsense", "An address begins with http:// or https://."),
            ("http://me:secret@host/v1", "An address has no user name and no password."),
            ("http://127.0.0.1:9/v1?api-version=1", "The address ends before the question mark."),
            ("http://127.0.0.1:9/v1", "Nothing answers at http://127.0.0.1:9"),
        ):
            write(app, "Address", address)
            press(app, "Test and list models")
            await until(lambda words=words: words in texts(app))


async def test_a_pasted_address_and_a_model_are_mended_in_sight(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    listing = Reply(json.dumps({"data": [{"id": "llama3:latest"}, {"id": "other"}]}).encode())
    missing = Reply(b"<html>Not found</html>", 404)

    with provider(lambda asked: listing if asked.path == "/v1/models" else missing) as server:
        async with an_app(tmp_path, qapp) as app:
            await settings(app, PageId.MODELS, until)
            choose(app, "Provider", "Another server")
            address, model = control(app, "Address"), control(app, "Model")
            assert isinstance(address, QLineEdit)
            assert isinstance(model, QComboBox)
            write(app, "Address", f" {server.url}/chat/completions ")
            model.setFocus(Qt.FocusReason.TabFocusReason)
            assert address.text() == server.url
            assert "The path of a request was left out: the app adds it." in texts(app)
            model.setCurrentText("ollama/llama3")
            write(app, "Address", server.url.removesuffix("/v1"))
            press(app, "Test and list models")
            await until(lambda: f"Its API is at {server.url}." in texts(app))
            assert (address.text(), model.currentText()) == (server.url, "llama3:latest")
            assert "“ollama/llama3” is called “llama3:latest” here." in texts(app)
            press(app, "Add model")
            await until(lambda: app.core.settings.current.model is not None)
            kept = app.core.settings.current.model
            assert kept is not None
            assert (kept.base_url, kept.model) == (server.url, "llama3:latest")


async def test_the_default_changes_and_a_model_is_removed_with_undo(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        one, two = (ModelChoice(base_url="http://127.0.0.1:9/v1", model=name) for name in ("one", "two"))
        await app.core.providers.add_model(one)
        await app.core.providers.add_model(two)
        await settings(app, PageId.MODELS, until)
        press(app, "Make two the default")
        await until(lambda: notice(app) == "Default: two")
        undo(app)
        await until(lambda: app.core.settings.current.model == one)
        assert notice(app) == "Default: one"
        press(app, "Make Offline agent, no language model the default")
        await until(lambda: app.core.settings.current.model is None)
        press(app, "Remove two")
        await until(lambda: app.core.settings.current.models == (one,))
        assert notice(app) == "two is removed."
        undo(app)
        await until(lambda: app.core.settings.current.models == (one, two))


async def test_price_and_window_of_a_model_are_set(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        model = ModelChoice(base_url="http://127.0.0.1:9/v1", model="one", context_tokens=4096, price_cache_write=3)
        await app.core.providers.add_model(model)
        await settings(app, PageId.MODELS, until)
        press(app, "Edit one")
        assert "4,096 tokens · price unknown" in texts(app)
        write(app, "Price in", "2.5")
        write(app, "Price from the cache", "0.25")
        write(app, "Price out", "6")
        write(app, "Context window", "100")
        (pictures,) = app.window.findChildren(OptionalChoiceBox)
        pictures.set_number(True)
        press(app, "Add model")
        await until(lambda: "$2.5 in, $6 out" in texts(app))
        kept = app.core.settings.current.models
        assert kept == (
            model.model_copy(
                update={
                    "price_in": 2.5,
                    "price_cached": 0.25,
                    "price_out": 6.0,
                    "context_tokens": 256,
                    "takes_pictures": True,
                }
            ),
        )


async def test_a_server_on_this_computer_is_offered_and_not_chosen(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.llm.catalogue import ListedModel, LocalServer
    from core.llm.presets import PRESETS

    async with an_app(tmp_path, qapp) as app:

        async def found() -> list[LocalServer]:
            return [LocalServer(PRESETS["ollama"], [ListedModel("a"), ListedModel("b")])]

        monkeypatch.setattr(app.core.providers._catalogue, "discover", found)
        await settings(app, PageId.MODELS, until)
        await until(lambda: "Take one to choose" in texts(app))
        assert app.core.settings.current.models == ()
        press(app, "Ollama: 2 models")
        assert control(app, "Address").text() == "http://127.0.0.1:11434/v1"  # type: ignore[attr-defined]
        press(app, "Add model")
        await until(lambda: "a can be chosen" in notice(app))
        model = app.core.settings.current.model
        assert model is not None
        assert (model.provider, model.model, model.price_in, model.needs_key) == ("ollama", "a", 0.0, False)


# Agents


async def test_an_agent_is_made_changed_removed_and_brought_back(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await settings(app, PageId.AGENTS, until)
        press(app, "New agent")
        assert app.focused().accessibleName() == "Name"
        QTest.keyClicks(app.focused(), "assistant")
        press(app, "Save agent")
        await until(lambda: "Another agent has this name." in texts(app))
        write(app, "Name", "Reviewer")
        write(app, "Instructions", "Look closely.")
        write(app, "Temperature", "0.5")
        write(app, "Tool rounds", "7")
        everything, calculator = control(app, "All tools, also those to come"), control(app, "calculator")
        assert isinstance(everything, QCheckBox)
        assert not calculator.isEnabled()
        QTest.keyClick(everything, Qt.Key.Key_Space)
        QTest.keyClick(calculator, Qt.Key.Key_Space)
        press(app, "Save agent")
        await until(lambda: notice(app) == "Reviewer is saved.")
        made = app.core.agents.named("Reviewer")
        assert (made.system_prompt, made.temperature, made.max_tool_rounds) == ("Look closely.", 0.5, 7)
        assert made.tools is not None
        assert "calculator" not in made.tools
        assert "wait" in made.tools
        press(app, "Make Reviewer the default")
        await until(lambda: app.core.agents.default == made)
        press(app, "Edit Reviewer")
        assert control(app, "Temperature").text() == "0.5"  # type: ignore[attr-defined]
        write(app, "Name", "Critic")
        press(app, "Save agent")
        await until(lambda: notice(app) == "Critic is saved.")
        press(app, "Remove Critic")
        await until(lambda: notice(app) == "Critic is removed.")
        assert len(app.core.agents.current) == 1
        undo(app)
        await until(lambda: len(app.core.agents.current) == 2)
        assert app.core.agents.default.name == "Critic"


async def test_an_agent_is_limited_to_some_servers_also_to_one_that_is_gone(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        for name in ("Files", "Web & co"):
            assert isinstance(await app.core.servers.save(name=name, command="never-run"), Ok)
        await app.core.agents.save(name="Clerk", mcp_servers=("files", "gone"))
        await settings(app, PageId.AGENTS, until)
        assert "MCP servers: Files · not there any more: gone" in texts(app)
        press(app, "Edit Clerk")
        assert control(app, "gone (not there any more)").isChecked()  # type: ignore[attr-defined]
        assert not control(app, "Web & co").isChecked()  # type: ignore[attr-defined]
        for name in ("Web & co", "Files", "gone (not there any more)"):
            QTest.keyClick(control(app, name), Qt.Key.Key_Space)
        press(app, "Save agent")
        await until(lambda: notice(app) == "Clerk is saved.")
        assert app.core.agents.named("Clerk").mcp_servers == ("web_co",)
        assert app.focused().accessibleName() in ("Make Clerk the default", "Edit Clerk")
        press(app, "Edit Clerk")
        QTest.keyClick(control(app, "All servers, also those to come"), Qt.Key.Key_Space)
        assert not control(app, "Files").isEnabled()
        press(app, "Save agent")
        await until(lambda: app.core.agents.named("Clerk").mcp_servers is None)
        assert "MCP servers:" not in texts(app)


async def test_instructions_that_are_too_long_are_refused_and_stay(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await settings(app, PageId.AGENTS, until)
        press(app, "New agent")
        write(app, "Name", "Long")
        box = control(app, "Instructions")
        assert isinstance(box, QPlainTextEdit)
        box.setPlainText("x" * 10_001)
        assert "10,001 of 10,000 characters" in texts(app)
        press(app, "Save agent")
        await until(lambda: "at most 10,000 characters" in texts(app))
        assert len(app.core.agents.current) == 1
        assert len(box.toPlainText()) == 10_001


async def test_every_control_of_both_pages_has_a_name(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        await app.core.agents.save(name="Reviewer")
        for page in (PageId.MODELS, PageId.AGENTS):
            await settings(app, page, until)
            if page is PageId.AGENTS:
                press(app, "New agent")
            nameless = [
                widget
                for widget in dialog(app)._pages.page(page).findChildren(QWidget)
                if widget.isVisible()
                and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
                and not widget.accessibleName()
                and widget.focusProxy() is None
                and not isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox)
            ]
            assert nameless == []


async def test_a_wheel_over_a_list_turns_the_page_and_no_choice(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        for page, opener, name in ((PageId.MODELS, None, "Provider"), (PageId.AGENTS, "New agent", "Model")):
            await settings(app, page, until)
            if opener is not None:
                press(app, opener)
            box = control(app, name)
            assert isinstance(box, QComboBox)
            box.clearFocus()
            none = (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase)
            turn = QWheelEvent(QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, -120), *none, False)
            before = box.currentIndex()
            QApplication.sendEvent(box, turn)
            assert (box.currentIndex(), turn.isAccepted()) == (before, False)
