"""Agents of the user: stored, named, chosen for a workflow, and asked with their own parameters."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.app import Core
from core.domain.agent import ASSISTANT, Agent, AgentSelection
from core.domain.ids import AgentId, WorkflowId
from core.domain.model import ModelChoice, Reasoning
from core.domain.run import Run, RunStatus
from core.services.outcome import Failed, Ok
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_calls
from tests.support.provider import Provider, calls, provider, says
from tests.tools.rig import tool

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    async with run_core(InMemoryStorage(), key_file=tmp_path / "keys.json") as core:
        yield core


async def made(core: Core, agent_id: AgentId | None = None, **fields: Any) -> Agent:
    answer = await core.agents.save(agent_id, **fields)
    assert isinstance(answer, Ok), answer
    return answer.data


async def sent(core: Core, text: str = "hi", workflow_id: WorkflowId | None = None, **options: Any) -> Run:
    answer = await core.chat.send(text, workflow_id, **options)
    assert isinstance(answer, Ok), answer
    return await core.engine.wait(answer.data.id)


async def failure(core: Core, **fields: Any) -> tuple[str, Any]:
    answer = await core.agents.save(**fields)
    assert isinstance(answer, Failed), answer
    return answer.code, answer.details.get("field")


def of(server: Provider, **fields: Any) -> ModelChoice:
    return ModelChoice(base_url=server.url, model="m", **fields)


# Keeping


async def test_the_assistant_is_there_from_the_start_with_every_tool_and_stays(core: Core) -> None:
    assert core.agents.current == (ASSISTANT,)
    assert core.agents.default == ASSISTANT
    assert "calculator" in {tool.name for tool in core.agents.tools()}
    answer = await core.agents.remove(ASSISTANT.id)
    assert isinstance(answer, Failed)
    assert answer.code == "agent_stays"
    changed = await made(core, ASSISTANT.id, name="Helper", system_prompt="Be brief.")
    assert core.agents.current == (changed,)
    assert await core.storage.agents.all() == [changed]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"name": ""}, "name"),
        ({"name": " \n "}, "name"),
        ({"name": "n" * 65}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a\ud800"}, "name"),
        ({"name": 7}, "name"),
        ({"name": "a", "system_prompt": "p" * 10_001}, "system_prompt"),
        ({"name": "a", "system_prompt": "\ud800"}, "system_prompt"),
        ({"name": "a", "temperature": 2.1}, "temperature"),
        ({"name": "a", "temperature": float("nan")}, "temperature"),
        ({"name": "a", "max_tokens": 0}, "max_tokens"),
        ({"name": "a", "max_tool_rounds": 0}, "max_tool_rounds"),
        ({"name": "a", "max_tool_rounds": 201}, "max_tool_rounds"),
        ({"name": "a", "reasoning": "a lot"}, "reasoning"),
        ({"name": "a", "tools": ("",)}, "tools"),
        ({"name": "a", "mcp_servers": ("s" * 65,)}, "mcp_servers"),
        ({"name": "a", "mcp_servers": "files"}, "mcp_servers"),
        ({"name": "a", "model": {"base_url": "http://h?key=x"}}, "model"),
    ],
)
async def test_what_is_out_of_bounds_is_refused_by_field_and_nothing_is_kept(
    core: Core, fields: dict[str, Any], name: str
) -> None:
    assert await failure(core, **fields) == ("bad_input", name)
    assert core.agents.current == (ASSISTANT,)
    assert await core.storage.agents.all() == []


async def test_what_is_at_its_bounds_is_taken(core: Core) -> None:
    least: dict[str, Any] = {"temperature": 0, "max_tokens": 1, "max_tool_rounds": 1, "tools": ()}
    most: dict[str, Any] = {
        "temperature": 2,
        "max_tool_rounds": 200,
        "system_prompt": "p" * 10_000,
        "reasoning": "high",
    }
    assert (await made(core, name="a", **least)).tools == ()
    assert (await made(core, name="n" * 64, **most)).reasoning is Reasoning.HIGH


async def test_a_name_belongs_to_a_single_agent_and_is_a_single_line(core: Core) -> None:
    agent = await made(core, name="  Code \n reviewer ")
    assert agent.name == "Code reviewer"
    assert await failure(core, name="code REVIEWER") == ("name_taken", "name")
    assert await failure(core, name="Offline") == ("name_taken", "name")
    assert (await made(core, agent.id, name="code reviewer")).id == agent.id


async def test_agents_are_loaded_by_the_next_start_and_changes_are_emitted(tmp_path: Path) -> None:
    storage = InMemoryStorage()
    async with run_core(storage) as core:
        changes: list[tuple[Agent, ...]] = []
        core.agents.changed.connect(lambda: changes.append(core.agents.current))
        agent = await made(core, name="Zoe", temperature=0.5)
        assert changes == [core.agents.current]
    async with run_core(storage) as core:
        assert core.agents.current == (ASSISTANT, agent)


# Asking


async def test_an_agent_is_asked_as_it_is_set(core: Core) -> None:
    with provider(says("I am an agent")) as server:
        agent = await made(
            core,
            name="Terse",
            model=of(server),
            system_prompt="Answer in one word.",
            tools=("calculator",),
            temperature=0.25,
            max_tokens=77,
            reasoning="low",
        )
        run = await sent(core, agent="terse")
        (asked,) = server.posts
    assert json.loads(run.output_json or "") == "I am an agent"
    assert asked.messages[0]["content"].endswith("\n\nAnswer in one word.")
    assert [tool["function"]["name"] for tool in asked.body["tools"]] == ["calculator"]
    assert (asked.body["temperature"], asked.body["max_tokens"]) == (0.25, 77)
    snapshot = await core.storage.snapshots.of_run(run.id)
    assert (snapshot.profile, snapshot.agent) == (agent, "Terse")


async def test_a_call_beyond_the_tools_of_an_agent_is_refused_and_its_rounds_are_counted(core: Core) -> None:
    with provider(calls(("a", "calculator", {"expression": "1"}))) as server:
        await made(core, name="Idle", model=of(server), tools=(), max_tool_rounds=2)
        run = await sent(core, agent="Idle")
        assert len(server.posts) == 3
    assert run.error is not None
    assert (run.status, run.error.code) == (RunStatus.ERROR, "round_limit")
    assert {call.error.code for call in await stored_calls(core.storage, run.id) if call.error} == {"not_available"}


async def test_an_agent_without_a_model_has_that_of_the_settings_else_the_offline_agent(core: Core) -> None:
    await made(core, name="Plain")
    first = await sent(core, "say 2 words", agent="Plain")
    assert json.loads(first.output_json or "") == "a workflow"
    assert (await core.storage.snapshots.of_run(first.id)).agent == "offline"
    with provider(says("yes")) as server:
        await core.settings.change(model=of(server))
        run = await sent(core, agent="Plain")
        assert json.loads(run.output_json or "") == "yes"
        named = await sent(core, agent="Plain", model=of(server, price_in=1.0))
        snapshot = await core.storage.snapshots.of_run(named.id)
    assert snapshot.model is not None
    assert (snapshot.agent, snapshot.model.price_in) == ("Plain", 1.0)


async def test_an_unknown_agent_is_not_found_and_nothing_is_begun(core: Core) -> None:
    answer = await core.chat.send("hi", agent="nobody")
    assert isinstance(answer, Failed)
    assert answer.code == "not_found"
    assert await core.storage.workflows.all() == []


# Choosing


async def test_a_choice_holds_for_the_next_turns_and_the_agent_is_followed(core: Core) -> None:
    with provider(says("one")) as server, provider(says("two")) as other:
        agent = await made(core, name="Chosen", model=of(server))
        run = await sent(core, "say 2 words")
        assert isinstance(await core.workflows.select_agent(run.workflow_id, AgentSelection(agent=agent.id)), Ok)
        assert json.loads((await sent(core, "a", run.workflow_id)).output_json or "") == "one"
        await made(core, agent.id, name="Chosen", model=of(other))
        assert json.loads((await sent(core, "b", run.workflow_id)).output_json or "") == "two"
        await core.workflows.select_agent(run.workflow_id, AgentSelection(agent=agent.id, is_offline=True))
        last = await sent(core, "say 2 words", run.workflow_id)
    assert json.loads(last.output_json or "") == "a workflow"


async def test_a_removed_agent_is_replaced_by_the_default_agent_and_can_be_restored(core: Core) -> None:
    with provider(says("one")) as server:
        agent = await made(core, name="Gone", model=of(server))
        run = await sent(core, agent="Gone")
        deleted = await core.agents.remove(agent.id)
        assert isinstance(deleted, Ok)
        assert (deleted.data.agent, deleted.data.workflows) == (agent, 1)
        workflow = await core.storage.workflows.get(run.workflow_id)
        assert workflow is not None
        assert workflow.answering is not None
        assert core.agents.resolve(workflow.answering)[0] == ASSISTANT
        assert await made(core, agent.id, **agent.model_dump(exclude={"id"})) == agent
        assert core.agents.resolve(workflow.answering)[0] == agent
        await core.settings.change(default_agent=agent.id)
        assert core.agents.default == agent
        await core.agents.remove(agent.id)
        assert core.agents.default == ASSISTANT
    again = await sent(core, "say 2 words", run.workflow_id)
    assert (await core.storage.snapshots.of_run(again.id)).profile == ASSISTANT


async def test_what_cannot_be_asked_is_not_chosen(core: Core) -> None:
    run = await sent(core, "say 2 words")
    keyless = ModelChoice(provider="openai", base_url="https://api.openai.com/v1", model="m", needs_key=True)
    for answering, code in (
        (AgentSelection(model=keyless), "key_missing"),
        (AgentSelection(agent=AgentId("agent_none")), "not_found"),
    ):
        answer = await core.workflows.select_agent(run.workflow_id, answering)
        assert isinstance(answer, Failed)
        assert answer.code == code
    workflow = await core.storage.workflows.get(run.workflow_id)
    assert workflow is not None
    assert workflow.answering == AgentSelection(agent=ASSISTANT.id, is_offline=True)


async def test_a_fork_has_the_agent_of_its_run(core: Core) -> None:
    with provider(says("one"), says("two")) as server:
        agent = await made(core, name="First", model=of(server), system_prompt="Old words.")
        run = await sent(core, agent="First")
        await made(core, agent.id, name="First", model=of(server), system_prompt="New words.")
        forked = await core.runs.fork(run.id, "answer")
        assert isinstance(forked, Ok)
        await core.engine.wait(forked.data.id)
        assert (await core.storage.snapshots.of_run(forked.data.id)).profile == agent
        assert server.posts[-1].messages[0]["content"].endswith("Old words.")


# MCP servers


async def test_an_agent_calls_the_servers_that_it_is_limited_to_and_no_other(tmp_path: Path) -> None:
    names = ("mcp__ours__read", "mcp__ours__more", "mcp__theirs__read")
    tools = [tool(name=name, read_only=True) for name in names]
    async with run_core(InMemoryStorage(), key_file=tmp_path / "keys.json", more_tools=tools) as core:
        for name in ("ours", "theirs"):
            assert isinstance(await core.servers.save(name=name, command="never-run"), Ok)
        clerk = await made(core, name="Clerk", mcp_servers=("ours", "gone"))
        narrow = await made(core, name="Narrow", mcp_servers=("ours",), tools=("mcp__ours__read", names[2]))
        assert core.agents.missing_servers(clerk) == ["gone"]
        script = [{"call": name, "arguments": {}} for name in (*names, "mcp__gone__read")]
        for agent, codes in (
            (clerk, [None, None, "not_available", "not_registered"]),
            (narrow, [None, "not_available", "not_available", "not_registered"]),
        ):
            run = await sent(core, agent=agent.name, script=[*script, {"say": "so"}])
            described = await core.runs.describe(run.id)
            assert isinstance(described, Ok)
            told = described.data
            found = {one["name"]: one["error"] for one in told["tool_calls"]}
            errors = [found[name] for name in (*names, "mcp__gone__read")]
            assert [one and one["code"] for one in errors] == codes
            assert errors[-1]["message"] == "there is no tool 'mcp__gone__read': there is no MCP server 'gone'"
            warned = [one["code"] for one in told["warnings"]]
            assert warned == (["unknown_server"] if agent is clerk else [])


async def test_the_servers_of_an_agent_are_kept_and_hold_for_its_sub_agents(tmp_path: Path) -> None:
    storage = InMemoryStorage()
    tools = [tool(name=name, read_only=True) for name in ("mcp__ours__read", "mcp__theirs__read")]
    with provider(calls(("c1", "spawn_agent", {"prompt": "look"})), says("seen"), says("done")) as server:
        async with run_core(storage, key_file=tmp_path / "keys.json", more_tools=tools) as core:
            await made(core, name="Clerk", mcp_servers=("ours",), model=of(server))
        async with run_core(storage, key_file=tmp_path / "keys.json", more_tools=tools) as core:
            assert core.agents.named("Clerk").mcp_servers == ("ours",)
            assert (await sent(core, agent="Clerk")).status is RunStatus.SUCCESS
        offered = [{one["function"]["name"] for one in asked.body["tools"]} for asked in server.posts]
    assert all("mcp__ours__read" in names and "mcp__theirs__read" not in names for names in offered)
    assert len(offered) == 3
