"""Runs as a whole: order, skipping, early ends, lists, limits."""

import asyncio
import time

import pytest

from core.domain.events import RunFinished, StepFinished, StepSkipped, StepStarted
from core.domain.fold import replay
from core.errors import InvalidTemplate, Refused
from tests.support.world import a_step, a_world, tool_step

WAIT = {"action": {"toolName": "echo"}, "input": {"seconds": 0.3}}


async def test_a_diamond_takes_as_long_as_its_longer_side() -> None:
    async with a_world() as world:
        side = await world.run({"name": "side", **WAIT})
        sides = [{"name": name, "dependsOn": ["top"], **WAIT} for name in ("left", "right")]
        run = await world.run(a_step("top"), *sides, a_step("join", input=["@left", "@right"]))
        assert run["status"] == "success"
        assert run["execution_order"] == ["top", "left", "right", "join"]
        assert 300 <= run["metrics"]["active_ms"] < 1.8 * side["metrics"]["active_ms"]


async def test_three_runs_at_once_take_as_long_as_one() -> None:
    async with a_world() as world:
        time = asyncio.get_running_loop().time
        began = time()
        await world.run({"name": "w", **WAIT})
        one_s = time() - began
        await asyncio.gather(*(world.run({"name": "w", **WAIT}) for _ in range(3)))
        assert time() - began - one_s < 2 * one_s


@pytest.mark.parametrize("x", [1, 2])
async def test_a_join_below_a_condition_runs_with_null_for_the_skipped_side(x: int) -> None:
    """Cascading stops where a step has no condition of its own (dag-01)."""
    async with a_world() as world:
        run = await world.run(
            a_step("c", input={"x": "@input.x"}),
            a_step("a", input="A", when={"ref": "@c.x", "eq": 1}),
            a_step("b", input="B", when={"ref": "@c.x", "neq": 1}),
            a_step("join", input={"a": "@a", "b": "@b.deep[3]"} if x == 1 else {"a": "@a.deep", "b": "@b"}),
            a_step("tail", input="@join"),
            given={"x": x},
        )
        assert run["output"] == ({"a": "A", "b": None} if x == 1 else {"a": None, "b": "B"})
        skipped = {name for name, step in run["steps"].items() if step["skipped"]}
        assert skipped == {"b" if x == 1 else "a"}
        values = [event.fact.value for event in world.events if isinstance(event.fact, StepSkipped)]
        assert values == [x]


async def test_every_step_of_nested_fans_runs_once() -> None:
    """Three levels of three, with a join below each (dag-03)."""
    async with a_world() as world:
        steps, last = [tool_step("root", "echo", n=0)], "root"
        for level in range(3):
            leaves = [f"leaf{level}_{n}" for n in range(12)]
            steps += [tool_step(leaf, "echo", last, n=leaf) for leaf in leaves]
            last = f"join{level}"
            steps.append(tool_step(last, "echo", *leaves, n=last))
        run = await world.run(*steps)
        assert run["status"] == "success"
        assert len(world.tools.echoes) == len(steps)


@pytest.mark.parametrize("end", ["fail", "return"])
async def test_nothing_starts_after_the_end_and_what_is_in_flight_changes_nothing(end: str) -> None:
    """One step ends the run while fifty are ready, four at a time (dag-04)."""
    async with a_world() as world:
        if end == "fail":
            first = [tool_step("f", "fail", seconds=0.01)]
        else:
            first = [
                tool_step("w", "echo", seconds=0.01),
                {"name": "f", "action": {"return": True}, "input": "early", "dependsOn": ["w"]},
            ]
        many = [tool_step(f"s{n}", "echo", seconds=0.05) for n in range(50)]
        run = await world.run(*first, *many, maxParallel=4)
        assert run["status"] == ("error" if end == "fail" else "success")
        assert run["output"] == (None if end == "fail" else "early")
        ended = next(at for at, event in enumerate(world.events) if isinstance(event.fact, RunFinished))
        later = [event.fact for event in world.events[ended:]]
        assert not any(isinstance(fact, StepStarted) for fact in later)
        assert sum(isinstance(fact, StepFinished) for fact in later) == len(world.tools.echoes) - (end == "return")
        assert len(world.tools.echoes) <= 4
        assert run["active"] == []


