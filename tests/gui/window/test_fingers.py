"""Requests that appear, close and change while the user types: nothing is answered by mistake."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.interruption import Action
from core.domain.model import ModelChoice
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.attention.focus_guard import GUARD_MS
from desktop.attention.footer import CardFooter
from desktop.attention.time_left import TimeLeft
from desktop.chat.views.line_views import ToolView
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import (
    CONTROL_SHIFT,
    asking,
    card_of,
    ended,
    questions,
    section,
    take_card,
    texts,
    view,
    waits,
)
from tests.gui.window.test_random_keys import TimeByKeys
from tests.support.progress import stored_interruptions

Until = Callable[..., Awaitable[None]]


def foot(app: App) -> CardFooter:
    (found,) = card_of(app).findChildren(CardFooter)
    return found


def time_left(app: App) -> TimeLeft:
    (found,) = card_of(app).findChildren(TimeLeft)
    return found


def tool_lines(app: App) -> list[ToolView]:
    return [widget for widget in app.content.chat.transcript.findChildren(ToolView) if widget.isVisible()]


async def test_keys_of_a_typing_user_stay_in_the_composer_when_a_request_arrives(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        said = await app.say("say 1 word")
        await app.core.engine.wait(said.id)
        await view(app, said)
        listed = app.core.stores.workflows.get(said.workflow_id)
        assert listed is not None
        run = None
        for number, key in enumerate("rm 1 2 y"):
            if number == 2:
                run = await app.start_in(listed.workflow, asking("send", prompt="Send?"))
            QTest.keyClicks(app.focused(), key)
            await asyncio.sleep(1 / 30)
        assert run is not None
        await until(lambda: card_of(app).isVisible())
        app.key(Qt.Key.Key_Return)
        await asyncio.sleep(1 / 30)
        QTest.keyClicks(app.focused(), "a")
        await app.drawn()
        assert app.content.chat.composer.draft().text == "a"
        assert [message.text for message in app.content.chat.queue.messages] == ["rm 1 2 y"]
        assert app.core.stores.questions.count(run.workflow_id) == 1
        assert len(app.turn_texts()) == 3


async def test_the_card_shows_that_it_does_not_listen_yet(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send"))
        await waits(app, run)
        await view(app, run)
        assert not foot(app).is_blocked
        time = TimeByKeys(card_of(app).guard)
        app.key(Qt.Key.Key_A, CONTROL_SHIFT)
        assert app.focused() is card_of(app).button(Action.REJECT)
        time.advance(100)
        app.key(Qt.Key.Key_Return)
        time.advance(GUARD_MS - 100)
        assert foot(app).is_blocked
        time.advance(200)
        assert not foot(app).is_blocked
        assert app.core.stores.questions.count(run.workflow_id) == 1
        app.key(Qt.Key.Key_Return)
        assert (await ended(app, run)).status is RunStatus.ERROR


async def test_a_request_whose_run_was_cancelled_can_be_answered_nowhere(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send", prompt="Send them?"))
        await waits(app, run)
        card = await view(app, run)
        await take_card(app)
        approve = card.button(Action.APPROVE)
        await app.core.engine.cancel(run.id)
        await until(lambda: card.note)
        assert not approve.isVisible()
        for key in (Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Space):
            app.key(key)
        app.control(Qt.Key.Key_Return)
        app.key(Qt.Key.Key_A, CONTROL_SHIFT)
        app.control(Qt.Key.Key_J)
        await asyncio.sleep(GUARD_MS / 1000 + 0.1)
        app.key(Qt.Key.Key_Return)
        assert (section(app), questions(app)) == ([], [])
        (asked,) = await stored_interruptions(app.core.storage, run.id)
        assert (str(asked.status), asked.answer) == ("cancelled", None)
        stored = await app.core.storage.runs.get(run.id)
        assert stored is not None
        assert stored.status is RunStatus.CANCELLED


async def test_a_change_of_settings_leaves_what_waits_as_it_is(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send"))
        await waits(app, run)
        await view(app, run)
        await app.core.providers.add_model(ModelChoice(base_url="http://127.0.0.1:9/v1", model="other"))
        await app.core.settings.change(validation_mode=ValidationMode.MANUAL, ask_for_tools=True)
        await app.core.agents.save(name="Reviewer")
        assert section(app) == [("Letters", 1)]
        await take_card(app)
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Return)
        assert (await ended(app, run)).status is RunStatus.SUCCESS


async def test_a_question_without_an_answer_goes_on_when_its_time_is_over_and_another_waits(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        timed = await app.say('/tool ask_user {"question": "Soon?", "timeout_seconds": 2}')
        patient = await app.say('/tool ask_user {"question": "Whenever?"}')
        for run in (timed, patient):
            await waits(app, run)
        card = await view(app, timed)
        left = time_left(app)
        assert left.text() in [f"{time} left, then it goes on without an answer." for time in ("2 seconds", "1 second")]
        assert "Soon? Less than a minute left" in card.accessibleDescription()
        assert (await ended(app, timed)).status is RunStatus.SUCCESS
        await until(lambda: not card.isVisible())
        await until(lambda: any("No answer in time" in line.accessibleName() for line in tool_lines(app)))
        described = await app.core.runs.describe(timed.id)
        assert isinstance(described, Ok)
        assert [each["summary"] for each in described.data["tool_calls"]] == ["expired"]
        assert section(app) == [(row.title, 1) for row in [app.row(patient.workflow_id)] if row is not None]
        assert card is await view(app, patient)
        assert (left.isVisible(), card.accessibleDescription()) == (False, "Whenever?")


async def test_a_double_enter_answers_one_request_and_no_other(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        one = await app.start("One", asking("first", onReject="skip"), asking("second"))
        two = await app.start("Two", asking("third"))
        await waits(app, one, 2)
        await waits(app, two)
        card = await view(app, one)
        await take_card(app)
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Return)
        app.key(Qt.Key.Key_Return)
        await until(lambda: app.core.stores.questions.count(one.workflow_id) == 1)
        app.key(Qt.Key.Key_Return)
        app.key(Qt.Key.Key_Space)
        await asyncio.sleep(0.2)
        assert section(app) == [("One", 1), ("Two", 1)]
        assert card.request is not None
        assert card.request.question.step == "second"
        assert app.viewed == one.workflow_id
        app.key(Qt.Key.Key_Escape)
        assert app.focused().objectName() == "composer"


async def test_a_double_click_answers_one_of_three_and_leaves_the_focus_where_it_was(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        runs = [await app.start(name, asking("send", prompt=f"{name}?")) for name in "ABC"]
        for run in runs:
            await waits(app, run)
        card = await view(app, runs[0])
        app.content.chat.focus_composer()
        QTest.keyClicks(app.focused(), "my own")
        before = app.focused()
        QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=QPoint(4, 4))
        await take_card(app)
        window, approve = app.window.windowHandle(), card.button(Action.APPROVE)
        at = approve.mapTo(app.window, approve.rect().center())
        for _ in range(2):
            QTest.mouseClick(window, Qt.MouseButton.LeftButton, pos=at)
        QTest.mouseDClick(window, Qt.MouseButton.LeftButton, pos=at)
        await until(lambda: not app.core.stores.questions.count(runs[0].workflow_id))
        await app.drawn()
        assert [title for title, _ in section(app)] == ["B", "C"]
        assert (app.viewed, app.focused()) == (runs[0].workflow_id, before)
        assert app.content.chat.composer.draft().text == "my own"
        for run in runs[1:]:
            (asked,) = await stored_interruptions(app.core.storage, run.id)
            assert asked.answer is None


async def test_three_of_one_run_are_answered_in_any_order_and_each_gets_its_own_answer(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """By keyboard, the last request first."""
    async with an_app(tmp_path, qapp) as app:
        prompts = {"a": "circle", "b": "square", "c": "triangle"}
        run = await app.start(
            "Shapes", *(asking(name, prompt=prompt, onReject="skip") for name, prompt in prompts.items())
        )
        await waits(app, run, 3)
        card = await view(app, run)
        await take_card(app)
        for name, turns, is_approved in (("c", 2, False), ("a", 0, True), ("b", 0, False)):
            await until(lambda: not card.guard.is_on)
            for _ in range(turns):
                app.key(Qt.Key.Key_PageDown)
            await until(lambda name=name: prompts[name] in texts(card))
            await until(lambda: not card.guard.is_on)
            card.button(Action.APPROVE if is_approved else Action.REJECT).setFocus(Qt.FocusReason.TabFocusReason)
            app.key(Qt.Key.Key_Return)
            await until(lambda name=name: prompts[name] not in texts(card))
        assert (await ended(app, run)).status is RunStatus.SUCCESS
        found = {each.ask.step: str(each.status) for each in await stored_interruptions(app.core.storage, run.id)}
        assert found == {"a": "approved", "b": "rejected", "c": "rejected"}
