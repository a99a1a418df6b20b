"""The usage of a workflow, counted viewed or not, and the same after a restart."""

from typing import Any

import pytest

from core.bus import Bus, WorkflowDeleted
from core.domain.events import (
    Event,
    ModelAsked,
    RunCreated,
    RunFinished,
    StepStarted,
    SubAgentFinished,
    SubAgentStarted,
    TokenReceived,
    UsageReported,
)
from core.domain.fold import replay
from core.domain.ids import CallId, SubAgentId, WorkflowId
from core.domain.live_run import LiveRun
from core.domain.run import SUMMARY_TEMPLATE, RunKind, RunStatus, StepStatus
from core.domain.settings import Settings
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.usage import SPEED_INTERVAL_S, TokenUsage, Usage, WorkflowUsage
from tests.stores.rig import Teller
from tests.support.clock import FakeClock


class Desk:
    """The store, with a record of all messages of the bus."""

    def __init__(self) -> None:
        self.time = FakeClock()
        self.bus = Bus()
        self.background = BackgroundWorkflows(self.bus, self.time, self.time.call_later, Settings())
        self.usage = Usage(self.bus, self.background, self.time)
        self.told: list[Event] = []
        self.changes = 0
        self.usage.changed.connect(self._count)

    def _count(self, _workflow_id: WorkflowId) -> None:
        self.changes += 1

    def tell(self, *events: Event) -> None:
        for event in events:
            self.told.append(event)
            self.bus.publish(event)

    def turn(
        self,
        name: str,
        tokens: int,
        used: UsageReported | None,
        room: int | None = 1000,
        error: dict[str, Any] | None = None,
    ) -> Teller:
        """Publish a chat turn with a single answer in workflow `wf_a`."""
        teller = Teller(name, "wf_a", self.time)
        self.tell(
            teller.say(
                RunCreated(kind=RunKind.CHAT, title="A", message_id=teller.message_id, steps=["chat"], model="m")
            ),
            teller.say(StepStarted(step="chat", attempt=1)),
            teller.say(
                ModelAsked(
                    step="chat",
                    tokens=tokens,
                    fixed_tokens=60,
                    room_tokens=room,
                    dropped=int(tokens > (room or tokens)),
                )
            ),
        )
        if used is not None:
            self.tell(teller.say(used))
        self.tell(teller.say(RunFinished(status=RunStatus.ERROR if error else RunStatus.SUCCESS, error=error)))
        return teller

    def stored(self) -> list[LiveRun]:
        """The states of all runs as a later process replays them."""
        by_run: dict[str, list[Event]] = {}
        for event in self.told:
            if event.fact.stored:
                by_run.setdefault(event.run_id, []).append(event)
        return [run for events in by_run.values() if (run := replay(events)) is not None]


A = WorkflowId("wf_a")


@pytest.fixture
def desk() -> Desk:
    return Desk()


def used(
    given: int, made: int, cost: float | None = None, elapsed_ms: int | None = None, cached: int = 0
) -> UsageReported:
    return UsageReported(
        input_tokens=given,
        output_tokens=made,
        cost=cost,
        elapsed_ms=elapsed_ms,
        said_tokens=made // 2,
        cached_tokens=cached,
    )


def test_an_unknown_workflow_has_used_nothing(desk: Desk) -> None:
    assert desk.usage.get(A) == desk.usage.get(None) == WorkflowUsage()
    assert not desk.usage.get(A).total.is_known


def test_turn_and_total_are_counted_without_a_viewer(desk: Desk) -> None:
    desk.turn("1", 100, used(90, 10, 0.01))
    desk.turn("2", 200, used(190, 20, 0.02, 400, cached=120))
    desk.tell(Teller("other", "wf_b", desk.time).created())
    found = desk.usage.get(A)
    assert found.turn == TokenUsage(190, 20, 0.02, answers=1, cached_tokens=120)
    assert found.total == TokenUsage(280, 30, 0.03, answers=2, cached_tokens=120)
    assert (found.context_tokens, found.is_cut, found.tokens_a_second) == (210, False, 50)


