"""The end of a run, the ten minutes after it, and the sweeps."""

import logging

import pytest

from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.stores.background_workflows import SweepReport
from tests.stores.rig import Desk, heard, text_of

A, B = WorkflowId("wf_a"), WorkflowId("wf_b")


@pytest.mark.parametrize("status", [RunStatus.SUCCESS, RunStatus.ERROR, RunStatus.CANCELLED])
def test_a_run_that_ends_moves_to_the_recently_finished(status: RunStatus) -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.finished(status))
    assert (desk.running, desk.recent) == ([], ["wf_a"])
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.status is status


def test_the_last_to_finish_stands_first_and_the_first_to_start_too() -> None:
    desk = Desk(max_workflows_auto=9)
    runs = [desk.start(name) for name in "abcd"]
    desk.tell(runs[0].finished())
    desk.time.advance(1)
    desk.tell(runs[1].finished())
    assert desk.running == ["wf_c", "wf_d"]
    assert desk.recent == ["wf_b", "wf_a"]
    desk.start("again", workflow="wf_a")
    assert desk.running == ["wf_c", "wf_d", "wf_a"]


def test_a_finished_workflow_leaves_the_section_after_ten_minutes() -> None:
    desk = Desk()
    desk.tell(desk.start("a").finished())
    desk.time.advance(599)
    assert desk.recent == ["wf_a"]
    told = heard(desk)
    desk.time.advance(61)
    assert desk.recent == []
    assert told == ["wf_a"]


def test_a_sweep_can_be_asked_for_and_leaves_no_timer_when_nothing_stays() -> None:
    desk = Desk()
    desk.tell(desk.start("a").finished(RunStatus.CANCELLED))
    desk.time.advance(30)
    sweep = desk.background.cleanup(desk.time.monotonic() + 600)
    assert sweep == SweepReport(released=1, timed_out=1, kept=0)
    assert desk.time.timers == 0


def test_the_first_sweep_comes_a_minute_after_the_first_end(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    caplog.set_level(logging.INFO, "core.stores")
    desk.tell(desk.start("a").finished())
    desk.time.advance(59)
    assert caplog.records == []
    desk.time.advance(1)
    assert len(caplog.records) == 1


def test_nothing_is_held_of_runs_that_left() -> None:
    desk = Desk()
    desk.tell(desk.start("one", workflow="wf_a").finished())
    desk.time.advance(5)
    desk.tell(desk.start("two", workflow="wf_a").finished())
    desk.time.advance(30)
    desk.background.register(A, "Ada", "A")
    desk.tell(desk.start("three", workflow="wf_a").finished(), desk.start("b").finished())
    desk.time.advance(700)
    assert desk.background._runs._watched == {}
    assert desk.background._executions == {}


def test_each_sweep_logs_what_it_released_timed_out_and_kept(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.tell(desk.start("a").finished())
    desk.time.advance(400)
    desk.tell(desk.start("b").finished())
    with caplog.at_level(logging.INFO, "core.stores"):
        desk.time.advance(800)
    swept = [record.getMessage() for record in caplog.records]
    assert len(swept) == 11
    assert swept[1] == "swept: 1 released, 0 timed out, 2 kept"
    assert swept[2] == "swept: 0 released, 0 timed out, 2 kept"
    assert swept[3] == "swept: 0 released, 1 timed out, 1 kept"
    assert swept[-1] == "swept: 0 released, 1 timed out, 0 kept"


def test_with_nothing_lately_finished_no_timer_is_set() -> None:
    desk = Desk()
    desk.start("a")
    assert desk.time.timers == 0
    desk.tell(desk.start("b").finished(RunStatus.CANCELLED))
    assert desk.time.timers == 1
    desk.time.advance(700)
    assert desk.time.timers == 0


def test_a_workflow_that_starts_again_leaves_the_recently_finished() -> None:
    desk = Desk()
    desk.tell(desk.start("one", workflow="wf_a").finished())
    desk.time.advance(300)
    desk.start("two", workflow="wf_a")
    assert (desk.running, desk.recent) == (["wf_a"], [])
    desk.time.advance(700)
    assert desk.running == ["wf_a"]


def test_a_run_that_was_lost_can_be_ended_without_an_event() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.stream("text"), run.asks())
    told = heard(desk)
    desk.background.mark_complete(A, RunStatus.ERROR, {"code": "unreadable", "message": "broken"})
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert told == ["wf_a"]
    assert not execution.has_pending_question
    assert execution.error == {"code": "unreadable", "message": "broken"}
    assert desk.recent == ["wf_a"]
    desk.tell(run.stream(" late"))
    assert text_of(desk, run) == "text"
    desk.time.advance(700)
    assert desk.recent == []


def test_marking_what_has_ended_changes_nothing() -> None:
    desk = Desk()
    desk.tell(desk.start("a").finished())
    told = heard(desk)
    desk.background.mark_complete(A, RunStatus.ERROR)
    desk.background.mark_complete(B, RunStatus.ERROR)
    assert told == []
