"""Starting: who may, who has a place before the first event, and what a refusal leaves behind."""

import pytest

from core.bus import SettingsChanged
from core.domain.events import RunPaused, RunWaiting
from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.settings import Settings
from core.domain.template import ValidationMode
from core.errors import Refused
from tests.stores.rig import Desk, heard, text_of

A, B, D = (WorkflowId(f"wf_{name}") for name in "abd")
AUTO, MANUAL, SELECTIVE = ValidationMode.AUTO, ValidationMode.MANUAL, ValidationMode.SELECTIVE


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


def test_one_that_only_waits_for_an_answer_does_not_count_at_the_limit() -> None:
    desk = Desk(MANUAL)
    run = desk.start("a")
    desk.tell(run.asks(), run.say(RunWaiting()))
    assert desk.background.can_start_new
    assert desk.running == ["wf_a"]
    desk.start("b")
    assert not desk.background.can_start_new


def test_after_a_switch_of_the_mode_active_workflows_go_on_and_the_next_start_is_refused() -> None:
    desk = Desk(AUTO)
    for name in "abc":
        desk.start(name)
    desk.bus.publish(SettingsChanged(Settings(validation_mode=MANUAL)))
    assert desk.running == ["wf_a", "wf_b", "wf_c"]
    with pytest.raises(Refused, match=r"Maximum concurrent workflows \(1\) reached"):
        desk.background.register(D, "Ada", "D")


def test_a_registered_workflow_has_its_place_before_the_first_event() -> None:
    desk = Desk(MANUAL)
    execution = desk.background.register(A, "Ada", "Letters")
    assert desk.running == ["wf_a"]
    assert not desk.background.can_start_new
    assert (execution.workflow_name, execution.agent_id, execution.status) == ("Letters", "Ada", RunStatus.ENQUEUED)
    assert (execution.content, execution.tools, execution.slot) == ("", [], 1)


def test_two_starts_in_the_same_tick_cannot_both_take_the_last_slot() -> None:
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


def test_a_run_that_was_not_registered_is_shown_all_the_same() -> None:
    desk = Desk(AUTO)
    run = desk.teller("a")
    desk.tell(run.created(title="From the command line"))
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert (execution.workflow_name, execution.agent_id) == ("From the command line", "Ada")
