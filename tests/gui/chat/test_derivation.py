"""From stored messages and live runs to turns."""

from dataclasses import replace

import pytest

from core.domain import events as facts
from core.domain.ids import MessageId, RunId
from core.domain.live_run import LiveRun
from core.domain.messages import Message, MessageState, Role
from core.domain.run import SUMMARY_TEMPLATE, RunKind, RunStatus, StepStatus
from core.domain.tool import CallStatus
from desktop.chat.derivation import TurnCache, derive_turn, derive_turns
from desktop.chat.run_parts import MAX_STEP_CALLS
from desktop.chat.turn_parts import (
    Activity,
    CutOff,
    Failure,
    Output,
    Part,
    Phase,
    Progress,
    StepLine,
    Steps,
    Text,
    Thought,
    ToolCalls,
)
from desktop.chat.views.chat_strings import activity_text
from tests.gui.chat.conversation import NOW, WORKFLOW, called, ended, message_of, run_of, token


def parts_of(run: LiveRun, state: MessageState = MessageState.OPEN) -> list[Part]:
    return list(derive_turn(message_of(run, state), run).parts)


def said(parts: list[Part]) -> list[str]:
    return [part.text if isinstance(part, Text) else type(part).__name__ for part in parts]


def lines_of(run: LiveRun) -> tuple[StepLine, ...]:
    (steps,) = [part for part in parts_of(run) if isinstance(part, Steps)]
    return steps.lines


def stored(
    name: str, role: Role, text: str, state: MessageState = MessageState.FINAL, run: str | None = None
) -> Message:
    return Message(MessageId(name), WORKFLOW, role, text, NOW, state, RunId(run) if run else None)


def test_a_conversation_keeps_its_order_and_its_roles() -> None:
    messages = [stored("1", Role.SYSTEM, "set up"), stored("2", Role.USER, "hello"), stored("3", Role.ASSISTANT, "hi")]
    shown = derive_turns(messages, lambda _: None)
    assert [(turn.id, turn.role, turn.parts) for turn in shown] == [
        ("1", Role.SYSTEM, (Text("set up"),)),
        ("2", Role.USER, (Text("hello"),)),
        ("3", Role.ASSISTANT, (Text("hi"),)),
    ]


def test_an_answer_is_named_by_its_agent() -> None:
    run = run_of()
    assert derive_turn(message_of(run), run).author == "offline"


def test_a_template_is_named_by_the_title_of_its_run() -> None:
    run = run_of(kind=RunKind.WORKFLOW, steps=["one"])
    assert derive_turn(message_of(run), run).author == "A title"


def test_a_call_stands_where_the_text_before_it_ends() -> None:
    run = run_of(token("Let me look."), called("c1", 12, path="a"), ended("c1"), token("\n\nFound it.", 12))
    assert said(parts_of(run)) == ["Let me look.", "ToolCalls", "\n\nFound it."]


def test_calls_without_text_between_them_are_grouped() -> None:
    run = run_of(token("Look."), called("c1", 5), ended("c1"), called("c2", 5), ended("c2"))
    (group,) = [part for part in parts_of(run) if isinstance(part, ToolCalls)]
    assert [line.id for line in group.lines] == ["c1", "c2"]


def test_calls_stand_in_the_order_of_their_places_whatever_the_order_they_came_in() -> None:
    run = run_of(token("one two"), called("late", 7), called("early", 3))
    assert said(parts_of(run))[:4] == ["one", "ToolCalls", " two", "ToolCalls"]


def test_a_call_beyond_the_text_that_has_arrived_stands_at_its_end() -> None:
    run = run_of(token("abc"), called("c1", 50))
    assert said(parts_of(run))[:2] == ["abc", "ToolCalls"]


def test_only_the_last_text_of_a_running_turn_is_open() -> None:
    run = run_of(token("one"), called("c1", 3), ended("c1"), token("two", 3))
    texts = [part for part in parts_of(run) if isinstance(part, Text)]
    assert [text.is_open for text in texts] == [False, True]


def test_a_tool_line_has_target_duration_result_and_error() -> None:
    run = run_of(
        called("c1", 0, path="a/b.txt"),
        ended("c1", summary="12 lines", duration_ms=40),
        called("c2", 0, tool="write_file", path="x"),
        ended("c2", status=CallStatus.ERROR, error={"code": "not_allowed", "message": "outside"}),
    )
    (group,) = [part for part in parts_of(run) if isinstance(part, ToolCalls)]
    first, second = group.lines
    assert (first.target, first.duration_ms, first.summary, first.error) == ("a/b.txt", 40, "12 lines", None)
    assert (second.target, second.status, second.error) == ("x", CallStatus.ERROR, "outside")


