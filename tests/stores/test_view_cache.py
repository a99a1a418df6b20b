"""What the chat pane is bound to: the viewed workflow, whatever loads, streams and switches meanwhile."""

import pytest

from core.bus import WorkflowDeleted
from core.domain.fold import replay
from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import Message, MessageState, Role
from core.domain.run import RunStatus
from core.stores import view_cache
from core.stores.view_cache import ViewCache
from core.stores.watched_runs import Batch
from tests.stores.rig import START, Desk, Teller

A, B = WorkflowId("wf_a"), WorkflowId("wf_b")


def said(workflow_id: WorkflowId, text: str) -> Message:
    return Message(MessageId(f"msg_{text}"), workflow_id, Role.USER, text, START)


def texts(view: ViewCache) -> list[str]:
    return [message.text for message in view.messages]


def test_the_pane_follows_the_viewed_workflow_and_receives_only_its_run() -> None:
    desk = Desk()
    first, second = desk.start("a"), desk.start("b")
    heard: list[Batch] = []
    desk.view.batch.connect(heard.append)
    desk.background.set_viewed(A)
    desk.tell(first.stream("one"), second.stream("two"))
    desk.time.advance(1)
    assert [batch.run_id for batch in heard] == [first.run_id]
    assert desk.view.content == "one"


def test_a_switch_away_and_back_loses_nothing_of_what_streamed_meanwhile() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.start("b")
    desk.background.set_viewed(A)
    chunks = [f"chunk {number} " for number in range(40)]
    desk.tell(*(run.stream(chunk) for chunk in chunks[:10]))
    desk.background.set_viewed(B)
    assert desk.view.content == ""
    desk.tell(*(run.stream(chunk) for chunk in chunks[10:25]))
    desk.background.set_viewed(A)
    assert desk.view.content == "".join(chunks[:25])
    desk.tell(*(run.stream(chunk) for chunk in chunks[25:]))
    assert desk.view.content == "".join(chunks)


def test_a_switch_copies_nothing() -> None:
    desk = Desk()
    desk.start("a")
    desk.background.set_viewed(A)
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert desk.view.execution is execution
    assert desk.view.run is execution.run


def test_only_what_is_viewed_is_watched() -> None:
    desk = Desk()
    first, second = desk.start("a"), desk.start("b")
    desk.background.set_viewed(A)
    desk.background.set_viewed(B)
    assert desk.background.viewer_count(first.run_id) == 0
    assert desk.background.viewer_count(second.run_id) == 1
    desk.background.set_viewed(None)
    assert desk.background.viewer_count(second.run_id) == 0
    assert (desk.view.workflow_id, desk.view.messages, desk.view.run) == (None, [], None)


def test_a_slow_load_of_a_workflow_never_shows_in_another() -> None:
    desk = Desk()
    desk.background.set_viewed(A)
    load = desk.view.begin_load()
    desk.background.set_viewed(B)
    assert not desk.view.show(A, [said(A, "of A")], load=load)
    assert desk.view.messages == []
    assert not desk.view.is_loaded
    assert desk.view.show(B, [said(B, "of B")])
    assert texts(desk.view) == ["of B"]
    desk.background.set_viewed(A)
    assert (desk.view.messages, desk.view.is_loaded) == ([], False)


def test_a_load_that_was_overtaken_by_a_later_load_is_dropped() -> None:
    desk = Desk()
    desk.background.set_viewed(A)
    slow = desk.view.begin_load()
    desk.background.set_viewed(B)
    desk.background.set_viewed(A)
    quick = desk.view.begin_load()
    assert desk.view.show(A, [said(A, "old"), said(A, "new")], load=quick)
    assert not desk.view.show(A, [said(A, "old")], load=slow)
    assert texts(desk.view) == ["old", "new"]


def test_the_message_of_a_live_run_stands_once_and_as_it_is_now() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.prompt("Why?"), run.stream("Beca"))
    desk.background.set_viewed(A)
    prompt = Message(MessageId("msg_a_prompt"), A, Role.USER, "Why?", START)
    desk.view.show(A, [said(A, "before"), prompt, run.message("", MessageState.OPEN)])
    desk.tell(run.stream("use."))
    assert texts(desk.view) == ["before", "Why?", "Because."]


def test_later_messages_follow_the_stored_messages() -> None:
    desk = Desk()
    desk.background.set_viewed(A)
    loaded = [desk.view.is_loaded]
    desk.view.show(A, [said(A, "before")])
    loaded.append(desk.view.is_loaded)
    assert loaded == [False, True]
    run = desk.start("a")
    desk.tell(run.prompt("Why?"), run.stream("Because."))
    assert texts(desk.view) == ["before", "Why?", "Because."]
    states = [desk.view.messages[-1].state]
    desk.tell(run.finished())
    states.append(desk.view.messages[-1].state)
    assert states == [MessageState.OPEN, MessageState.FINAL]


def test_after_stop_and_retry_the_first_answer_stays_with_its_partial_text() -> None:
    desk = Desk()
    desk.background.set_viewed(A)
    first = desk.start("one", workflow="wf_a")
    desk.tell(first.stream("First ans"), first.finished(RunStatus.CANCELLED), first.stream("wer"))
    second = desk.start("two", workflow="wf_a")
    desk.tell(second.stream("Second answer"))
    desk.time.advance(1000)
    assert texts(desk.view) == ["First ans", "Second answer"]
    assert desk.view.messages[0].state is MessageState.INTERRUPTED


