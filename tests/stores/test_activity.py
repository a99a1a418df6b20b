"""What happened in a run, as a list: calls and steps, the newest first."""

from collections.abc import Callable
from typing import Any

from core.domain import events as facts
from core.domain.events import Event
from core.domain.fold import replay
from core.domain.ids import CallId, TaskId
from core.domain.live_run import LiveRun
from core.domain.run import RunKind, RunStatus, StepStatus
from core.domain.task import TaskStatus
from core.domain.tool import CallStatus
from core.stores.activity import Activity
from core.stores.activity_items import (
    ActivityFilter,
    ActivityItem,
    ActivityKind,
    ActivityState,
    Progress,
    activity_of,
    count_by_filter,
    detail_of,
    target_of,
)
from tests.stores.rig import Desk, Teller

OK = CallStatus.COMPLETED


def call(
    run: Teller, name: str, tool: str = "read_file", step: str = "chat", *, agent: bool = True, **how: Any
) -> Event:
    arguments = how.pop("arguments", {"path": f"{name}.txt"})
    fact = facts.ToolStarted(
        call_id=CallId(name), tool=tool, arguments=arguments, step=step, round=1 if agent else None, **how
    )
    return run.say(fact)


def end(run: Teller, name: str, status: CallStatus = OK, **how: Any) -> Event:
    return run.say(facts.ToolEnded(call_id=CallId(name), status=status, duration_ms=1500, **how))


def state_of(*events: Event) -> LiveRun:
    run = replay(events)
    assert run is not None
    return run


def chat(*told: Any) -> LiveRun:
    """A chat turn in which these happened: each is made by a function of the teller."""
    run = Teller("a")
    return state_of(run.created(), run.started(), run.step_started(), *(make(run) for make in told))


def template(*told: Any) -> LiveRun:
    run = Teller("a")
    created = run.created("fetch", "check", "each", kind=RunKind.WORKFLOW)
    return state_of(created, run.started(), *(make(run) for make in told))


def item(run: LiveRun, item_id: str) -> ActivityItem:
    return next(item for item in activity_of(run) if item.id == item_id)


# Calls


def test_the_newest_is_first() -> None:
    run = chat(lambda r: call(r, "1"), lambda r: end(r, "1"), lambda r: call(r, "2"))
    assert [each.id for each in activity_of(run)] == ["2", "1", "run_a/chat"]


def test_a_call_has_its_target_and_its_result() -> None:
    run = chat(lambda r: call(r, "1"), lambda r: end(r, "1", summary="3 lines"))
    told = item(run, "1")
    assert (told.kind, told.name, told.target) == (ActivityKind.TOOL, "read_file", "1.txt")
    assert (told.state, told.summary, told.duration_s) == (ActivityState.DONE, "3 lines", 1.5)


def test_a_running_call_has_no_duration() -> None:
    told = item(chat(lambda r: call(r, "1")), "1")
    assert (told.state, told.duration_s, told.summary) == (ActivityState.RUNNING, None, "")


def test_a_call_waits_while_its_question_is_open_and_no_other_beside_it() -> None:
    asks = (lambda r: call(r, "1"), lambda r: call(r, "2", "ask_user"), lambda r: r.asks(step="chat", tool="ask_user"))
    open_, answered = chat(*asks), chat(*asks, lambda r: r.closes())
    assert (item(open_, "1").state, item(open_, "2").state) == (ActivityState.RUNNING, ActivityState.WAITING)
    assert item(answered, "2").state is ActivityState.RUNNING
    known = {each.id: each for each in activity_of(open_)}
    assert next(each for each in activity_of(answered, known) if each.id == "2").state is ActivityState.RUNNING


def test_a_call_that_is_made_again_or_becomes_known_is_not_shown_as_it_was() -> None:
    stopped = (lambda r: call(r, "1"), lambda r: end(r, "1", CallStatus.CANCELLED))
    unknown = (lambda r: call(r, "1"), lambda r: end(r, "1", CallStatus.UNKNOWN))
    for before, later, state in (
        (stopped, lambda r: call(r, "1"), ActivityState.RUNNING),
        (unknown, lambda r: end(r, "1"), ActivityState.DONE),
    ):
        known = {each.id: each for each in activity_of(chat(*before))}
        shown = next(each for each in activity_of(chat(*before, later), known) if each.id == "1")
        assert shown.state is state


