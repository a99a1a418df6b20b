"""The texts of a row, in both languages, and for screen readers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt

from core.domain.interruption import InterruptionKind
from core.domain.template import ValidationMode
from core.stores.execution import Doing
from core.threads.system_clock import SystemClock
from desktop.sidebar.model import SidebarModel
from desktop.sidebar.rows import Row, RowState, Section
from desktop.sidebar.sidebar_strings import initial, state_text, time_text
from desktop.translation import Language, Translation
from tests.gui.sidebar.rig import wf

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
NBSP = "\N{NO-BREAK SPACE}"
LIVE = Row(wf("a"), "Alpha", Section.RUNNING, RowState.RUNNING, NOW, since=NOW - timedelta(seconds=12))
ENDED = replace(LIVE, section=Section.RECENT, state=RowState.COMPLETED, at=NOW - timedelta(minutes=3), until=NOW)
IDLE = Row(wf("a"), "Alpha", Section.WORKFLOWS, RowState.NEW, NOW - timedelta(days=1))


@pytest.mark.parametrize(
    ("row", "english", "french"),
    [
        (LIVE, "Running · 12 s", "En cours · 12 s"),
        (replace(LIVE, progress=(3, 7)), "Step 3/7 · 12 s", f"Étape{NBSP}3/7 · 12 s"),
        (replace(LIVE, state=RowState.QUEUED), "Waiting for a place · 12 s", "En attente d’une place · 12 s"),
        (replace(LIVE, mode=ValidationMode.MANUAL), "Running · 12 s · Manual", "En cours · 12 s · Manuel"),
        (replace(LIVE, since=NOW), "Running", "En cours"),
        (
            replace(LIVE, section=Section.NEEDS_YOU, state=RowState.WAITING, asked=InterruptionKind.APPROVAL),
            "Waits for approval · 12 s",
            "Attend une approbation · 12 s",
        ),
        (
            replace(
                LIVE,
                section=Section.NEEDS_YOU,
                state=RowState.WAITING,
                asked=InterruptionKind.TOOL_APPROVAL,
                asked_about="write_file",
            ),
            "Waits for approval: write_file · 12 s",
            f"Attend une approbation{NBSP}: write_file · 12 s",
        ),
        (
            replace(LIVE, doing=Doing("edit_file", "src/invoices.py", LIVE.since or NOW)),
            "Editing invoices.py · 12 s",
            "Modification de invoices.py · 12 s",
        ),
        (ENDED, "Completed · 12 s", "Terminé · 12 s"),
        (replace(ENDED, state=RowState.FAILED, error="no\nanswer"), "Failed: no answer", f"Échec{NBSP}: no answer"),
        (replace(ENDED, state=RowState.STOPPED), "Stopped · 12 s", "Arrêté · 12 s"),
        (IDLE, "Not started", "Pas commencé"),
        (replace(IDLE, state=RowState.INTERRUPTED), "Interrupted", "Interrompu"),
    ],
)
def test_a_row_shows_its_state(translation: Translation, row: Row, english: str, french: str) -> None:
    assert state_text(row, NOW).replace(f"12{NBSP}s", "12 s") == english
    translation.set_language(Language.FRENCH)
    assert state_text(row, NOW).replace(f"12{NBSP}s", "12 s") == french


def test_a_finished_row_shows_its_age_and_an_idle_row_its_day(translation: Translation) -> None:
    assert time_text(ENDED, NOW) == f"3{NBSP}min"
    assert time_text(IDLE, NOW) == "Yesterday"


def accessible(row: Row) -> str:
    """Return the accessible text of a row."""
    model = SidebarModel(SystemClock())
    model.show_items([row])
    return str(model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))


def test_a_screen_reader_gets_name_state_step_and_slot(translation: Translation) -> None:
    row = replace(LIVE, title="Refactor billing", progress=(3, 7), slot=1)
    assert accessible(row) == "Refactor billing, running, step 3 of 7, slot 1"
    assert accessible(replace(row, waiting=2)) == "Refactor billing, running, step 3 of 7, 2 waiting for you, slot 1"
    translation.set_language(Language.FRENCH)
    assert accessible(row) == f"Refactor billing, en cours, étape{NBSP}3 sur 7, emplacement{NBSP}1"
    assert "2 demandes en attente" in accessible(replace(row, waiting=2))


@pytest.mark.parametrize(
    ("title", "sign"),
    [(" élan", "É"), ("👩‍🚀 crew", "👩‍🚀"), ("e\N{COMBINING ACUTE ACCENT}te", "E\N{COMBINING ACUTE ACCENT}"), ("", "")],
)
def test_the_initial_is_a_whole_sign(title: str, sign: str) -> None:
    assert initial(title) == sign
