"""Sub-agents in what the window shows: the activity, and who it is that asks."""

from core.domain import events as facts
from core.domain.ids import CallId, InterruptionId, SubAgentId
from core.domain.interruption import InterruptionKind, InterruptionStatus
from core.domain.run import StepStatus
from core.stores.activity_items import (
    ActivityFilter,
    ActivityKind,
    ActivityState,
    activity_of,
    count_by_filter,
    detail_of,
)
from tests.stores.rig import Desk, Teller
from tests.stores.test_activity import call, chat, end

OWN = SubAgentId("c1/1")


def begun(run: Teller) -> facts.Event:
    return run.say(
        facts.SubAgentStarted(sub_agent_id=OWN, name="Helper", prompt="Do it", call_id=CallId("c1"), step="chat")
    )


def inner(run: Teller) -> facts.Event:
    return call(run, "c1/1.1.1", sub_agent_id=OWN)


def test_they_are_agents_in_the_activity_and_their_calls_say_whose_they_are() -> None:
    run = chat(
        lambda run: call(run, "c1", "spawn_agent"),
        begun,
        inner,
        lambda run: end(run, "c1/1.1.1"),
        lambda run: run.say(facts.UsageReported(input_tokens=5, output_tokens=2, sub_agent_id=OWN)),
        lambda run: run.say(facts.SubAgentText(sub_agent_id=OWN, text="Done.")),
        lambda run: run.say(facts.SubAgentFinished(sub_agent_id=OWN, status=StepStatus.COMPLETED, duration_ms=1500)),
        lambda run: end(run, "c1"),
    )
    items = activity_of(run)
    assert [(item.kind, item.name, item.sub_agent) for item in items] == [
        (ActivityKind.TOOL, "read_file", "Helper"),
        (ActivityKind.AGENT, "Helper", None),
        (ActivityKind.TOOL, "spawn_agent", None),
        (ActivityKind.AGENT, "Ada", None),
    ]
    assert count_by_filter(items)[ActivityFilter.AGENTS] == 2
    assert (items[1].state, items[1].duration_s) == (ActivityState.DONE, 1.5)
    detail = detail_of(run, items[1].id)
    assert detail is not None
    assert (detail.arguments, detail.result, detail.input_tokens, detail.output_tokens) == ("Do it", "Done.", 5, 2)


def test_a_failed_sub_agent_has_its_reason() -> None:
    error = {"code": "round_limit", "message": "Tool execution limit exceeded"}
    ended = facts.SubAgentFinished(sub_agent_id=OWN, status=StepStatus.ERROR, duration_ms=5, error=error)
    run = chat(lambda run: call(run, "c1", "spawn_agent"), begun, lambda run: run.say(ended))
    item = next(item for item in activity_of(run) if item.name == "Helper")
    assert (item.state, item.summary) == (ActivityState.FAILED, "Tool execution limit exceeded")


async def test_a_question_of_a_sub_agent_names_it_and_the_step_goes_on() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(call(run, "c1", "spawn_agent"), begun(run))
    asked = facts.InterruptionRaised(
        id=InterruptionId("q"),
        step="chat",
        sub_agent_id=OWN,
        sub_agent_name="Helper",
        kind=InterruptionKind.QUESTION,
        status=InterruptionStatus.AWAITING_ANSWER,
    )
    desk.tell(run.say(asked))
    (question,) = desk.questions.get_questions_for_workflow(run.workflow_id)
    assert (question.asker, question.step) == ("Helper", "chat")
    execution = desk.background.get_execution(run.workflow_id)
    assert execution is not None
    assert execution.run is not None
    assert execution.run.sub_agents[OWN].status is StepStatus.WAITING
    assert execution.run.steps["chat"].status is StepStatus.RUNNING
    closed = facts.InterruptionClosed(
        id=InterruptionId("q"), kind=InterruptionKind.QUESTION, status=InterruptionStatus.ANSWERED
    )
    desk.tell(run.say(closed))
    assert execution.run.sub_agents[OWN].status is StepStatus.RUNNING
