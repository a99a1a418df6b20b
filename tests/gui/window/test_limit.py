"""At the limit (ENGINE §9): what the composer and the form say for as long as it holds, and the ways out."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.run import Run, RunStatus
from core.domain.template import ValidationMode
from desktop.window.conversation.limit_strip import LimitStrip
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_new_from_template import begin, keep
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
LONG = "a long one"


def strip_of(app: App) -> LimitStrip:
    return app.content.chat.footer.limit


def reason(app: App) -> str:
    """Why a start has to wait, as far as it is shown; empty if nothing is."""
    strip = strip_of(app)
    return strip.limit.reason if strip.limit is not None and strip.isVisible() else ""


async def work(app: App) -> Run:
    """Start what is at work for as long as the test lasts."""
    return await app.say(LONG, script=({"say": "a b c", "delay_ms": 120_000},))


def count(app: App) -> int:
    return app.core.stores.background.running_count


def written(app: App) -> str:
    return app.content.chat.composer.draft().text


def mode_of(app: App) -> ValidationMode:
    return app.core.settings.current.validation_mode


async def try_to_send(app: App, text: str, until: Until) -> None:
    """In a new workflow, at the limit."""
    app.control(Key.Key_N)
    app.write(text)
    app.key(Key.Key_Return)
    await until(lambda: bool(reason(app)))


@pytest.mark.parametrize(
    ("mode", "limit"), [(ValidationMode.AUTO, 3), (ValidationMode.MANUAL, 1), (ValidationMode.SELECTIVE, 1)]
)
async def test_a_refused_message_stays_with_its_reason_and_is_queued_as_it_is_by_then(
    tmp_path: Path, qapp: QApplication, until: Until, mode: ValidationMode, limit: int
) -> None:
    async with an_app(tmp_path, qapp, mode=mode) as app:
        busy = [await work(app) for _ in range(limit)][-1]
        await try_to_send(app, "one", until)
        assert (written(app), count(app)) == ("one", limit)
        assert strip_of(app).auto.isVisible() is (mode is not ValidationMode.AUTO)
        assert ("3 workflows are running" if limit == 3 else f"“{LONG}” is running") in reason(app)
        app.content.opener.open(busy.workflow_id)
        assert not reason(app)  # nothing was refused here
        app.control(Key.Key_N)
        assert reason(app)
        app.write(" more")
        strip_of(app).queue.setFocus()
        app.key(Key.Key_Return)
        await until(lambda: count(app) == limit + 1 and not written(app))
        assert not reason(app)
        assert app.core.stores.workflows.rows[0].workflow.title == "one more"
        assert app.focused() is app.content.chat.composer.text_box


async def test_it_holds_for_as_long_as_work_is_done_and_text_is_there(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, mode=ValidationMode.SELECTIVE) as app:
        asking = await app.say("ask Which one? [left, right]")
        await until(lambda: app.core.stores.questions.count(asking.workflow_id) == 1)
        app.control(Key.Key_N)
        app.write("say 2 words")  # what only waits for an answer does not count
        app.key(Key.Key_Return)
        await until(lambda: app.turn_texts()[:1] == ["say 2 words"] and count(app) == 1)
        busy = await work(app)
        await try_to_send(app, "later", until)
        app.control(Key.Key_A)
        app.key(Key.Key_Delete)
        assert not reason(app)
        app.write("after all")
        assert reason(app)
        strip_of(app).show_other.click()
        assert (app.viewed, reason(app)) == (busy.workflow_id, "")
        app.control(Key.Key_N)
        assert (written(app), bool(reason(app))) == ("after all", True)
        await app.core.engine.cancel(busy.id)
        await until(lambda: not reason(app))
        assert written(app) == "after all"
        assert app.content.chat.composer.text_box.accessibleDescription() == "A workflow can start now: send it again."
        app.write(" and now")
        assert not app.content.chat.composer.text_box.accessibleDescription()


async def test_automatic_mode_is_switched_to_once_its_warning_is_confirmed_and_the_message_goes(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, mode=ValidationMode.SELECTIVE, size=(800, 600)) as app:
        await work(app)
        await try_to_send(app, "say 3000 words", until)
        strip = strip_of(app)
        strip.auto.setFocus()
        app.key(Key.Key_Return)
        assert "without confirmation" in strip.confirmation.text
        assert "up to 3 at once" in strip.confirmation.text
        assert app.focused() is strip.confirmation.cancel_button
        app.key(Key.Key_Escape)
        assert mode_of(app) is ValidationMode.SELECTIVE
        assert app.focused() is strip.auto
        app.key(Key.Key_Return)
        await app.drawn()
        shown = [strip.confirmation.cancel_button, strip.confirmation.confirm_button]
        assert all(app.content.rect().contains(button.mapTo(app.content, button.rect().center())) for button in shown)
        strip.confirmation.confirm_button.setFocus()
        app.key(Key.Key_Return)
        await until(lambda: count(app) == 2 and not written(app))
        assert mode_of(app) is ValidationMode.AUTO
        assert not reason(app)
        assert [toast.code for toast in app.core.stores.toasts.visible] == ["mode_is_auto"]  # with *Undo*


async def test_a_filled_form_is_queued_and_a_template_that_asks_offers_no_other_mode(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        await keep(app, "In manual mode", "manual")
        busy = await work(app)
        app.control(Key.Key_N)
        app.key(Key.Key_N, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        await until(lambda: "In manual mode" in [entry.title for entry in app.content.command_palette.shown()])
        QTest.keyClicks(app.focused(), "in manual")
        app.key(Key.Key_Return)
        await until(lambda: "manual mode" in reason(app))
        assert not strip_of(app).auto.isVisible()
        await app.core.settings.change(validation_mode=ValidationMode.SELECTIVE)
        await begin(app, "Ask around", "ask", until)
        assert not reason(app)  # the form has not been refused
        QTest.keyClicks(app.focused(), "say 2 words")
        app.key(Key.Key_Return)
        await until(lambda: "selective mode" in reason(app))
        assert app.content.chat.inputs.isVisible()
        strip_of(app).queue.click()
        await until(lambda: count(app) == 2)
        assert not app.content.chat.inputs.isVisible()
        await app.core.engine.cancel(busy.id)


async def test_a_refused_fork_is_made_once_from_its_strip(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        failed = await app.start("Sums", tool_step("one", "calculator", expression="1/0"))
        assert (await app.core.engine.wait(failed.id)).status is RunStatus.ERROR
        busy = await work(app)
        await app.core.settings.change(validation_mode=ValidationMode.MANUAL)
        app.content.opener.open(failed.workflow_id)
        await until(lambda: app.core.stores.view.is_loaded)
        app.write("my own text")
        app.content._retry.retry()
        await until(lambda: bool(reason(app)))
        strip_of(app).queue.click()
        await until(lambda: app.viewed not in (None, failed.workflow_id))
        assert count(app) == 2
        app.content.opener.open(failed.workflow_id)
        assert (written(app), reason(app)) == ("my own text", "")
        await app.core.engine.cancel(busy.id)