def test_a_restart_gives_the_same_and_later_events_are_added(desk: Desk) -> None:
    desk.turn("1", 100, used(90, 10, 0.01))
    desk.turn("2", 1200, used(190, 20, None, 400))
    later = Desk()
    later.usage.load(A, desk.stored())
    assert later.usage.get(A) == desk.usage.get(A)
    assert later.usage.get(A).is_cut
    later.time.advance(60)
    for place in (desk, later):
        place.turn("3", 300, used(5, 5, 0.0))
    later.usage.load(A, desk.stored())
    assert later.usage.get(A) == desk.usage.get(A)
    assert later.usage.get(A).total.input_tokens == 285


def test_a_load_older_than_the_events_takes_nothing_back(desk: Desk) -> None:
    first = desk.turn("1", 100, used(90, 10))
    before = desk.stored()
    desk.tell(first.say(used(1, 1)))  # late: the run has ended, and its state counts it
    desk.usage.load(A, before)
    assert desk.usage.get(A).total.input_tokens == 91


def test_what_is_released_stays_counted_where_it_is_viewed(desk: Desk) -> None:
    desk.background.set_viewed(A)
    desk.turn("1", 100, used(90, 10, 0.01))
    before = desk.usage.get(A)
    desk.time.advance(3600)
    assert desk.background.get_execution(A) is None
    assert desk.usage.get(A) == before
    desk.background.set_viewed(WorkflowId("wf_b"))
    assert not desk.usage._runs


def test_what_no_row_shows_any_more_comes_in_with_its_next_view(desk: Desk) -> None:
    desk.turn("1", 100, used(90, 10, 0.01))
    desk.turn("2", 200, used(190, 20, None, 400))
    before = desk.usage.get(A)
    desk.time.advance(599)
    assert desk.usage.get(A) == before
    desk.time.advance(3600)
    assert not desk.usage._runs
    desk.background.set_viewed(A)
    desk.usage.load(A, desk.stored())
    assert desk.usage.get(A) == before


def test_runs_below_count_in_the_turn_that_began_them(desk: Desk) -> None:
    desk.turn("1", 100, used(90, 10, 0.01))
    root = Teller("2", "wf_a", desk.time)
    child = Teller("3", "wf_a", desk.time)
    desk.tell(root.created(), child.created_below(root), child.say(used(7, 3, 0.5)))
    assert desk.usage.get(A).turn == TokenUsage(7, 3, 0.5, answers=1)
    assert desk.usage.get(A).total.input_tokens == 97


def test_of_runs_below_that_asked_no_model_nothing_is_kept(desk: Desk) -> None:
    root = Teller("1", "wf_a", desk.time)
    desk.tell(root.created(), root.say(used(7, 3, 0.5)))
    for number in range(50):
        child = Teller(f"c{number}", "wf_a", desk.time)
        desk.tell(child.created_below(root), child.finished())
    assert desk.usage.get(A).turn == TokenUsage(7, 3, 0.5, answers=1)
    assert len(desk.usage._runs[A]) == 1


def test_answers_without_count_or_price_are_not_taken_for_nothing(desk: Desk) -> None:
    desk.turn("1", 100, None)
    nothing = desk.usage.get(A).total
    assert (nothing.is_known, nothing.cost, nothing.is_less) == (False, None, True)
    desk.turn("2", 100, used(10, 5, 0.25))
    partly = desk.usage.get(A).total
    assert (partly.cost, partly.is_less, partly.is_cheaper) == (0.25, True, True)
    assert desk.usage.get(A).turn == TokenUsage(10, 5, 0.25, answers=1)
    desk.turn("3", 100, used(10, 5, None))
    assert desk.usage.get(A).turn == TokenUsage(10, 5, None, is_cheaper=True, answers=1)


def test_a_request_that_was_refused_has_nothing_to_count(desk: Desk) -> None:
    desk.turn("1", 100, used(10, 5, 0.25))
    desk.turn("2", 100, None, error={"code": "provider_error", "message": "no", "status": 429})
    assert desk.usage.get(A).total == TokenUsage(10, 5, 0.25, answers=1)
    assert desk.usage.get(A).turn == TokenUsage()


def test_the_context_of_an_agent_without_bounds_counts_for_the_next(desk: Desk) -> None:
    desk.turn("1", 100, used(90, 10, 0.0), room=None)
    found = desk.usage.get(A)
    assert (found.context_tokens, found.is_cut, found.total.cost) == (105, False, 0.0)


