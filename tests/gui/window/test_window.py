"""The whole window: keys in, and what is visible."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QToolButton

from core.domain.messages import MessageState
from core.domain.run import RunKind, RunStatus
from core.domain.template import Template, ValidationMode
from core.engine.runs.start_request import StartRequest
from core.services.outcome import Ok
from desktop.chat.turn_parts import Turn
from desktop.chat.views.failure_view import FailureView
from desktop.settings.models.models_page import ModelsPage
from desktop.shortcuts.key_strings import key_name
from desktop.theme import app_mark
from desktop.translation import Language
from desktop.widgets import KeyHint
from desktop.window.base.outgoing import OutgoingMessage
from tests.gui.chat.sight import texts
from tests.gui.window.rig import an_app
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import a_step, tool_step

Until = Callable[..., Awaitable[None]]
SEED = 3


async def test_enter_on_the_first_page_starts_three_workflows(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp, mode=ValidationMode.SELECTIVE) as app:
        app.key(Qt.Key.Key_Return)
        await until(lambda: app.core.stores.background.running_count == 3)
        await until(lambda: app.core.settings.current.validation_mode is ValidationMode.AUTO)
        assert app.viewed is not None
        await until(lambda: app.core.stores.background.recently_completed_workflows)
        app.content.demo.remove()
        await until(lambda: not app.core.stores.workflows.rows)
        assert await app.core.storage.workflows.all() == []
        await until(lambda: app.core.settings.current.validation_mode is ValidationMode.SELECTIVE)


async def test_a_mode_that_was_chosen_since_stays_when_the_demo_goes(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, mode=ValidationMode.SELECTIVE) as app:
        app.key(Qt.Key.Key_Return)
        await until(lambda: app.core.stores.background.running_count == 3)
        await app.core.settings.change(validation_mode=ValidationMode.MANUAL)
        app.content.mode.set_mode(ValidationMode.AUTO)
        await until(lambda: app.core.settings.current.validation_mode is ValidationMode.AUTO)
        app.content.demo.remove()
        await until(lambda: not app.core.stores.workflows.rows)
        await asyncio.sleep(0.1)
        assert app.core.settings.current.validation_mode is ValidationMode.AUTO


async def test_the_window_has_our_mark(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        mark = app.window.windowIcon().pixmap(QSize(64, 64), 1.0).toImage()
        assert mark == app_mark(64).toImage()


async def test_a_message_is_sent_with_enter_and_answered(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Qt.Key.Key_N)
        app.write("say 3 words")
        app.key(Qt.Key.Key_Return)
        await until(lambda: "a workflow is" in app.turn_texts())
        assert app.content.chat.composer.draft().text == ""
        assert app.turn_texts()[0] == "say 3 words"
        app.control(Qt.Key.Key_N)
        assert app.content.chat.composer.draft().text == ""


async def test_a_failed_answer_keeps_its_text_and_shows_what_failed(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """Twenty pieces, then a reset (UX007)."""
    text = " ".join(f"w{n}" for n in range(20))
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("go", script=({"say": text}, {"fail": "connection reset"}))
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: app.core.stores.background.recently_completed_workflows)
        assert app.turn_texts()[-1] == text
        execution = app.core.stores.background.get_execution(run.workflow_id)
        assert execution is not None
        assert execution.status is RunStatus.ERROR
        assert execution.error is not None
        assert execution.error["message"] == "connection reset"
        transcript = app.content.chat.transcript
        await until(lambda: [widget for widget in transcript.findChildren(FailureView) if widget.isVisible()])
        assert texts(transcript)[1] == text
        (card,) = [widget for widget in transcript.findChildren(FailureView) if widget.isVisible()]
        assert "connection reset" in card.accessibleName() + " ".join(
            label.text() for label in card.findChildren(QLabel)
        )
        assert [button.text() for button in card.findChildren(QPushButton) if button.isVisible()]
        await until(lambda: "Failed" in app.header_texts())
        stored = (await app.core.storage.messages.of_workflow(run.workflow_id))[-1]
        assert stored.text == text


async def test_each_workflow_has_exactly_its_own_text_after_fifty_switches(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """Three streams at sixty pieces a second, switched at random (stream-01)."""
    dice = random.Random(SEED)
    texts = [" ".join(f"{name}{n}" for n in range(200)) for name in "abc"]
    async with an_app(tmp_path, qapp) as app:
        runs = [await app.say(f"go {text[:2]}", script=({"say": text, "delay_ms": 16},)) for text in texts]
        for _ in range(50):
            at = dice.randrange(3)
            app.content.workflow_actions.show(runs[at].workflow_id)
            await asyncio.sleep(0.03)
            assert all(word[0] == "abc"[at] for word in app.core.stores.view.content.split())
        await until(lambda: len(app.core.stores.background.recently_completed_workflows) == 3)
        for run, text in zip(runs, texts, strict=True):
            app.content.workflow_actions.show(run.workflow_id)
            await until(lambda: app.core.stores.view.is_loaded)
            assert app.turn_texts()[-1] == text
            assert (await app.core.storage.messages.of_workflow(run.workflow_id))[-1].text == text


async def test_slots_and_recent_workflows_are_reached_by_key(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        runs = [await app.say("say 300 words") for _ in range(3)]
        app.content.chat.composer.focus_text()
        for number, run in enumerate(runs, 1):
            app.control(Qt.Key(Qt.Key.Key_0.value + number))
            assert app.viewed == run.workflow_id
        app.control(Qt.Key.Key_Tab)
        app.content.eventFilter(app.window, _control_let_go())
        assert app.viewed == runs[1].workflow_id
        app.control(Qt.Key.Key_Tab)
        app.content.eventFilter(app.window, _control_let_go())
        assert app.viewed == runs[2].workflow_id


async def test_the_walk_through_recent_workflows_skips_deleted_workflows(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        runs = [await app.say(f"say {number} words") for number in range(1, 5)]
        for run in runs:
            app.content.workflow_actions.show(run.workflow_id)
        for run in runs[1:3]:
            app.delete(run.workflow_id)
        await until(lambda: len(app.core.stores.workflows.rows) == 2)
        app.control(Qt.Key.Key_Tab)
        app.content.eventFilter(app.window, _control_let_go())
        assert app.viewed == runs[0].workflow_id
        app.control(Qt.Key.Key_Tab)
        app.content.eventFilter(app.window, _control_let_go())
        assert app.viewed == runs[3].workflow_id


def _control_let_go() -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyRelease, Qt.Key.Key_Control, Qt.KeyboardModifier.NoModifier)


async def test_trying_again_sends_the_same_message_and_leaves_what_is_being_written(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 2 words", script=({"fail": "connection reset"},))
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: app.core.stores.background.recently_completed_workflows)
        app.write("my own words")
        app.content._retry.resend_prompt_of(run.message_id)
        await until(lambda: app.turn_texts()[-1] == "a workflow")
        assert app.turn_texts()[::2] == ["say 2 words", "say 2 words"]
        assert app.content.chat.composer.draft().text == "my own words"


async def test_a_templates_run_is_not_tried_again_with_an_earlier_message(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        said = await app.say("say 2 words")
        await app.core.engine.wait(said.id)
        workflow = app.core.stores.workflows.get(said.workflow_id)
        assert workflow is not None
        steps = Template.model_validate(template(a_step("one", input="@input.missing")))
        run = await app.core.engine.start(StartRequest(workflow.workflow, steps, {}, RunKind.WORKFLOW))
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: (shown := app.core.stores.view.run_of(run.message_id)) and shown.status.is_final)
        await asyncio.sleep(0.1)
        (card,) = app.content.chat.transcript.findChildren(FailureView)
        assert not [
            button for button in card.findChildren(QPushButton) if button.text() == "Try again" and button.isVisible()
        ]
        app.content._retry.resend_prompt_of(run.message_id)
        await asyncio.sleep(0.1)
        assert not app.core.stores.background.running_workflows


async def test_why_a_message_was_rejected_is_shown_where_it_was_written(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        full, other = await app.say("say 300 words"), await app.say("say 300 words")
        for number in range(50):
            assert isinstance(await app.core.queue.add(full.workflow_id, str(number)), Ok)
        app.content.workflow_actions.show(full.workflow_id)
        refused: list[str] = []
        app.content.workflow_actions.refused.connect(lambda origin, _words: refused.append(origin))
        app.content.workflow_actions.send(OutgoingMessage("more"), app.viewed)
        app.content.workflow_actions.show(other.workflow_id)
        await until(lambda: refused)
        assert refused == [full.workflow_id]
        assert app.content.chat.composer._error == ""
        app.content.workflow_actions.show(full.workflow_id)
        app.content.workflow_actions.send(OutgoingMessage("more"), app.viewed)
        await until(lambda: app.content.chat.composer._error)


async def test_a_change_of_mode_is_seen_in_the_header_and_on_the_row_of_what_runs(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 300 words")
        await until(lambda: app.row(run.workflow_id))
        app.control(Qt.Key.Key_N)
        await until(lambda: "Automatic mode" in app.header_texts())
        await app.core.settings.change(validation_mode=ValidationMode.MANUAL)
        await until(lambda: "Manual mode" in app.header_texts())
        await until(lambda: (row := app.row(run.workflow_id)) and row.mode is ValidationMode.AUTO)
        await app.core.settings.change(validation_mode=ValidationMode.AUTO)
        await until(lambda: (row := app.row(run.workflow_id)) and row.mode is None)


async def test_the_header_names_a_new_workflow_in_the_language_of_now(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Qt.Key.Key_N)
        assert "New workflow" in app.header_texts()
        app.session.translation.set_language(Language.FRENCH)
        await until(lambda: "Nouveau workflow" in app.header_texts())


async def test_a_toast_leads_to_its_workflow_from_the_settings(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 2 words")
        app.control(Qt.Key.Key_N)
        app.control(Qt.Key.Key_Comma)
        await until(lambda: app.core.stores.toasts.visible)
        app.content.toasts.go_requested.emit(app.core.stores.toasts.visible[0].workflow_id)
        await until(lambda: app.viewed == run.workflow_id)


async def test_a_background_event_takes_no_focus_and_opens_no_window(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """Three runs stream, finish and fail while the user types (UX029)."""
    async with an_app(tmp_path, qapp) as app:
        app.control(Qt.Key.Key_N)
        app.write("my own ")
        focused, windows = app.focused(), set(QApplication.topLevelWidgets())
        await app.say("say 5 words")
        await app.say("say 9 words")
        await app.say("go", script=({"fail": "no"},))
        await until(lambda: len(app.core.stores.background.recently_completed_workflows) == 3)
        await asyncio.sleep(0.3)
        assert app.focused() is focused
        assert {window for window in QApplication.topLevelWidgets() if window.isVisible()} <= windows
        app.write("words")
        assert app.content.chat.composer.draft().text == "my own words"


async def test_buttons_name_the_keys_of_the_commands_that_do_the_same(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        keymap = app.content.keymap

        def are_named() -> bool:
            tips = [button.toolTip() for button in app.content.findChildren(QToolButton)]
            folding = all(
                any(key_name(keymap.first(each)) in tip for tip in tips) for each in ("view.sidebar", "view.activity")
            )
            hints = {hint.text() for hint in app.content.findChildren(KeyHint)}
            shown = {key_name(keymap.first(each)) for each in ("workflow.new", "app.settings", "focus.composer")}
            return folding and shown <= hints

        assert are_named()
        keymap.use({"view.sidebar": ["F7"], "view.activity": ["Shift+F7"], "focus.composer": ["Ctrl+E"]})
        assert are_named()
        assert "Ctrl+E" in {hint.text() for hint in app.content.findChildren(KeyHint)}


async def test_stop_cancels_the_shown_run_and_keeps_its_text(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 400 words")
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: len(app.core.stores.view.content) > 50)
        app.content.chat.composer.focus_text()
        app.key(Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
        await until(lambda: not app.core.stores.background.running_count)
        stored = (await app.core.storage.messages.of_workflow(run.workflow_id))[-1]
        assert stored.state is MessageState.INTERRUPTED
        assert len(stored.text) > 50
        assert not any(toast.workflow_id == run.workflow_id for toast in app.core.stores.toasts.visible)


async def test_deleting_asks_first_and_stops_what_runs(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 400 words")
        app.content.archive.delete(run.workflow_id)
        (box,) = app.window.findChildren(QMessageBox)
        assert "running" in box.informativeText()
        next(button for button in box.buttons() if button.objectName() == "delete").click()
        await until(lambda: not app.core.stores.workflows.rows)
        app.core.stores.toasts.clear()

        async def is_gone() -> bool:
            return await app.core.storage.runs.get(run.id) is None

        await until(is_gone)


async def test_after_a_crash_what_was_seen_is_there_and_nothing_is_shown_as_running_that_is_not(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        runs = [await app.say("say 300 words") for _ in range(3)]
        app.content.workflow_actions.show(runs[0].workflow_id)
        await asyncio.sleep(1.2)
        seen, copy = app.core.stores.view.content, storage.copy()
    async with an_app(tmp_path, qapp, copy) as app:
        app.content.workflow_actions.show(runs[0].workflow_id)
        execution = app.core.stores.background.get_execution(runs[0].workflow_id)
        assert execution is not None
        assert execution.run is not None
        await until(lambda: execution.run.interrupted_texts)
        (kept,) = execution.run.interrupted_texts
        assert len(kept) > len(seen) - 60 * 8
        assert seen.startswith(kept)
        assert app.core.stores.background.running_count == 3
        await until(lambda: not app.core.stores.background.running_count)
        for run in runs:
            assert (await app.core.engine.wait(run.id)).status is RunStatus.SUCCESS


async def test_after_a_crash_the_run_of_a_template_is_called_as_its_workflow(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        said = await app.say("say 2 words")
        await app.core.engine.wait(said.id)
        await app.core.workflows.rename(said.workflow_id, "My own name")
        workflow = app.core.stores.workflows.get(said.workflow_id)
        assert workflow is not None
        steps = Template.model_validate(template(tool_step("one", "wait", seconds=30)))
        await app.core.engine.start(StartRequest(workflow.workflow, steps, {}, RunKind.WORKFLOW))
        await until(lambda: app.core.stores.background.running_count == 1)
        copy = storage.copy()
    async with an_app(tmp_path, qapp, copy) as app:
        await until(lambda: app.core.stores.background.running_count == 1)
        execution = app.core.stores.background.get_execution(said.workflow_id)
        assert execution is not None
        assert execution.workflow_name == "My own name"


async def test_only_what_is_viewed_is_laid_out(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_app(tmp_path, qapp) as app:
        runs = [await app.say("say 200 words") for _ in range(3)]
        app.content.workflow_actions.show(runs[0].workflow_id)
        drawn: list[str] = []
        update = app.content.chat.transcript.update_turn

        def watched(turn: Turn) -> None:
            drawn.append(turn.id)
            update(turn)

        monkeypatch.setattr(app.content.chat.transcript, "update_turn", watched)
        await asyncio.sleep(1)
        assert set(drawn) == {runs[0].message_id}


async def test_the_first_page_leads_to_the_models_of_the_settings(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await until(app.content.start.isVisible)
        QTest.keyClick(app.focused(), Qt.Key.Key_Tab)
        QTest.keyClick(app.focused(), Qt.Key.Key_Return)
        await until(lambda: app.content.preferences._dialog)
        dialog = app.content.preferences._dialog
        assert dialog is not None
        await until(lambda: [widget for widget in dialog.findChildren(ModelsPage) if widget.isVisible()])
