"""An agent that has used its rounds asks for as many again, if the setting says so."""

import json
from typing import Any

from core.domain.template import ValidationMode
from tests.support.asking import agent, answer, waiting
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import World, a_world

ROUNDS = "\n\n".join(f"/tool echo {json.dumps({'a': number})}" for number in range(1, 23))


async def at_the_limit(world: World, prompt: str = ROUNDS) -> Any:
    await world.core.settings.change(ask_at_round_limit=True)
    run, (asked,) = await waiting(world, agent("ask", prompt), mode=ValidationMode.AUTO)
    assert (asked["kind"], asked["options"]) == ("rounds", {"used": 10, "more": 10})
    assert len(world.tools.echoes) == 10  # nothing of the eleventh round has begun
    return run, asked


async def test_each_limit_is_asked_about_once_and_no_call_is_made_twice() -> None:
    async with a_world() as world:
        run, asked = await at_the_limit(world)
        told = await answer(world, run, asked, "approve")
        assert told["status"] == "waiting"
        (again,) = [each for each in told["interruptions"] if each["status"].startswith("awaiting")]
        assert (again["kind"], again["options"]["used"]) == ("rounds", 20)
        told = await answer(world, run, again, "approve")
        assert told["status"] == "success", told["error"]
        assert world.tools.echoes == [{"a": number} for number in range(1, 23)]


async def test_a_refusal_ends_the_run_at_the_limit() -> None:
    async with a_world() as world:
        run, asked = await at_the_limit(world)
        told = await answer(world, run, asked, "reject")
        assert (told["status"], told["error"]["code"]) == ("error", "round_limit")
        assert len(world.tools.echoes) == 10


async def test_the_question_and_its_answer_survive_the_end_of_the_process() -> None:
    async with a_world() as world:
        run, _ = await at_the_limit(world)
        assert isinstance(world.storage, InMemoryStorage)
        unanswered = world.storage.copy()
    async with a_world(unanswered) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
        (asked,) = [each for each in told["interruptions"] if each["status"].startswith("awaiting")]
        copies: list[InMemoryStorage] = []
        commit = unanswered.commit

        async def copying(writes: Any) -> frozenset[int]:
            lost = await commit(writes)
            copies.append(unanswered.copy())
            return lost

        unanswered.commit = copying  # type: ignore[method-assign]
        await answer(world, run, asked, "approve")
    for copy in copies[:3]:  # a life after each of the first commits, of which the first is the answer's
        async with a_world(copy) as world:
            await world.core.engine.recover()
            told = await world.settled(run.id)
            rounds = sorted((each["options"]["used"], each["status"]) for each in told["interruptions"])
            assert (told["status"], rounds) == ("waiting", [(10, "approved"), (20, "awaiting-approval")])
