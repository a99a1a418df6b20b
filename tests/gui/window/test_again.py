"""Stopped and rejected messages are sent again or edited, and nothing of them is lost or mixed up."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from core.domain.events import Event, TokenReceived
from core.domain.model import ModelChoice
from core.domain.run import RunStatus
from core.stores.execution import Execution
from desktop.chat.views.painted_views import CutOffView
from tests.gui.window.rig import App, an_app
from tests.support.provider import Reply, chunk, fails, provider, says, sse
from tests.support.world import a_step, tool_step

Until = Callable[..., Awaitable[None]]
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def press(app: App, words: str) -> None:
    """A button of the transcript, by the keyboard."""
    (button,) = [each for each in app.content.chat.transcript.findChildren(QPushButton) if button_says(each, words)]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    app.key(Qt.Key.Key_Space)


def button_says(button: QPushButton, words: str) -> bool:
    return button.isVisible() and button.text() == words


def can_press(app: App, words: str) -> bool:
    return any(button_says(button, words) for button in app.content.chat.transcript.findChildren(QPushButton))


def choose(app: App, words: str) -> None:
    """From the menu of what has the focus."""
    app.key(Qt.Key.Key_F10, SHIFT)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()
    app.window.activateWindow()  # the offscreen platform gives it back to nobody


def shown(app: App) -> Execution:
    found = app.core.stores.view.execution
    assert found is not None
    return found


async def test_what_comes_late_of_a_stopped_answer_is_dropped_and_the_next_one_stands_by_itself(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    slow = Reply(sse(*(chunk(content=f"old{number} ") for number in range(40))), cut=150, pause_s=0.05)
    with provider(slow, says("the second answer")) as server:
        async with an_app(tmp_path, qapp) as app:
            await app.core.providers.add_model(ModelChoice(base_url=server.url, model="m"))
            app.control(Qt.Key.Key_N)
            app.write("go on")
            app.key(Qt.Key.Key_Return)
            await until(lambda: len(app.turn_texts()) == 2 and "old4" in app.turn_texts()[1])
            first = shown(app).run
            assert first is not None
            app.key(Qt.Key.Key_F5, SHIFT)
            await until(lambda: first.status is RunStatus.CANCELLED)
            await until(lambda: can_press(app, "Try again"))
            partial = app.turn_texts()[1]
            press(app, "Try again")
            for number in range(10):
                late = TokenReceived(
                    text="LATE ", message_id=first.message_id, offset=len(partial) + 5 * number, step="answer"
                )
                app.core.bus.publish(Event(first.run_id, first.workflow_id, first.seq, app.core.clock.now(), late))
            await until(lambda: app.turn_texts()[-1] == "the second answer")
            assert app.turn_texts() == ["go on", partial, "go on", "the second answer"]
            cut_off = [widget.accessibleName() for widget in app.content.findChildren(CutOffView) if widget.isVisible()]
            assert cut_off == ["Stopped"]
            await until(lambda: not can_press(app, "Try again"))  # in the frame after the store knows


async def test_a_message_that_a_provider_rejects_is_there_byte_for_byte_to_be_edited(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    text = ("Line with tab\tand no-break\N{NO-BREAK SPACE}space, é, 漢字, 👨‍👩‍👧. " * 50) + "\n\n  end"
    with provider(fails(401, "expired"), says("now it works")) as server:
        async with an_app(tmp_path, qapp) as app:
            await app.core.providers.add_model(ModelChoice(base_url=server.url, model="m"))
            app.control(Qt.Key.Key_N)
            app.content.chat.focus_composer()
            QGuiApplication.clipboard().setText(text)
            app.key(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
            assert len(text.encode()) > 3_000
            app.key(Qt.Key.Key_Return)
            await until(lambda: can_press(app, "Edit message"))
            assert app.turn_texts()[0] == text
            assert not can_press(app, "Try again")
            assert app.content.chat.composer.draft().text == ""
            press(app, "Edit message")
            assert app.content.chat.composer.draft().text == text
            assert app.focused().objectName() == "composer"
            app.key(Qt.Key.Key_Return)
            await until(lambda: app.turn_texts()[-1] == "now it works")
            assert app.turn_texts()[2] == text
            assert [post.body["messages"][-1]["content"] for post in server.posts][-1].endswith(text)
            await until(lambda: not can_press(app, "Edit message"))


async def test_a_key_tries_a_failed_answer_again(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("my question", script=({"fail": "no"},))
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: can_press(app, "Edit message"))
        app.key(Qt.Key.Key_R, CONTROL_SHIFT)
        await until(lambda: len(app.turn_texts()) == 4 and not shown(app).is_active)
        assert app.turn_texts()[2] == "my question"
        app.key(Qt.Key.Key_R, CONTROL_SHIFT)
        await until(lambda: [toast.code for toast in app.core.stores.toasts.visible][-1] == "nothing_to_retry")


async def test_a_key_begins_a_template_again_at_the_step_that_failed(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        steps = (a_step("well"), tool_step("bad", "calculator", "well", expression="1/0"))
        run = await app.start("Letters", *steps)
        await app.core.engine.wait(run.id)
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: app.turn_texts() != [])
        app.key(Qt.Key.Key_R, CONTROL_SHIFT)
        await until(lambda: app.viewed not in (None, run.workflow_id))
        assert app.viewed is not None
        again = app.core.stores.background.get_execution(app.viewed)
        assert again is not None
        await until(lambda: again.run is not None and again.status is RunStatus.ERROR)
        assert again.run is not None
        assert (again.run.steps["well"].attempts, again.run.steps["bad"].attempts) == (0, 1)


async def test_what_is_being_written_stays_when_a_message_is_to_be_edited(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("my question", script=({"fail": "no"},))
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: can_press(app, "Edit message"))
        app.write("my draft")
        press(app, "Edit message")
        assert app.content.chat.composer.draft().text == "my question\n\nmy draft"
        app.control(Qt.Key.Key_Z)
        assert app.content.chat.composer.draft().text == "my draft"


async def test_up_in_an_empty_box_takes_the_last_message_up(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 2 words")
        await app.core.engine.wait(run.id)
        app.content.workflow_actions.show(run.workflow_id)
        app.content.chat.focus_composer()
        await until(lambda: app.core.stores.view.is_loaded)
        await app.drawn()
        app.key(Qt.Key.Key_Up)
        assert app.content.chat.composer.draft().text == "say 2 words"
        app.key(Qt.Key.Key_Up)
        assert app.content.chat.composer.draft().text == "say 2 words"


async def test_an_answer_is_tried_again_and_the_last_message_edited_from_their_menus(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    with provider(says("one"), says("two")) as server:
        async with an_app(tmp_path, qapp) as app:
            await app.core.providers.add_model(ModelChoice(base_url=server.url, model="m"))
            app.control(Qt.Key.Key_N)
            app.write("a question")
            app.key(Qt.Key.Key_Return)
            await until(lambda: app.turn_texts() == ["a question", "one"] and not shown(app).is_active)
            await app.drawn()
            app.key(Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
            choose(app, "Try again")
            await until(lambda: app.turn_texts() == ["a question", "one", "a question", "two"])
            await until(lambda: not shown(app).is_active)
            await app.drawn()
            app.content.chat.composer.focus_text()
            app.key(Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
            app.key(Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
            choose(app, "Edit and send again")
            assert app.content.chat.composer.draft().text == "a question"
            assert app.focused() is app.content.chat.composer.text_box