@pytest.mark.parametrize(
    ("items", "found"),
    [(None, "null"), ({}, "object"), ("abc", "text"), (3, "number")],
    ids=["null", "{}", "text", "3"],
)
async def test_a_list_that_is_none_is_an_error_that_names_ref_and_type(items: object, found: str) -> None:
    """It never hangs (foreach-01)."""
    async with a_world() as world:
        run = await world.run(
            a_step("each", forEach={"ref": "@input.items"}), a_step("after", "each"), given={"items": items}
        )
        assert run["error"]["code"] == "not_a_list"
        assert run["error"]["ref"] == "@input.items"
        assert run["error"]["found"] == found
        assert run["error"]["failed_step"] == "each"


async def test_a_missing_list_names_the_ref() -> None:
    async with a_world() as world:
        run = await world.run(a_step("each", forEach={"ref": "@input.items"}))
        assert run["error"]["code"] == "unresolved_ref"
        assert run["error"]["ref"] == "@input.items"


async def test_an_empty_list_is_an_empty_output_and_what_follows_runs() -> None:
    async with a_world() as world:
        run = await world.run(
            a_step("each", forEach={"ref": "@input.items"}), a_step("after", input="@each"), given={"items": []}
        )
        assert run["output"] == []
        assert run["steps"]["each"]["iterations"] == {"total": 0, "completed": 0, "failed": 0}


async def test_a_list_from_a_skipped_step_skips_the_step_too() -> None:
    async with a_world() as world:
        run = await world.run(
            a_step("list", input=[1], when={"ref": "@input.no?"}),
            a_step("each", forEach={"ref": "@list.deep"}),
            a_step("after", input="@each"),
        )
        assert run["status"] == "success"
        assert run["steps"]["each"]["skipped"]
        assert run["output"] is None


async def test_iterations_keep_their_order_their_bound_and_their_nulls() -> None:
    async with a_world() as world:
        each = {
            "name": "each",
            "action": {"code": "export default (i) => { if (i.n === 0) throw new Error('zero'); return i.n * 20 }"},
            "forEach": {"ref": "@input.items", "concurrency": 2},
            "input": {"n": "@item", "at": "@index"},
        }
        run = await world.run(each, given={"items": [1, 0, 3, 0, 5]})
        assert run["status"] == "success"
        assert run["output"] == [20, None, 60, None, 100]
        assert run["steps"]["each"]["iterations"] == {"total": 5, "completed": 3, "failed": 2}
        assert [error["index"] for error in run["steps"]["each"]["errors"]] == [1, 3]


async def test_a_list_that_may_not_fail_ends_the_run_with_the_joined_errors() -> None:
    async with a_world() as world:
        each = {**tool_step("each", "fail"), "forEach": {"ref": "@input.items"}, "config": {"onError": "fail"}}
        run = await world.run(each, given={"items": [1, 2, 3]})
        assert run["status"] == "error"
        assert run["error"]["message"] == "each[0]: it did not work"
        assert run["error"]["failed_during"] == "tool_execution"
        assert run["steps"]["each"]["iterations"] == {"total": 3, "completed": 0, "failed": 1}


async def test_no_more_iterations_run_at_once_than_allowed() -> None:
    async with a_world() as world:
        each = {**tool_step("each", "hold"), "forEach": {"ref": "@input.items", "concurrency": 3}}
        run = await world.start(each, given={"items": list(range(10))})
        await asyncio.sleep(0.05)
        assert world.tools.in_flight == 3
        world.tools.release.set()
        await world.core.engine.wait(run.id)
        assert world.tools.most_in_flight == 3


async def test_a_step_that_may_fail_hands_null_downstream() -> None:
    async with a_world() as world:
        run = await world.run(
            {**tool_step("f", "fail"), "config": {"onError": "continue"}}, a_step("after", input={"got": "@f.x.y"})
        )
        assert run["status"] == "success"
        assert run["output"] == {"got": None}
        assert run["steps"]["f"]["status"] == "error"
        assert len(run["steps"]["f"]["attempt_errors"]) == 1


