"""A view that is opened at any moment of a run's end shows the whole answer, in whatever order things are read."""

from collections.abc import Callable
from itertools import combinations_with_replacement

import pytest

from core.domain.events import Event
from core.domain.fold import replay
from core.domain.messages import MessageState
from core.domain.run import RunStatus
from tests.stores.rig import Desk, Teller

WHOLE = "the whole answer"
RELEASED_S = 60
Beginning = Callable[[Teller], list[Event]]


def chat(run: Teller) -> list[Event]:
    return [run.created(), run.started(), run.step_started(), run.stream("the whole "), run.stream("answer")]


def template(run: Teller) -> list[Event]:
    return [run.created("one"), run.started(), run.step_started("one"), run.step_done("one")]


@pytest.mark.parametrize("beginning", [chat, template])
@pytest.mark.parametrize("status", [RunStatus.SUCCESS, RunStatus.CANCELLED, RunStatus.ERROR])
def test_every_order_of_load_and_end_shows_the_answer(beginning: Beginning, status: RunStatus) -> None:
    length = len(beginning(Teller("a"))) + 2
    # after how many events the view is opened, the messages and then the runs are read, and both arrive
    for moments in combinations_with_replacement(range(1, length + 1), 4):
        assert shown(beginning, status, *moments) == (WHOLE, True), moments


def shown(
    beginning: Beginning, status: RunStatus, opened: int, messages: int, runs: int, arrived: int
) -> tuple[str, bool]:
    """Return the text of the answer at the end, and whether it is shown as ended."""
    desk = Desk()
    run = Teller("a", time=desk.time)
    events = [*beginning(run), run.answer(WHOLE), run.finished(status)]
    ended = {RunStatus.CANCELLED: MessageState.INTERRUPTED}.get(status, MessageState.FINAL)
    load, row, stored = None, run.message(""), list[Event]()
    for count, event in enumerate(events, 1):
        desk.tell(event)
        if count == opened:
            desk.background.set_viewed(run.workflow_id)
            load = desk.view.begin_load()
        if count == messages:  # the row is written once at the end
            row = run.message(WHOLE, ended) if event is events[-1] else run.message("", MessageState.OPEN)
        if count == runs:
            stored = [each for each in events[:count] if each.fact.stored]
        if count == arrived:
            replayed = replay(stored)
            assert replayed is not None
            desk.view.show(run.workflow_id, [row], [replayed], load=load)
    desk.time.advance(RELEASED_S)
    (answer,) = desk.view.messages
    return answer.text, answer.state is ended