def test_a_failed_call_has_its_reason() -> None:
    error = {"code": "not_found", "message": "no such\nfile"}
    told = item(chat(lambda r: call(r, "1"), lambda r: end(r, "1", CallStatus.ERROR, error=error)), "1")
    assert (told.state, told.summary) == (ActivityState.FAILED, "no such file")


def test_every_status_of_a_call_has_its_own_state() -> None:
    states = {status: item(chat(lambda r: call(r, "1"), _end(status)), "1").state for status in CallStatus}
    assert len(set(states.values())) == len(CallStatus)


def _end(status: CallStatus) -> Callable[[Teller], Event]:
    return lambda run: end(run, "1", status)


def test_a_call_at_which_the_run_was_stopped_is_stopped_too() -> None:
    """A template's step that is cut off has no further event for its call."""
    run = template(lambda r: call(r, "1", step="fetch", agent=False), lambda r: r.finished(RunStatus.CANCELLED))
    assert item(run, "1").state is ActivityState.CANCELLED


def test_a_call_in_a_template_names_its_step_and_a_call_in_a_chat_does_not() -> None:
    assert item(template(lambda r: call(r, "1", step="fetch")), "1").step == "fetch"
    assert item(chat(lambda r: call(r, "1")), "1").step is None


def test_the_target_is_the_most_telling_argument() -> None:
    assert target_of("read_file", {"encoding": "utf-8", "path": "a.txt"}) == "a.txt"
    assert target_of("other", {"flag": True, "size": 12}) == "12"
    assert target_of("other", "plain") == "plain"
    assert target_of("other", {}) == target_of("other", None) == ""
    assert target_of("run_code", {"code": "1"}) == ""


def test_the_target_is_a_single_line_of_at_most_200_characters() -> None:
    target = target_of("other", {"query": "a\nb " + "x" * 100_000})
    assert target.startswith("a b x")
    assert len(target) == 200


# Steps and agents


def test_the_step_of_a_chat_is_its_agent() -> None:
    told = item(chat(), "run_a/chat")
    assert (told.kind, told.name, told.state) == (ActivityKind.AGENT, "Ada", ActivityState.RUNNING)


def test_a_step_that_has_not_begun_has_no_item() -> None:
    assert activity_of(template()) == []


def test_a_step_at_which_an_agent_works_is_an_agent() -> None:
    by_text = template(lambda r: r.step_started("fetch"), lambda r: r.stream("Hello", "fetch"))
    by_call = template(lambda r: r.step_started("fetch"), lambda r: call(r, "1", step="fetch"))
    plain = template(lambda r: r.step_started("fetch"), lambda r: call(r, "1", step="fetch", agent=False))
    kinds = [item(run, "run_a/fetch").kind for run in (by_text, by_call, plain)]
    assert kinds == [ActivityKind.AGENT, ActivityKind.AGENT, ActivityKind.STEP]


def test_a_skipped_step_has_the_value_of_its_condition() -> None:
    told = item(template(lambda r: r.say(facts.StepSkipped(step="check", value={"n": 0}))), "run_a/check")
    assert (told.state, told.reason) == (ActivityState.SKIPPED, '{"n":0}')


def test_a_step_that_was_skipped_on_nothing_has_a_reason_too() -> None:
    assert item(template(lambda r: r.say(facts.StepSkipped(step="check"))), "run_a/check").reason == "null"


def test_a_failed_step_has_its_reason_and_its_attempt() -> None:
    told = item(
        template(
            lambda r: r.step_started("fetch", attempt=2),
            lambda r: r.say(facts.StepFinished(step="fetch", status=StepStatus.ERROR, error={"message": "no net"})),
        ),
        "run_a/fetch",
    )
    assert (told.state, told.summary, told.attempts) == (ActivityState.FAILED, "no net", 2)


def test_a_for_each_has_its_progress() -> None:
    def iteration(index: int, status: StepStatus) -> Any:
        return lambda r: r.say(facts.StepFinished(step="each", index=index, status=status))

    run = template(
        lambda r: r.say(facts.StepStarted(step="each", total=5)),
        iteration(0, StepStatus.COMPLETED),
        iteration(1, StepStatus.ERROR),
    )
    assert item(run, "run_a/each").progress == Progress(1, 1, 5)


# Counts and details