def test_a_run_without_output_is_thinking_since_it_started() -> None:
    (activity,) = parts_of(run_of())
    assert isinstance(activity, Activity)
    assert activity.phase is Phase.THINKING
    assert activity.since == run_of().started_at


def test_a_run_that_calls_shows_the_tool_and_its_start() -> None:
    run = run_of(token("Look."), called("c1", 5, tool="wait"))
    activity = parts_of(run)[-1]
    assert activity == Activity(Phase.CALLING, run.calls["c1"].started_at, "wait")  # type: ignore[index]


def test_text_that_streams_needs_no_sign_of_activity() -> None:
    assert said(parts_of(run_of(token("Hello")))) == ["Hello"]


@pytest.mark.parametrize(("reason", "phase"), [("loading", Phase.LOADING), ("retry", Phase.RETRYING)])
def test_a_run_whose_model_does_not_answer_yet_says_why(reason: str, phase: Phase) -> None:
    wait = facts.ModelWaited(step="answer", reason=reason, waited_s=5, limit_s=600, message="Loading model")
    (activity,) = parts_of(run_of(wait))
    assert isinstance(activity, Activity)
    assert (activity.phase, activity.target) == (phase, "Loading model")
    assert activity_text(activity, is_long=False).endswith(": Loading model")
    assert said(parts_of(run_of(wait, token("Hello")))) == ["Hello"]
    assert isinstance(parts_of(run_of(wait, token("Hello")))[-1], Text)


def test_a_run_that_waits_for_a_place_is_queued() -> None:
    run = replace_status(run_of(), RunStatus.ENQUEUED)
    assert [part.phase for part in parts_of(run) if isinstance(part, Activity)] == [Phase.QUEUED]


def test_a_run_that_failed_keeps_its_text_and_ends_with_the_failure() -> None:
    error = {
        "code": "truncated",
        "message": "cut",
        "failed_step": "answer",
        "failed_during": "model",
        "tool_name": None,
        "limit": 3,
    }
    asked = facts.MessageAdded(role=Role.USER, text="Question", message_id=MessageId("msg_q"))
    run = run_of(asked, token("Half"), facts.RunFinished(status=RunStatus.ERROR, error=error))
    parts = parts_of(run, MessageState.FINAL)
    failure = Failure("truncated", "cut", None, "model", None, {"limit": 3}, can_edit=True, at=run.completed_at)
    assert parts == [Text("Half"), failure]


def test_a_cancelled_turn_is_stopped_by_the_user() -> None:
    run = run_of(token("Half"), facts.RunFinished(status=RunStatus.CANCELLED))
    assert parts_of(run, MessageState.INTERRUPTED) == [Text("Half"), CutOff(is_stopped=True)]


def test_what_is_to_be_known_of_an_answer_stands_below_it_once() -> None:
    warned = [
        facts.AnswerWarned(code=code, message=code, step="answer")
        for code in ("length", "length", "later", "skipped_data")
    ]
    warned.append(facts.AnswerWarned(code="content_filter", message="", step="answer", details={"calls": 1}))
    run = run_of(token("Half"), *warned, facts.RunFinished(status=RunStatus.SUCCESS))
    length, skipped = (CutOff(is_stopped=False, warning=code) for code in ("length", "skipped_data"))
    assert parts_of(run, MessageState.FINAL) == [Text("Half"), length, skipped]


def test_a_stored_interrupted_message_without_its_run_was_interrupted() -> None:
    message = stored("1", Role.ASSISTANT, "Half", MessageState.INTERRUPTED)
    assert derive_turn(message, None).parts == (Text("Half"), CutOff(is_stopped=False))


def test_text_that_a_crash_cut_off_stands_before_what_went_on_after_it_and_only_once() -> None:
    cut_off = facts.MessageAdded(
        role=Role.ASSISTANT, text="Lost", message_id=MessageId("msg_x"), step="answer", interrupted=True
    )
    run = run_of(token("Lost"), cut_off, token("Anew"))
    row = stored("msg_x", Role.ASSISTANT, "Lost", MessageState.INTERRUPTED, run.run_id)
    shown = derive_turns([row, message_of(run)], lambda message: run if message == run.message_id else None)
    assert [said(list(turn.parts)) for turn in shown] == [["Lost", "CutOff", "Anew"]]


