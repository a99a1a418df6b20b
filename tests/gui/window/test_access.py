"""A folder that is not allowed is asked for in a card of its own, also in automatic mode."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from core.domain.ids import WorkflowId
from core.domain.interruption import Action
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.ports import FileRequest
from core.services.outcome import Ok
from desktop.attention.card import AttentionCard
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import ended
from tests.support import waiting
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import tool_step


async def no_file(wanted: FileRequest) -> Path | None:
    return None


@pytest.fixture
def docs() -> Iterator[Path]:
    """A folder of the disk: those of pytest may lie in /dev, which is never offered."""
    with TemporaryDirectory() as name:
        folder = Path(name).resolve() / "Invoices 2026"
        folder.mkdir()
        (folder / "a.txt").write_text("alpha")
        yield folder


async def card_of(app: App, *calls: tuple[str, Mapping[str, object]]) -> AttentionCard:
    """Return the card of a chat in automatic mode that makes these calls."""
    script = [{"call": tool, "arguments": arguments} for tool, arguments in calls]
    sent = await app.core.chat.send("go", mode=ValidationMode.AUTO, script=[*script, {"say": "done"}])
    assert isinstance(sent, Ok), sent
    app.content.workflow_actions.show(sent.data.workflow_id)
    await shown(app, sent.data.workflow_id)
    return app.content.chat.card


async def shown(app: App, workflow_id: WorkflowId) -> None:
    await waiting.until(lambda: app.core.stores.questions.count(workflow_id) >= 1)
    await waiting.until(lambda: app.core.stores.view.is_loaded)
    app.content.chat.focus_card()
    card = app.content.chat.card
    await waiting.until(lambda: card.request is not None and card.request.is_ready)
    await app.drawn()


def _offers(card: AttentionCard, access: str) -> bool:
    return access in texts(card)


def texts(card: AttentionCard) -> str:
    return "\n".join(label.text() for label in card.findChildren(QLabel) if label.isVisible())


async def test_the_card_names_the_folder_and_the_call_goes_on(tmp_path: Path, qapp: QApplication, docs: Path) -> None:
    storage = InMemoryStorage()
    path = str(docs / "a.txt")
    async with an_app(tmp_path, qapp, storage, size=(800, 600), picker=no_file) as app:
        card = await card_of(app, ("read_file", {"path": path}))
        assert card.request is not None
        run_id = card.request.question.run_id
        assert str(docs) in texts(card), "the folder is in sight before anything is allowed"
        assert "Folder, read only" in texts(card)
        assert card.button(Action.APPROVE).text() == "Allow this folder"
        assert card.button(Action.REJECT).text() == "Do not allow"
        assert card.button(Action.REJECT).hasFocus(), "Enter allows nothing"
        assert "This run, and those that it starts" in texts(card)
    async with an_app(tmp_path, qapp, storage, size=(800, 600), picker=no_file) as app:
        run = await storage.runs.get(run_id)
        assert run is not None
        app.content.workflow_actions.show(run.workflow_id)
        await shown(app, run.workflow_id)
        card = app.content.chat.card
        await waiting.until(lambda: not card.guard.is_on)
        app.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await ended(app, await app.core.engine.wait(run_id))
        run = await storage.runs.get(run_id)
        assert run is not None
        assert run.status is RunStatus.SUCCESS
        assert "alpha" in (run.output_json or "") or app.turn_texts()


async def test_a_report_on_a_folder_that_is_not_allowed_asks_for_it_and_is_written(
    tmp_path: Path, qapp: QApplication, docs: Path
) -> None:
    async with an_app(tmp_path, qapp, picker=no_file) as app:
        template = await app.core.templates.named(None, "Folder report")
        started = await app.core.runs.start(template, {"folder": str(docs)}, mode=ValidationMode.AUTO)
        assert isinstance(started, Ok), started
        run = started.data
        app.content.workflow_actions.show(run.workflow_id)
        card = app.content.chat.card
        for access in ("Folder, read only", "Folder, read and write"):
            await waiting.until(partial(_offers, card, access))
            await shown(app, run.workflow_id)
            await waiting.until(lambda: not card.guard.is_on)
            card.button(Action.APPROVE).click()
            await app.drawn()
        await ended(app, await app.core.engine.wait(run.id))
        ready = await app.core.storage.runs.get(run.id)
        assert ready is not None
        assert ready.status is RunStatus.SUCCESS
        assert (docs / "report.md").exists()


async def test_what_is_not_allowed_fails_with_the_next_step_and_can_be_allowed_when_tried_again(
    tmp_path: Path, qapp: QApplication, docs: Path
) -> None:
    async with an_app(tmp_path, qapp, picker=no_file) as app:
        step = tool_step("save", "write_file", path=str(docs / "new.txt"), content="new")
        run = await app.start("Saves", step)
        app.content.workflow_actions.show(run.workflow_id)
        await shown(app, run.workflow_id)
        card = app.content.chat.card
        assert "Folder, read and write" in texts(card)
        await waiting.until(lambda: not card.guard.is_on)
        card.button(Action.REJECT).click()
        await ended(app, await app.core.engine.wait(run.id))
        failed = await app.core.storage.runs.get(run.id)
        assert failed is not None
        assert failed.error is not None
        assert failed.error.code == "not_allowed"
        assert not (docs / "new.txt").exists()
        again = await app.core.engine.fork(run.id, "save")
        app.content.workflow_actions.show(again.workflow_id)
        await shown(app, again.workflow_id)
        await waiting.until(lambda: not card.guard.is_on)
        card.button(Action.APPROVE).click()
        await ended(app, await app.core.engine.wait(again.id))
        assert (docs / "new.txt").read_text() == "new"