async def test_several_terminal_steps_are_named_in_the_output() -> None:
    async with a_world() as world:
        run = await world.run(a_step("a", input=1), a_step("b", input=[2]))
        assert run["output"] == {"a": 1, "b": [2]}


async def test_an_error_says_where_it_happened() -> None:
    async with a_world() as world:
        run = await world.run(a_step("a"), a_step("b", input={"x": ["@a.nope"]}))
        assert run["error"]["code"] == "unresolved_ref"
        assert run["error"]["failed_step"] == "b"
        assert run["error"]["path"] == "/x/0"


async def test_a_tool_result_with_odd_characters_survives_a_restart() -> None:
    """A lone surrogate, a NUL, an emoji and a control for writing direction (store-04)."""
    text = "\ud800 ok \x00 😀 \u202e"
    async with a_world() as world:
        run = await world.run(tool_step("t", "echo", text=text), a_step("echo", input={"text": "@t.text"}))
        assert run["output"] == {"text": text}
        storage = world.storage
    async with a_world(storage) as world:
        assert (await world.describe(run["run_id"]))["output"] == {"text": text}


async def test_a_step_may_be_called_as_the_insides_of_an_object_are() -> None:
    async with a_world() as world:
        names = ("__proto__", "constructor", "__class__", "items")
        steps = [a_step(name, input={"toString": name, "__class__": [name]}) for name in names]
        refs = [f"@{name}.__class__[0]" for name in names]
        run = await world.run(*steps, a_step("z", input=refs), a_step("text", input="@__proto__.toString!"))
        assert run["output"] == {"z": list(names), "text": "__proto__!"}


async def test_a_value_that_json_cannot_hold_fails_its_step_alone() -> None:
    async with a_world() as world:
        run = await world.run(a_step("a", input={"x": "y" * 10_000_001}))
        assert run["error"]["code"] == "output_too_large"
        assert (await world.run(a_step("a")))["status"] == "success"


async def test_an_input_that_misses_the_schema_makes_no_run() -> None:
    async with a_world() as world:
        schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
        with pytest.raises(Refused) as refusal:
            await world.start(a_step("a"), given={"n": "x"}, inputSchema=schema)
        assert refusal.value.code == "bad_input"
        assert "/n" in refusal.value.message
        assert await world.storage.runs.page() == []
        assert await world.storage.workflows.all() == []


async def test_a_template_with_errors_makes_no_run() -> None:
    async with a_world() as world:
        with pytest.raises(InvalidTemplate):
            await world.start(a_step("a", input="@nobody"))
        assert await world.storage.runs.page() == []


async def test_a_rebuilt_state_equals_the_one_that_watched() -> None:
    async with a_world() as world:
        run = await world.run(
            a_step("a", input=[1, 2]),
            a_step("b", input="@item", forEach={"ref": "@a"}),
            {**tool_step("f", "fail", "b"), "config": {"onError": "continue"}},
            a_step("skip", when={"ref": "@f"}),
            {"name": "ask", "action": {"agent": {"prompt": "say 4 words"}}, "dependsOn": ["skip"]},
        )
        stored = replay(await world.storage.events.of_run(run["run_id"]))
        watched = replay(world.events)
        assert stored is not None
        assert watched is not None
        watched.tokens_received = stored.tokens_received  # pieces are not kept, their text is
        assert stored == watched


async def test_pure_work_gives_way_to_the_loop() -> None:
    async with a_world() as world:
        await world.start(*(a_step(f"s{n}", *([f"s{n - 1}"] if n else [])) for n in range(2000)), maxParallel=1)
        gaps, last = [], time.thread_time()  # what else runs on this machine does not count
        while world.core.engine.is_at_work:
            await asyncio.sleep(0.001)
            now = time.thread_time()
            gaps.append(now - last)
            last = now
        assert sorted(gaps)[len(gaps) // 2] < 0.05
