"""The list is derived: each workflow in one section, each section in its order."""

import pytest

from core.domain.events import RunPaused, RunWaiting, ToolStarted
from core.domain.ids import CallId, WorkflowId
from core.domain.interruption import InterruptionKind
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from desktop.sidebar.rows import Row, RowState, Section, sidebar_items
from tests.gui.sidebar.rig import Stores, wf
from tests.stores.rig import START


def test_without_workflows_the_list_is_empty() -> None:
    assert Stores().titles() == []


def test_no_header_stands_over_an_empty_section() -> None:
    stores = Stores()
    stores.add("a", "Alpha")
    assert stores.titles() == ["WORKFLOWS 1", "Alpha"]


def test_a_workflow_stands_in_one_section_at_a_time() -> None:
    stores = Stores()
    run = stores.run("a", "Alpha")
    assert stores.titles() == ["RUNNING 1", "Alpha"]
    stores.tell(run.finished())
    assert stores.titles() == ["RECENT 1", "Alpha"]
    stores.time.advance(700)
    assert stores.titles() == ["WORKFLOWS 1", "Alpha"]


def test_running_workflows_stand_in_the_order_of_their_start() -> None:
    stores = Stores()
    for name in ("c", "a", "b"):
        stores.run(name, name)
    assert stores.titles() == ["RUNNING 3", "c", "a", "b"]


def test_the_workflow_that_finished_last_stands_first() -> None:
    stores = Stores()
    runs = [stores.run(name, name) for name in "abc"]
    for run in runs:
        stores.time.advance(5)
        stores.tell(run.finished())
    assert stores.titles() == ["RECENT 3", "c", "b", "a"]


def test_of_the_others_the_last_changed_stands_first() -> None:
    stores = Stores()
    for name in "abc":
        stores.add(name, name)
    assert stores.titles() == ["WORKFLOWS 3", "c", "b", "a"]


def test_a_search_finds_titles_in_whatever_case_and_counts_what_it_found() -> None:
    stores = Stores()
    stores.add("a", "Élan vital")
    stores.add("b", "Billing")
    stores.run("c", "The ÉLAN of today")
    assert stores.titles(" élan ") == ["RUNNING 1", "The ÉLAN of today", "WORKFLOWS 1", "Élan vital"]
    assert stores.titles("nothing") == []


def test_a_run_whose_workflow_is_not_listed_yet_is_shown() -> None:
    stores = Stores()
    run = stores.teller("a")
    stores.tell(run.created(title="Alpha"))
    assert stores.titles() == ["RUNNING 1", "Alpha"]


def test_a_run_that_has_no_place_yet_is_queued() -> None:
    stores = Stores()
    stores.tell(stores.teller("a").created())
    assert stores.row("a").state is RowState.QUEUED


def test_workflows_that_wait_for_the_user_are_repeated_on_top_the_longest_waiting_first() -> None:
    stores = Stores()
    first, second = stores.run("a", "Alpha"), stores.run("b", "Beta")
    stores.run("c", "Gamma")
    stores.tell(second.asks(), first.asks("x"), first.asks("y"))
    assert stores.titles() == ["NEEDS_YOU 2", "Beta", "Alpha", "RUNNING 3", "Alpha", "Beta", "Gamma"]
    assert stores.titles("alph") == ["NEEDS_YOU 1", "Alpha", "RUNNING 1", "Alpha"]
    stores.tell(first.closes("x"), first.closes("y"), second.finished())
    assert stores.titles() == ["RUNNING 2", "Alpha", "Gamma", "RECENT 1", "Beta"]


def test_a_run_that_goes_on_beside_a_question_keeps_its_dot_and_has_a_badge() -> None:
    stores = Stores()
    run = stores.run("a", "Alpha")
    stores.tell(run.asks("x"), run.asks("y"))
    assert (stores.row("a").state, stores.row("a").waiting) == (RowState.RUNNING, 2)
    stores.tell(run.say(RunWaiting()))
    assert stores.row("a").state is RowState.WAITING
    needing = sidebar_items(stores.background, stores.workflows)[1]
    assert isinstance(needing, Row)
    assert (needing.state, needing.asked, needing.waiting) == (RowState.WAITING, InterruptionKind.APPROVAL, 2)


def test_a_run_whose_store_cannot_be_written_is_paused() -> None:
    stores = Stores()
    run = stores.run("a", "Alpha")
    stores.tell(run.say(RunPaused(reason="storage_full")))
    assert stores.row("a").state is RowState.PAUSED


def test_a_template_shows_its_progress() -> None:
    stores = Stores()
    run = stores.run("a", "Alpha", "one", "two", "three")
    stores.tell(run.step_started("one"), run.step_done("one"))
    assert stores.row("a").progress == (1, 3)


def test_a_failed_run_shows_why_and_keeps_its_number() -> None:
    stores = Stores()
    run = stores.run("a", "Alpha")
    stores.tell(run.finished(RunStatus.ERROR, {"code": "timeout", "message": "no answer"}))
    row = stores.row("a")
    assert (row.section, row.state, row.error, row.slot) == (Section.RECENT, RowState.FAILED, "no answer", 1)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (None, RowState.NEW),
        (RunStatus.SUCCESS, RowState.COMPLETED),
        (RunStatus.ERROR, RowState.FAILED),
        (RunStatus.CANCELLED, RowState.STOPPED),
        (RunStatus.RUNNING, RowState.INTERRUPTED),
        (RunStatus.ENQUEUED, RowState.INTERRUPTED),
    ],
)
def test_a_workflow_at_rest_shows_how_its_newest_run_ended(status: RunStatus | None, state: RowState) -> None:
    stores = Stores()
    stores.add("a", "Alpha", status)
    assert stores.row("a").state is state


def test_a_run_that_ended_covers_the_time_from_its_start_to_its_end() -> None:
    stores = Stores()
    run = stores.run("a", "Alpha")
    stores.time.advance(41)
    stores.tell(run.finished())
    row = stores.row("a")
    assert row.since is not None
    assert row.until is not None
    assert 41 <= (row.until - row.since).total_seconds() < 42
    assert row.at == row.until > START


def test_only_a_run_at_work_shows_a_mode_of_its_own() -> None:
    stores = Stores()
    stores.run("a", "Alpha")
    done = stores.run("b", "Beta")
    stores.tell(done.finished())
    modes = {wf("a"): ValidationMode.MANUAL, wf("b"): ValidationMode.MANUAL}
    items = sidebar_items(stores.background, stores.workflows, mode_of=modes.get)
    assert [row.mode for row in items if isinstance(row, Row)] == [ValidationMode.MANUAL, None]


def test_a_row_says_what_its_run_does_until_the_call_ends() -> None:
    stores = Stores()
    run = stores.run("a", "Alpha")
    call = ToolStarted(
        call_id=CallId("c"), tool="edit_file", arguments={"path": "src/invoices.py"}, step="chat", index=None
    )
    told: list[WorkflowId] = []
    stores.background.changed.connect(told.append)
    stores.tell(run.say(call))
    stores.time.advance(0.1)
    assert told == [wf("a")]
    doing = stores.row("a").doing
    assert doing is not None
    assert (doing.tool, doing.target) == ("edit_file", "src/invoices.py")
    stores.tell(run.finished())
    assert stores.row("a").doing is None
