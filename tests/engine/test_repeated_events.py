"""Events that are told again, late and in another order: nothing comes of them (ENGINE §10)."""

import random
from typing import Any

import pytest

from core.bus import Bus
from core.domain.events import Event
from core.domain.fold import replay
from core.domain.run import Run, RunKind
from tests.support.world import World, a_step, a_world, tool_step


class Gossip:
    """After each event, some of those before it are told again, in any order; at the end all of them, backwards."""

    def __init__(self, bus: Bus, seed: int) -> None:
        self._bus = bus
        self._rng = random.Random(seed)
        self._heard: list[Event] = []
        self._known: set[int] = set()
        bus.subscribe(Event, self._hear)

    def _hear(self, event: Event) -> None:
        if id(event) in self._known:
            return
        self._known.add(id(event))
        self._heard.append(event)
        for again in self._rng.sample(self._heard, min(3, len(self._heard))):
            self._bus.publish(again)

    def tell_all_backwards(self) -> None:
        for event in reversed(self._heard):
            self._bus.publish(event)


@pytest.mark.parametrize("seed", range(3))
async def test_events_published_again_late_and_in_any_order_change_nothing(seed: int) -> None:
    async with a_world() as world:
        gossip = Gossip(world.core.bus, seed)
        asked = {**tool_step("asked", "note", text="asked"), "interrupt": {"kind": "approval"}}
        each = {**tool_step("each", "note", text="@item"), "forEach": {"ref": "@input.items"}}
        run = await world.start(each, asked, a_step("z", "each", "asked"), given={"items": [1, 2]})
        assert (await world.settled(run.id))["status"] == "waiting"
        gossip.tell_all_backwards()
        assert len(world.core.stores.questions.all) == 1
        assert (await world.answer(run, "approve"))["status"] == "success"
        chat = await world.start(
            {"name": "answer", "action": {"agent": {"prompt": "@input.text"}}},
            given={"text": "go"},
            kind=RunKind.CHAT,
            prompt="go",
            script=({"say": "one two three"}, {"call": "note", "arguments": {"text": "called"}}, {"say": "four"}),
        )
        await world.core.engine.wait(chat.id)
        gossip.tell_all_backwards()

        assert world.tools.notes == [1, 2, "asked", "called"]
        assert not world.core.engine.is_at_work
        assert world.core.stores.questions.all == []
        assert [toast.repeated for toast in world.core.stores.toasts.visible] == [1, 1]
        for one in (run, chat):
            await require_one_truth(world, one)


async def require_one_truth(world: World, run: Run) -> None:
    """What is stored is told once, and what is shown is what is stored."""
    events = await world.storage.events.of_run(run.id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    stored: Any = replay(events)
    execution = world.core.stores.background.get_execution(run.workflow_id)
    assert execution is not None
    shown: Any = execution.run
    stored.tokens_received = shown.tokens_received  # pieces are not kept, their text is
    assert shown == stored
