"""Starting, finishing and leaving: which workflows are at work, and which were lately."""

import logging

import pytest

from core.bus import SettingsChanged, WorkflowChanged, WorkflowDeleted
from core.domain.events import RunPaused, RunResumed, StepFinished, StepStarted
from core.domain.ids import WorkflowId
from core.domain.run import RunKind, RunStatus
from core.domain.settings import Settings
from core.domain.step import StepStatus
from core.domain.template import ValidationMode
from core.domain.workflow import Workflow
from core.errors import Refused
from core.stores.background_workflows import Sweep
from tests.stores.rig import START, Desk, text_of

A, B, C, D = (WorkflowId(f"wf_{name}") for name in "abcd")
AUTO, MANUAL, SELECTIVE = ValidationMode.AUTO, ValidationMode.MANUAL, ValidationMode.SELECTIVE


def heard(desk: Desk) -> list[str]:
    """What `changed` says from now on."""
    told: list[str] = []
    desk.background.changed.connect(told.append)
    return told


# The gate


def test_in_auto_a_fourth_workflow_cannot_start() -> None:
    desk = Desk(AUTO)
    for name in "abc":
        assert desk.background.can_start_new
        desk.start(name)
    assert not desk.background.can_start_new


@pytest.mark.parametrize("mode", [MANUAL, SELECTIVE])
def test_in_manual_and_selective_a_second_workflow_cannot_start(mode: ValidationMode) -> None:
    desk = Desk(mode)
    assert desk.background.can_start_new
    desk.start("a")
    assert not desk.background.can_start_new


def test_the_gate_looks_at_the_mode_of_the_run_to_be_started() -> None:
    desk = Desk(MANUAL)
    desk.start("a")
    assert desk.background.can_start(AUTO)
    assert not desk.background.can_start(SELECTIVE)


def test_the_limit_of_auto_is_a_setting_and_follows_it_at_once() -> None:
    desk = Desk(AUTO, max_workflows_auto=1)
    desk.start("a")
    assert not desk.background.can_start_new
    desk.bus.publish(SettingsChanged(Settings(validation_mode=AUTO, max_workflows_auto=2)))
    assert desk.background.can_start_new


def test_a_run_that_waits_for_a_place_or_for_the_store_counts_as_active() -> None:
    desk = Desk(AUTO)
    enqueued, paused = desk.teller("a"), desk.start("b")
    desk.tell(enqueued.created(), paused.say(RunPaused(reason="storage_full")))
    assert desk.background.running_count == 2


def test_one_that_waits_for_an_answer_counts_as_active() -> None:
    desk = Desk(MANUAL)
    desk.start("a")
    desk.background.set_has_pending_question(A, True)
    assert not desk.background.can_start_new


def test_after_a_switch_of_the_mode_running_ones_go_on_and_the_next_start_is_refused() -> None:
    desk = Desk(AUTO)
    for name in "abc":
        desk.start(name)
    desk.bus.publish(SettingsChanged(Settings(validation_mode=MANUAL)))
    assert desk.running == ["wf_a", "wf_b", "wf_c"]
    with pytest.raises(Refused, match=r"Maximum concurrent workflows \(1\) reached"):
        desk.background.register(D, "Ada", "D")


# Registering


def test_a_registered_workflow_has_its_place_before_the_first_event() -> None:
    desk = Desk(MANUAL)
    execution = desk.background.register(A, "Ada", "Letters")
    assert desk.running == ["wf_a"]
    assert not desk.background.can_start_new
    assert (execution.workflow_name, execution.agent_id, execution.status) == ("Letters", "Ada", RunStatus.ENQUEUED)
    assert (execution.content, execution.tools, execution.slot) == ("", [], 1)


def test_two_starts_in_one_tick_cannot_both_take_the_last_place() -> None:
    desk = Desk(MANUAL)
    desk.background.register(A, "Ada", "A")
    with pytest.raises(Refused):
        desk.background.register(B, "Ada", "B")


