"""Steps whose results are given: they are not run, whatever they are."""

import asyncio
from typing import Any

import pytest

from core.domain.events import StepPreset
from core.domain.interruption import Action, Answer
from core.errors import NotFound, Refused
from core.services.outcome import Failed, Ok
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import World, a_step, a_world, tool_step


async def run_of(world: World, *steps: dict[str, Any], **presets: Any) -> Any:
    return await world.run(*steps, presets=presets)


async def test_a_tool_whose_result_is_given_is_not_called() -> None:
    async with a_world() as world:
        told = await run_of(
            world, tool_step("one", "note", text="one"), a_step("end", input="@one.text"), one={"text": "given"}
        )
        assert (told["status"], told["output"]) == ("success", "given")
        assert world.tools.notes == []
        assert told["steps"]["one"]["status"] == "completed"
        assert told["steps"]["one"]["output"] == {"text": "given"}
        facts = [event.fact for event in world.events if isinstance(event.fact, StepPreset)]
        assert [(fact.step, fact.output) for fact in facts] == [("one", {"text": "given"})]


async def test_steps_of_every_kind_can_be_preset() -> None:
    each = {**tool_step("each", "note", text="@item"), "forEach": {"ref": "@list"}}
    asks = {**a_step("asks", input="own"), "interrupt": {"kind": "approval"}}
    when = {**a_step("when", input="own"), "when": {"ref": "@list[0]", "eq": "nobody"}}
    child = {"name": "child", "action": {"workflow": {"title": "No such template"}}}
    agent = {"name": "agent", "action": {"agent": {"prompt": "say 3 words"}}}
    last = a_step("end", input=["@each[1]", "@asks", "@when", "@child.x", "@agent"])
    async with a_world() as world:
        told = await run_of(
            world,
            a_step("list", input=["a", "b"]),
            *(each, asks, when, child, agent, last),
            each=[None, "two"],
            asks="given",
            when="also",
            child={"x": 1},
            agent="said",
        )
        assert told["output"] == ["two", "given", "also", 1, "said"], told
        assert world.tools.notes == []
        assert told["interruptions"] == []
        assert not told["steps"]["when"]["skipped"]
        assert "child_run_id" not in told["steps"]["child"]


async def test_a_preset_return_ends_the_run_with_its_result() -> None:
    async with a_world() as world:
        told = await run_of(world, {"name": "end", "action": {"return": True}, "input": 1}, end=2)
        assert (told["status"], told["output"]) == ("success", 2)


@pytest.mark.parametrize(
    ("presets", "code"),
    [
        ({"nothing": 1}, "not_found"),
        ({"one": {"n": "text"}}, "bad_preset"),
        ({"each": {"n": 1}}, "bad_preset"),
        ({"each": [{"n": 1}, {"n": "text"}]}, "bad_preset"),
        ({"one": {"n": 1, "long": "x" * 11_000_000}}, "bad_preset"),
    ],
)
async def test_what_a_step_could_not_have_given_is_refused(presets: Any, code: str) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
    one = {**a_step("one", input={"n": 1}), "outputSchema": schema}
    each = {**a_step("each", input={"n": 1}), "forEach": {"ref": "@list"}, "outputSchema": schema}
    async with a_world() as world:
        with pytest.raises(Refused) as refused:
            await run_of(world, a_step("list", input=[1]), one, each, **presets)
        assert refused.value.code == code
        assert await world.storage.runs.page() == []


async def test_a_preset_survives_a_restart() -> None:
    storage = InMemoryStorage()
    steps = (
        tool_step("one", "note", text="one"),
        {**a_step("asks", "one", input="@one.text"), "interrupt": {"kind": "approval"}},
    )
    async with a_world(storage) as world:
        run = await world.start(*steps, presets={"one": {"text": "given"}})
        assert (await world.settled(run.id))["status"] == "waiting"
    async with a_world(storage) as world:
        await world.core.engine.recover()
        told = await world.answer(run, "approve")
        assert told["output"] == "given"
        assert world.tools.notes == []


async def test_a_step_of_a_run_at_work_is_preset_before_it_begins() -> None:
    steps = (tool_step("held", "hold"), tool_step("then", "note", "held", text="then"))
    async with a_world() as world:
        run = await world.start(*steps)
        while not world.tools.in_flight:  # noqa: ASYNC110  # of another task
            await asyncio.sleep(0)
        assert isinstance(await world.core.recording.preset(run.id, "then", {"text": "given"}), Ok)
        for step, code in {"held": "step_started", "then": "step_started", "nothing": "not_found"}.items():
            failed = await world.core.recording.preset(run.id, step, 1)
            assert isinstance(failed, Failed)
            assert failed.code == code
        world.tools.release.set()
        told = await world.settled(run.id)
        assert told["output"] == {"text": "given"}
        assert world.tools.notes == []
        over = await world.core.recording.preset(run.id, "then", 1)
        assert isinstance(over, Failed)
        assert over.code == "not_at_work"


async def test_a_waiting_run_goes_on_with_what_was_given_elsewhere() -> None:
    asks = {**a_step("asks", input="own"), "interrupt": {"kind": "approval"}}
    async with a_world() as world:
        run = await world.start(asks, a_step("then", "asks", input="own"), a_step("end", "then", input="@then"))
        await world.settled(run.id)
        assert isinstance(await world.core.recording.preset(run.id, "then", "given"), Ok)
        await world.core.engine.answer(run.id, Answer(Action.APPROVE))
        assert (await world.settled(run.id))["output"] == "given"
        with pytest.raises(NotFound):
            await world.core.engine.preset(run.id + "x", "then", 1)  # type: ignore[arg-type]
