"""Going to anything by typing a part of its name, in the real window."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.ids import WorkflowId
from core.ports import PutWorkflow
from desktop.palette.entries import Entry
from tests.contracts.rows import a_workflow
from tests.gui.window.rig import App, an_app
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
SHIFT_CONTROL = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
ASKS = {**tool_step("ask", "calculator", expression="1"), "interrupt": {"kind": "approval"}}


def titles(app: App) -> list[str]:
    return [entry.title for entry in app.content.command_palette.shown()]


def notes(app: App) -> dict[str, str]:
    return {entry.title: entry.note for entry in app.content.command_palette.shown()}


def type_in(app: App, text: str) -> None:
    QTest.keyClicks(app.focused(), text)


async def test_a_workflow_is_reached_by_four_letters_of_its_name(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        runs = [await app.say(f"say 2 words about {what}") for what in ("apples", "cherries", "plums")]
        for run in runs:
            await app.core.engine.wait(run.id)
        app.control(Qt.Key.Key_K)
        type_in(app, "cher")
        assert titles(app)[0] == "say 2 words about cherries"
        app.key(Qt.Key.Key_Return)
        assert app.viewed == runs[1].workflow_id
        assert app.focused() is app.content.chat.composer._box
        assert not app.content.command_palette.isVisible()


async def test_with_nothing_typed_pending_requests_come_first_then_what_was_viewed_before(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        first = await app.say("say 1 word")
        second = await app.say("say 2 words")
        asking = await app.start("Publish", ASKS)
        for run in (first, second, asking):
            await app.core.engine.wait(run.id)
        for run in (first, second):
            app.content.workflow_actions.show(run.workflow_id)
        app.control(Qt.Key.Key_K)
        assert titles(app)[:3] == ["Publish", "say 1 word", "say 2 words"]
        assert notes(app)["Publish"] == "needs you"
        app.key(Qt.Key.Key_Down)
        app.key(Qt.Key.Key_Return)
        assert app.viewed == first.workflow_id


async def test_esc_closes_the_palette_alone_and_gives_the_focus_back(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 400 words 5")
        app.content.workflow_actions.show(run.workflow_id)
        app.write("kept")
        before = app.focused()
        app.control(Qt.Key.Key_K)
        assert app.focused() is not before
        type_in(app, "x")
        app.key(Qt.Key.Key_Escape)
        assert not app.content.command_palette.isVisible()
        assert app.focused() is before
        assert app.content.chat.composer.draft().text == "kept"
        execution = app.core.stores.background.get_execution(run.workflow_id)
        assert execution is not None
        assert execution.is_active
        await app.core.engine.cancel(run.id)


async def test_a_command_is_found_by_its_name_and_shows_its_keys(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.key(Qt.Key.Key_P, SHIFT_CONTROL)
        assert "Remove the demo" not in titles(app)  # there is none
        type_in(app, "hide act")
        assert notes(app) == {"Show or hide the activity": "Ctrl+Shift+B or Shift+F9"}
        folded = app.content.activity.is_collapsed
        app.key(Qt.Key.Key_Return)
        assert app.content.activity.is_collapsed is not folded


async def test_the_help_lists_every_key_and_the_keys_of_each_scope(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.key(Qt.Key.Key_F1)
        assert notes(app)["New workflow"] == "Ctrl+N"
        assert notes(app)["New line"] == "Shift+Enter"
        type_in(app, "new line")
        assert titles(app) == ["New line"]
        app.key(Qt.Key.Key_F1)
        assert not app.content.command_palette.isVisible()


async def test_who_answers_is_chosen_by_name(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Qt.Key.Key_N)
        app.control(Qt.Key.Key_K)
        type_in(app, "@offl")
        assert titles(app) == ["Offline agent, no language model"]
        app.key(Qt.Key.Key_Return)
        await until(lambda: app.content.answering.for_new.is_offline)


async def test_nothing_found_is_shown_and_enter_does_nothing(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Qt.Key.Key_K)
        type_in(app, "zzzz qqqq")
        assert app.content.command_palette.shown() == []
        app.key(Qt.Key.Key_Return)
        assert app.content.command_palette.isVisible()
        app.key(Qt.Key.Key_Escape)


async def test_the_palette_stays_inside_a_small_window(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    storage = InMemoryStorage()
    await storage.commit([PutWorkflow(a_workflow(WorkflowId(f"wf_{number}"), number)) for number in range(30)])
    async with an_app(tmp_path, qapp, storage, size=(800, 600)) as app:
        app.control(Qt.Key.Key_K)
        await until(lambda: len(app.content.command_palette.shown()) == 30)
        assert app.window.rect().contains(app.content.command_palette.geometry())
        for _ in range(29):
            app.key(Qt.Key.Key_Down)
        last: Entry = app.content.command_palette.shown()[-1]
        app.key(Qt.Key.Key_Return)
        assert app.viewed == last.key


async def test_the_inbox_has_what_is_asked_and_what_ended_also_after_a_restart(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        done = await app.say("say 1 word")
        failed = await app.say("go", script=({"fail": "no luck"},))
        asking = await app.start("Publish", ASKS)
        for run in (done, failed, asking):
            await app.core.engine.wait(run.id)
        stopped = await app.say("say 500 words 5")
        await app.core.engine.cancel(stopped.id)
        app.key(Qt.Key.Key_J, SHIFT_CONTROL)
        assert titles(app) == ["Publish: May “ask” run?", "go: The model’s answer failed", "say 1 word: Finished"]
    async with an_app(tmp_path, qapp, storage) as app:
        await until(lambda: app.core.stores.questions.workflows == [asking.workflow_id])
        app.key(Qt.Key.Key_J, SHIFT_CONTROL)
        assert titles(app) == ["Publish: May “ask” run?", "go: The model’s answer failed", "say 1 word: Finished"]
        app.key(Qt.Key.Key_Return)
        assert app.viewed == asking.workflow_id
        assert app.content.chat.card.isAncestorOf(app.focused())
        app.key(Qt.Key.Key_J, SHIFT_CONTROL)
        app.key(Qt.Key.Key_Down)
        app.key(Qt.Key.Key_Down)
        app.delete(failed.workflow_id)
        await app.core.engine.cancel(asking.id)  # what is not asked any more is not in the inbox
        await until(lambda: titles(app) == ["say 1 word: Finished"])
        app.key(Qt.Key.Key_Return)
        assert app.viewed == done.workflow_id


async def test_a_command_that_begins_so_comes_before_a_title_with_the_letters_scattered(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 1 word about pepper and ice")
        await app.core.engine.wait(run.id)
        app.control(Qt.Key.Key_K)
        type_in(app, "rec")
        assert titles(app)[0].startswith("Rec")
        assert "say 1 word about pepper and ice" in titles(app)
        app.key(Qt.Key.Key_Escape)
        run = await app.say("say 1 word about records")
        await app.core.engine.wait(run.id)
        app.control(Qt.Key.Key_K)
        type_in(app, "rec")
        assert titles(app)[0] == "say 1 word about records"
