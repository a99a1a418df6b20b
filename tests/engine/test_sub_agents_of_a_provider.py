"""Sub-agents of a language model: a server on this machine answers all of them, and their parent."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from core.domain.events import ModelAsked, ReasoningReceived, SubAgentProgress, ThoughtSaved
from core.domain.fold import replay
from core.domain.ids import AgentId
from core.domain.model import ModelChoice
from core.domain.run import RunKind
from core.domain.sub_agent import MAX_SUB_AGENTS
from core.services.outcome import Ok
from tests.support.asking import agent
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Asked, Provider, Reply, calls, chunk, provider, says, sse
from tests.support.strict_provider import problem_of
from tests.support.waiting import until
from tests.support.world import World, a_world

Json = dict[str, Any]


def parent_of(count: int, **task: Any) -> Callable[[Asked], Reply | None]:
    """What the parent is answered: it begins so many, and then says that it is done; None for one of theirs."""
    tasks = [{"prompt": f"Task {number}", "name": f"Agent {number}", **task} for number in range(1, count + 1)]

    def answer(asked: Asked) -> Reply | None:
        last = asked.messages[-1]
        if last["role"] == "tool":
            return says("Done.", usage=(100, 1))
        return calls(("c1", "parallel_tasks", {"tasks": tasks})) if last["content"] == "go" else None

    return answer


def model_of(server: Provider) -> ModelChoice:
    return ModelChoice(base_url=server.url, model="m", price_in=1.0, price_out=2.0)


def speaking(world: World) -> set[str]:
    """Those that have said something."""
    facts = [event.fact for event in world.events]
    return {fact.sub_agent_id for fact in facts if isinstance(fact, SubAgentProgress)}


async def test_fifteen_at_once_stream_into_their_parents_run() -> None:
    parent = parent_of(MAX_SUB_AGENTS)
    with provider(
        lambda asked: parent(asked) or says(f"I did {asked.messages[-1]['content']}.", usage=(10, 3))
    ) as server:
        async with a_world() as world:
            run = await world.start(agent("ask", "go"), kind=RunKind.CHAT, prompt="go", model=model_of(server))
            told = await world.settled(run.id)
    assert (told["status"], told["output"]) == ("success", "Done.")
    assert [each["text"] for each in told["sub_agents"]] == [f"I did Task {n}." for n in range(1, MAX_SUB_AGENTS + 1)]
    assert len(speaking(world)) == MAX_SUB_AGENTS
    assert told["metrics"]["input_tokens"] == 100 + 10 * MAX_SUB_AGENTS
    dollars = (100 + 10 * MAX_SUB_AGENTS) * 1.0 + (1 + 3 * MAX_SUB_AGENTS) * 2.0
    assert told["metrics"]["cost"] == pytest.approx(dollars / 1e6)
    assert [problem_of(asked.messages) for asked in server.posts] == [None] * (MAX_SUB_AGENTS + 2)
    own = next(asked for asked in server.posts if asked.messages[-1]["content"] == "Task 1")
    assert [message["role"] for message in own.messages] == ["system", "user"]
    assert "It reads your last answer and nothing else" in own.messages[0]["content"]
    names = {tool["function"]["name"] for tool in own.body["tools"]}
    assert "calculator" in names
    assert not names & {"spawn_agent", "delegate_task", "parallel_tasks"}
    results = json.loads(server.posts[-1].messages[-1]["content"])["results"]
    assert [result["status"] for result in results] == ["completed"] * MAX_SUB_AGENTS


async def test_a_cancel_ends_fifteen_streams_within_a_second() -> None:
    parent = parent_of(MAX_SUB_AGENTS)
    hanging = Reply(sse(chunk(content="I begin"), done=False), end="hangs")
    with provider(lambda asked: parent(asked) or hanging) as server:
        async with a_world() as world:
            run = await world.start(agent("ask", "go"), kind=RunKind.CHAT, prompt="go", model=model_of(server))
            heard = asyncio.Event()
            world.core.bus.subscribe(type(world.events[0]), lambda _: heard.set())
            while len(speaking(world)) < MAX_SUB_AGENTS:
                await heard.wait()
                heard.clear()
            loop = asyncio.get_running_loop()
            before = loop.time()
            await world.core.engine.cancel(run.id)
            assert loop.time() - before < 3  # 1 s, on a machine that has other things to do
            told = await world.describe(run.id)
            await until(lambda: server.closed == MAX_SUB_AGENTS)
    assert {each["status"] for each in told["sub_agents"]} == {"cancelled"}
    assert {each["text"] for each in told["sub_agents"]} == {"I begin"}


async def test_a_model_that_fails_is_a_result_for_the_parent() -> None:
    parent = parent_of(2)

    def answer(asked: Asked) -> Reply:
        bad = Reply(b'{"error": {"message": "no such model"}}', 404, {"Content-Type": "application/json"})
        return parent(asked) or (bad if asked.messages[-1]["content"] == "Task 1" else says("Fine."))

    with provider(answer) as server:
        async with a_world() as world:
            run = await world.start(agent("ask", "go"), kind=RunKind.CHAT, prompt="go", model=model_of(server))
            told = await world.settled(run.id)
        first, second = json.loads(server.posts[-1].messages[-1]["content"])["results"]
    assert (first["status"], second["text"], told["output"]) == ("failed", "Fine.", "Done.")
    assert "no such model" in first["error"]["message"]


async def test_a_stored_agent_goes_on_after_a_restart_as_it_was_when_it_was_begun() -> None:
    parent = parent_of(1, agent="Poet")
    answers = [Reply(sse(chunk(content="Roses"), done=False), end="hangs"), says("Roses are red.")]
    storage = InMemoryStorage()
    with provider(lambda asked: parent(asked) or answers.pop(0)) as server:
        poet: Json = {"system_prompt": "You rhyme.", "temperature": 0.5, "tools": ("calculator",)}
        async with a_world(storage) as world:
            made = await world.core.agents.save(name="Poet", **poet)
            assert isinstance(made, Ok)
            run = await world.start(agent("ask", "go"), kind=RunKind.CHAT, prompt="go", model=model_of(server))
            heard = asyncio.Event()
            world.core.bus.subscribe(type(world.events[0]), lambda _: heard.set())
            while not speaking(world):
                await heard.wait()
                heard.clear()
            assert isinstance(await world.core.agents.save(AgentId(made.data.id), name="Clerk"), Ok)
        async with a_world(storage) as world:
            await world.core.engine.recover()
            told = await world.settled(run.id)
        first, again = [asked for asked in server.posts if asked.messages[-1]["content"] == "Task 1"]
    assert first.body == again.body
    assert (first.body["temperature"], "You rhyme." in first.messages[0]["content"]) == (0.5, True)
    assert [tool["function"]["name"] for tool in first.body["tools"]] == ["calculator"]
    (one,) = told["sub_agents"]
    assert (one["agent"], one["model"], one["text"], told["output"]) == ("Poet", "m", "Roses are red.", "Done.")


async def test_what_they_think_is_shown_and_the_thoughts_and_the_gauge_are_those_of_the_conversation() -> None:
    parent = parent_of(1)
    thinking = sse(chunk(reasoning="Secretly."), chunk(content="Fine."), chunk(finish="stop"))
    with provider(lambda asked: parent(asked) or Reply(thinking)) as server:
        async with a_world() as world:
            run = await world.start(agent("ask", "go"), kind=RunKind.CHAT, prompt="go", model=model_of(server))
            await world.settled(run.id)
            live = replay(await world.storage.events.of_run(run.id))
    (thought,) = [event.fact for event in world.events if isinstance(event.fact, ReasoningReceived)]
    assert (thought.text, thought.step, thought.sub_agent_id) == ("Secretly.", "ask", "ask.1.1/1")
    assert not [event for event in world.events if isinstance(event.fact, ThoughtSaved)]
    asked = [event.fact for event in world.events if isinstance(event.fact, ModelAsked)]
    assert [each.sub_agent_id for each in asked] == [None, "ask.1.1/1", None]
    assert live is not None
    assert (live.model_requests, live.last_request, live.thoughts) == (3, asked[2], [])