def test_the_filters_take_what_they_say() -> None:
    run = template(
        lambda r: r.step_started("fetch"),
        lambda r: call(r, "1", step="fetch"),
        lambda r: call(r, "2", step="fetch"),
        lambda r: r.step_started("check"),
    )
    assert count_by_filter(activity_of(run)) == {
        ActivityFilter.ALL: 4,
        ActivityFilter.TOOLS: 2,
        ActivityFilter.AGENTS: 1,
        ActivityFilter.REASONING: 0,
        ActivityFilter.TASKS: 0,
    }


def test_the_detail_of_a_call_has_its_arguments_and_error_whole() -> None:
    error = {"code": "failed", "message": "x" * 5000}
    run = chat(lambda r: call(r, "1"), lambda r: end(r, "1", CallStatus.ERROR, error=error))
    detail = detail_of(run, "1")
    assert detail is not None
    assert detail.arguments == {"path": "1.txt"}
    assert detail.errors == (error,)
    assert not detail.has_result


def test_the_result_of_a_step_that_is_a_single_call_is_its_output() -> None:
    run = template(
        lambda r: r.step_started("fetch"),
        lambda r: call(r, "1", step="fetch", agent=False),
        lambda r: end(r, "1", summary="2 rows"),
        lambda r: r.say(facts.StepFinished(step="fetch", status=StepStatus.COMPLETED, output=[1, 2])),
    )
    for item_id in ("1", "run_a/fetch"):
        detail = detail_of(run, item_id)
        assert detail is not None
        assert (detail.has_result, detail.result) == (True, [1, 2])


def test_a_call_gave_what_its_step_was_made_of_and_code_has_a_console() -> None:
    lines = [{"level": "log", "text": "one"}, {"level": "warn", "text": "two"}]
    run = template(
        lambda r: r.step_started("fetch"),
        lambda r: call(r, "1", step="fetch", agent=False),
        lambda r: end(r, "1", summary="2 rows"),
        lambda r: r.say(facts.RawResultSaved(step="fetch", raw=[1, 2])),
        lambda r: r.say(facts.ConsoleWritten(step="fetch", lines=lines, cut=True)),
        lambda r: r.say(facts.StepFinished(step="fetch", status=StepStatus.COMPLETED, output=3)),
    )
    of_call, of_step = detail_of(run, "1"), detail_of(run, "run_a/fetch")
    assert of_call is not None
    assert of_step is not None
    assert (of_call.result, of_call.console) == ([1, 2], "")
    assert (of_step.result, of_step.console, of_step.is_console_cut) == (3, "one\nwarn: two", True)


def test_the_result_of_an_agents_call_is_what_the_run_knows_of_it() -> None:
    detail = detail_of(chat(lambda r: call(r, "1"), lambda r: end(r, "1", summary="2 rows")), "1")
    assert detail is not None
    assert detail.result == "2 rows"


def test_the_detail_of_a_chats_agent_is_its_answer_and_its_tokens() -> None:
    run = chat(
        lambda r: r.answer("Hello"),
        lambda r: r.say(facts.UsageReported(input_tokens=12, output_tokens=3)),
        lambda r: r.step_done(),
        lambda r: r.finished(),
    )
    detail = detail_of(run, "run_a/chat")
    assert detail is not None
    assert (detail.result, detail.input_tokens, detail.output_tokens) == ("Hello", 12, 3)


def test_what_is_not_there_has_no_detail() -> None:
    assert detail_of(chat(), "nothing") is None


# The store


def ids(activity: Activity) -> list[str]:
    return [each.id for each in activity.items]


def test_a_run_that_was_never_viewed_is_complete() -> None:
    desk = Desk()
    activity = Activity(desk.view)
    run = desk.start("a")
    desk.tell(call(run, "1"), end(run, "1"), run.finished())
    assert activity.items == []
    desk.background.set_viewed(run.workflow_id)
    assert ids(activity) == ["1", "run_a/chat"]


def test_it_follows_the_viewed_run_batch_by_batch() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.background.set_viewed(run.workflow_id)
    activity = Activity(desk.view)
    told: list[ActivityState] = []
    activity.changed.connect(lambda: told.append(activity.items[0].state))
    desk.tell(call(run, "1"))
    desk.time.advance(0.1)
    desk.tell(end(run, "1"))
    desk.time.advance(0.1)
    assert told == [ActivityState.RUNNING, ActivityState.DONE]


