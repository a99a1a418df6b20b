"""An interrupted turn resumes: nothing that was finished is lost, and no effect happens twice.

The process dies, or is stopped, at every turn of the loop; then the turn is resumed.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Any

import pytest

from core.domain.events import AnswerSaved, MessageAdded, TokenReceived, ToolStarted
from core.domain.interruption import Action, Answer, InterruptionKind
from core.domain.messages import MessageState
from core.domain.run import RunKind, StepStatus
from core.domain.text.json_text import decode, encode
from core.domain.tool import CallStatus, Effect
from core.ports import AgentTurn, TextDelta
from tests.agents.cast import Rehearsed, give
from tests.agents.world import World
from tests.support.progress import append_facts

SCRIPT = (
    {"say": "First the one."},
    {"call": "pay", "arguments": {"n": 1}},
    {"say": "Then two more."},
    {"call": "pay", "arguments": {"n": 2}},
    {"call": "pay", "arguments": {"n": 3}},
    {"say": "All is paid."},
)
WHOLE = "First the one.\n\nThen two more.\n\nAll is paid."


class Way(Enum):
    """How the process ends: in the middle of a group, right after writing a group, or by a stop."""

    KILLED = "killed"
    WRITTEN_THEN_KILLED = "written, then killed"
    STOPPED = "stopped"


def paying(effect: Effect) -> tuple[World, Counter[int]]:
    """Build a world with a tool that pays, and the list of payments."""
    world, paid = World(), Counter[int]()

    async def pay(arguments: Mapping[str, Any]) -> Any:
        await asyncio.sleep(0)
        paid[arguments["n"]] += 1
        await asyncio.sleep(0)
        return {"paid": arguments["n"]}

    world.tools.add("pay", pay, effect)
    return world, paid


async def cut_off(world: World, turn: AgentTurn, way: Way, when: Callable[[], bool]) -> bool:
    """Start the turn and end the process when `when` holds. Return False if the turn ended before."""
    task = await world.begin(turn, when)
    was_running = not task.done()
    if way is Way.WRITTEN_THEN_KILLED:
        world.log.flush()
    if way is not Way.STOPPED:
        world.log.kill()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    world.log.flush()
    return was_running


def has_asked(world: World) -> bool:
    return len(world.model.requests) == 1


async def cut_off_after(world: World, turn: AgentTurn, way: Way, steps: int) -> bool:
    left = iter(range(steps))
    return await cut_off(world, turn, way, lambda: next(left, None) is None)


@pytest.mark.parametrize("kind", RunKind)
@pytest.mark.parametrize("way", Way)
async def test_an_effect_happens_once_and_the_user_is_asked_if_it_is_unknown(way: Way, kind: RunKind) -> None:
    outcomes: Counter[str] = Counter()
    for steps in range(1000):
        world, paid = paying(Effect.ONCE)
        turn = world.turn("go", *SCRIPT, kind=kind)
        if not await cut_off_after(world, turn, way, steps):
            break
        after = world.next_life()
        after.person = Answer(Action.SUBMIT, {"paid": "by somebody"})
        assert await after.run(turn) == "All is paid."
        assert max(paid.values(), default=0) <= 1
        await assert_kept(after, turn)
        outcomes["asked" if after.questions else "done"] += 1
        assert {(ask.kind, ask.tool) for ask in after.questions} <= {(InterruptionKind.OUTCOME, "pay")}
    assert outcomes["done"] > 15
    assert outcomes["asked"] > 3


@pytest.mark.parametrize("effect", [Effect.NONE, Effect.IDEMPOTENT])
@pytest.mark.parametrize("way", Way)
async def test_what_may_be_done_again_is_and_the_turn_always_ends_well(way: Way, effect: Effect) -> None:
    for steps in range(1000):
        world, paid = paying(effect)
        turn = world.turn("go", *SCRIPT)
        if not await cut_off_after(world, turn, way, steps):
            assert steps > 25
            break
        after = world.next_life()
        assert await after.run(turn) == "All is paid."
        assert set(paid) == {1, 2, 3}
        await assert_kept(after, turn)


@pytest.mark.parametrize("way", Way)
async def test_a_turn_that_is_cut_off_again_and_again_still_ends_well(way: Way) -> None:
    for steps in range(1, 40):
        world, paid = paying(Effect.IDEMPOTENT)
        turn = world.turn("go", *SCRIPT)
        lives = 1
        while await cut_off_after(world, turn, way, steps + lives):  # each gets a little further
            world, lives = world.next_life(), lives + 1
        after = world.next_life()
        assert await after.run(turn) == "All is paid."
        assert set(paid) == {1, 2, 3}
        await assert_kept(after, turn)


async def assert_kept(world: World, turn: AgentTurn) -> None:
    """Assert that the disk has the whole text once and every call settled, and that a rebuilt view shows that."""
    assert await world.disk.chunks.of_run(turn.run.id) == []
    assert {row.status for row in await world.ledger(turn)} == {CallStatus.COMPLETED}
    assert {status for _, status in await world.answers(turn)} == {StepStatus.COMPLETED}
    view = await world.rebuilt(turn)
    assert view.content == WHOLE
    assert {call.status for call in view.calls.values()} == {CallStatus.COMPLETED}
    assert all(text.removeprefix("\n\n") and text.removeprefix("\n\n") in WHOLE for text in view.interrupted_texts)
    if turn.run.kind is RunKind.CHAT:
        assert await world.said() == (WHOLE, MessageState.FINAL)
        assert await world.interrupted() == view.interrupted_texts


@pytest.mark.parametrize("way", [Way.WRITTEN_THEN_KILLED, Way.STOPPED])
async def test_text_that_was_cut_off_becomes_an_interrupted_message_before_the_turn_resumes(way: Way) -> None:
    world, _ = paying(Effect.NONE)
    turn = world.turn("go", {"say": "Before."}, {"call": "pay", "arguments": {"n": 1}}, {"say": "one two three four"})
    assert await cut_off(world, turn, way, lambda: len(world.told(TokenReceived)) == 3)
    after = world.next_life()
    assert await after.run(turn) == "one two three four"
    assert await after.interrupted() == ["\n\none two "]
    assert (await after.said())[0] == "Before.\n\none two three four"
    order = [message.id for message in await after.disk.messages.of_workflow(turn.run.workflow_id)]
    assert [order[0], order[-1]] == ["said_0001", "msg_0001"]
    view = await after.watched(world, after)
    assert (view.content, view.interrupted_texts) == ("Before.\n\none two three four", ["\n\none two "])


async def test_while_the_turn_goes_on_a_rebuilt_view_shows_finished_answers_and_new_text() -> None:
    world, _ = paying(Effect.NONE)
    turn = world.turn("go", {"say": "Before."}, {"call": "pay", "arguments": {"n": 1}}, {"say": "one two three four"})
    assert await cut_off(world, turn, Way.WRITTEN_THEN_KILLED, lambda: len(world.told(TokenReceived)) == 3)
    again = world.next_life()
    assert await cut_off(again, turn, Way.WRITTEN_THEN_KILLED, lambda: len(again.told(TokenReceived)) == 1)
    view = await world.rebuilt(turn)
    assert (view.content, view.interrupted_texts) == ("Before.\n\none ", ["\n\none two "])
    assert await again.next_life().run(turn) == "one two three four"
    assert await again.interrupted() == ["\n\none two ", "\n\none "]


@pytest.mark.parametrize("way", [Way.WRITTEN_THEN_KILLED, Way.STOPPED])
async def test_text_that_was_cut_off_is_separated_once_however_often_the_turn_resumes(way: Way) -> None:
    world = World(model=Rehearsed([TextDelta("so "), TextDelta("far")]))
    turn = world.turn("go")
    assert await cut_off(world, turn, way, lambda: len(world.told(TokenReceived)) == 1)
    for _ in range(2):
        world = world.next_life(Rehearsed([TextDelta("too late")]))
        assert await cut_off(world, turn, Way.WRITTEN_THEN_KILLED, partial(has_asked, world))
    after = world.next_life(Rehearsed([TextDelta("all of it")]))
    assert await after.run(turn) == "all of it"
    assert await after.interrupted() == ["so "]


async def test_a_turn_cut_off_between_its_rounds_asks_the_model_with_the_stored_result() -> None:
    world, paid = paying(Effect.ONCE)
    turn = world.turn("go", *SCRIPT[:2], {"say": "Done."})
    await cut_off(world, turn, Way.KILLED, lambda: len(world.model.requests) == 2)
    after = world.next_life()
    assert await after.run(turn) == "Done."
    assert paid == {1: 1}
    assert after.asked(0) == [("user", "go"), ("assistant", "First the one."), ("tool", '{"paid":1}')]
    assert after.told(ToolStarted) == []


async def test_a_turn_cut_off_after_its_last_answer_sends_no_request() -> None:
    world, _ = paying(Effect.NONE)
    turn = world.turn("go", {"say": "Done."})
    await world.run(turn)
    after = world.next_life()
    assert await after.run(turn) == "Done."
    assert after.model.requests == []


async def test_a_replayed_failure_reaches_the_model_unchanged() -> None:
    world, _ = paying(Effect.NONE)
    turn = world.turn("go", {"call": "nothing"}, {"say": "I see."})
    await cut_off(world, turn, Way.WRITTEN_THEN_KILLED, lambda: len(world.model.requests) == 2)
    after = world.next_life()
    await after.run(turn)
    assert after.asked(0) == world.asked(1)


async def test_the_same_call_with_other_arguments_is_an_error() -> None:
    world, _ = paying(Effect.ONCE)
    turn = world.turn("go", *SCRIPT)
    await world.run(turn)
    events = await world.disk.events.of_run(turn.run.id)
    first = next(event.fact for event in events if isinstance(event.fact, AnswerSaved) and event.fact.round == 1)
    content = decode(encode(first.content).replace('"n":1', '"n":9'))
    await append_facts(world.disk, turn.run.id, first.model_copy(update={"content": content}))
    assert (await world.next_life().failing(turn)).code == "call_changed"


async def unknown_outcome() -> tuple[World, AgentTurn, Counter[int]]:
    """Kill a turn while it pays, and start the next process."""
    world, paid = paying(Effect.ONCE)
    turn = world.turn("go", *SCRIPT)
    await cut_off(world, turn, Way.KILLED, lambda: bool(world.tools.made))
    return world.next_life(), turn, paid


async def test_a_call_of_unknown_outcome_is_closed_while_the_user_is_asked() -> None:
    after, turn, _ = await unknown_outcome()
    task = await after.begin(turn, lambda: bool(after.questions))
    after.log.flush()
    (row,) = await after.ledger(turn)
    assert (row.status, row.error and row.error.code) == (CallStatus.UNKNOWN, "outcome_unknown")
    assert (await after.rebuilt(turn)).calls[row.id].status is CallStatus.UNKNOWN
    assert after.questions[0].prompt == "pay in step reply may or may not have taken effect: it was interrupted"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_the_user_lets_a_call_of_unknown_outcome_be_repeated() -> None:
    after, turn, paid = await unknown_outcome()
    after.person = Answer(Action.APPROVE)
    assert await after.run(turn) == "All is paid."
    assert paid == {1: 2, 2: 1, 3: 1}


async def test_a_model_reads_that_a_call_had_no_effect_after_all() -> None:
    after, turn, paid = await unknown_outcome()
    after.person = Answer(Action.REJECT, reason="the bank knows nothing of it")
    await after.run(turn)
    assert paid == {1: 1, 2: 1, 3: 1}
    (row, *_) = await after.ledger(turn)
    assert (row.status, row.error and row.error.message) == (CallStatus.ERROR, "the bank knows nothing of it")


async def test_a_second_attempt_goes_on_after_the_answer_that_failed() -> None:
    world, paid = paying(Effect.ONCE)
    turn = world.turn("go", *SCRIPT[:2], {"say": "And"}, {"fail": "no line"}, {"say": "Done."})
    assert (await world.failing(turn)).code == "model_failed"
    after = world.next_life()
    assert await after.run(turn) == "Done."
    assert paid == {1: 1}
    assert await after.said() == ("First the one.\n\nAnd\n\nDone.", MessageState.FINAL)


async def test_a_fresh_turn_is_not_looked_up() -> None:
    world = World(model=Rehearsed([TextDelta("once")], [TextDelta("twice")]))
    turn = world.turn("go", kind=RunKind.WORKFLOW)
    await world.run(turn)
    assert await world.run(replace(turn, is_fresh=True)) == "twice"


async def test_turns_of_a_run_are_independent() -> None:
    world = World()
    world.tools.add("look", lambda arguments: give(arguments["n"]))
    turn = world.turn('/tool look {"n": 1}', kind=RunKind.WORKFLOW)
    items = [
        replace(turn, key=replace(turn.key, index=index), prompt=f'/tool look {{"n": {index}}}') for index in (0, 1)
    ]
    log = world.open_log(turn)
    async with asyncio.TaskGroup() as tasks:
        for item in items:
            tasks.create_task(world.loop.run(item, log))
    log.flush()
    assert sorted(row.id for row in await world.ledger(turn)) == ["reply[0].1.1", "reply[1].1.1"]
    after = world.next_life()
    assert [await after.run(item) for item in items] == ["- `look` → `0`", "- `look` → `1`"]
    assert after.model.requests == []
    assert [fact.index for fact in after.told(MessageAdded)] == [1, 1]