def test_the_stored_row_stands_for_cut_off_text_that_its_run_has_given_back() -> None:
    run = run_of(token("Anew"))
    row = stored("msg_x", Role.ASSISTANT, "Lost", MessageState.INTERRUPTED, run.run_id)
    shown = derive_turns([row, message_of(run)], lambda message: run if message == run.message_id else None)
    assert [said(list(turn.parts)) for turn in shown] == [["Lost", "CutOff"], ["Anew"]]


def test_a_templates_run_is_one_block_of_steps_in_template_order() -> None:
    run = run_of(
        facts.StepStarted(step="two"),
        facts.StepFinished(step="two", status=StepStatus.COMPLETED, output={"n": 1}),
        kind=RunKind.WORKFLOW,
        steps=["one", "two"],
    )
    one, two = lines_of(run)
    assert (one.name, one.status) == ("one", StepStatus.PENDING)
    assert (two.name, two.output, two.elapsed_s) == ("two", {"n": 1}, 1.0)


def test_a_skipped_step_shows_the_value_of_its_condition() -> None:
    run = run_of(facts.StepSkipped(step="one", value=0), kind=RunKind.WORKFLOW, steps=["one"])
    (line,) = lines_of(run)
    assert (line.is_skipped, line.skipped_value) == (True, 0)


def test_a_templates_run_that_failed_answered_no_message_that_could_be_sent_again() -> None:
    finished = facts.RunFinished(status=RunStatus.ERROR, error={"code": "timeout"})
    run = run_of(finished, kind=RunKind.WORKFLOW, steps=["one"])
    (failure,) = (part for part in parts_of(run, MessageState.FINAL) if isinstance(part, Failure))
    assert not failure.can_retry


def test_a_failure_is_explained_once_at_the_step_that_failed() -> None:
    error = {"code": "failed", "message": "division by zero", "failed_step": "one"}
    failed = facts.StepFinished(step="one", status=StepStatus.ERROR, error=error)
    finished = facts.RunFinished(status=RunStatus.ERROR, error=error)
    for told, is_at_step in (((facts.StepStarted(step="one"), failed, finished), True), ((finished,), False)):
        run = run_of(*told, kind=RunKind.WORKFLOW, steps=["one"])
        (failure,) = (part for part in parts_of(run, MessageState.FINAL) if isinstance(part, Failure))
        assert (failure.message, failure.is_at_step) == ("division by zero", is_at_step)


def test_a_step_has_its_own_calls_its_agents_text_and_its_progress() -> None:
    run = run_of(
        facts.StepStarted(step="one", total=3),
        facts.StepStarted(step="one", index=0),
        facts.StepFinished(step="one", index=0, status=StepStatus.COMPLETED),
        token("Said", step="two"),
        called("c1", None, step="two"),
        kind=RunKind.WORKFLOW,
        steps=["one", "two"],
    )
    one, two = lines_of(run)
    assert one.progress == Progress(done=1, failed=0, total=3)
    assert (two.text, [line.id for line in two.tools]) == ("Said", ["c1"])


def test_a_step_with_very_many_calls_shows_the_last_and_counts_the_others() -> None:
    calls = [called(f"c{n}", None, step="one") for n in range(MAX_STEP_CALLS + 5)]
    (line,) = lines_of(run_of(*calls, kind=RunKind.WORKFLOW, steps=["one"]))
    assert (len(line.tools), line.earlier_calls, line.tools[-1].id) == (MAX_STEP_CALLS, 5, f"c{MAX_STEP_CALLS + 4}")


def test_the_output_of_a_template_comes_last_once_it_has_succeeded() -> None:
    told = facts.MessageAdded(role=Role.ASSISTANT, text="# Report", message_id=MessageId("msg_a"))
    run = run_of(told, facts.RunFinished(status=RunStatus.SUCCESS), kind=RunKind.WORKFLOW, steps=["one"])
    assert parts_of(run, MessageState.FINAL)[-1] == Output("# Report")


def test_text_of_agents_in_a_running_template_is_no_output() -> None:
    run = run_of(token("Said", step="one"), kind=RunKind.WORKFLOW, steps=["one"])
    assert said(parts_of(run)) == ["Steps"]