def test_what_did_not_change_is_the_same_object() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.background.set_viewed(run.workflow_id)
    activity = Activity(desk.view)
    desk.tell(call(run, "1"), end(run, "1"))
    desk.time.advance(0.1)
    before = activity.items
    desk.tell(call(run, "2"))
    desk.time.advance(0.1)
    after = activity.items
    assert len(after) == 3
    assert all(old is new for old, new in zip(before, after[1:], strict=True))


def test_earlier_runs_of_the_conversation_stand_below() -> None:
    desk = Desk()
    first = desk.teller("first", "wf_a")
    events = [
        first.created(),
        first.started(),
        first.step_started(),
        call(first, "1"),
        end(first, "1"),
        first.finished(),
    ]
    stored = replay(events)
    assert stored is not None
    desk.time.advance(10)
    second = desk.start("second", "wf_a")
    desk.background.set_viewed(second.workflow_id)
    desk.view.show(second.workflow_id, [first.message("Hello")], [stored])
    assert ids(Activity(desk.view)) == ["run_second/chat", "1", "run_first/chat"]


def test_another_workflow_shows_only_its_own() -> None:
    desk = Desk()
    one, two = desk.start("a"), desk.start("b")
    activity = Activity(desk.view)
    desk.background.set_viewed(one.workflow_id)
    assert ids(activity) == ["run_a/chat"]
    desk.background.set_viewed(two.workflow_id)
    assert ids(activity) == ["run_b/chat"]
    desk.background.set_viewed(None)
    assert activity.items == []


def test_a_crashed_call_that_begins_anew_has_a_single_item() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.background.set_viewed(run.workflow_id)
    activity = Activity(desk.view)
    desk.tell(call(run, "1"))
    desk.time.advance(0.1)
    assert len(activity.items) == 2
    desk.tell(run.started(), run.step_started(), call(run, "1b"))
    desk.time.advance(0.1)
    assert ids(activity) == ["1b", "run_a/chat"]


def test_it_receives_nothing_after_it_is_closed() -> None:
    desk = Desk()
    activity = Activity(desk.view)
    told: list[None] = []
    activity.changed.connect(lambda: told.append(None))
    activity.close()
    desk.background.set_viewed(desk.start("a").workflow_id)
    assert told == []


def test_it_gives_the_detail_of_what_it_shows() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.background.set_viewed(run.workflow_id)
    activity = Activity(desk.view)
    desk.tell(call(run, "1"))
    desk.time.advance(0.1)
    shown = activity.items[0]
    detail = activity.detail(shown)
    assert detail is not None
    assert detail.arguments == {"path": "1.txt"}
    desk.background.set_viewed(None)
    assert activity.detail(shown) is None


def changed(run: Teller, name: str, status: str, change: Any = "updated", **more: Any) -> Event:
    fields = {"id": TaskId(name), "change": change, "name": name.title(), "status": TaskStatus(status), "priority": 2}
    return run.say(facts.TaskChanged(**fields, **more))


def test_a_task_is_a_single_item_with_its_state() -> None:
    run = chat(
        lambda run: changed(run, "write", "pending", "created"),
        lambda run: changed(run, "send", "blocked", "created", dependencies=["write"]),
        lambda run: changed(run, "think", "in_progress"),
        lambda run: changed(run, "write", "completed", "completed"),
        lambda run: changed(run, "think", "in_progress", "deleted"),
    )
    tasks = [item for item in activity_of(run) if ActivityFilter.TASKS.includes(item)]
    assert {item.name: item.state for item in tasks} == {
        "Write": ActivityState.DONE,
        "Send": ActivityState.BLOCKED,
        "Think": ActivityState.DELETED,
    }
    assert count_by_filter(activity_of(run))[ActivityFilter.TASKS] == 3
    detail = detail_of(run, "send")
    assert detail is not None
    assert detail.arguments == {"id": "send", "priority": 2, "dependencies": ["write"]}


def test_a_task_that_several_runs_report_has_its_last_state() -> None:
    desk = Desk()
    activity = Activity(desk.view)
    first = desk.start("a")
    desk.background.set_viewed(first.workflow_id)
    desk.tell(changed(first, "write", "pending", "created"), first.finished())
    desk.time.advance(1)
    second = desk.start("b", first.workflow_id)
    desk.tell(changed(second, "write", "completed", "completed"))
    desk.time.advance(1)
    tasks = [item for item in activity.items if item.kind is ActivityKind.TASK]
    assert [(item.state, item.run_id) for item in tasks] == [(ActivityState.DONE, second.run_id)]