def test_a_refusal_names_the_rule_and_leaves_no_trace() -> None:
    desk = Desk(AUTO)
    for name in "abc":
        desk.start(name)
    told = heard(desk)
    with pytest.raises(Refused) as refused:
        desk.background.register(D, "Ada", "D")
    expected = {
        "code": "limit_reached",
        "message": "Maximum concurrent workflows (3) reached",
        "mode": "auto",
        "limit": 3,
    }
    assert refused.value.as_dict() == expected
    assert desk.background.get_execution(D) is None
    assert told == []


def test_a_workflow_that_is_active_cannot_be_registered_again() -> None:
    desk = Desk(AUTO)
    run = desk.start("a")
    desk.tell(run.stream("text"))
    with pytest.raises(Refused) as refused:
        desk.background.register(A, "Ada", "A")
    assert refused.value.code == "workflow_busy"
    assert text_of(desk, run) == "text"


def test_the_first_event_fills_the_place_that_was_registered() -> None:
    desk = Desk(MANUAL)
    desk.background.register(A, "Ada", "Letters")
    desk.start("a")
    assert desk.background.running_count == 1
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert (execution.workflow_name, execution.status) == ("Letters", RunStatus.RUNNING)


def test_a_start_that_fails_gives_its_place_back() -> None:
    desk = Desk(MANUAL)
    desk.background.register(A, "Ada", "A")
    desk.background.mark_complete(A, RunStatus.ERROR)
    assert desk.running == desk.recent == []
    assert desk.background.workflow_at(1) is None
    assert desk.background.can_start_new


def test_a_start_that_fails_brings_back_what_the_row_showed_before() -> None:
    desk = Desk(AUTO)
    run = desk.start("a")
    desk.tell(run.stream("done"), run.finished())
    desk.background.register(A, "Ada", "A")
    assert (desk.running, desk.recent) == (["wf_a"], [])
    desk.background.mark_complete(A, RunStatus.ERROR)
    assert (desk.running, desk.recent) == ([], ["wf_a"])
    assert text_of(desk, run) == "done"


def test_a_run_that_nobody_registered_is_shown_all_the_same() -> None:
    desk = Desk(AUTO)
    run = desk.teller("a")
    desk.tell(run.created(title="From the command line"))
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert (execution.workflow_name, execution.agent_id) == ("From the command line", "Ada")


# Taking in events


def test_every_run_is_folded_whether_it_is_viewed_or_not() -> None:
    desk = Desk(AUTO)
    first, second = desk.start("a"), desk.start("b")
    desk.background.set_viewed(A)
    desk.tell(first.stream("one"), second.stream("two"))
    assert (text_of(desk, first), text_of(desk, second)) == ("one", "two")


def test_a_live_state_has_what_its_row_shows() -> None:
    desk = Desk(AUTO)
    run = desk.teller("a")
    desk.tell(run.created("fetch", "sum", "write", kind=RunKind.WORKFLOW))
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.started_at == desk.time.now()
    desk.tell(run.started(), run.step_done("fetch"))
    assert execution.progress == (1, 3)
    desk.tell(run.stream("text", "write"), run.called("c1"))
    assert (execution.content, execution.tokens_received) == ("text", 1)
    assert [call.tool for call in execution.tools] == ["wait"]
    desk.time.advance(5)
    assert execution.elapsed_s(desk.time.now()) == pytest.approx(5, abs=0.01)
    desk.tell(run.finished(RunStatus.ERROR, {"code": "failed", "message": "no"}))
    desk.time.advance(5)
    assert execution.elapsed_s(desk.time.now()) == pytest.approx(5, abs=0.01)
    assert execution.error == {"code": "failed", "message": "no"}
    assert execution.completed_at is not None


def test_a_chat_has_no_count_of_steps() -> None:
    desk = Desk(AUTO)
    desk.start("a")
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.progress is None


def test_events_of_a_run_whose_creation_was_missed_are_dropped() -> None:
    desk = Desk(AUTO)
    run = desk.teller("a")
    run.created()
    desk.tell(run.started(), run.stream("text"))
    assert desk.running == []


def test_stop_then_retry_shows_only_the_second_answer() -> None:
    desk = Desk(AUTO)
    first = desk.start("one", workflow="wf_a")
    desk.tell(first.stream("First "))
    late = [first.stream(f"late {number} ") for number in range(10)]
    desk.tell(first.finished(RunStatus.CANCELLED))
    second = desk.start("two", workflow="wf_a")
    for event in late:
        desk.tell(event, second.stream("Second "))
    assert text_of(desk, second) == "Second " * 10
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.run is not None
    assert execution.run.run_id == second.run_id


