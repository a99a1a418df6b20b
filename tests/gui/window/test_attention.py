"""A run asks: card, toast, badge and section come and go together, and the answer goes to what was asked."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from core.domain.ids import TemplateId, WorkflowId, new_id
from core.domain.interruption import Action, Answer, InterruptionKind
from core.domain.run import Run, RunStatus
from core.domain.text.json_text import encode
from core.domain.toast import ToastType
from core.engine.interruptions import interruptions
from core.ports import Put, StoredTemplate
from core.services.outcome import Failed
from desktop.arguments import Arguments
from desktop.attention.card import AttentionCard
from desktop.chat.view_state import AT_END
from desktop.sidebar.list_view import SidebarList
from desktop.sidebar.model import SidebarModel
from desktop.sidebar.rows import Header, Row, Section
from desktop.translation import Language
from tests.gui.window.rig import App, an_app
from tests.stores.rig import Teller
from tests.support import waiting
from tests.support.clock import loop_clock
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_interruptions
from tests.support.world import Tools, a_step, tool_step

Until = Callable[..., Awaitable[None]]

CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def asking(name: str, kind: str = "approval", *after: str, **fields: Any) -> dict[str, Any]:
    """Return a step that calculates 6*7 after an approval; `fields` are those of its interrupt."""
    return {**tool_step(name, "calculator", *after, expression="6*7"), "interrupt": {"kind": kind, **fields}}


def card_of(app: App) -> AttentionCard:
    return app.content.chat.card


def section(app: App) -> list[tuple[str, int]]:
    """Titles and badges of *Needs you*, as the sidebar shows them."""
    (view,) = app.content.sidebar.findChildren(SidebarList)
    model = view.model()
    assert isinstance(model, SidebarModel)
    rows = [item for item in model.items if isinstance(item, Row) and item.section is Section.NEEDS_YOU]
    headers = [item for item in model.items if isinstance(item, Header) and item.section is Section.NEEDS_YOU]
    assert [header.count for header in headers] == ([len(rows)] if rows else [])
    return [(row.title, row.waiting) for row in rows]


def questions(app: App) -> list[str]:
    """The titles of the toasts that ask."""
    return [toast.title for toast in app.core.stores.toasts.visible if toast.type is ToastType.USER_QUESTION]


async def waits(app: App, run: Run, count: int = 1) -> None:
    """Come back when the run waits for so many answers, and the window shows it."""
    await waiting.until(lambda: app.core.stores.questions.count(run.workflow_id) == count)
    await app.drawn()


async def view(app: App, run: Run) -> AttentionCard:
    app.content.workflow_actions.show(run.workflow_id)
    app.content.chat.focus_composer()
    await waiting.until(lambda: app.core.stores.view.is_loaded)
    await app.drawn()
    card = card_of(app)
    await waiting.until(lambda: card.request is None or card.request.is_ready)
    return card


async def take_card(app: App) -> None:
    """Go to the card by its keys, and wait until its guard lets keys pass."""
    app.key(Qt.Key.Key_A, CONTROL_SHIFT)
    await listens(app)


async def listens(app: App) -> None:
    """Come back when the card has the focus and takes keys."""
    card = card_of(app)
    await waiting.until(
        lambda: card.has_focus and not card.guard.is_on and (card.request is None or card.request.is_ready)
    )


def texts(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


async def ended(app: App, run: Run) -> Run:
    """The run, once it has ended."""

    async def is_final() -> bool:
        return (await app.core.engine.wait(run.id)).status.is_final

    await waiting.until(is_final)
    return await app.core.engine.wait(run.id)


async def test_an_approval_is_given_by_keyboard_and_the_run_goes_on(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send", prompt="Send them?"), a_step("after", "send", input="@send"))
        await waits(app, run)
        card = await view(app, run)
        assert card.isVisible()
        assert {"Send them?", "Letters \u203a send", "calculator", "Approval"} <= set(texts(card))
        assert {"expression", "6*7"} <= set(texts(card))
        await take_card(app)
        assert app.focused() is card.button(Action.REJECT)
        app.key(Qt.Key.Key_Tab)
        assert app.focused() is card.button(Action.APPROVE)
        app.key(Qt.Key.Key_Return)
        assert (await ended(app, run)).status is RunStatus.SUCCESS
        await until(lambda: not card.isVisible())
        assert app.focused().objectName() == "composer"


async def test_a_rejection_carries_its_reason(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send"))
        await waits(app, run)
        card = await view(app, run)
        await take_card(app)
        reason = next(field for field in card.findChildren(QLineEdit) if "Reason" in field.accessibleName())
        reason.setFocus()
        QTest.keyClicks(reason, "not today")
        card.button(Action.REJECT).setFocus()
        app.key(Qt.Key.Key_Space)
        done = await ended(app, run)
        assert done.error is not None
        assert (done.error.code, "not today" in done.error.message) == ("rejected", True)


async def test_card_toast_badge_and_section_come_and_go_together(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Qt.Key.Key_N)
        run = await app.start("Letters", asking("one", prompt="One?"), asking("two", prompt="Two?"))
        await waits(app, run, 2)
        assert (section(app), questions(app)) == ([("Letters", 2)], ["Letters", "Letters"])
        row = app.row(run.workflow_id)
        assert row is not None
        assert row.waiting == 2
        await app.core.runs.answer(run.id, Answer(Action.APPROVE), step="one")
        await until(lambda: section(app) == [("Letters", 1)])
        assert questions(app) == ["Letters"]
        await view(app, run)
        assert card_of(app).isVisible()
        await app.core.runs.answer(run.id, Answer(Action.APPROVE), step="two")
        await until(lambda: section(app) == [])
        await until(lambda: not card_of(app).isVisible())
        assert questions(app) == []
        assert not app.core.stores.questions.all


@pytest.mark.parametrize("how", ["cancel", "delete", "expire", "end"])
async def test_what_ends_without_an_answer_closes_everywhere(
    tmp_path: Path, qapp: QApplication, until: Until, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interruptions, "MAX_EXPIRY_WAIT_S", 0.01)  # the jump of the clock is noticed soon
    clock, tools = loop_clock(), Tools()
    async with an_app(tmp_path, qapp, clock=clock, more_tools=tools.all()) as app:
        beside = [
            tool_step("slow", "hold"),
            {"name": "back", "action": {"return": True}, "input": "@slow"},
        ]
        others = beside if how == "end" else []  # what returns ends the run
        run = await app.start("Letters", asking("send", timeoutMs=3_600_000), *others)
        await waits(app, run)
        assert (section(app), questions(app)) == ([("Letters", 1)], ["Letters"])
        await view(app, run)
        assert card_of(app).isVisible()
        if how == "cancel":
            await app.core.engine.cancel(run.id)
        elif how == "delete":
            await app.core.workflows.delete(run.workflow_id)
        elif how == "expire":
            clock.jump(3600)
        else:
            tools.release.set()
        await until(lambda: not card_of(app).isVisible())
        await until(lambda: section(app) == [])
        assert questions(app) == []
        assert not card_of(app).has_focus


async def test_a_question_takes_no_focus_opens_no_window_and_leaves_draft_and_scroll(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        said = await app.say("say 400 words")
        await app.core.engine.wait(said.id)
        app.content.workflow_actions.show(said.workflow_id)
        await waiting.until(lambda: app.core.stores.view.is_loaded)
        await app.drawn()
        app.write("my own ")
        app.content.chat.transcript.scroll_by(-200)
        place, position = app.content.chat.transcript.view_state(), AT_END
        assert place != position
        focused, windows = app.focused(), {window for window in QApplication.topLevelWidgets() if window.isVisible()}
        listed = app.core.stores.workflows.get(said.workflow_id)
        assert listed is not None
        run = await app.start_in(listed.workflow, asking("send"))
        await waits(app, run)
        assert card_of(app).isVisible()
        now = app.content.chat.transcript.view_state()
        assert now == replace(place, turns_below=now.turns_below)  # what is asked is a turn more
        assert app.focused() is focused
        assert {window for window in QApplication.topLevelWidgets() if window.isVisible()} <= windows
        QTest.keyClicks(app.focused(), "words")
        assert app.content.chat.composer.draft().text == "my own words"
        assert questions(app) == []
        await take_card(app)
        assert not app.content.chat.composer.isVisible()
        app.key(Qt.Key.Key_Escape)
        assert app.content.chat.composer.isVisible()
        assert (app.focused(), app.content.chat.composer.draft().text) == (focused, "my own words")
        assert app.core.stores.questions.count(run.workflow_id) == 1


async def test_for_half_a_second_nothing_but_esc_and_tab_acts(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send"))
        await waits(app, run)
        card = await view(app, run)
        app.key(Qt.Key.Key_A, CONTROL_SHIFT)
        assert app.focused() is card.button(Action.REJECT)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
            app.key(key)
        QTest.mouseClick(card.button(Action.REJECT), Qt.MouseButton.LeftButton)
        app.key(Qt.Key.Key_Tab)
        assert app.focused() is card.button(Action.APPROVE)
        app.key(Qt.Key.Key_Return)
        await asyncio.sleep(0.1)
        assert app.core.stores.questions.count(run.workflow_id) == 1
        app.key(Qt.Key.Key_Escape)
        assert app.focused().objectName() == "composer"
        app.key(Qt.Key.Key_A, CONTROL_SHIFT)
        await listens(app)
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Space)
        assert (await ended(app, run)).status is RunStatus.SUCCESS


async def test_two_workflows_ask_at_once_and_each_gets_its_own_answer(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        one = await app.start("One", asking("send", prompt="Send one?"))
        await waits(app, one)
        two = await app.start("Two", asking("send", prompt="Send two?"))
        await waits(app, two)
        assert section(app) == [("One", 1), ("Two", 1)]
        card = await view(app, one)
        app.control(Qt.Key.Key_J)
        assert (app.viewed, card.has_focus) == (two.workflow_id, True)
        assert "Send two?" in texts(card)
        app.control(Qt.Key.Key_J)
        assert (app.viewed, card.has_focus) == (one.workflow_id, True)
        app.key(Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
        assert app.viewed == two.workflow_id
        await listens(app)
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Return)
        assert (await ended(app, two)).status is RunStatus.SUCCESS
        await until(lambda: section(app) == [("One", 1)])
        stored = await app.core.storage.runs.get(one.id)
        assert stored is not None
        assert stored.status is RunStatus.WAITING


async def test_a_toast_leads_to_the_card(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Qt.Key.Key_N)
        run = await app.start("Letters", asking("send"))
        await waits(app, run)
        (toast,) = app.content.toasts.cards
        go = next(button for button in toast.findChildren(QAbstractButton) if button.text() == "Go to workflow")
        go.click()
        await until(lambda: card_of(app).has_focus)
        assert app.viewed == run.workflow_id
        assert card_of(app).guard.is_on


async def test_a_restart_brings_everything_back(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        run = await app.start("Letters", asking("one"), asking("two", prompt="Two?"))
        await waits(app, run, 2)
        await app.core.runs.answer(run.id, Answer(Action.APPROVE), step="one")
        await waits(app, run, 1)
        copy = storage.copy()
    async with an_app(tmp_path, qapp, copy) as app:
        await waits(app, run, 1)
        assert (section(app), questions(app)) == ([("Letters", 1)], ["Letters"])
        assert app.core.stores.toasts.history == ()
        card = await view(app, run)
        assert "Two?" in texts(card)
        await take_card(app)
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Return)
        assert (await ended(app, run)).status is RunStatus.SUCCESS
        await until(lambda: section(app) == [])
        assert questions(app) == []


async def test_an_answer_to_a_closed_request_does_nothing_and_the_card_shows_it(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("one", onReject="skip"), asking("two"))
        await waits(app, run, 2)
        card = await view(app, run)
        await take_card(app)
        asked = card.request
        assert asked is not None
        answer = app.core.runs.answer

        async def late(*args: Any, **named: Any) -> Any:
            """Answer the request elsewhere while the answer is under way."""
            await answer(run.id, Answer(Action.REJECT), interruption=asked.question.id)
            return await answer(*args, **named)

        app.core.runs.answer = late  # type: ignore[method-assign]
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Return)
        await until(lambda: card.note)
        assert card.note == "This request was answered elsewhere already. Nothing more was done."

        async def is_written() -> bool:
            found = await stored_interruptions(app.core.storage, run.id)
            statuses = {each.ask.step: str(each.status) for each in found}
            return statuses == {"one": "rejected", "two": "awaiting-approval"}

        await until(is_written)
        await listens(app)
        app.key(Qt.Key.Key_Return)
        assert card.request is not None
        assert card.request.question.step == "two"


async def test_a_request_that_closes_while_answered_is_shown_as_closed(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send"))
        await waits(app, run)
        card = await view(app, run)
        await take_card(app)
        await app.core.engine.cancel(run.id)
        await until(lambda: card.note)
        assert card.note == "This request is closed: its run has ended. Nothing more was done."
        await until(lambda: section(app) == [])
        assert (questions(app), card.has_focus) == ([], True)
        app.key(Qt.Key.Key_Escape)
        assert not card.isVisible()
        assert app.focused().objectName() == "composer"


SCHEMA = {
    "type": "object",
    "required": ["done", "count"],
    "properties": {"done": {"type": "string", "pattern": "^.{3,}$"}, "count": {"type": "integer"}},
}


async def test_what_the_user_did_is_the_output_of_the_step(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send", "local-execution", schema=SCHEMA))
        await waits(app, run)
        await view(app, run)
        await take_card(app)
        QTest.keyClicks(app.focused(), "by hand")
        app.key(Qt.Key.Key_Tab)
        QTest.keyClicks(app.focused(), "3")
        app.control(Qt.Key.Key_Return)
        assert '"by hand"' in ((await ended(app, run)).output_json or "")


async def test_what_the_core_refuses_is_shown_at_its_field(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send", "local-execution", schema=SCHEMA))
        await waits(app, run)
        card = await view(app, run)
        await take_card(app)
        app.control(Qt.Key.Key_Return)
        request = card.request
        assert request is not None
        assert request.first_error is not None
        QTest.keyClicks(app.focused(), "no")
        app.key(Qt.Key.Key_Tab)
        QTest.keyClicks(app.focused(), "3")
        app.control(Qt.Key.Key_Return)
        await until(
            lambda: request.first_error is not None and request.first_error.error.startswith("This was not taken: ")
        )
        assert app.focused() is request.first_error.editor
        assert app.core.stores.questions.count(run.workflow_id) == 1
        QTest.keyClicks(app.focused(), "w")
        app.control(Qt.Key.Key_Return)
        assert (await ended(app, run)).status is RunStatus.SUCCESS


async def test_missing_arguments_are_filled_in(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Sum", {**tool_step("sum", "calculator"), "interrupt": {"kind": "tool-input"}})
        await waits(app, run)
        await view(app, run)
        await take_card(app)
        QTest.keyClicks(app.focused(), "40+2")
        app.control(Qt.Key.Key_Return)
        assert "42" in ((await ended(app, run)).output_json or "")


async def test_an_input_is_reviewed_as_json(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Sum", asking("sum", "input-review"))
        await waits(app, run)
        card = await view(app, run)
        await take_card(app)
        box = app.focused()
        assert isinstance(box, QPlainTextEdit)
        box.selectAll()
        QTest.keyClicks(box, '{"expression": ')
        assert any("This is no JSON" in text for text in texts(card))
        app.control(Qt.Key.Key_Return)
        assert app.core.stores.questions.count(run.workflow_id) == 1
        QTest.keyClicks(box, '"1+1"}')
        app.control(Qt.Key.Key_Return)
        assert "2" in ((await ended(app, run)).output_json or "")


async def test_corrections_are_sent_as_the_places_that_changed(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_app(tmp_path, qapp) as app:
        first = {**a_step("s"), "input": {"deep": [{"x": 1}], "y": 2}}
        edit = {**a_step("e", "s"), "input": "@s", "interrupt": {"kind": "state-edit"}}
        run = await app.start("Sum", first, edit)
        await waits(app, run)
        await view(app, run)
        await take_card(app)
        sent: list[Answer] = []
        answer = app.core.runs.answer

        async def watched(run_id: Any, given: Answer, **named: Any) -> Any:
            sent.append(given)
            return await answer(run_id, given, **named)

        monkeypatch.setattr(app.core.runs, "answer", watched)
        box = app.focused()
        assert isinstance(box, QPlainTextEdit)
        box.selectAll()
        QTest.keyClicks(box, '{"deep": [{"x": 5}], "y": 2}')
        app.control(Qt.Key.Key_Return)
        assert '{"x":5}' in ((await ended(app, run)).output_json or "")
        assert [each.value for each in sent] == [[{"path": "/s/deep/0/x", "value": 5}]]


async def test_what_was_read_already_cannot_be_corrected_and_the_card_shows_by_whom(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        first, other = {**a_step("s"), "input": 1}, a_step("other", "s", input="@s")
        run = await app.start("Sum", first, other, {**a_step("e", "s"), "interrupt": {"kind": "state-edit"}})
        await waits(app, run)
        card = await view(app, run)
        await take_card(app)
        box = app.focused()
        assert isinstance(box, QPlainTextEdit)
        box.selectAll()
        QTest.keyClicks(box, "2")
        app.control(Qt.Key.Key_Return)
        await until(lambda: card.error)
        assert "was read by other already" in card.error


async def test_several_are_turned_by_pages_and_what_was_begun_stays(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Sum", *(asking(name, "local-execution", schema=SCHEMA) for name in "abc"))
        await waits(app, run, 3)
        card = await view(app, run)
        assert "1 of 3" in texts(card)
        await take_card(app)
        QTest.keyClicks(app.focused(), "begun")
        app.key(Qt.Key.Key_PageDown)
        assert {"2 of 3", "Sum \u203a b"} <= set(texts(card))
        assert card.has_focus
        app.key(Qt.Key.Key_PageUp)
        await listens(app)
        app.key(Qt.Key.Key_PageUp)
        assert "3 of 3" in texts(card)
        await listens(app)
        app.key(Qt.Key.Key_PageDown)
        assert "1 of 3" in texts(card)
        line = app.focused()
        assert isinstance(line, QLineEdit)
        assert line.text() == "begun"


async def test_an_answer_that_is_begun_is_there_again_after_a_crash_until_it_is_given(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        run = await app.start("Sum", asking("a", "local-execution", schema=SCHEMA), asking("b"))
        await waits(app, run, 2)
        card = await view(app, run)
        await take_card(app)
        QTest.keyClicks(app.focused(), "begun")
        app.key(Qt.Key.Key_PageDown)
        reason = next(field for field in card.findChildren(QLineEdit) if "Reason" in field.accessibleName())
        reason.setFocus()
        await listens(app)
        QTest.keyClicks(reason, "not yet")
        await app.content.chat.answer_drafts.flush()
        crashed = storage.copy()
        app.content.chat.answer_drafts._path = tmp_path / "elsewhere"  # killed here: nothing more is written
    async with an_app(tmp_path, qapp, crashed) as app:
        await waits(app, run, 2)
        card = await view(app, run)
        await take_card(app)
        line = app.focused()
        assert isinstance(line, QLineEdit)
        assert line.text() == "begun"
        app.key(Qt.Key.Key_Tab)
        QTest.keyClicks(app.focused(), "3")
        app.control(Qt.Key.Key_Return)
        await until(lambda: app.core.stores.questions.count(run.workflow_id) == 1)
        assert any(field.text() == "not yet" for field in card.findChildren(QLineEdit))
        await app.core.engine.cancel(run.id)
        await until(lambda: not card.requests.drafts())
    assert not (tmp_path / "answers.json").exists()


async def test_what_a_run_below_asks_is_answered_in_the_workflow_of_its_root(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        text = encode(template(asking("inner", prompt="Inside?"), title="Part"))
        part = StoredTemplate(TemplateId(new_id("tpl")), 1, "Part", text, app.core.clock.now())
        await app.core.storage.commit([Put(part)])
        run = await app.start("Whole", {"name": "sub", "action": {"workflow": {"title": "Part"}}})
        await waits(app, run)
        assert section(app) == [("Whole", 1)]
        card = await view(app, run)
        assert "Whole \u203a Part \u203a inner" in texts(card)
        await take_card(app)
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Return)
        assert (await ended(app, run)).status is RunStatus.SUCCESS
        await until(lambda: section(app) == [])


async def test_later_folds_the_card_of_this_workflow_until_it_is_asked_for(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send"))
        await waits(app, run)
        card = await view(app, run)
        height = card.height()
        await take_card(app)
        app.key(Qt.Key.Key_Escape)
        await until(lambda: card.height() < height / 2)
        assert card.isVisible()
        show = next(button for button in card.findChildren(QAbstractButton) if button.text() == "Show")
        show.click()
        assert card.has_focus
        await until(lambda: card.height() == height)


async def test_what_was_put_off_is_not_seen_behind_what_another_workflow_asks(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        one = await app.start("One", asking("send", prompt="Send one?"))
        two = await app.start("Two", asking("send", prompt="Send two?"))
        for run in (one, two):
            await waits(app, run)
        await view(app, one)
        await take_card(app)
        app.key(Qt.Key.Key_Escape)
        card = await view(app, two)
        assert "Send two?" in texts(card)
        assert "Send one?" not in texts(card)


async def test_the_time_that_is_left_is_shown(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send", timeoutMs=90_000))
        await waits(app, run)
        card = await view(app, run)
        assert any(text.endswith("left, then it is rejected.") for text in texts(card))


async def test_the_card_has_names_for_everything_in_both_languages(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("one", "local-execution", schema=SCHEMA), asking("two"))
        await waits(app, run, 2)
        card = await view(app, run)
        for kind in (QAbstractButton, QLineEdit, QPlainTextEdit):
            shown = [widget for widget in card.findChildren(kind) if widget.isVisible()]
            assert all(each.accessibleName() for each in shown)
        assert card.accessibleName() == "Your turn, Letters \u203a one, 1 of 2"
        assert QAccessible.queryAccessibleInterface(card) is not None
        app.session.translation.set_language(Language.FRENCH)
        await until(lambda: card.accessibleName() == "À votre tour, Letters \u203a one, 1 sur 2")
        assert card.button(Action.SUBMIT).text() == "Voici le résultat"


@pytest.mark.parametrize(
    ("kind", "harmless"),
    [(InterruptionKind.OUTCOME, None), (InterruptionKind.TOOL_APPROVAL, Action.REJECT)],
)
async def test_what_could_do_harm_is_never_focused_first(
    tmp_path: Path, qapp: QApplication, kind: InterruptionKind, harmless: Action | None
) -> None:
    async with an_app(tmp_path, qapp) as app:
        workflow_id = ask_from_afar(app, kind)
        app.content.workflow_actions.show(workflow_id)
        app.key(Qt.Key.Key_A, CONTROL_SHIFT)
        card = card_of(app)
        if harmless is not None:
            assert app.focused() is card.button(harmless)
            return
        # each answer about an unknown outcome is a claim: none is given by a key that is pressed at once
        assert app.focused().objectName() == "later"
        await listens(app)
        app.control(Qt.Key.Key_Return)
        assert app.focused().objectName() != "later"  # what came out is to be written first
        card.take_focus()
        await listens(app)
        app.key(Qt.Key.Key_Return)
        assert (card.is_folded, app.core.stores.questions.count(workflow_id)) == (True, 1)


async def test_a_question_shows_its_options_and_sends_what_is_chosen_and_written(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_app(tmp_path, qapp) as app:
        options = [{"id": "a", "label": "By the sea"}, "At home"]
        workflow_id = ask_from_afar(app, InterruptionKind.QUESTION, prompt="Where?", options=options)
        sent: list[Answer] = []

        async def watched(_run_id: Any, given: Answer, **_named: Any) -> Any:
            sent.append(given)
            return Failed("nothing_open", "it was asked by nobody")

        monkeypatch.setattr(app.core.runs, "answer", watched)
        app.content.workflow_actions.show(workflow_id)
        await take_card(app)
        app.key(Qt.Key.Key_Space)
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Tab)
        QTest.keyClicks(app.focused(), "soon")
        app.control(Qt.Key.Key_Return)
        await waiting.until(lambda: card_of(app).note)
        assert [(each.action, each.value) for each in sent] == [(Action.SUBMIT, {"options": ["a"], "text": "soon"})]


def ask_from_afar(app: App, kind: InterruptionKind, **fields: Any) -> WorkflowId:
    """As a run would ask that this core does not drive: kinds that come from a crash or from an agent."""
    teller = Teller("afar")
    asked = (teller.created("send"), teller.started(), teller.asks(kind=kind, step="send", **fields))
    for event in asked:
        app.core.bus.publish(event)
    return teller.workflow_id


async def test_a_window_that_is_not_active_is_not_looked_at(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        said = await app.say("say 2 words")
        await app.core.engine.wait(said.id)
        listed = app.core.stores.workflows.get(said.workflow_id)
        assert listed is not None
        app.content.workflow_actions.show(said.workflow_id)
        QApplication.sendEvent(app.window, QEvent(QEvent.Type.WindowDeactivate))
        run = await app.start_in(listed.workflow, asking("send"))
        await waits(app, run)
        assert questions(app) == ["say 2 words"]
        assert card_of(app).isVisible()
        QApplication.sendEvent(app.window, QEvent(QEvent.Type.WindowActivate))


async def test_no_toast_lies_on_the_card(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        runs = [await app.start(f"Letters {number}", asking("send")) for number in range(4)]
        for run in runs:
            await waits(app, run)
        card = await view(app, runs[0])
        await waiting.until(lambda: app.content.toasts.cards)
        await app.drawn()
        place = QRect(card.mapTo(app.window, QPoint(0, 0)), card.size())
        for toast in app.content.toasts.cards:
            box = QRect(toast.mapTo(app.window, QPoint(0, 0)), toast.size())
            assert not toast.isVisible() or not box.intersects(place)


@pytest.mark.parametrize("size", [(800, 600), (1200, 800)])
@pytest.mark.parametrize("language", [Language.ENGLISH, Language.FRENCH])
async def test_every_button_has_room_for_its_words(
    tmp_path: Path, qapp: QApplication, until: Until, size: tuple[int, int], language: Language
) -> None:
    async with an_app(tmp_path, qapp, size=size) as app:
        app.session.translation.set_language(language)
        workflow_id = ask_from_afar(app, InterruptionKind.OUTCOME, tool="write_file", arguments={"path": "a.md"})
        app.content.workflow_actions.show(workflow_id)
        app.content.chat.focus_card()
        assert app.window.width() == size[0]

        def cramped() -> list[str]:
            shown = [button for button in card_of(app).findChildren(QPushButton) if button.isVisible()]
            boxes = {each.text(): QRect(each.mapTo(app.window, QPoint(0, 0)), each.size()) for each in shown}
            assert len(boxes) == 4
            narrow = [each.text() for each in shown if each.width() < each.sizeHint().width()]
            return narrow + [text for text, box in boxes.items() if not app.window.rect().contains(box)]

        await until(lambda: not cramped())


async def test_on_a_small_screen_with_large_text_the_parts_of_a_card_stand_below_each_other(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """1366 by 768 at 150 % is 911 by 512."""
    french = Arguments(language="fr", theme="light")
    async with an_app(tmp_path, qapp, size=(911, 512), arguments=french) as app:
        app.content.preferences.zoom(2)
        assert (app.window.minimumWidth() <= 800, app.window.minimumHeight() <= 500) == (True, True)
        prompt = "Rework the invoices of the spring quarter, then write to everybody who has not answered yet?"
        run = await app.start("Letters", asking("send", prompt=prompt))
        await until(lambda: app.core.stores.questions.count(run.workflow_id))
        card = await view(app, run)
        app.key(Qt.Key.Key_A, CONTROL_SHIFT)
        await app.drawn()

        def places(*parts: QWidget) -> list[QRect]:
            return [QRect(part.mapTo(app.window, QPoint(0, 0)), part.size()) for part in parts]

        shown = [button for button in card.findChildren(QPushButton) if button.isVisible() and button.text()]
        buttons = [button for button in shown if not card._scroller.isAncestorOf(button)]
        scrolled, *pressed = places(card._scroller, *buttons)
        assert len(pressed) >= 3
        assert all(app.window.rect().contains(each) and not each.intersects(scrolled) for each in pressed)
        assert app.focused() is card.button(Action.REJECT)


@pytest.mark.parametrize(
    ("scope", "sentence"),
    [
        ("run", "This run has cost $1.02; its limit is $1.00. Allow $1.00 more?"),
        ("day", "Today’s runs have cost $1.02; the limit of a day is $1.00. Allow $1.00 more?"),
    ],
)
async def test_a_spending_limit_is_asked_about_with_its_amounts(
    tmp_path: Path, qapp: QApplication, scope: str, sentence: str
) -> None:
    async with an_app(tmp_path, qapp) as app:
        options = {"scope": scope, "of": "it", "number": 0, "cost": 1.02, "limit": 1.0, "more": 1.0}
        workflow_id = ask_from_afar(app, InterruptionKind.SPENDING, options=options)
        app.content.workflow_actions.show(workflow_id)
        await take_card(app)
        card = card_of(app)
        assert sentence in [label.text() for label in card.findChildren(QLabel)]
        labels = [card.button(action).text() for action in (Action.REJECT, Action.APPROVE)]
        assert labels == ["Stop here", "Go on"]