def test_a_summary_replaces_the_messages_before_it(desk: Desk) -> None:
    desk.turn("1", 990, used(900, 10))
    run = Teller("2", "wf_a", desk.time)
    made = RunCreated(
        kind=RunKind.WORKFLOW, title="S", message_id=run.message_id, steps=["s"], template_id=SUMMARY_TEMPLATE
    )
    said = run.say(made), run.say(StepStarted(step="s", attempt=1)), run.stream("x" * 300, "s")
    desk.tell(*said)
    assert desk.usage.get(A).context_tokens == 995
    desk.tell(run.say(RunFinished(status=RunStatus.SUCCESS)))
    assert desk.usage.get(A).context_tokens == 160


def test_the_speed_of_an_answer_is_emitted_now_and_then_while_it_streams(desk: Desk) -> None:
    run = Teller("1", "wf_a", desk.time)
    desk.tell(run.created(), run.say(StepStarted(step="chat", attempt=1)), run.say(ModelAsked(step="chat")))
    before = desk.changes
    for number in range(21):
        desk.time.advance(0.099)
        fact = TokenReceived(text="x", message_id=run.message_id, offset=number, step="chat")
        desk.tell(run.say(fact))
    assert 3 <= desk.changes - before <= 2.1 / SPEED_INTERVAL_S
    speed = desk.usage.get(A).tokens_a_second
    assert speed is not None
    assert 9 < speed < 11


def test_a_deleted_workflow_is_forgotten(desk: Desk) -> None:
    desk.turn("1", 100, used(90, 10))
    desk.bus.publish(WorkflowDeleted(A))
    assert desk.usage.get(A) == WorkflowUsage()


HELPER = SubAgentId("c1/1")


def helped(run: Teller, error: dict[str, Any] | None = None, **counted: Any) -> list[Event]:
    """A sub-agent asks its model, which answers if there is no error."""
    begun = SubAgentStarted(sub_agent_id=HELPER, name="H", prompt="p", call_id=CallId("c1"), step="chat", model="m")
    asked = ModelAsked(step="chat", sub_agent_id=HELPER, tokens=5000, fixed_tokens=50, room_tokens=1000, dropped=3)
    used = UsageReported(sub_agent_id=HELPER, input_tokens=900, output_tokens=90, said_tokens=70, **counted)
    ended = SubAgentFinished(
        sub_agent_id=HELPER, status=StepStatus.ERROR if error else StepStatus.COMPLETED, duration_ms=1, error=error
    )
    return [run.say(fact) for fact in (begun, asked, *([] if error else [used]), ended)]


def test_sub_agents_count_and_leave_the_gauge_of_the_conversation_alone(desk: Desk) -> None:
    teller = Teller("1", "wf_a", desk.time)
    desk.tell(
        teller.say(RunCreated(kind=RunKind.CHAT, title="A", message_id=teller.message_id, steps=["chat"], model="m")),
        teller.say(StepStarted(step="chat", attempt=1)),
        teller.say(ModelAsked(step="chat", tokens=200, fixed_tokens=60, room_tokens=1000)),
        teller.say(used(190, 20, 0.02, 400)),
    )
    before = desk.usage.get(A)
    desk.tell(*helped(teller, cost=None, elapsed_ms=90))
    after = desk.usage.get(A)
    assert (after.context_tokens, after.is_cut, after.tokens_a_second) == (210, False, 50)
    assert (before.context_tokens, before.is_cut, before.tokens_a_second) == (210, False, 50)
    assert after.turn == TokenUsage(1090, 110, 0.02, is_cheaper=True, answers=2)
    desk.tell(teller.finished())
    later = Desk()
    later.usage.load(A, desk.stored())
    assert later.usage.get(A) == desk.usage.get(A) == after


@pytest.mark.parametrize(
    ("error", "is_less"),
    [({"code": "provider_error", "message": "no", "status": 404}, False), ({"code": "truncated", "message": ""}, True)],
)
def test_a_sub_agent_that_got_no_answer_has_used_nothing(desk: Desk, error: dict[str, Any], is_less: bool) -> None:
    teller = Teller("1", "wf_a", desk.time)
    desk.tell(
        teller.say(RunCreated(kind=RunKind.CHAT, title="A", message_id=teller.message_id, steps=["chat"], model="m")),
        *helped(teller, error),
        teller.finished(),
    )
    assert desk.usage.get(A).total.is_less is is_less
