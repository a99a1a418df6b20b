"""The card shows what will run, all of it, and what it shows is what runs."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton

from core.domain.audit import Decision
from core.domain.ids import WorkflowId, new_id
from core.domain.interruption import Action
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.domain.text.json_text import encode
from core.domain.text.masking import MASK
from core.domain.tool import ToolInfo
from core.domain.workflow import Workflow
from core.ports import CallContext
from core.services.outcome import Ok
from core.tools.registry import Tool
from desktop.attention.call_view import CallValues
from desktop.attention.card import AttentionCard
from desktop.attention.footer import ApprovalScope
from desktop.widgets import raw_text
from desktop.window.frame.notifications import one_line
from tests.gui.window.consent_cards import CASES, Case, Table, gone_through, in_sight
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import ended
from tests.support import waiting
from tests.support.world import a_step


class Probe:
    """A tool that takes anything, and keeps the arguments that reached it."""

    def __init__(self) -> None:
        self.got: list[Mapping[str, Any]] = []

    def tools(self) -> list[Tool]:
        schema = {"type": "object"}
        return [Tool(ToolInfo(name, "Probe", "", schema), server=self._call) for name in ("probe", "mcp__evil__probe")]

    async def _call(self, arguments: Mapping[str, Any], context: CallContext) -> str:
        self.got.append(arguments)
        return "done"


async def card_for(app: App, folder: Path, arguments: Mapping[str, Any], tool: str = "probe") -> AttentionCard:
    """Return the card of a call in manual mode, once it shows the call."""
    sent = await app.core.chat.send(
        "go",
        mode=ValidationMode.MANUAL,
        allow=[str(folder)],
        base=str(folder),
        script=[{"call": tool, "arguments": arguments}, {"say": "done"}],
    )
    assert isinstance(sent, Ok), sent
    run = sent.data
    await waiting.until(lambda: app.core.stores.questions.count(run.workflow_id) == 1)
    app.content.workflow_actions.show(run.workflow_id)
    app.content.chat.focus_composer()
    await waiting.until(lambda: app.core.stores.view.is_loaded)
    app.content.chat.focus_card()
    card = app.content.chat.card
    await waiting.until(lambda: card.request is not None and card.request.question.run_id == run.id)
    assert card.request is not None
    await waiting.until(lambda: card.request is not None and card.request.is_ready)
    await app.drawn()
    return card


async def approve(app: App, card: AttentionCard) -> None:
    assert card.request is not None
    run_id = card.request.question.run_id
    await waiting.until(lambda: not card.guard.is_on)
    card.button(Action.APPROVE).click()
    await ended(app, await app.core.engine.wait(run_id))
    await app.drawn()


@pytest.mark.parametrize("first", range(0, 40, 8))
async def test_forty_hostile_calls_are_seen_as_they_run(tmp_path: Path, qapp: QApplication, first: int) -> None:
    folder, elsewhere = tmp_path / "folder" / "base", tmp_path / "elsewhere"
    folder.mkdir(parents=True)
    elsewhere.mkdir()
    (folder / "link").symlink_to(elsewhere)
    places = {"above": str(folder.parent.resolve()), "elsewhere": str(elsewhere.resolve())}
    probe, table = Probe(), Table()
    assert len(CASES) == 40
    async with an_app(tmp_path / "data", qapp, more_tools=probe.tools(), mode=ValidationMode.MANUAL) as app:
        for case in CASES[first : first + 8]:
            card = await card_for(app, folder, case.arguments, case.tool)
            decides, shown = in_sight(card), gone_through(card)
            table.add(case, decides.replace(str(tmp_path), "…"), shown, encode(case.arguments))
            _check(case, decides, shown, places)
            _check_secrets(case, card)
            await approve(app, card)
            (ran,) = probe.got[-1:]
            assert encode(ran) == encode(case.arguments), case.name  # byte by byte
        entries = await app.core.storage.audit.page()
        assert {entry.decision for entry in entries} == {Decision.APPROVED}
    sys.stdout.write(f"\n{table.text(has_head=first == 0)}\n")


def _check(case: Case, decides: str, shown: str, places: Mapping[str, str]) -> None:
    for part in case.decides:
        assert part.format(**places) in decides, (case.name, decides)
    for part in case.shows:
        assert part in decides + shown, (case.name, shown[-2_000:])
    for part in (*case.hides, *case.folded):
        assert part not in decides + shown, case.name
    # all of it can be reached: every text is in sight or among the arguments, but for folded secrets
    if not case.folded:
        for text in case.arguments.values():
            if isinstance(text, str) and text.isascii() and text.isprintable() and "  " not in text:
                assert text in (decides + shown).replace("\n", ""), case.name


def _check_secrets(case: Case, card: AttentionCard) -> None:
    (values,) = card.findChildren(CallValues)
    assert values.show_secrets.isVisible() is bool(case.folded), case.name
    if case.folded:
        values.show_secrets.click()
        everything = in_sight(card) + gone_through(card)
        for secret in case.folded:
            assert secret in everything, case.name
        assert MASK not in everything


async def test_nothing_is_approved_before_it_is_shown(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe, shown = Probe(), asyncio.Event()
    async with an_app(tmp_path, qapp, more_tools=probe.tools(), mode=ValidationMode.MANUAL) as app:
        describe = app.core.call_requests.describe

        async def slow(*asked: Any) -> Any:
            await shown.wait()
            return await describe(*asked)

        monkeypatch.setattr(type(app.core.call_requests), "describe", lambda service, *asked: slow(*asked))
        sent = await app.core.chat.send(
            "go",
            mode=ValidationMode.MANUAL,
            script=[{"call": "probe", "arguments": {"path": "ls"}}, {"say": "done"}],
        )
        assert isinstance(sent, Ok)
        run, card = sent.data, app.content.chat.card
        await waiting.until(lambda: app.core.stores.questions.count(run.workflow_id) == 1)
        app.content.workflow_actions.show(run.workflow_id)
        await waiting.until(lambda: card.request is not None)
        app.content.chat.focus_card()
        await waiting.until(lambda: card.has_focus and not card.guard.is_on)
        assert card.request is not None
        await waiting.until(lambda: "Reading the arguments…" in {label.text() for label in card.findChildren(QLabel)})
        card.button(Action.APPROVE).click()
        app.control(Qt.Key.Key_Return)
        await app.drawn()
        assert (probe.got, app.core.stores.questions.count(run.workflow_id)) == ([], 1)
        shown.set()
        await waiting.until(lambda: card.request is not None and card.request.is_ready)
        await app.drawn()
        assert "ls" in in_sight(card)
        app.control(Qt.Key.Key_Return)
        await ended(app, await app.core.engine.wait(run.id))
        assert probe.got == [{"path": "ls"}]


ODD = "a\u00a0b\u2028c\u2029d\ufdd0e\u202ef\ud800" + " " * 100


@pytest.mark.parametrize("kind", ["input-review", "state-edit", "local-execution"])
async def test_values_to_be_edited_are_escaped_and_unedited_are_the_very_values(
    tmp_path: Path, qapp: QApplication, kind: str
) -> None:
    async with an_app(tmp_path, qapp) as app:
        first = {**a_step("s"), "input": {"odd": ODD}}
        asks = {"kind": kind, **({"schema": {}} if kind == "local-execution" else {})}
        run = await app.start("Odd", first, {**a_step("e", "s"), "input": "@s", "interrupt": asks})
        await waiting.until(lambda: app.core.stores.questions.count(run.workflow_id) == 1)
        app.content.workflow_actions.show(run.workflow_id)
        card = app.content.chat.card
        await waiting.until(lambda: card.request is not None)
        await app.drawn()
        (text, *_) = [raw_text(box.document()) for box in card.findChildren(QPlainTextEdit) if box.isVisible()]
        assert not [sign for sign in "\u2028\u2029\ufdd0\u202e" if sign in text]
        if kind == "local-execution":
            assert "⟨U+202E⟩" in text
            return
        assert rb"a\u00a0b".decode("unicode_escape") in text
        assert r"\u2028c\u2029d\ufdd0e\u202ef\ud800\u0020\u0020" in text
        assert json.loads(text) == {"odd": ODD}
        app.content.chat.focus_card()
        await waiting.until(lambda: card.has_focus and not card.guard.is_on)
        card.button(Action.SUBMIT).click()
        done = await ended(app, run)
        assert done.status is RunStatus.SUCCESS
        assert json.loads(done.output_json or "") == {"odd": ODD}


async def test_a_name_a_question_and_its_options_mark_what_they_hide(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        evil = "pay\u202epal\u3164 \U000e0041me"
        seen = "pay⟨U+202E⟩pal⟨U+3164⟩ ⟨U+E0041⟩me"
        asks = {"kind": "local-execution", "prompt": evil, "schema": {"type": "object", "properties": {evil: {}}}}
        now = app.core.clock.now()
        workflow = Workflow(WorkflowId(new_id("wf")), evil, "offline", now, now)
        run = await app.start_in(workflow, {**a_step("e"), "interrupt": asks})
        await waiting.until(lambda: app.content.toasts.cards)
        (toast,) = app.content.toasts.cards
        assert seen in {label.text() for label in toast.findChildren(QLabel)}
        app.content.workflow_actions.show(run.workflow_id)
        card = app.content.chat.card
        await waiting.until(lambda: card.request is not None)
        await app.drawn()
        labels = [label.text() for label in app.window.findChildren(QLabel)]
        assert not [text for text in labels if "\u202e" in text or "\U000e0041" in text or "\u3164" in text]
        assert len([text for text in labels if seen in text]) >= 4  # header, asker, prompt, field
        assert seen in card.accessibleDescription()
        assert seen in one_line(evil, 100)


async def test_arguments_that_were_opened_but_not_changed_are_approved_as_they_came(
    tmp_path: Path, qapp: QApplication
) -> None:
    probe = Probe()
    async with an_app(tmp_path / "data", qapp, more_tools=probe.tools(), mode=ValidationMode.MANUAL) as app:
        for number in range(2):
            arguments = {"content": ODD, "number": number}
            card = await card_for(app, tmp_path, arguments)
            assert card.request is not None
            card.request.change_button.click()
            (box,) = [box for box in card.findChildren(QPlainTextEdit) if box.isVisible()]
            if number == 1:
                box.setPlainText(raw_text(box.document()).replace('"number": 1', '"number": 7'))
            await approve(app, card)
            assert encode(probe.got[-1]) == encode({**arguments, "number": 7 if number else 0})
        edited, approved = await app.core.storage.audit.page()
        assert (approved.decision, edited.decision) == (Decision.APPROVED, Decision.EDITED)


async def test_the_card_of_a_command_says_what_it_reaches_and_keeps_the_rule_that_it_shows(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path / "data", qapp) as app:
        card = await card_for(app, tmp_path, {"command": "git status | wc"}, "run_command")
        await waiting.until(lambda: "onfined: it " in in_sight(card))
        assert "git status | wc" in in_sight(card)
        assert scopes(card) == ["Once", "For this run", "Always"]
        covered = choose(card, "Always")
        assert covered.startswith("Always allow exactly this command, in all workflows.")
        await approve(app, card)
        card = await card_for(app, tmp_path, {"command": "git status --short", "network": True}, "run_command")
        assert scopes(card) == ["Once", "For this run", "Always", "Always “git status …”"]
        covered = choose(card, "Always “git status …”")
        assert covered.startswith("Always allow commands that begin with “git status”, in all workflows.")
        assert "Also with the network." in covered
        await approve(app, card)
        assert set(app.core.consent.exceptions) == {"command:git status | wc", "command_prefix:git status"}
        card = await card_for(app, tmp_path, {"command": "echo '" + "x" * 300 + "'"}, "run_command")
        assert scopes(card) == ["Once", "For this run"]


def scopes(card: AttentionCard) -> list[str]:
    return [button.text() for button in approval(card).findChildren(QPushButton) if button.isVisible()]


def choose(card: AttentionCard, name: str) -> str:
    """Choose a scope, and return what the card says that it covers."""
    next(button for button in approval(card).findChildren(QPushButton) if button.text() == name).click()
    return approval(card).description


def approval(card: AttentionCard) -> ApprovalScope:
    matching = card.findChild(ApprovalScope)
    assert isinstance(matching, ApprovalScope)
    return matching
