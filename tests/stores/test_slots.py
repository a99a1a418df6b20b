"""The numbers on the rows: lowest free at the start, kept until the row leaves, never another."""

from core.bus import WorkflowDeleted
from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from tests.stores.rig import Desk


def slots(desk: Desk) -> dict[str, int | None]:
    shown = [*desk.background.running_workflows, *desk.background.recently_completed_workflows]
    return {execution.workflow_id: execution.slot for execution in shown}


def crowd(count: int) -> Desk:
    desk = Desk(max_workflows_auto=20)
    for number in range(1, count + 1):
        desk.start(str(number))
    return desk


def test_runs_take_the_lowest_free_numbers_in_the_order_of_their_start() -> None:
    assert slots(crowd(3)) == {"wf_1": 1, "wf_2": 2, "wf_3": 3}


def test_a_number_is_kept_while_the_row_is_lately_finished_and_free_afterwards() -> None:
    desk = crowd(1)
    second = desk.start("2")
    desk.tell(second.finished())
    desk.start("3")
    assert slots(desk) == {"wf_1": 1, "wf_2": 2, "wf_3": 3}
    desk.time.advance(700)
    desk.start("4")
    assert slots(desk) == {"wf_1": 1, "wf_3": 3, "wf_4": 2}


def test_a_row_that_runs_again_keeps_its_number_although_a_lower_number_is_free() -> None:
    desk = Desk()
    first, second = desk.start("1"), desk.start("2")
    desk.tell(first.finished(), second.finished())
    desk.bus.publish(WorkflowDeleted(first.workflow_id))
    desk.start("again", workflow="wf_2")
    assert slots(desk) == {"wf_2": 2}


def test_a_tenth_run_has_no_number_and_gets_none_later() -> None:
    desk = crowd(10)
    assert slots(desk)["wf_10"] is None
    desk.bus.publish(WorkflowDeleted(WorkflowId("wf_4")))
    assert slots(desk)["wf_10"] is None
    desk.start("11")
    assert slots(desk)["wf_11"] == 4


def test_a_number_leads_to_its_workflow() -> None:
    desk = crowd(2)
    assert desk.background.workflow_at(2) == "wf_2"
    assert desk.background.workflow_at(3) is None


def test_a_place_that_is_given_back_frees_its_number() -> None:
    desk = crowd(1)
    desk.background.register(WorkflowId("wf_2"), "Ada", "Two")
    desk.background.mark_complete(WorkflowId("wf_2"), RunStatus.ERROR)
    desk.start("3")
    assert slots(desk) == {"wf_1": 1, "wf_3": 2}
