"""What code steps write to their consoles is kept with them, whatever becomes of them."""

import asyncio
from typing import Any

from core.domain.events import ConsoleWritten
from core.domain.fold import replay
from tests.support.world import World, a_world, tool_step

SAYS = "export default (x) => { console.log('got', x); console.warn('Bearer hunter2secret99'); return x }"
FAILS = "export default () => { console.error('before'); throw new Error('x') }"
ENDLESS = "export default () => { console.log('before'); for (;;) {} }"


def code_step(name: str, code: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "action": {"code": code}, **fields}


def lines(told: Any, step: str) -> list[tuple[str, str]]:
    return [(line["level"], line["text"]) for line in told["steps"][step]["console"]]


async def view(world: World, told: Any) -> None:
    """Who watched has seen what is read later."""
    stored = await world.storage.events.of_run(told["run_id"])
    assert [event for event in world.events if event.fact.stored] == stored
    assert replay(stored) is not None


async def test_the_console_is_shown_with_its_step_and_without_secrets() -> None:
    async with a_world() as world:
        told = await world.run(code_step("a", SAYS, input={"n": 1}), code_step("b", "export default () => 1"))
        assert lines(told, "a")[0] == ("log", 'got {"n":1}')
        assert "hunter2secret" not in str(told["steps"]["a"]["console"])
        assert "console" not in told["steps"]["b"]
        await view(world, told)


async def test_the_console_of_every_attempt_that_failed_is_kept() -> None:
    async with a_world() as world:
        config = {"maxAttempts": 2, "backoffMs": 100}
        told = await world.run(code_step("a", FAILS, config=config))
        assert told["steps"]["a"]["console"] == [
            {"level": "error", "text": "before"},
            {"level": "error", "text": "before", "attempt": 2},
        ]
        assert "console" not in told["error"]
        await view(world, told)


async def test_the_console_of_a_step_that_is_out_of_time_or_cancelled_is_kept() -> None:
    async with a_world() as world:
        told = await world.run(code_step("a", ENDLESS, config={"timeoutMs": 100}))
        assert (told["error"]["code"], lines(told, "a")) == ("timeout", [("log", "before")])
        run = await world.start(code_step("a", ENDLESS), title="Other")
        await asyncio.sleep(1)
        await world.core.engine.cancel(run.id)
        told = await world.settled(run.id)
        assert (told["status"], lines(told, "a")) == ("cancelled", [("log", "before")])


async def test_a_transform_has_a_console_too() -> None:
    async with a_world() as world:
        step = tool_step("n", "note", text="ab")
        told = await world.run({**step, "action": {"toolName": "note", "transformCode": SAYS}})
        assert lines(told, "n")[0] == ("log", 'got {"text":"ab"}')


async def test_a_list_writes_no_more_than_one_step() -> None:
    code = "export default (x) => { console.log(x, 'y'.repeat(30000)); return x }"
    async with a_world() as world:
        step = code_step("each", code, input="@index", forEach={"ref": "@input.list"})
        told = await world.run(step, given={"list": list(range(9))})
        each = told["steps"]["each"]
        assert [(line["text"][0], line["index"]) for line in each["console"]] == [("0", 0), ("1", 1)]
        assert each["console_cut"]
        assert sum(isinstance(event.fact, ConsoleWritten) for event in world.events) == 3
        await view(world, told)