def test_a_creation_told_again_does_not_bring_a_forgotten_run_back() -> None:
    desk = Desk(AUTO)
    run = desk.teller("a")
    created = run.created()
    desk.tell(created, run.started(), run.finished())
    desk.time.advance(700)
    desk.tell(created)
    assert desk.running == desk.recent == []


def test_a_row_is_told_of_at_most_once_for_an_event_and_never_for_a_token() -> None:
    desk = Desk(AUTO)
    run = desk.teller("a")
    told = heard(desk)
    for count, event in enumerate([run.created(), run.started(), run.step_done(), run.finished()], 1):
        desk.tell(event, event)
        assert told == ["wf_a"] * count
    other = desk.start("b")
    told.clear()
    desk.tell(other.stream("text"), other.say(StepStarted(step="each", total=2)))
    desk.tell(other.say(StepFinished(step="each", index=0, status=StepStatus.COMPLETED)))
    assert told == []


def test_a_listener_that_fails_harms_neither_the_store_nor_the_publisher(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(AUTO)

    def fail(workflow_id: WorkflowId) -> None:
        raise ValueError(workflow_id)

    desk.background.changed.connect(fail)
    run = desk.start("a")
    desk.tell(run.finished())
    assert desk.recent == ["wf_a"]
    assert desk.errors == []
    assert "a listener of changed failed" in caplog.text


# The end


@pytest.mark.parametrize("status", [RunStatus.SUCCESS, RunStatus.ERROR, RunStatus.CANCELLED])
def test_a_run_that_ends_moves_to_the_recently_finished(status: RunStatus) -> None:
    desk = Desk(AUTO)
    run = desk.start("a")
    desk.tell(run.finished(status))
    assert (desk.running, desk.recent) == ([], ["wf_a"])
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.status is status


def test_the_last_one_to_finish_stands_first_and_the_first_one_to_start_too() -> None:
    desk = Desk(AUTO, max_workflows_auto=9)
    runs = [desk.start(name) for name in "abcd"]
    desk.tell(runs[0].finished())
    desk.time.advance(1)
    desk.tell(runs[1].finished())
    assert desk.running == ["wf_c", "wf_d"]
    assert desk.recent == ["wf_b", "wf_a"]
    desk.start("again", workflow="wf_a")
    assert desk.running == ["wf_c", "wf_d", "wf_a"]


def test_a_finished_workflow_leaves_the_section_after_ten_minutes() -> None:
    desk = Desk(AUTO)
    desk.tell(desk.start("a").finished())
    desk.time.advance(599)
    assert desk.recent == ["wf_a"]
    told = heard(desk)
    desk.time.advance(61)
    assert desk.recent == []
    assert told == ["wf_a"]


def test_a_sweep_can_be_asked_for_and_leaves_no_timer_when_nothing_stays() -> None:
    desk = Desk(AUTO)
    desk.tell(desk.start("a").finished(RunStatus.CANCELLED))
    desk.time.advance(30)
    sweep = desk.background.cleanup(desk.time.monotonic() + 600)
    assert sweep == Sweep(released=1, timed_out=1, kept=0)
    assert desk.time.timers == 0


def test_the_first_sweep_comes_a_minute_after_the_first_end(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(AUTO)
    caplog.set_level(logging.INFO, "core.stores")
    desk.tell(desk.start("a").finished())
    desk.time.advance(59)
    assert caplog.records == []
    desk.time.advance(1)
    assert len(caplog.records) == 1


def test_nothing_is_held_of_runs_that_left() -> None:
    desk = Desk(AUTO)
    desk.tell(desk.start("one", workflow="wf_a").finished())
    desk.time.advance(5)
    desk.tell(desk.start("two", workflow="wf_a").finished())
    desk.time.advance(30)
    desk.background.register(A, "Ada", "A")
    desk.tell(desk.start("three", workflow="wf_a").finished(), desk.start("b").finished())
    desk.time.advance(700)
    assert desk.background._runs._audiences == {}
    assert desk.background._executions == {}


def test_each_sweep_logs_what_it_released_timed_out_and_kept(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(AUTO)
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
    desk = Desk(AUTO)
    desk.start("a")
    assert desk.time.timers == 0
    desk.tell(desk.start("b").finished(RunStatus.CANCELLED))
    assert desk.time.timers == 1
    desk.time.advance(700)
    assert desk.time.timers == 0


def test_a_workflow_that_starts_again_leaves_the_recently_finished() -> None:
    desk = Desk(AUTO)
    desk.tell(desk.start("one", workflow="wf_a").finished())
    desk.time.advance(300)
    desk.start("two", workflow="wf_a")
    assert (desk.running, desk.recent) == (["wf_a"], [])
    desk.time.advance(700)
    assert desk.running == ["wf_a"]


def test_a_run_that_was_lost_can_be_ended_without_an_event() -> None:
    desk = Desk(AUTO)
    run = desk.start("a")
    desk.tell(run.stream("text"))
    desk.background.set_has_pending_question(A, True)
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
    desk = Desk(AUTO)
    desk.tell(desk.start("a").finished())
    told = heard(desk)
    desk.background.mark_complete(A, RunStatus.ERROR)
    desk.background.mark_complete(B, RunStatus.ERROR)
    assert told == []


# Questions, names, deletion


def test_a_badge_goes_with_the_answer_or_with_the_run() -> None:
    desk = Desk(AUTO)
    first, second = desk.start("a"), desk.start("b")
    told = heard(desk)
    for workflow_id in (A, B, A):
        desk.background.set_has_pending_question(workflow_id, True)
    assert told == [A, B]
    desk.background.set_has_pending_question(A, False)
    desk.tell(second.finished(), first.finished())
    assert not any(one.has_pending_question for one in desk.background.recently_completed_workflows)
    desk.background.set_has_pending_question(A, True)
    assert not any(one.has_pending_question for one in desk.background.recently_completed_workflows)


def test_the_name_on_the_row_follows_a_rename_and_is_known_to_later_runs() -> None:
    desk = Desk(AUTO)
    desk.background.register(A, "Ada", "Letters")
    run = desk.start("one", workflow="wf_a")
    told = heard(desk)
    for workflow_id in (A, A, B):
        desk.bus.publish(WorkflowChanged(Workflow(workflow_id, "Mail", "Ada", START, START)))
    assert (told, desk.errors) == ([A], [])
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.workflow_name == "Mail"
    desk.tell(run.finished(), desk.teller("two", workflow="wf_a").created(title="chat"))
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.workflow_name == "Mail"


def test_a_deleted_workflow_is_gone_with_its_number_its_viewers_and_the_view() -> None:
    desk = Desk(AUTO)
    desk.background.register(A, "Ada", "Letters")
    run = desk.start("a")
    desk.background.set_viewed(A)
    viewer = desk.background.attach(run.run_id)
    desk.tell(run.finished(RunStatus.CANCELLED))
    desk.bus.publish(WorkflowDeleted(A))
    assert desk.running == desk.recent == []
    assert desk.background.workflow_at(1) is None
    assert desk.background.viewed_workflow_id is None
    assert not viewer.is_open
    desk.tell(desk.teller("two", workflow="wf_a").created(title="New"))
    assert [execution.workflow_name for execution in desk.background.running_workflows] == ["New"]
    assert desk.time.timers == 0


def test_a_paused_run_is_shown_as_such_until_the_store_can_be_written() -> None:
    desk = Desk(AUTO)
    run = desk.start("a")
    desk.tell(run.say(RunPaused(reason="storage_full")))
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.status is RunStatus.PAUSED
    desk.tell(run.say(RunResumed()))
    assert str(execution.status) == "running"


def test_a_closed_store_hears_nothing_and_leaves_no_timer() -> None:
    desk = Desk(AUTO)
    run = desk.start("a")
    desk.tell(desk.start("b").finished(RunStatus.CANCELLED))
    viewer = desk.background.attach(run.run_id)
    desk.tell(run.stream("text"))
    desk.background.close()
    desk.start("c")
    assert desk.background.get_execution(C) is None
    assert not viewer.is_open
    assert desk.time.timers == 0
