"""Sub-agents in the runs of a whole core: what they give, what they may, and who hears of it."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest

from core.domain.agent import ASSISTANT
from core.domain.events import (
    Event,
    Fact,
    InterruptionRaised,
    SubAgentFinished,
    SubAgentProgress,
    SubAgentStarted,
    TokenReceived,
    ToolEnded,
    UsageReported,
)
from core.domain.fold import fold, replay
from core.domain.live_run import LiveRun
from core.domain.run import RunKind
from core.domain.sub_agent import MAX_SUB_AGENTS
from core.domain.template import ValidationMode
from core.llm.offline.commands import repeated_words
from core.services.outcome import Ok
from tests.support.asking import agent, answer, decisions, note, waiting
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_calls, stored_results
from tests.support.world import World, a_world, tool_step

Json = dict[str, Any]


def call(tool: str, **arguments: Any) -> str:
    """The command that calls a tool."""
    return f"/tool {tool} {json.dumps(arguments)}"


def tasks(*prompts: str | Json) -> str:
    """The command that has tasks done side by side."""
    return call(
        "parallel_tasks", tasks=[prompt if isinstance(prompt, dict) else {"prompt": prompt} for prompt in prompts]
    )


async def given(world: World, *commands: str, **options: Any) -> tuple[Json, list[Any]]:
    """The run of an agent that is given the commands, and the results of its own calls, as its model reads them."""
    told = await world.run(agent("ask", "\n".join(commands)), **options)
    rows = await stored_calls(world.storage, told["run_id"])
    own = [row for row in rows if "/" not in row.id]
    return told, [json.loads(row.result_json) if row.error is None and row.result_json else row.error for row in own]


def count(world: World, kind: type[Fact]) -> int:
    """How many of these were told."""
    return sum(isinstance(event.fact, kind) for event in world.events)


async def until(world: World, holds: Callable[[], bool]) -> None:
    """Come back once it holds: it is looked at with each event, and now and then."""
    heard = asyncio.Event()
    subscription = world.core.bus.subscribe(Event, lambda event: heard.set())
    while not holds():
        with suppress(TimeoutError):
            await asyncio.wait_for(heard.wait(), 0.05)
        heard.clear()
    subscription.close()


async def watched(world: World, told: Json) -> tuple[LiveRun, LiveRun]:
    """The run as a live observer saw it, and as it is rebuilt."""
    seen = None
    for event in world.events:
        if event.run_id == told["run_id"]:
            seen = fold(seen, event)
    rebuilt = replay(await world.storage.events.of_run(told["run_id"]))
    assert seen is not None
    assert rebuilt is not None
    seen.tokens_received = 0
    return seen, rebuilt


async def test_a_fresh_agent_does_its_task_and_gives_its_last_text() -> None:
    async with a_world() as world:
        prompt = f"say 2 words\n{call('echo', a=1)}\n\nsay 3 words"
        told, (result,) = await given(world, call("spawn_agent", prompt=prompt, name="Helper"))
        assert told["status"] == "success"
        assert (result["name"], result["status"]) == ("Helper", "completed")
        assert result["text"] == '- `echo` → `{"a":1}`\n\na workflow is'
        (sub_agent,) = told["sub_agents"]
        assert (sub_agent["id"], sub_agent["call_id"], sub_agent["step"]) == ("ask.1.1/1", "ask.1.1", "ask")
        assert sub_agent["text"] == f"a workflow\n\n{result['text']}"
        used = [event.fact for event in world.events if isinstance(event.fact, UsageReported)]
        own = [each for each in used if each.sub_agent_id == "ask.1.1/1"]
        assert result["input_tokens"] == sub_agent["input_tokens"] == sum(each.input_tokens for each in own)
        assert (len(used), len(own)) == (4, 2)
        assert told["metrics"]["input_tokens"] == sum(each.input_tokens for each in used)
        assert (told["metrics"]["tool_call_count"], told["metrics"]["total_rounds"]) == (2, 2)
        inner = next(each for each in told["tool_calls"] if each["name"] == "echo")
        assert (inner["id"], inner["sub_agent_id"]) == ("ask.1.1/1.1.1", "ask.1.1/1")


async def test_its_text_streams_as_its_own_and_a_rebuilt_view_is_what_was_seen() -> None:
    async with a_world() as world:
        told, _ = await given(world, "say 4 words", tasks("say 5 words", "say 6 words"), kind=RunKind.CHAT, prompt="go")
        pieces: dict[str, str] = {}
        spoken = ""
        for event in world.events:
            if isinstance(event.fact, SubAgentProgress):
                pieces[event.fact.sub_agent_id] = pieces.get(event.fact.sub_agent_id, "") + event.fact.text
            elif isinstance(event.fact, TokenReceived):
                spoken += event.fact.text
        assert pieces == {"ask.1.1/1": "a workflow is a list", "ask.1.1/2": "a workflow is a list of"}
        assert spoken.startswith("a workflow is a\n\n- `parallel_tasks`")
        (message,) = [
            row for row in await world.storage.messages.of_workflow(told["workflow_id"]) if row.role == "assistant"
        ]
        assert message.text == spoken
        seen, rebuilt = await watched(world, told)
        assert seen == rebuilt
        assert await world.storage.chunks.of_run(told["run_id"]) == []


async def test_the_next_turn_of_the_conversation_has_nothing_of_them() -> None:
    async with a_world() as world:
        first = await world.core.chat.send(call("spawn_agent", prompt=f"say 2 words\n{call('echo', a=1)}"))
        assert isinstance(first, Ok)
        assert (await world.settled(first.data.id))["status"] == "success"
        second = await world.core.chat.send(call("calculator", expression="6*7"), first.data.workflow_id)
        assert isinstance(second, Ok)
        told = await world.settled(second.data.id)
        assert told["output"] == '- `calculator` → `{"result":42}`'
        assert told["sub_agents"] == []


async def test_results_come_in_the_order_of_the_tasks_and_a_failure_stops_no_other() -> None:
    async with a_world() as world:
        repeated = "\n\n".join([call("echo", a=1)] * 5)
        too_many = "\n".join([call("echo", a=1)] * 21)
        rounds = "\n\n".join(call("echo", a=number) for number in range(11))
        told, (result,) = await given(world, tasks("say 9 words", repeated, too_many, rounds, "say 1 word"))
        outcomes = [each.get("text") or each["error"]["code"] for each in result["results"]]
        said = "a workflow is a list of small steps that"
        assert outcomes == [said, "repeated_call", "too_many_calls", "round_limit", "a"]
        assert told["status"] == "success"
        assert [each["status"] for each in told["sub_agents"]] == ["completed", "error", "error", "error", "completed"]


async def test_a_sub_agent_that_fails_is_a_failed_call_for_its_parent() -> None:
    async with a_world() as world:
        told, (error,) = await given(world, call("spawn_agent", prompt="\n".join([call("echo")] * 21), name="Busy"))
        assert (error.code, told["status"]) == ("failed", "success")
        assert error.message == "the sub-agent 'Busy' failed: Too many concurrent tool calls (too_many_calls)"


async def test_a_run_has_fifteen_and_the_sixteenth_is_refused() -> None:
    async with a_world() as world:
        many = tasks(*["say 1 word"] * (MAX_SUB_AGENTS + 1))
        told, (first, second) = await given(world, many, "", call("spawn_agent", prompt="say 1 word"))
        assert [each["status"] for each in first["results"]] == ["completed"] * MAX_SUB_AGENTS + ["failed"]
        assert first["results"][-1]["error"]["code"] == second.code == "limit_reached"
        assert str(MAX_SUB_AGENTS) in second.message
        assert (len(told["sub_agents"]), told["status"]) == (MAX_SUB_AGENTS, "success")


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        (call("spawn_agent", prompt=""), "invalid_arguments", "/prompt"),
        (call("spawn_agent", prompt=" \n "), "invalid_arguments", "empty"),
        (call("spawn_agent"), "invalid_arguments", "prompt"),
        (call("spawn_agent", prompt=5), "invalid_arguments", "/prompt"),
        (call("spawn_agent", prompt="x" * 1_000_000), "invalid_arguments", "/prompt"),
        (call("spawn_agent", prompt="x", tools=["echo", "nope", "spawn_agent"]), "not_allowed", "nope, spawn_agent"),
        (call("spawn_agent", prompt="x", tools="echo"), "invalid_arguments", "/tools"),
        (call("spawn_agent", prompt="x", name="\u202e"), "invalid_arguments", "name"),
        (call("spawn_agent", prompt="x", name="n" * 65), "invalid_arguments", "/name"),
        (call("spawn_agent", prompt="x", system_prompt="s" * 10_001), "invalid_arguments", "/system_prompt"),
        (call("delegate_task", agent="Nobody", prompt="x"), "not_found", "Nobody"),
        (call("delegate_task", agent="", prompt="x"), "invalid_arguments", "/agent"),
        (call("delegate_task", prompt="x"), "invalid_arguments", "agent"),
        (tasks(), "invalid_arguments", "/tasks"),
        (tasks({"prompt": "x", "agent": "Assistant", "tools": []}), "invalid_arguments", "tools"),
    ],
)
async def test_what_cannot_be_begun_is_an_error_that_says_why(command: str, code: str, says: str) -> None:
    async with a_world() as world:
        told, (error,) = await given(world, command)
        assert (error.code, says in error.message) == (code, True), error
        assert len(error.message) < 2000
        assert (told["sub_agents"], told["status"]) == ([], "success")


async def test_it_has_the_tools_that_it_was_given_and_begins_no_agents() -> None:
    async with a_world() as world:
        inner = [call("echo", a=1), call("mark", text="m"), call("spawn_agent", prompt="say 1 word"), tasks("help")]
        await given(world, call("spawn_agent", prompt="\n".join(inner), tools=["echo"]))
        ended = {event.fact.call_id: event.fact for event in world.events if isinstance(event.fact, ToolEnded)}
        errors = [ended[f"ask.1.1/1.1.{number}"].error for number in range(1, 5)]  # type: ignore[index]
        assert [error and error["code"] for error in errors] == [None, *["not_available"] * 3]
        assert world.tools.notes == []


async def test_a_stored_agent_has_its_own_tools_and_is_found_by_its_name_or_its_id() -> None:
    async with a_world() as world:
        made = await world.core.agents.save(name="Echoer", tools=("echo",), max_tool_rounds=1)
        assert isinstance(made, Ok)
        prompt = f"{call('mark', text='m')}\n{call('echo', a=1)}\n\n{call('echo', a=2)}"
        _, results = await given(
            world,
            *(call("delegate_task", agent=each, prompt=prompt) for each in ("echoer", made.data.id)),
            call("delegate_task", agent=ASSISTANT.name, prompt="say 1 word"),
        )
        assert [getattr(result, "code", "completed") for result in results] == ["failed", "failed", "completed"]
        assert all("round_limit" in result.message for result in results[:2])
        assert (world.tools.notes, len(world.tools.echoes)) == ([], 2)
        started = [event.fact for event in world.events if isinstance(event.fact, SubAgentStarted)]
        assert [each.agent for each in started] == ["Echoer", "Echoer", ASSISTANT.name]


async def test_a_step_of_a_template_begins_them_too() -> None:
    async with a_world() as world:
        one = tool_step("one", "spawn_agent", prompt=note("x"))
        each = tool_step("each", "parallel_tasks", tasks=[{"prompt": "say @item words"}])
        told = await world.run(one, {**each, "forEach": {"ref": "@input.n", "concurrency": 2}}, given={"n": [1, 2]})
        assert (told["status"], world.tools.notes) == ("success", ["x"])
        assert told["steps"]["one"]["output"]["status"] == "completed"
        assert [one["results"][0]["text"] for one in told["steps"]["each"]["output"]] == ["a", "a workflow"]
        assert {(one["id"], one["step"], one["index"]) for one in told["sub_agents"]} == {
            ("one/1", "one", None),
            ("each[0]/1", "each", 0),
            ("each[1]/1", "each", 1),
        }


async def test_a_step_fails_as_its_sub_agent_does_and_has_its_own_time_limit() -> None:
    async with a_world() as world:
        slow = tool_step("slow", "spawn_agent", prompt=call("hang", text="h"))
        told = await world.run({**slow, "config": {"timeoutMs": 200}})
        assert (told["error"]["code"], told["error"]["failed_step"]) == ("timeout", "slow")
        assert [each["status"] for each in told["sub_agents"]] == ["cancelled"]
        assert all(each["status"] == "cancelled" for each in told["tool_calls"] if "/" in each["id"])


async def test_sub_agents_need_consent_by_default_and_the_user_sees_the_task() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(
            world, agent("ask", call("spawn_agent", prompt="say 2 words")), mode=ValidationMode.SELECTIVE
        )
        assert (one["kind"], one["tool"], one["arguments"]) == (
            "tool-approval",
            "spawn_agent",
            {"prompt": "say 2 words"},
        )
        assert (one["risk"], "sub_agent_id" in one) == ("medium", False)
        told = await answer(world, run, one, "submit", {"prompt": "say 3 words"})
        assert (told["status"], told["sub_agents"][0]["text"]) == ("success", "a workflow is")
        run, (one,) = await waiting(
            world, agent("ask", call("spawn_agent", prompt="say 2 words")), mode=ValidationMode.SELECTIVE
        )
        told = await answer(world, run, one, "reject", reason="not now")
        assert (told["status"], told["sub_agents"]) == ("success", [])


async def test_the_run_waits_once_every_sub_agent_does_and_says_who_asks() -> None:
    async with a_world() as world:
        asking = [{"prompt": "ask One?", "name": "First"}, {"prompt": "ask Two?", "name": "Second"}]
        run = await world.start(agent("ask", tasks(*asking, call("hold"))))
        await until(world, lambda: count(world, InterruptionRaised) == 2 and world.tools.in_flight == 1)
        assert (await world.describe(run.id))["status"] == "running"
        world.tools.release.set()
        told = await world.settled(run.id)
        assert told["status"] == "waiting"
        first, second = [each for each in told["interruptions"] if each["status"] == "awaiting-answer"]
        assert (first["step"], first["sub_agent_id"], first["sub_agent_name"]) == ("ask", "ask.1.1/1", "First")
        assert second["sub_agent_name"] == "Second"
        assert [each["status"] for each in told["sub_agents"]] == ["waiting", "waiting", "completed"]
        told = await world.answer(run, "submit", {"text": "2"}, step="ask.1.1/2")
        assert told["status"] == "waiting"
        told = await world.answer(run, "submit", {"text": "1"}, step="ask")
        assert told["status"] == "success"
        seen, rebuilt = await watched(world, told)
        assert seen == rebuilt


async def test_consent_within_them_is_asked_of_the_run_and_logged_at_its_step() -> None:
    async with a_world() as world:
        command = tasks({"prompt": note("a"), "name": "Writer"}, note("b"))
        run, (one,) = await waiting(world, agent("ask", command))
        told = await answer(world, run, one, "approve")
        inner = [each for each in told["interruptions"] if each["status"].startswith("awaiting")]
        assert [(each["tool"], each["sub_agent_id"]) for each in inner] == [
            ("note", "ask.1.1/1"),
            ("note", "ask.1.1/2"),
        ]
        assert inner[0]["sub_agent_name"] == "Writer"
        told = await answer(world, run, inner[0], "approve")
        assert told["status"] == "waiting"
        told = await answer(world, run, inner[1], "reject", reason="no")
        assert (told["status"], world.tools.notes) == ("success", ["a"])
        assert [tool for tool, *_ in await decisions(world)] == ["parallel_tasks", "note", "note"]
        assert {entry.step for entry in await world.storage.audit.page()} == {"ask"}


async def test_fifteen_end_with_their_parent_within_a_second() -> None:
    async with a_world() as world:
        talking = ["say 100000 words"] * 7
        working = [note(str(number)) + "\n" + call("hang", text="h") for number in range(MAX_SUB_AGENTS - 7)]
        run = await world.start(agent("ask", tasks(*talking, *working)), kind=RunKind.CHAT, prompt="go")
        await until(world, lambda: len(world.tools.notes) == 2 * len(working))
        loop = asyncio.get_running_loop()
        before = loop.time()
        await world.core.engine.cancel(run.id)
        assert loop.time() - before < 3  # 1 s, on a machine that has other things to do
        told = await world.settled(run.id)
        assert told["status"] == "cancelled"
        assert {each["status"] for each in told["sub_agents"]} == {"cancelled"}
        hanging = [each for each in told["tool_calls"] if each["name"] in ("hang", "parallel_tasks")]
        assert {each["status"] for each in hanging} == {"cancelled"}
        seen, rebuilt = await watched(world, told)
        assert seen == rebuilt
        rows = [row.status for row in await stored_results(world.storage, run.id) if row.key.round is None]
        assert set(rows) == {"cancelled"}
        before_silence = len(world.events)
        await asyncio.sleep(0.1)
        assert len(world.events) == before_silence


async def test_the_deadline_of_the_run_and_the_failure_of_another_step_end_them() -> None:
    async with a_world() as world:
        talk = agent("ask", tasks("say 100000 words", call("hang", text="h")))
        told = await world.run(talk, timeoutMs=300)
        assert told["error"]["code"] == "deadline_exceeded"
        assert [each["status"] for each in told["sub_agents"]] == ["cancelled", "cancelled"]
        told = await world.run(talk, tool_step("other", "fail", seconds=0.3))
        assert told["error"]["failed_step"] == "other"
        assert [each["status"] for each in told["sub_agents"]] == ["cancelled", "cancelled"]


async def test_what_a_close_of_the_app_cut_off_goes_on_from_its_last_finished_round() -> None:
    storage = InMemoryStorage()
    async with a_world(storage) as world:
        talks = f"{note('once')}\n\nsay 40 words"
        run = await world.start(agent("ask", tasks({"prompt": talks, "name": "Talker"}, "say 1 word")))
        await until(world, lambda: count(world, SubAgentFinished) == 1 and bool(world.tools.notes))
    async with a_world(storage) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
        assert (told["status"], world.tools.notes) == ("success", [])
        talker, other = told["sub_agents"]
        assert (talker["name"], talker["status"], other["status"]) == ("Talker", "completed", "completed")
        assert talker["text"] == f'- `note` → `{{"text":"once"}}`\n\n{repeated_words("40")}'
        finished = [event.fact for event in world.events if isinstance(event.fact, SubAgentFinished)]
        assert [each.status for each in finished if each.sub_agent_id == "ask.1.1/2"] == ["completed"]
        seen, rebuilt = await watched(world, told)
        assert seen == rebuilt


async def test_a_cancel_before_a_recovered_one_was_taken_up_closes_what_was_left_open() -> None:
    storage = InMemoryStorage()
    async with a_world(storage) as world:
        run = await world.start(agent("ask", tasks("say 5000 words", note("n"))))
        await until(world, lambda: bool(world.tools.notes and storage._tables.chunks.get(run.id)))
        copy = _as_after_a_kill(storage)
    async with a_world(copy) as world:
        told = await world.core.engine.cancel(run.id)
        assert told.status == "cancelled"
        described = await world.describe(run.id)
        assert {each["status"] for each in described["sub_agents"]} == {"cancelled", "completed"}
        assert await copy.chunks.of_run(run.id) == []
        rows = await stored_results(copy, run.id)
        assert {str(row.key): row.status for row in rows if row.key.round is None}["ask.1.1/1"] == "cancelled"


def _as_after_a_kill(storage: InMemoryStorage) -> InMemoryStorage:
    """What the disk has at this moment."""
    copy = InMemoryStorage()
    copy._tables = deepcopy(storage._tables)
    return copy
