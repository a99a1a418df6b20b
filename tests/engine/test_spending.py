"""A run, and a day, that has cost as much as it may pauses before it asks a model again."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.domain.ids import TemplateId
from core.domain.interruption import Action, Answer
from core.domain.model import ModelChoice
from core.domain.run import Run
from core.domain.spending import start_of_day
from core.domain.template import ValidationMode
from core.domain.text.json_text import encode
from core.ports import FileRequest, Put, StoredTemplate
from tests.support.asking import agent, answer
from tests.support.clock import START, FakeClock
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Asked, Provider, Reply, call_piece, chunk, provider, says, sse
from tests.support.world import World, a_world

Json = dict[str, Any]

PRICED = {"choices": [], "usage": {"prompt_tokens": 510_000, "completion_tokens": 0}}  # 51 cents


def calls(*made: tuple[str, Json]) -> Reply:
    """An answer with calls, for 51 cents."""
    entries = [call_piece(at, f"c{at}", name, json.dumps(given)) for at, (name, given) in enumerate(made)]
    return Reply(sse(chunk(tool_calls=entries), chunk(finish="tool_calls"), PRICED))


def play(asked: Asked) -> Reply:
    """Four answers of a turn, of which three have a call; of a sub-agent one."""
    if asked.messages[1]["content"] != "go":
        return says("It is done.", usage=(510_000, 0))
    results = sum(message["role"] == "tool" for message in asked.messages)
    return calls(("echo", {"a": results})) if results < 3 else says("Done.", usage=(510_000, 0))


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider(play) as priced:
        yield priced


async def _no_file(wanted: FileRequest) -> Path | None:
    return None


@asynccontextmanager
async def a_window(storage: InMemoryStorage | None = None, **options: Any) -> AsyncIterator[World]:
    """A world where somebody can be asked; limits are settings."""
    limits = {name: options.pop(name) for name in list(options) if name.endswith("_limit")}
    async with a_world(storage, **{"picker": _no_file, **options}) as world:
        await world.core.settings.change(**limits)
        yield world


async def start(world: World, server: Provider, prompt: str = "go", **options: Any) -> Run:
    model = ModelChoice(base_url=server.url, model="m", price_in=1.0, price_out=1.0)
    return await world.start(agent("ask", prompt), mode=ValidationMode.AUTO, model=model, **options)


def asked_of(told: Json) -> Json:
    """The one open question of a run."""
    assert told["status"] == "waiting", told["error"]
    (asked,) = [each for each in told["interruptions"] if each["status"].startswith("awaiting")]
    assert asked["kind"] == "spending"
    return dict(asked)


async def test_a_run_at_its_limit_goes_on_for_as_much_again_when_allowed(server: Provider) -> None:
    async with a_window(run_spending_limit=1.0) as world:
        run = await start(world, server)
        asked = asked_of(await world.settled(run.id))
        assert len(server.posts) == 2
        options = asked["options"]
        assert (options["scope"], options["cost"], options["limit"], options["more"]) == ("run", 1.02, 1.0, 1.0)
        told = await answer(world, run, asked, "approve")
        assert (told["status"], told["output"], len(server.posts)) == ("success", "Done.", 4)  # for 2.04
        other = asked_of(await world.settled((await start(world, server)).id))  # another run has its own limit
        assert other["options"]["cost"] == 1.02


@pytest.mark.parametrize("is_window", [True, False])
async def test_a_run_that_gets_no_more_fails_with_a_reason(server: Provider, is_window: bool) -> None:
    async with a_window(run_spending_limit=1.0, **({} if is_window else {"picker": None})) as world:
        run = await start(world, server)
        told = await world.settled(run.id)
        if is_window:
            told = await answer(world, run, asked_of(told), "reject")
        assert (told["status"], told["error"]["code"], told["error"]["scope"]) == ("error", "spending_limit", "run")
        assert told["error"]["message"] == "the run has cost $1.02; the limit is $1.00"
        assert len(server.posts) == 2


async def test_an_answer_that_cost_several_limits_is_asked_about_once(server: Provider) -> None:
    async with a_window(run_spending_limit=0.2) as world:
        run = await start(world, server)
        asked = asked_of(await world.settled(run.id))
        assert (asked["options"]["cost"], asked["options"]["more"]) == (0.51, 0.4)
        again = asked_of(await answer(world, run, asked, "approve"))
        assert (again["options"]["number"], again["options"]["limit"], again["options"]["cost"]) == (1, 0.6, 1.02)


async def test_the_question_and_its_answer_survive_the_end_of_the_process(server: Provider) -> None:
    storage = InMemoryStorage()
    async with a_window(storage, run_spending_limit=1.0) as world:
        run = await start(world, server)
        asked = asked_of(await world.settled(run.id))
        unanswered = storage.copy()
    async with a_window(unanswered) as world:
        await world.core.engine.recover()
        assert asked_of(await world.settled(run.id))["id"] == asked["id"]
        copies: list[InMemoryStorage] = []
        commit = unanswered.commit

        async def copying(writes: Any) -> frozenset[int]:
            lost = await commit(writes)
            copies.append(unanswered.copy())
            return lost

        unanswered.commit = copying  # type: ignore[method-assign]
        told = await answer(world, run, asked, "approve")
        assert (told["status"], len(server.posts)) == ("success", 4)
    async with a_window(copies[0]) as world:  # of which the first is the answer's
        await world.core.engine.recover()
        told = await world.settled(run.id)
        assert (told["status"], len(told["interruptions"])) == ("success", 1)


async def test_sub_agents_count_towards_their_run_and_share_its_question() -> None:
    tasks = [{"prompt": "First"}, {"prompt": "Second"}]

    def play_two(asked: Asked) -> Reply:
        if asked.messages[1]["content"] != "go":
            return says("It is done.", usage=(510_000, 0))
        is_first = asked.messages[-1]["role"] == "user"
        return calls(("parallel_tasks", {"tasks": tasks})) if is_first else says("Done.", usage=(510_000, 0))

    async with a_window(run_spending_limit=0.5) as world:
        with provider(play_two) as server:
            run = await start(world, server)
            asked = asked_of(await world.settled(run.id))
            assert (len(server.posts), asked["options"]["cost"]) == (1, 0.51)
            again = asked_of(await answer(world, run, asked, "approve"))
            assert (len(server.posts), again["options"]["cost"]) == (3, 1.53)
            told = await answer(world, run, again, "approve")
            assert (told["status"], told["output"], len(told["interruptions"])) == ("success", "Done.", 2)


async def test_the_day_counts_all_workflows_from_what_is_stored_until_midnight(server: Provider) -> None:
    clock, storage = FakeClock(is_sleep_real=True), InMemoryStorage()
    clock.advance_to(start_of_day(START + timedelta(days=1)) + timedelta(hours=12))
    async with a_window(storage, clock=clock) as world:
        first = await start(world, server)
        assert (await world.settled(first.id))["status"] == "success"  # for 2.04
    async with a_window(storage, clock=clock, day_spending_limit=2.0) as world:
        one, other = await start(world, server), await start(world, server)
        asked, beside = [asked_of(await world.settled(run.id)) for run in (one, other)]
        assert (asked["options"]["scope"], asked["options"]["cost"], asked["options"]["more"]) == ("day", 2.04, 2.0)
        assert len(server.posts) == 4
        told = await answer(world, one, asked, "approve")  # settles that of the other too
        await world.settled(other.id)
        told = await world.describe(other.id)
        assert next(each for each in told["interruptions"] if each["id"] == beside["id"])["status"] == "approved"
        for run in (one, other):
            for each in (await world.describe(run.id))["interruptions"]:
                if each["status"].startswith("awaiting"):
                    assert each["options"]["limit"] == 4.0
        posts = len(server.posts)
        clock.jump(timedelta(days=1).total_seconds())
        late = await start(world, server)
        assert (await world.settled(late.id))["status"] == "success"
        assert len(server.posts) == posts + 4


async def test_child_runs_count_towards_the_run_that_started_them_and_one_answer_is_for_all(server: Provider) -> None:
    model = ModelChoice(base_url=server.url, model="m", price_in=1.0, price_out=1.0)
    async with a_window(run_spending_limit=1.0) as world:
        await world.core.settings.change(model=model)
        text = encode({**template(agent("ask", "go")), "title": "Child"})
        stored = StoredTemplate(TemplateId("tpl_child"), 1, "Child", text, START)
        await world.storage.commit([Put(stored)])
        steps = [{"name": name, "action": {"workflow": {"title": "Child"}}} for name in ("a", "b")]
        run = await world.start(*steps, mode=ValidationMode.AUTO, model=model)
        answers = 0
        while (told := await world.settled(run.id))["status"] == "waiting":
            asked = await world.storage.interruptions.open()
            assert {each.run_id for each in asked}.isdisjoint({run.id})
            await world.core.engine.answer(run.id, Answer(Action.APPROVE), interruption=asked[0].id)
            answers += 1
        assert (told["status"], len(server.posts)) == ("success", 8), told["error"]  # for 4.08
        assert answers <= 4