def test_a_load_that_began_before_the_end_does_not_take_the_end_back() -> None:
    desk = Desk()
    run = desk.teller("a")
    events = [run.created(), run.started(), run.stream("Whole"), run.finished()]
    desk.tell(*events[:3])
    desk.background.set_viewed(A)
    stale = replay(events[:2])
    assert stale is not None
    desk.tell(events[3])
    desk.view.show(A, [run.message("", MessageState.OPEN)], [stale])
    assert texts(desk.view) == ["Whole"]
    assert desk.view.messages[0].state is MessageState.FINAL


def test_a_finished_run_is_watched_no_longer_once_the_store_has_all_of_it() -> None:
    desk = Desk()
    run: Teller = desk.teller("a")
    events = [run.created(), run.started(), run.answer("Whole"), run.finished()]
    desk.tell(*events[:3])
    desk.background.set_viewed(A)
    desk.tell(events[3])
    assert desk.background.viewer_count(run.run_id) == 1
    stored = replay(events)
    assert stored is not None
    desk.view.show(A, [run.message("Whole")], [stored])
    assert desk.background.viewer_count(run.run_id) == 0
    assert texts(desk.view) == ["Whole"]
    assert desk.view.run_of(run.message_id) is stored


def test_a_finished_run_whose_text_was_given_back_is_shown_from_the_store() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.stream("Whole"), run.finished())
    desk.time.advance(60)
    desk.background.set_viewed(A)
    desk.view.show(A, [run.message("Whole")])
    assert texts(desk.view) == ["Whole"]
    assert desk.view.run is None


def test_the_run_of_a_message_is_live_as_long_as_it_is_held() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.background.set_viewed(A)
    assert desk.view.run_of(run.message_id) is desk.view.run
    assert desk.view.run_of(MessageId("msg_other")) is None


def test_the_pane_changes_once_for_a_switch_a_load_and_a_new_run() -> None:
    desk = Desk()
    told: list[WorkflowId | None] = []

    def note() -> None:
        told.append(desk.view.workflow_id)

    desk.view.changed.connect(note)
    desk.background.set_viewed(A)
    assert told == [A]
    desk.view.show(A, [])
    assert told == [A, A]
    run = desk.start("a")
    assert told == [A, A, A]
    desk.start("b")
    desk.background.set_viewed(A)
    desk.tell(run.finished())
    assert told == [A, A, A]


def test_a_view_that_comes_late_watches_what_is_viewed_already() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.background.set_viewed(A)
    view = ViewCache(desk.background)
    assert not view.is_loaded
    assert view.run is desk.view.run
    assert desk.background.viewer_count(run.run_id) == 2


def test_a_workflow_that_was_viewed_before_its_run_began_is_watched_when_it_does() -> None:
    desk = Desk()
    desk.background.register(A, "Ada", "A")
    desk.background.set_viewed(A)
    assert desk.view.run is None
    run = desk.teller("a")
    desk.tell(run.created(), run.stream("text"))
    assert desk.view.content == "text"


def test_an_empty_view_has_no_load_and_takes_none() -> None:
    desk = Desk()
    assert desk.view.begin_load() is None
    assert not desk.view.show(A, [said(A, "text")])


def test_when_the_viewed_workflow_is_deleted_nothing_is_shown() -> None:
    desk = Desk()
    desk.start("a")
    desk.background.set_viewed(A)
    desk.bus.publish(WorkflowDeleted(A))
    assert (desk.view.workflow_id, desk.view.messages, desk.view.run) == (None, [], None)


def test_a_closed_view_leaves_its_runs() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.background.set_viewed(A)
    desk.view.close()
    assert desk.background.viewer_count(run.run_id) == 0
    desk.background.set_viewed(B)
    desk.background.set_viewed(A)
    desk.tell(run.finished())
    assert desk.background.viewer_count(run.run_id) == 0


def below(desk: Desk, root: Teller, *names: str) -> list[Teller]:
    """Runs that a step of `root` has begun."""
    made = [desk.teller(name, root.workflow_id) for name in names]
    for one in made:
        desk.tell(one.created_below(root), one.started())
    desk.time.advance(0.1)
    return made


def test_runs_below_are_watched_while_their_workflow_is_viewed_and_let_go_with_it() -> None:
    desk = Desk()
    root = desk.start("a")
    desk.background.set_viewed(root.workflow_id)
    batches: list[str] = []
    desk.view.below_batch.connect(lambda batch: batches.append(batch.run_id))
    child, other = below(desk, root, "child", "other")
    assert [run.run_id for run in desk.view.below] == [child.run_id, other.run_id]
    desk.tell(child.step_started("one"))
    desk.time.advance(0.1)
    assert batches[-1] == child.run_id
    desk.tell(child.finished())
    desk.time.advance(60)
    assert desk.view.below[0].execution_order == ["one"]  # held as long as it is shown
    desk.background.set_viewed(None)
    assert desk.background.viewer_count(child.run_id) == 0
    assert desk.view.below == []
    desk.time.advance(30)
    assert desk.background.live_run(child.run_id) is None


def test_of_very_many_runs_below_the_newest_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_cache, "MAX_WATCHED_CHILDREN", 3)
    desk = Desk()
    root = desk.start("a")
    desk.background.set_viewed(root.workflow_id)
    made = below(desk, root, *(f"child{number}" for number in range(5)))
    assert [run.run_id for run in desk.view.below] == [one.run_id for one in made[-3:]]
    assert [desk.background.viewer_count(one.run_id) for one in made] == [0, 0, 1, 1, 1]
