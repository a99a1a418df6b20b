"""The picker in the header: agent and model, chosen by key, for the next turns of the viewed workflow."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from core.domain.agent import AgentSelection
from core.domain.model import ModelChoice
from core.services.outcome import Ok
from desktop.translation import Language
from tests.gui.window.rig import App, an_app
from tests.support.provider import Provider, provider, says

pytestmark = pytest.mark.usefixtures("bare")

Until = Callable[..., Awaitable[None]]
SHIFT_CONTROL = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider(says("I am a model")) as server:
        yield server


def who(app: App) -> str:
    """Return the accessible name of the picker's button."""
    names = [button.accessibleName() for button in app.content.header.findChildren(QPushButton)]
    return next(name for name in names if name.startswith("Who answers"))


def offered(app: App) -> list[str]:
    return [offer.title for offer in app.content.picker.shown()]


async def connect(app: App, server: Provider, model: str = "small-model") -> ModelChoice:
    kept = await app.core.providers.add_model(ModelChoice(base_url=server.url, model=model))
    assert isinstance(kept, Ok)
    return kept.data


async def test_the_offline_agent_describes_itself_and_a_model_can_be_connected(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await app.say("say 2 words")
        app.control(Qt.Key.Key_N)
        assert who(app) == "Who answers: Assistant · Offline agent, no language model"
        app.key(Qt.Key.Key_M, SHIFT_CONTROL)
        assert offered(app) == ["Assistant", "Offline agent, no language model", "Connect a model…"]
        app.key(Qt.Key.Key_Escape)
        assert not app.content.picker.isVisible()


async def test_a_model_that_is_typed_and_taken_answers_the_next_turns(
    tmp_path: Path, qapp: QApplication, until: Until, server: Provider
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 2 words")
        await app.core.engine.wait(run.id)
        await connect(app, server)
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: len(app.turn_texts()) == 2)
        assert "no language model" in who(app)
        app.key(Qt.Key.Key_M, SHIFT_CONTROL)
        QTest.keyClicks(app.focused(), "SMALL")
        assert offered(app) == ["small-model"]
        app.key(Qt.Key.Key_Return)
        await until(lambda: who(app) == "Who answers: Assistant · small-model")
        assert not app.content.picker.isVisible()
        for number in (1, 2):
            app.write("hello")
            app.key(Qt.Key.Key_Return)
            await until(lambda wanted=number: app.turn_texts().count("I am a model") == wanted)
            await until(lambda: not app.core.stores.background.running_workflows)
        assert len(server.posts) == 2


async def test_what_is_chosen_for_a_new_workflow_begins_with_it(
    tmp_path: Path, qapp: QApplication, until: Until, server: Provider
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await app.say("say 2 words")
        model = await connect(app, server)
        agent = await app.core.agents.save(name="Reviewer", model=model, system_prompt="Look closely.")
        assert isinstance(agent, Ok)
        app.control(Qt.Key.Key_N)
        app.key(Qt.Key.Key_M, SHIFT_CONTROL)
        QTest.keyClicks(app.focused(), "rev")
        app.key(Qt.Key.Key_Return)
        await until(lambda: who(app) == "Who answers: Reviewer · small-model")
        app.write("hello")
        app.key(Qt.Key.Key_Return)
        await until(lambda: "I am a model" in app.turn_texts())
        assert server.posts[0].messages[0]["content"].endswith("Look closely.")
        assert who(app) == "Who answers: Reviewer · small-model"
        await app.core.agents.remove(agent.data.id)
        await until(lambda: who(app).startswith("Who answers: Assistant"))


async def test_it_opens_by_tab_and_space_and_keeps_the_focus_where_it_was(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await app.say("say 2 words")
        app.control(Qt.Key.Key_N)
        button = next(
            each for each in app.content.header.findChildren(QPushButton) if each.accessibleName() == who(app)
        )
        await until(button.isVisible)
        for _ in range(60):
            if app.focused() is button:
                break
            app.key(Qt.Key.Key_Tab)
            await asyncio.sleep(0.005)
        assert app.focused() is button
        app.key(Qt.Key.Key_Space)
        assert app.content.picker.isVisible()
        QTest.keyClicks(app.focused(), "zzz")
        assert offered(app) == []
        app.key(Qt.Key.Key_Return)
        assert app.content.picker.isVisible()
        app.key(Qt.Key.Key_Escape)
        assert app.focused() is button


async def test_a_model_without_its_key_is_refused_with_words(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 2 words")
        await app.core.engine.wait(run.id)
        app.content.workflow_actions.show(run.workflow_id)
        keyless = ModelChoice(provider="openai", base_url="https://api.openai.com/v1", model="big", needs_key=True)
        await app.core.providers.add_model(keyless)
        app.key(Qt.Key.Key_M, SHIFT_CONTROL)
        QTest.keyClicks(app.focused(), "big")
        app.key(Qt.Key.Key_Return)
        await until(lambda: app.content.picker.problem)
        assert "no key" in app.content.picker.problem
        assert app.content.picker.isVisible()
        listed = app.core.stores.workflows.get(run.workflow_id)
        assert listed is not None
        assert listed.workflow.answering is not None
        assert listed.workflow.answering == AgentSelection(agent=listed.workflow.answering.agent, is_offline=True)


async def test_in_a_narrow_window_its_words_are_shortened_and_never_cut(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        app.session.translation.set_language(Language.FRENCH)
        run = await app.say("ask Which?")
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: app.core.stores.questions.count(run.workflow_id) == 1)
        button = next(each for each in app.content.header.findChildren(QPushButton) if "hors ligne" in each.toolTip())
        await until(lambda: button.text().endswith("…") and button.width() >= button.sizeHint().width())
        assert app.window.width() == 800