def replace_status(run: LiveRun, status: RunStatus) -> LiveRun:
    return replace(run, status=status)


def test_a_summary_shows_what_is_written_now_and_then_the_whole_alone() -> None:
    notes = [token("Notes", step="part_1"), token("In sh", step="summary")]
    run = run_of(*notes, kind=RunKind.WORKFLOW, steps=["part_1", "summary"])
    run.template_id = SUMMARY_TEMPLATE
    assert parts_of(run) == [Text("In sh", is_open=True)]
    quiet = run_of(kind=RunKind.WORKFLOW, steps=["summary"])
    quiet.template_id = SUMMARY_TEMPLATE
    assert [part.phase for part in parts_of(quiet) if isinstance(part, Activity)] == [Phase.THINKING]
    run.message = "In short"
    done = replace_status(run, RunStatus.SUCCESS)
    assert parts_of(done, MessageState.FINAL) == [Text("In short")]


# Again and again


def test_a_turn_is_derived_anew_only_while_it_can_change() -> None:
    done, live = run_of(token("One"), facts.RunFinished(status=RunStatus.SUCCESS, active_ms=1)), run_of(token("Two"))
    live.message_id = MessageId("msg_b")
    messages = [message_of(done, MessageState.FINAL), message_of(live)]
    runs = {done.message_id: done, live.message_id: live}
    deriving = TurnCache()
    first = deriving.of(messages, runs.get)
    again = deriving.of(messages, runs.get)
    assert first == again == derive_turns(messages, runs.get)
    assert [old is new for old, new in zip(first, again, strict=True)] == [True, False]
    other = {**runs, done.message_id: run_of(token("Other"), facts.RunFinished(status=RunStatus.ERROR, active_ms=1))}
    assert deriving.of(messages, other.get) == derive_turns(messages, other.get)


# Thoughts


def thought(text: str, offset: int = 0) -> facts.Fact:
    return facts.ReasoningReceived(text=text, message_id=MessageId("msg_a"), offset=offset, step="answer")


def kept(text: str, place: int = 0, elapsed_ms: int = 1000) -> facts.Fact:
    return facts.ThoughtSaved(text=text, offset=0, place=place, step="answer", elapsed_ms=elapsed_ms, is_whole=True)


def test_a_thought_continues_until_text_follows_and_shows_its_duration() -> None:
    thinking = run_of(thought("Let me "), thought("see.", 7))
    assert parts_of(thinking) == [Thought("Let me see.", None)]
    saying = run_of(thought("Let me "), thought("see.", 7), kept("Let me see."), token("It is 4."))
    reloaded = run_of(kept("Let me see."), token("It is 4."))
    assert parts_of(saying) == parts_of(reloaded) == [Thought("Let me see.", 1.0), Text("It is 4.", is_open=True)]


def test_thoughts_stand_between_text_and_calls() -> None:
    thoughts = kept("one"), kept("two", 5)
    run = run_of(thoughts[0], token("Look."), called("c1", 5), ended("c1"), thoughts[1], token(" Done.", 5))
    assert said(parts_of(run)) == ["Thought", "Look.", "ToolCalls", "Thought", " Done."]


def test_a_long_thought_is_cut_and_a_released_run_has_none() -> None:
    run = run_of(thought("x" * 150_000), thought("y", 150_000))
    assert [len(one.text) for one in run.thoughts] == [100_000]
    run.release()
    assert run.thoughts == []


# Trying again


@pytest.mark.parametrize(
    ("code", "status", "helps"),
    [
        ("connection_failed", None, True),
        ("timeout", None, True),
        ("truncated", None, True),
        ("provider_error", 429, True),
        ("provider_error", 503, True),
        ("provider_error", None, True),
        ("provider_error", 400, False),
        ("provider_error", 404, False),
        ("key_refused", 401, False),
        ("key_missing", None, False),
        ("bad_response", None, False),
    ],
)
def test_trying_again_is_offered_where_it_can_help(code: str, status: int | None, helps: bool) -> None:
    error = {"code": code, "message": "no", "failed_during": "model", "status": status}
    prompt = facts.MessageAdded(role=Role.USER, text="hi", message_id=MessageId("msg_u"))
    run = run_of(prompt, facts.RunFinished(status=RunStatus.ERROR, error=error))
    (failure,) = [part for part in parts_of(run, MessageState.FINAL) if isinstance(part, Failure)]
    assert failure.can_retry is helps
