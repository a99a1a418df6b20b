"""The fold: the state of a run after its events, whether they repeat, arrive late or are missing."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.events import (
    Event,
    Fact,
    MessageAdded,
    RunContinued,
    RunPaused,
    StepFinished,
    StepSkipped,
    StepStarted,
    ToolEnded,
    ToolStarted,
    UnknownFact,
    UsageReported,
)
from core.domain.fold import apply, fold, replay
from core.domain.ids import CallId, MessageId
from core.domain.live_run import LiveRun
from core.domain.messages import Role
from core.domain.run import RunKind, RunStatus, StepStatus
from core.domain.text.stream import TextStream
from core.domain.tool import CallStatus
from tests.stores.rig import Teller


def after(events: Iterable[Event]) -> LiveRun:
    run = replay(events)
    assert run is not None
    return run


def interrupted(text: str, step: str = "chat") -> MessageAdded:
    return MessageAdded(role=Role.ASSISTANT, text=text, message_id=MessageId("msg_cut"), step=step, interrupted=True)


# What a run shows


def test_a_run_that_was_never_created_is_no_run() -> None:
    told = Teller("a")
    told.created()
    assert replay([told.started(), told.stream("hello")]) is None


def test_a_run_begins_with_the_names_of_its_snapshot() -> None:
    told = Teller("a")
    run = after([told.created("fetch", "write", kind=RunKind.WORKFLOW, title="Report")])
    assert (run.kind, run.workflow_name, list(run.steps)) == (RunKind.WORKFLOW, "Report", ["fetch", "write"])


def test_streamed_text_is_the_content() -> None:
    told = Teller("a")
    run = after([told.created(), told.started(), told.step_started(), told.stream("Hel"), told.stream("lo")])
    assert run.content == "Hello"
    assert run.tokens_received == 2


def test_the_texts_of_several_agents_stand_in_template_order() -> None:
    told = Teller("a")
    run = after([told.created("first", "last"), told.stream("two", "last"), told.stream("one", "first")])
    assert run.content == "one\n\ntwo"


def test_a_final_message_replaces_what_was_streamed() -> None:
    told = Teller("a")
    run = after([told.created(), told.stream("Helo"), told.answer("Hello")])
    assert run.content == "Hello"


def test_the_output_of_a_template_is_its_content() -> None:
    told = Teller("a")
    output = MessageAdded(role=Role.ASSISTANT, text="42", message_id=told.message_id)
    run = after([told.created("ask"), told.stream("thinking", "ask"), told.say(output), told.finished()])
    assert run.content == "42"


@pytest.mark.parametrize(("role", "message_id"), [(Role.SYSTEM, "msg_a"), (Role.ASSISTANT, "msg_b")])
def test_what_is_not_the_message_of_the_run_is_not_its_content(role: Role, message_id: str) -> None:
    told = Teller("a")
    other = MessageAdded(role=role, text="beside it", message_id=MessageId(message_id))
    assert after([told.created(), told.stream("text"), told.say(other)]).content == "text"


def test_partial_text_stays_when_the_run_fails() -> None:
    told = Teller("a")
    closing = MessageAdded(role=Role.ASSISTANT, text="", message_id=told.message_id)
    run = after([told.created(), told.stream("half an ans"), told.say(closing), told.finished(RunStatus.ERROR)])
    assert run.content == "half an ans"


def test_a_prompt_is_known_with_its_id() -> None:
    told = Teller("a")
    run = after([told.created(), told.prompt("Why?")])
    assert (run.prompt, run.prompt_id) == ("Why?", "msg_a_prompt")


def test_the_order_of_execution_is_that_of_the_first_starts() -> None:
    told = Teller("a")
    run = after([told.created("a", "b"), told.step_started("b"), told.step_started("a"), told.step_started("b")])
    assert run.execution_order == ["b", "a"]


def test_skipped_and_failed_steps_count_as_done() -> None:
    told = Teller("a")
    failed = StepFinished(step="b", status=StepStatus.ERROR, error={"code": "failed", "message": "no"})
    run = after([told.created("a", "b", "c"), told.say(StepSkipped(step="a", value=0)), told.say(failed)])
    assert run.steps_done == 2
    assert [step.skipped for step in run.steps.values()] == [True, False, False]
    assert run.steps["b"].attempt_errors == [{"code": "failed", "message": "no"}]


def test_a_list_counts_its_iterations() -> None:
    told = Teller("a")
    events = [told.created("each"), told.say(StepStarted(step="each", total=3))]
    for index, status in enumerate([StepStatus.COMPLETED, StepStatus.ERROR]):
        error = {"code": "failed", "message": "no"} if status is StepStatus.ERROR else None
        events.append(told.say(StepStarted(step="each", index=index)))
        events.append(told.say(StepFinished(step="each", index=index, status=status, error=error)))
    iterations = after(events).steps["each"].iterations
    assert iterations is not None
    assert (iterations.total, iterations.completed, iterations.failed) == (3, 1, 1)
    assert iterations.errors == [{"index": 1, "code": "failed", "message": "no"}]


def test_calls_show_how_they_ended_and_add_up_to_time_and_rounds() -> None:
    told = Teller("a")
    events = [told.created(), told.step_started()]
    for number, round_ in enumerate([1, 1, 2]):
        call = CallId(f"c{number}")
        events.append(told.say(ToolStarted(call_id=call, tool="wait", arguments={}, step="chat", round=round_)))
        ended = ToolEnded(call_id=call, status=CallStatus.COMPLETED, duration_ms=20, summary="done")
        events.append(told.say(ended))
    run = after(events)
    assert [(call.status, call.summary) for call in run.calls.values()] == [(CallStatus.COMPLETED, "done")] * 3
    assert (run.tool_execution_time_ms, run.total_rounds) == (60, 2)
    assert run.active == ["chat"]


def test_of_many_failed_iterations_the_first_twenty_errors_stay() -> None:
    told = Teller("a")
    events = [told.created("each"), told.say(StepStarted(step="each", total=30))]
    for index in range(30):
        error = {"code": "failed", "message": "no"} if index else None
        events.append(told.say(StepFinished(step="each", index=index, status=StepStatus.ERROR, error=error)))
    iterations = after(events).steps["each"].iterations
    assert iterations is not None
    assert iterations.failed == 30
    assert [error["index"] for error in iterations.errors] == list(range(1, 21))


def test_usage_adds_up_and_an_unknown_cost_stays_unknown() -> None:
    told = Teller("a")
    events = [told.created(), told.say(UsageReported(input_tokens=3, output_tokens=4))]
    assert after(events).cost is None
    events.append(told.say(UsageReported(input_tokens=1, output_tokens=1, cost=0.5)))
    run = after(events)
    assert (run.input_tokens, run.output_tokens, run.cost) == (4, 5, 0.5)


def test_elapsed_time_ends_with_the_run() -> None:
    told = Teller("a")
    run = after([told.created(), told.started()])
    assert run.started_at is not None
    assert run.elapsed_s(run.started_at) == 0
    fold(run, told.finished())
    late = told.step_done().at
    assert run.completed_at is not None
    assert run.elapsed_s(late) == (run.completed_at - run.started_at).total_seconds()


# Twice, late, never


def test_a_fact_received_twice_counts_once() -> None:
    told = Teller("a")
    used = told.created(), told.say(UsageReported(input_tokens=3, output_tokens=4))
    assert after([*used, used[1]]).input_tokens == 3


def test_a_token_received_twice_appears_once() -> None:
    told = Teller("a")
    events = [told.created(), told.stream("ab"), told.stream("cd")]
    run = after([*events, events[1], events[2]])
    assert run.content == "abcd"
    assert run.tokens_received == 2


def test_a_token_that_overlaps_adds_only_what_is_new() -> None:
    told = Teller("a")
    run = after([told.created(), told.token(0, "Hello"), told.token(3, "lo you")])
    assert run.content == "Hello you"


def test_a_missed_piece_does_not_repeat_later_pieces() -> None:
    told = Teller("a")
    tail = told.created(), told.token(10, "world"), told.token(15, "!")
    assert after([*tail, tail[1], tail[2]]).content == "world!"


def test_a_text_for_another_message_is_dropped() -> None:
    told, other = Teller("a"), Teller("b")
    stray = replace(other.stream("lost"), run_id=told.run_id)
    assert after([told.created(), told.stream("kept"), stray]).content == "kept"


def test_late_text_of_a_cancelled_run_is_dropped() -> None:
    told = Teller("a")
    run = after([told.created(), told.stream("kept"), told.finished(RunStatus.CANCELLED)])
    assert not apply(run, told.stream(" lost"))
    assert run.content == "kept"


@pytest.mark.parametrize("status", [RunStatus.SUCCESS, RunStatus.ERROR, RunStatus.CANCELLED])
def test_a_run_ends_once(status: RunStatus) -> None:
    told = Teller("a")
    events = [told.created(), told.finished(status, {"code": "first"}), told.finished(RunStatus.ERROR, {"code": "no"})]
    events += [told.started(), told.say(RunPaused(reason="storage_full"))]
    run = after(events)
    assert (run.status, run.error) == (status, {"code": "first"})


def test_a_step_that_outlives_its_run_is_recorded_and_changes_nothing_else() -> None:
    told = Teller("a")
    events = [told.created("a", "b"), told.step_started("a"), told.finished(RunStatus.ERROR), told.step_done("a")]
    run = after(events)
    assert run.steps["a"].status is StepStatus.COMPLETED
    assert run.status is RunStatus.ERROR


def test_a_fact_of_a_later_version_is_skipped() -> None:
    told = Teller("a")
    unknown = told.created(), told.say(UnknownFact(name="dreamt", data={}))
    run = after([*unknown, told.stream("text")])
    assert run.content == "text"


def test_a_pause_is_over_when_the_store_can_be_written_again() -> None:
    told = Teller("a")
    begun = [told.created(), told.started()]
    paused, resumed = told.say(RunPaused(reason="storage_full")), told.say(RunContinued())
    run = after(begun)
    assert apply(run, paused)
    assert (str(run.status), run.pause_reason) == ("paused", "storage_full")
    assert apply(run, resumed)
    assert (str(run.status), run.pause_reason) == ("running", None)
    assert not apply(run, paused)
    assert str(run.status) == "running"


def test_a_store_that_was_never_lost_need_not_come_back() -> None:
    told = Teller("a")
    run = after([told.created(), told.started()])
    assert not apply(run, told.say(RunContinued()))
    assert run.status is RunStatus.RUNNING


# After a crash, and in a second attempt


def test_what_was_in_flight_begins_anew_after_a_crash() -> None:
    told = Teller("a")
    call = ToolStarted(call_id=CallId("c1"), tool="wait", arguments={}, step="a")
    run = after([told.created("a"), told.started(), told.step_started("a"), told.say(call), told.started()])
    assert run.status is RunStatus.RUNNING
    assert run.steps["a"].status is StepStatus.PENDING
    assert run.calls == {}


def test_text_that_a_crash_cut_off_stands_apart_and_the_turn_goes_on_before_it() -> None:
    told = Teller("a")
    events = [told.created(), told.started(), told.step_started(), told.stream("Kept. "), told.stream("Cut o")]
    run = after([*events, told.started(), told.say(interrupted("Cut o"))])
    assert run.content == "Kept. "
    fold(run, told.token(6, "Anew."))
    assert run.content == "Kept. Anew."
    assert run.interrupted_texts == ["Cut o"]


def test_text_that_never_reached_the_disk_is_written_over_after_a_crash() -> None:
    told = Teller("a")
    events = [told.created(), told.started(), told.step_started(), told.stream("Kept. "), told.stream("Lost")]
    assert after([*events, told.started(), told.token(6, "Anew.")]).content == "Kept. Anew."


def test_a_watcher_that_saw_more_than_was_on_disk_goes_on_where_the_disk_ends() -> None:
    told = Teller("a")
    events = [told.created(), told.started(), told.step_started(), told.stream("Kept. "), told.stream("Cut off here")]
    run = after([*events, told.started(), told.say(interrupted("Cut o"))])
    assert run.content == "Kept. Cut off here"
    fold(run, told.token(6, "Anew."))
    assert run.content == "Kept. Anew."


def test_a_rebuilt_run_shows_new_text_although_it_never_saw_the_old_one() -> None:
    told = Teller("a")
    run = after([told.created(), told.started(), told.started(), told.token(600, "Goes on")])
    assert run.content == "Goes on"


def test_a_second_attempt_writes_over_the_first() -> None:
    told = Teller("a")
    events = [told.created(), told.step_started(), told.token(0, "First try")]
    events += [told.step_started(attempt=2), told.token(0, "Sec"), told.token(3, "ond")]
    assert after(events).content == "Second"


def test_late_text_of_an_abandoned_attempt_is_dropped() -> None:
    told = Teller("a")
    first = told.created(), told.step_started(), told.token(0, "First"), told.token(5, " try")
    run = after([*first[:3], told.step_started(attempt=2), told.token(0, "Second"), first[3], first[2]])
    assert run.content == "Second"


# The text itself


def test_texts_are_equal_when_they_read_the_same() -> None:
    pieces = TextStream()
    pieces.append(0, "Hel")
    pieces.append(3, "lo")
    assert pieces == TextStream("Hello")
    assert pieces != TextStream("Hell")
    assert pieces != "Hello"


def test_a_whole_text_takes_no_piece_of_itself_again() -> None:
    text = TextStream("Hello")
    assert not text.append(0, "Hel")
    assert not text.append(5, "")
    assert text.append(3, "lo!")
    assert str(text) == "Hello!"


def test_folding_a_token_does_not_join_the_text() -> None:
    stream = TextStream()
    for number in range(1000):
        stream.append(4 * number, "abcd")
    assert len(stream._pieces) == 1000
    assert str(stream) == "abcd" * 1000
    assert len(stream._pieces) == 1


def test_a_released_run_keeps_what_a_row_shows_and_takes_in_nothing() -> None:
    told = Teller("a")
    failed = StepFinished(step="b", status=StepStatus.ERROR, output=[1], error={"code": "failed", "message": "no"})
    events = [told.created("a", "b"), told.prompt("Why?"), told.stream("text", "a"), told.called("c1", "a")]
    events += [told.say(interrupted("cut", "a")), told.step_done("a"), told.say(failed), told.finished()]
    run = after(events)
    shown = (run.status, run.workflow_name, run.steps_done, len(run.steps), run.completed_at, run.tokens_received)
    run.release()
    assert (
        run.status,
        run.workflow_name,
        run.steps_done,
        len(run.steps),
        run.completed_at,
        run.tokens_received,
    ) == shown
    assert run.content == ""
    assert run.prompt is None
    assert (run.interrupted_texts, run.calls) == ([], {})
    assert run.steps["b"].output is None
    assert run.steps["b"].attempt_errors == []
    assert not apply(run, told.answer("text", "b"))


# Any story


class Story:
    """A plausible run of drawn choices: two agents that stream, call, fail, crash and resume.

    `written` has, for each token, the step and the text of its agent up to there.
    """

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self.written: dict[int, tuple[str, str]] = {}
        self._draw = draw
        self._told = Teller("a")
        self._kept = {"one": 0, "two": 0}
        self._texts = {"one": "", "two": ""}
        self._calls = 0
        self.events = self._tell()

    def _tell(self) -> list[Event]:
        events = [self._told.created("one", "two"), self._told.prompt("Why?"), self._told.started()]
        events += [self._told.step_started("one"), self._told.step_started("two")]
        for _ in range(self._draw(st.integers(0, 25))):
            step = ("one", "two")[self._draw(st.integers(0, 1))]
            events += self._act(self._draw(st.integers(0, 9)), step)
        for step in ("one", "two"):
            events += [self._told.answer(self._texts[step], step), self._told.step_done(step)]
        ending = (RunStatus.SUCCESS, RunStatus.ERROR, RunStatus.CANCELLED)[self._draw(st.integers(0, 2))]
        return [*events, self._told.finished(ending)]

    def _act(self, action: int, step: str) -> list[Event]:
        match action:
            case 0:
                return self._say(UsageReported(input_tokens=5, output_tokens=2, cost=0.25))
            case 1:
                self._calls += 1
                call = CallId(f"c{self._calls}")
                started = ToolStarted(call_id=call, tool="wait", arguments={}, step=step, round=self._calls)
                self._kept[step] = len(self._texts[step])  # a round is a checkpoint
                return self._say(started, ToolEnded(call_id=call, status=CallStatus.COMPLETED, duration_ms=3))
            case 2:
                return self._say(RunPaused(reason="storage_full"), RunContinued())
            case 3:
                return self._crash()
            case 4:
                self._cut(step)
                return [self._told.step_started(step, attempt=2)]
            case _:
                text = "abcdefgh"[: self._draw(st.integers(1, 8))]
                event = self._told.token(len(self._texts[step]), text, step)
                self._texts[step] += text
                self.written[id(event)] = (step, self._texts[step])
                return [event]

    def _crash(self) -> list[Event]:
        events = [self._told.started()]
        for step in ("one", "two"):
            if cut := self._cut(step):
                events += self._say(interrupted(cut, step))
            events.append(self._told.step_started(step))
        return events

    def _cut(self, step: str) -> str:
        kept, cut = self._texts[step][: self._kept[step]], self._texts[step][self._kept[step] :]
        self._texts[step] = kept
        return cut

    def _say(self, *facts: Fact) -> list[Event]:
        return [self._told.say(fact) for fact in facts]


@st.composite
def stories(draw: st.DrawFn) -> Story:
    return Story(draw)


def as_stored(run: LiveRun) -> LiveRun:
    """Drop what is shown but never stored."""
    return replace(run, tokens_received=0, paused_at=None, pauses=0, paused_from=RunStatus.RUNNING)


@given(stories(), st.data())
def test_events_that_come_again_at_any_later_time_change_nothing(story: Story, data: st.DataObject) -> None:
    run = after(story.events[:1])
    for at, event in enumerate(story.events):
        fold(run, event)
        if data.draw(st.booleans()):
            before = deepcopy(run)
            again = story.events[data.draw(st.integers(0, at))]
            assert not apply(run, again)
            assert run == before


@given(stories())
def test_a_rebuilt_run_equals_the_observed_run(story: Story) -> None:
    watched = after(story.events)
    rebuilt = after([event for event in story.events if event.fact.stored])
    assert as_stored(rebuilt) == as_stored(watched)


@given(stories())
def test_with_each_token_the_text_is_all_that_its_agent_has_written(story: Story) -> None:
    run = after(story.events[:1])
    for event in story.events:
        fold(run, event)
        if (written := story.written.get(id(event))) is not None:
            step, text = written
            assert str(run.steps[step].texts[None]) == text


@given(stories(), st.data())
def test_a_view_that_missed_tokens_ends_with_the_same_text(story: Story, data: st.DataObject) -> None:
    seen = [event for event in story.events[1:] if event.fact.stored or data.draw(st.booleans())]
    assert after([story.events[0], *seen]).content == after(story.events).content


@given(stories())
def test_nothing_after_the_end_changes_how_a_run_ended(story: Story) -> None:
    run = after(story.events)
    ended = (run.status, run.error, run.completed_at, run.active_ms, run.content)
    told = Teller("a")
    told.seq = run.seq
    for late in (told.started(), told.stream("late", "one"), told.finished(RunStatus.ERROR, {"code": "late"})):
        fold(run, late)
    assert (run.status, run.error, run.completed_at, run.active_ms, run.content) == ended
