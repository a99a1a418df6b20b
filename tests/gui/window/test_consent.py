"""The card for calls of tools and for questions: what it shows, by keyboard what it sends, and what follows."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSlider,
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from core.domain.consent import Rule
from core.domain.interruption import Action
from core.domain.run import Run
from core.domain.template import ValidationMode
from core.domain.text.json_text import decode
from core.domain.text.masking import MASK
from core.services.outcome import Ok
from desktop.attention import card as attention_card
from desktop.attention.call_view import CallLine, CallValue, CallValues
from desktop.attention.card import AttentionCard
from desktop.attention.footer import ApprovalScope
from desktop.translation import Language
from desktop.widgets import DiffView, Segmented
from tests.gui.window import test_attention as attention
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import listens, take_card
from tests.support import waiting

Until = Callable[..., Awaitable[None]]

CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
CALCULATE = '/tool calculator {"expression": "6*7"}'


async def chat(app: App, text: str, count: int = 1) -> tuple[Run, AttentionCard]:
    """A chat in manual mode that asks for so much, with its card in focus and listening."""
    sent = await app.core.chat.send(text, mode=ValidationMode.MANUAL)
    assert isinstance(sent, Ok)
    run = sent.data
    await asks(app, run, count)
    app.content.workflow_actions.show(run.workflow_id)
    app.content.chat.focus_composer()
    await waiting.until(lambda: app.core.stores.view.is_loaded)
    await app.drawn()
    card = app.content.chat.card
    await waiting.until(lambda: card.request is not None and card.request.is_ready)
    await take_card(app)
    return run, card


async def asks(app: App, run: Run, count: int) -> None:
    await waiting.until(lambda: app.core.stores.questions.count(run.workflow_id) == count)
    await app.drawn()


async def ended(app: App, run: Run) -> Any:
    await attention.ended(app, run)
    described = await app.core.runs.describe(run.id)
    assert isinstance(described, Ok)
    return described.data


def texts(widget: QWidget) -> set[str]:
    return {label.text() for label in widget.findChildren(QLabel) if label.isVisible()}


def scope(card: AttentionCard) -> ApprovalScope:
    found = card.findChild(ApprovalScope)
    assert isinstance(found, ApprovalScope)
    return found


def values(card: AttentionCard) -> dict[str, str]:
    """The arguments that the card shows, by name."""
    lines = {}
    for line in card.findChildren(CallLine):
        name, text = (label.text() for label in line.findChildren(QLabel))
        lines[name] = text
    long = {part.section.value.accessibleName(): part.section.value.text for part in card.findChildren(CallValue)}
    return {**lines, **long}


def arguments(card: AttentionCard) -> QPlainTextEdit:
    """The field of the card; that of the arguments once they are to be changed."""
    if card.request is not None and card.request.change_button.isVisible():
        card.request.change_button.click()
    return next(field for field in card.findChildren(QPlainTextEdit) if field.isVisible())


async def test_the_card_shows_the_tool_its_risk_all_arguments_and_what_an_approval_covers(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        _, card = await chat(app, '/tool write_file {"path": "a.txt", "content": "x", "append": true}')
        assert {
            "write_file",
            "Medium risk: it changes something",
            "a.txt",
            "Tool approval",
            "This call alone.",
        } <= texts(card)
        assert values(card) == {"append": "true", "content": "x"}
        assert app.focused() is card.button(Action.REJECT)
        choices = {button.text(): button for button in scope(card).findChildren(QPushButton)}
        assert list(choices) == ["Once", "For this run", "Always"]
        choices["Always"].click()
        assert "“write_file”, in all workflows" in scope(card).description
        app.session.translation.set_language(Language.FRENCH)
        await waiting.until(lambda: "dans tous" in scope(card).description)
        assert "« write_file », dans tous les workflows" in scope(card).description.replace("\u00a0", " ")


async def test_an_approval_for_the_run_is_given_by_keyboard(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run, card = await chat(app, f"{CALCULATE}\n\n{CALCULATE}")
        assert app.focused() is card.button(Action.APPROVE)  # low risk
        while not isinstance(app.focused().parent(), Segmented):
            app.key(Qt.Key.Key_Backtab)
        app.key(Qt.Key.Key_Right)
        assert "in this run" in scope(card).description
        app.control(Qt.Key.Key_Return)
        told = await ended(app, run)
        assert [each["status"] for each in told["interruptions"]] == ["approved"]
        assert [call["status"] for call in told["tool_calls"]] == ["completed"] * 2
        assert (await app.core.storage.audit.page())[-1].scope == "run"


async def test_always_is_an_exception_that_the_settings_show(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run, card = await chat(app, CALCULATE)
        next(button for button in scope(card).findChildren(QPushButton) if button.text() == "Always").click()
        card.button(Action.APPROVE).click()
        await ended(app, run)
        assert app.core.consent.exceptions == {"calculator": Rule.ALLOW}


async def test_changed_arguments_are_sent_and_approved_once(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run, card = await chat(app, CALCULATE)
        next(button for button in scope(card).findChildren(QPushButton) if button.text() == "Always").click()
        arguments(card).setPlainText('{"expression": "1+1"}')
        assert scope(card).description == "With changed arguments it is approved once."
        assert not any(one.isEnabled() for one in scope(card).findChildren(QPushButton))
        arguments(card).setPlainText('{"expression": "6*7"}')
        assert "in all workflows" in scope(card).description
        arguments(card).setPlainText('{"expression": "1+1"}')
        card.button(Action.APPROVE).click()
        told = await ended(app, run)
        assert told["tool_calls"][0]["args"] == {"expression": "1+1"}
        assert app.core.consent.exceptions == {}


async def test_arguments_that_do_not_fit_say_so_at_their_field(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        _, card = await chat(app, CALCULATE)
        arguments(card).setPlainText('{"expression": 5}')
        card.button(Action.APPROVE).click()
        await until(lambda: any("expected text, got 5" in text for text in texts(card)))
        arguments(card).setPlainText("{")
        card.button(Action.APPROVE).click()
        assert any(text.startswith("This is no JSON") for text in texts(card))


async def test_a_reason_reaches_the_agent(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run, card = await chat(app, CALCULATE)
        reason = next(field for field in card.findChildren(QLineEdit) if "Reason" in field.accessibleName())
        reason.setFocus()
        QTest.keyClicks(reason, "use your head")
        card.button(Action.REJECT).click()
        assert "use your head" in (await ended(app, run))["output"]


async def test_several_requests_are_gone_through_with_what_was_chosen_for_each(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run, card = await chat(app, f'{CALCULATE}\n/tool wait {{"seconds": 0}}', 2)
        next(button for button in scope(card).findChildren(QPushButton) if button.text() == "For this run").click()
        app.key(Qt.Key.Key_PageDown)
        await listens(app)
        assert (scope(card).description, "wait" in texts(card)) == ("This call alone.", True)
        app.key(Qt.Key.Key_PageUp)
        await listens(app)
        assert "in this run" in scope(card).description
        for left in (1, 0):
            card.button(Action.APPROVE).click()
            await asks(app, run, left)
            await waiting.until(lambda: not card.guard.is_on)
        await ended(app, run)
        assert [entry.scope for entry in reversed(await app.core.storage.audit.page())] == ["run", "once"]


async def test_a_secret_is_folded_can_be_changed_and_is_not_stored(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        secret = "abc123abc123abc"
        run, card = await chat(app, f'/tool write_file {{"path": "/nowhere", "content": "Bearer {secret}"}}')
        (shown,) = card.findChildren(DiffView)
        assert shown.toPlainText() == "+ Bearer ⟨secret, 15 characters⟩"
        (call,) = card.findChildren(CallValues)
        call.show_secrets.click()
        assert shown.toPlainText() == f"+ Bearer {secret}"
        box = arguments(card)
        assert decode(box.toPlainText())["content"] == f"Bearer {secret}"
        box.setPlainText(box.toPlainText().replace("Bearer", "Now Bearer"))
        assert card.request is not None
        draft = card.request.draft
        assert draft is not None
        assert secret not in str(draft.fields)
        assert MASK in str(draft.fields)
        card.button(Action.APPROVE).click()
        told = await ended(app, run)
        assert told["tool_calls"][0]["error"]["code"] == "not_allowed"  # and not that the secret is missing
        assert told["tool_calls"][0]["args"]["content"] == f"Now Bearer {MASK}"
        assert secret not in str(told)
        assert secret not in str(await app.core.storage.audit.page())


# Questions


async def test_options_are_chosen_by_keyboard(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run, card = await chat(app, '/tool ask_user {"question": "Which?", "type": "checkbox", "options": ["a", "b"]}')
        assert {"Which?", "Question"} <= texts(card)
        assert not [field for field in card.findChildren(QPlainTextEdit) if field.isVisible()]
        assert "ask_user" not in texts(card)
        focused = app.focused()
        assert isinstance(focused, QCheckBox)
        app.control(Qt.Key.Key_Return)
        assert "Choose something; to give no answer, skip it." in texts(card)
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Space)
        app.control(Qt.Key.Key_Return)
        assert "You answered: b" in (await ended(app, run))["output"]


@pytest.mark.parametrize("most", [1, 2])
async def test_enter_on_an_option_answers(tmp_path: Path, qapp: QApplication, most: int) -> None:
    options = f'"options": ["red", "green", "blue"], "max_choices": {most}'
    async with an_app(tmp_path, qapp) as app:
        run, card = await chat(app, f'/tool ask_user {{"question": "Which?", {options}}}')
        app.key(Qt.Key.Key_Down)
        assert app.focused().accessibleName() == "green"
        if most == 1:  # Enter is the choice too
            assert isinstance(app.focused(), QRadioButton)
            app.key(Qt.Key.Key_3)
            app.key(Qt.Key.Key_Up)
            app.key(Qt.Key.Key_Return)
            assert "You answered: green" in (await ended(app, run))["output"]
            return
        app.key(Qt.Key.Key_Return)
        assert "Choose something or write an answer; to give none, skip it." in texts(card)
        assert app.core.stores.questions.count(run.workflow_id) == 1
        for option in (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3):
            app.key(option)
        app.key(Qt.Key.Key_Return)
        assert "Choose at most 2." in texts(card)
        app.key(Qt.Key.Key_Space)
        app.key(Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
        assert "You answered: green, blue" in (await ended(app, run))["output"]


@pytest.mark.parametrize("size", [(800, 600), (1200, 800)])
async def test_an_error_is_in_sight_beside_its_field_and_announced(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    said: list[str] = []
    monkeypatch.setattr(attention_card, "announce", lambda _widget, words, **_how: said.append(words))
    async with an_app(tmp_path, qapp, size=size) as app:
        context = "It matters for what follows. " * 60
        options = '"type": "checkbox", "options": ["red", "green", "blue", "grey", "black", "white", "pink"]'
        run, card = await chat(app, f'/tool ask_user {{"question": "Which?", {options}, "context": "{context}"}}')
        card.button(Action.SUBMIT).setFocus()
        app.key(Qt.Key.Key_Return)
        words = "Choose something; to give no answer, skip it."
        await app.drawn()
        (error,) = [label for label in card.findChildren(QLabel) if label.text() == words]
        port = card._scroller.viewport()
        for part in (error, app.focused()):
            assert port.rect().contains(QRect(part.mapTo(port, QPoint(0, 0)), part.size()))
        assert (app.focused().accessibleName(), said) == ("red", [words])
        # the user can scroll away from it
        bar = card._scroller.verticalScrollBar()
        bar.triggerAction(QAbstractSlider.SliderAction.SliderToMinimum)
        await app.drawn()
        assert bar.value() == 0
        assert app.core.stores.questions.count(run.workflow_id) == 1


async def test_a_text_is_written_and_its_length_is_bounded(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run, card = await chat(app, '/tool ask_user {"question": "Why?", "context": "It matters."}')
        assert {"Why?", "It matters."} <= texts(card)
        assert card.findChildren(QCheckBox) == []
        box = arguments(card)
        box.setPlainText("x" * 10_001)
        app.control(Qt.Key.Key_Return)
        assert "This is too long: at most 10,000 characters." in texts(card)
        box.setPlainText("")
        QTest.keyClicks(box, "because")
        app.control(Qt.Key.Key_Return)
        assert "You answered: because" in (await ended(app, run))["output"]


async def test_a_mixed_question_takes_both_and_can_be_skipped(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        run, card = await chat(app, "ask Which? [a, b]\n\nask Why?")
        assert card.request is not None
        first = card.request.question.id
        card.findChildren(QCheckBox)[0].click()
        QTest.keyClicks(arguments(card), "and more")
        card.button(Action.SUBMIT).click()
        await waiting.until(lambda: card.request is not None and card.request.question.id != first)
        await asks(app, run, 1)
        await take_card(app)
        card.button(Action.SKIP).click()
        output = (await ended(app, run))["output"]
        assert "You answered: a, and more" in output or '"skipped":true' in output
        described = await app.core.runs.describe(run.id)
        assert isinstance(described, Ok)
        assert [each["status"] for each in described.data["interruptions"]] == ["answered"] * 2
