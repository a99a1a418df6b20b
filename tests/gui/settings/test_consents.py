"""Categories, exceptions, risk, time limit and audit log in the settings."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog

from core.domain.audit import AuditEntry, Decider, Decision
from core.domain.consent import Permission, Rule
from core.domain.settings import OnTimeout
from core.errors import StorageFailed
from core.ports import PAGE_ROWS, PutAudit
from desktop.settings.consent.audit_log import AuditCard
from desktop.settings.consent.consent_strings import decision_label
from desktop.settings.consent.exceptions_card import ExceptionsCard
from desktop.settings.parts.page import PageId
from desktop.translation import Language
from tests.contracts.rows import an_entry
from tests.gui.settings.rig import Rig

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

Until = Callable[..., Awaitable[None]]


def exceptions(rig: Rig) -> ExceptionsCard:
    matching = rig.dialog.findChild(ExceptionsCard)
    assert isinstance(matching, ExceptionsCard)
    return matching


def audit(rig: Rig) -> AuditCard:
    matching = rig.dialog.findChild(AuditCard)
    assert isinstance(matching, AuditCard)
    return matching


async def test_a_category_is_switched_saved_and_undone(rig: Rig, until: Until) -> None:
    rig.click("Ask about tools")
    await until(lambda: rig.service.current.ask_for_tools)
    assert (await rig.saved_settings()).ask_for_tools
    assert rig.notice() == "Ask about tools: on"
    rig.click("Undo")
    await until(lambda: not rig.service.current.ask_for_tools)


async def test_risk_and_time_are_set(rig: Rig, until: Until) -> None:
    for name in (
        "Always confirm high risk",
        "Selective: low risk needs no approval",
        "Manual: low risk needs no approval",
        "Requests have a time limit",
    ):
        rig.click(name)
    await until(lambda: rig.service.current.consent_expires)
    rig.control("Reject").setFocus(Qt.FocusReason.TabFocusReason)
    rig.press(Qt.Key.Key_Right)
    rig.press(Qt.Key.Key_Right)
    await until(lambda: rig.service.current.consent_on_timeout is OnTimeout.ASK_AGAIN)
    saved = await rig.saved_settings()
    assert (saved.confirm_high_risk, saved.low_risk_free_in_selective, saved.low_risk_free_in_manual) == (
        True,
        True,
        True,
    )
    assert (saved.consent_expires, saved.consent_on_timeout) == (True, OnTimeout.ASK_AGAIN)


async def test_tab_leads_through_the_page_in_its_order(rig: Rig, until: Until) -> None:
    await rig.consent.set_exception("calculator", Rule.ALLOW)
    await until(lambda: exceptions(rig).rows)
    order = ["Selective", "Ask about tools", "Ask about sub-agents", "Ask about MCP servers", "Ask about files"]
    order += ["Ask about the database", "Tool or server", "Allow", "Ask", "Remove the exception for calculator"]
    order += ["Always confirm high risk"]
    rig.control("Selective").setFocus(Qt.FocusReason.TabFocusReason)
    for name in order:
        assert rig.focused() == name
        rig.press(Qt.Key.Key_Tab)


async def test_exceptions_are_listed_made_and_removed(rig: Rig, until: Until) -> None:
    await rig.consent.set_exception("write_file", Rule.ALLOW)
    await until(lambda: exceptions(rig).rows)
    names = rig.control("Tool or server")
    assert isinstance(names, QComboBox)
    shown = [names.itemText(at) for at in range(names.count())]
    assert shown == ["calculator", "All tools of the server “files”", "mcp__files__read", "mcp__files__write"]
    names.setCurrentIndex(1)
    rig.click("Ask")
    await until(lambda: len(exceptions(rig).rows) == 2 and exceptions(rig).rows[-1].isVisible())
    assert rig.consent.exceptions == {"write_file": Rule.ALLOW, "mcp__files": Rule.ASK}
    remove = rig.control("Remove the exception for write_file")
    remove.setFocus(Qt.FocusReason.TabFocusReason)
    rig.press(Qt.Key.Key_Space)
    await until(lambda: len(exceptions(rig).rows) == 1 and exceptions(rig).rows[-1].isVisible())
    assert rig.consent.exceptions == {"mcp__files": Rule.ASK}
    assert rig.focused() == "Remove the exception for All tools of the server “files”"


async def test_rules_for_commands_are_listed_and_taken_back(rig: Rig, until: Until) -> None:
    rig.consent.allow("command:cd x;\nmake \u202e", Permission())
    rig.consent.allow("command_prefix:git status", Permission())
    await until(lambda: len(exceptions(rig).rows) == 2 and exceptions(rig).rows[-1].isVisible())
    for rule in ("Command “cd x; ⏎ make ⟨U+202E⟩”", "Commands that begin with “git status”"):
        rig.control(f"Remove the exception for {rule}")
    rig.click("Remove the exception for Commands that begin with “git status”")
    await until(lambda: list(rig.consent.exceptions) == ["command:cd x;\nmake \u202e"])


async def test_an_exception_that_is_made_on_a_card_shows_at_once(rig: Rig, until: Until) -> None:
    rig.consent.allow("calculator", Permission())
    await until(lambda: [row.name for row in exceptions(rig).rows] == ["calculator"])


async def test_a_failed_write_of_an_exception_is_shown(rig: Rig, until: Until) -> None:
    rig.disk.fault = StorageFailed("storage_full", "no space")
    rig.click("Allow")
    card = exceptions(rig)
    await until(card._error.isVisible)
    assert card._error.text() == "The database did not answer, so everything stays as it was."
    assert card.rows == []


# The audit log


async def filled(rig: Rig, until: Until, count: int) -> AuditCard:
    """Return the card after loading this many entries."""
    entries = [an_entry(f"aud_{number:04}", number, title=f"Run {number}") for number in range(count)]
    await rig.disk.commit([PutAudit(entry) for entry in entries])
    card = audit(rig)
    rig.click("Read the log again")
    await until(lambda: len(card.model.items) == min(count, PAGE_ROWS))
    return card


async def test_an_empty_log_explains_itself(rig: Rig) -> None:
    card = audit(rig)
    assert not card.table.isVisibleTo(card)
    assert not rig.control("Read the log again").isHidden()
    assert not card._export.isEnabled()


async def test_the_log_is_listed_newest_first_and_an_entry_opens_in_full(rig: Rig, until: Until) -> None:
    card = await filled(rig, until, 3)
    model = card.model
    assert [model.data(model.index(row, 3)) for row in range(3)] == ["Run 2", "Run 1", "Run 0"]
    assert [model.data(model.index(0, column)) for column in (1, 2)] == ["echo", "Approved"]
    card.table.setFocus(Qt.FocusReason.TabFocusReason)
    card.table.selectRow(1)
    QApplication.processEvents()
    assert card._entry.isVisibleTo(card)
    assert json.loads(card._entry.value.text)["title"] == "Run 1"


async def test_more_of_a_long_log_comes_as_it_is_scrolled(rig: Rig, until: Until) -> None:
    card = await filled(rig, until, PAGE_ROWS + 30)
    assert card.model.canFetchMore()
    card.model.fetchMore()
    card.model.fetchMore()
    await until(lambda: len(card.model.items) == PAGE_ROWS + 30)
    card.model.fetchMore()
    await until(lambda: not card.model.canFetchMore())
    assert len({entry.id for entry in card.model.items}) == PAGE_ROWS + 30


async def test_the_log_is_exported_and_a_failure_is_shown(rig: Rig, until: Until, tmp_path: Path) -> None:
    card = await filled(rig, until, 3)
    card.export_to(str(tmp_path / "audit.jsonl"))
    await until(lambda: card.note == "Written: 3 entries.")
    assert len((tmp_path / "audit.jsonl").read_text("utf-8").splitlines()) == 3
    card.export_to(str(tmp_path / "nowhere" / "audit.jsonl"))
    await until(lambda: card.note == "The file could not be written.")


async def test_the_export_asks_for_a_file_without_stopping_the_window(rig: Rig, until: Until) -> None:
    await filled(rig, until, 1)
    rig.click("Export…")
    (dialog,) = rig.dialog.findChildren(QFileDialog)
    assert dialog.isVisible()
    dialog.close()


@pytest.mark.parametrize("language", Language)
def test_every_decision_has_a_label(language: Language) -> None:
    seen: set[str] = set()
    for decision in Decision:
        for decider in Decider:
            entry: AuditEntry = an_entry(decision=decision, decider=decider)
            assert decision_label(entry)
            seen.add(decision_label(entry))
    assert len(seen) >= 8


async def test_the_page_is_found_by_what_is_on_it(rig: Rig) -> None:
    for words in ("audit", "exception", "risk", "time limit", "database"):
        rig.search(words)
        assert rig.dialog.page is PageId.VALIDATION
