"""What workflows use, under the composer of the real window."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId
from core.domain.model import ModelChoice
from core.domain.run import Run
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.chat.derivation import derive_turns
from desktop.chat.turn_parts import Boundary
from desktop.chat.views.painted_views import BoundaryView
from tests.gui.window.rig import App, an_app
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Provider, provider, says

Until = Callable[..., Awaitable[None]]
NBSP = "\N{NO-BREAK SPACE}"


def bar(app: App) -> list[str]:
    """Return the text of the token bar."""
    shown = app.content.chat.token_bar
    found: list[QLabel | QPushButton] = [*shown.findChildren(QLabel), *shown.findChildren(QPushButton)]
    return [each.text() for each in found if each.isVisible()]


def model(server: Provider, context_tokens: int = 16_384) -> ModelChoice:
    return ModelChoice(base_url=server.url, model="m", price_in=2, price_out=6, context_tokens=context_tokens)


async def asked(app: App, text: str, workflow_id: WorkflowId | None = None) -> Run:
    sent = await app.core.chat.send(text, workflow_id, mode=ValidationMode.AUTO)
    assert isinstance(sent, Ok), sent
    return await app.core.engine.wait(sent.data.id)


async def test_each_workflow_has_its_own_numbers_also_unviewed_and_after_a_restart(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    with provider(says("one", usage=(10_000, 2_000)), says("two", usage=(500, 100))) as server:
        async with an_app(tmp_path, qapp, storage) as app:
            await app.core.providers.add_model(model(server))
            app.control(Qt.Key.Key_N)
            await until(app.content.chat.token_bar.isVisible)
            first = await asked(app, "first")
            await asked(app, "again", first.workflow_id)
            other = await asked(app, "/say", None)
            numbers = [f"Turn ↑{NBSP}500 ↓{NBSP}100", f"Total ↑{NBSP}10.5k ↓{NBSP}2.1k", "≈ $0.03"]
            app.content.workflow_actions.show(first.workflow_id)
            assert [word for word in bar(app) if word in numbers] == numbers  # at once, before any load
            app.content.workflow_actions.show(other.workflow_id)
            assert f"Total ↑{NBSP}500 ↓{NBSP}100" in bar(app)
            app.content.workflow_actions.show(first.workflow_id)
            assert [word for word in bar(app) if word in numbers] == numbers
            app.control(Qt.Key.Key_N)
            assert bar(app) == []
        async with an_app(tmp_path, qapp, storage) as app:
            app.content.workflow_actions.show(first.workflow_id)
            await until(lambda: [word for word in bar(app) if word in numbers] == numbers)
            assert bar(app)[0].startswith("Context ")


async def test_the_gauge_follows_the_model_that_answers_next(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    with provider(says("x " * 1500, usage=(100, 1500))) as server:
        async with an_app(tmp_path, qapp) as app:
            await app.core.providers.add_model(model(server, 4096))
            run = await asked(app, "go on")
            app.content.workflow_actions.show(run.workflow_id)
            small = app.content.chat.token_bar.share
            assert small is not None
            wide = model(server, 100_000).model_copy(update={"model": "wide"})
            await app.core.workflows.select_agent(run.workflow_id, AgentSelection(model=wide))
            await until(lambda: (app.content.chat.token_bar.share or 1) < small / 10)
            await app.core.workflows.select_agent(run.workflow_id, AgentSelection(is_offline=True))
            await until(lambda: app.content.chat.token_bar.share is None)


async def test_what_costs_nothing_is_free(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        app.control(Qt.Key.Key_N)
        app.write("say 3 words")
        app.key(Qt.Key.Key_Return)
        await until(lambda: "Free" in bar(app))
        token_bar = app.content.chat.token_bar
        below = token_bar.mapTo(app.window, token_bar.rect().bottomRight())
        assert below.y() < app.window.height()
        await asyncio.sleep(0)


async def test_the_user_continues_from_a_summary_and_sees_where_the_context_begins(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    def boundaries(app: App) -> list[str]:
        return [view.accessibleName() for view in app.content.findChildren(BoundaryView) if view.isVisible()]

    storage = InMemoryStorage()
    with provider(says("word " * 2600), says("word " * 2600), says("In short."), says("Yes.")) as server:
        async with an_app(tmp_path, qapp, storage) as app:
            await app.core.providers.add_model(model(server, 10_240))
            app.control(Qt.Key.Key_N)
            run = await asked(app, "first")
            await asked(app, "second", run.workflow_id)
            app.content.workflow_actions.show(run.workflow_id)
            await until(lambda: "Context full" in bar(app))
            await until(lambda: len(app.turn_texts()) == 4)
            view = app.core.stores.view
            edges = [turn.boundary for turn in derive_turns(view.messages, view.run_of)]
            assert edges == [None, None, Boundary.CONTEXT_LIMIT, None]
            (button,) = [
                each
                for each in app.content.chat.token_bar.findChildren(QPushButton)
                if each.text().startswith("Continue")
            ]
            button.setFocus()
            app.key(Qt.Key.Key_Space)
            await until(lambda: "In short." in app.turn_texts())
            summary = "Older messages are no longer sent: this summary replaces them"
            await until(lambda: boundaries(app) == [summary])
            await until(lambda: "Context full" not in bar(app))
            assert len(app.turn_texts()) == 5
            await asked(app, "third", run.workflow_id)
            assert "first" not in str(server.posts[-1].messages)
        async with an_app(tmp_path, qapp, storage) as app:
            app.content.workflow_actions.show(run.workflow_id)
            await until(lambda: boundaries(app) == [summary])
            assert len(app.turn_texts()) == 7


async def test_the_offline_agent_cannot_sum_up_and_reports_it(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 1 word")
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: not app.core.stores.background.running_workflows)
        command = app.window.findChild(QAction, "run.summary")
        assert isinstance(command, QAction)
        command.trigger()
        await until(lambda: any(toast.code == "no_model" for toast in app.core.stores.toasts.visible))
