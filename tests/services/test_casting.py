"""Steps of a template that name their agents, as these were when the run was started."""

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from core.app import Core
from core.domain.agent import Agent
from core.domain.ids import TemplateId
from core.domain.model import ModelChoice
from core.domain.run import Run, RunStatus
from core.domain.template import Template
from core.persistence.surreal import SurrealStorage
from core.ports import Put, ResolvedTemplate, StoredTemplate
from core.services.outcome import Failed, Ok
from core.wiring import run_core
from tests.support.command_line import template
from tests.support.provider import Provider, Reply, chunk, provider, says, sse

pytestmark = [pytest.mark.usefixtures("bare"), pytest.mark.real_time]  # the database answers from a thread of its own


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncIterator[SurrealStorage]:
    storage = await SurrealStorage.open(tmp_path / "store")
    yield storage
    await storage.close()


def agent_step(name: str, *after: str, **call: Any) -> dict[str, Any]:
    return {"name": name, "action": {"agent": {"prompt": f"{name}?", **call}}, "dependsOn": list(after)}


async def made(core: Core, **fields: Any) -> Agent:
    answer = await core.agents.save(**fields)
    assert isinstance(answer, Ok), answer
    return answer.data


async def begun(core: Core, *steps: Mapping[str, Any]) -> Run:
    found = ResolvedTemplate(Template.model_validate(template(*map(dict, steps))))
    answer = await core.runs.start(found, {})
    assert isinstance(answer, Ok), answer
    return answer.data


async def told(core: Core, run: Run) -> Any:
    ended = await core.engine.wait(run.id)
    assert ended.status is RunStatus.SUCCESS, ended.error
    answer = await core.runs.describe(run.id)
    assert isinstance(answer, Ok)
    return answer.data


def asked(server: Provider) -> list[tuple[str, str, str, list[str]]]:
    """Of each request the prompt, the model, the end of the system prompt and the tools, by prompt."""
    found = []
    for one in server.posts:
        first, last = one.messages[0]["content"], one.messages[-1]["content"]
        tools = [tool["function"]["name"] for tool in one.body.get("tools", [])]
        found.append((last, one.body["model"], first.rpartition("\n")[2], tools))
    return sorted(found)


async def test_a_step_is_answered_by_whom_it_names(storage: SurrealStorage) -> None:
    with provider(says("done")) as server:
        async with run_core(storage) as core:
            usual = ModelChoice(base_url=server.url, model="usual")
            await core.providers.add_model(usual)
            own = ModelChoice(base_url=server.url, model="own")
            writer = await made(core, name="Writer", system_prompt="Be brief.", tools=("wait",), model=own)
            run = await begun(
                core,
                agent_step("by_id", agentId=writer.id),
                agent_step("by_name", agentId="writer", tools=["calculator"]),
                agent_step("modelled", agentId="Writer", model="large"),
                agent_step("nobody", agentId="Ghost", tools=["wait"]),
                agent_step("offline", agentId="offline"),
                agent_step("usual", tools=["wait"]),
            )
            described = await told(core, run)
    by_id, by_name, modelled, nobody, usually = asked(server)
    assert by_id == ("by_id?", "own", "Be brief.", ["wait"])
    assert by_name == ("by_name?", "own", "Be brief.", [])
    assert modelled == ("modelled?", "large", "Be brief.", ["wait"])
    assert nobody[1:] == usually[1:]
    assert usually[1] == "usual"
    assert "Be brief." not in usually[2]
    assert [(one["code"], one["step"]) for one in described["warnings"]] == [("unknown_agent", "nobody")]
    assert "offline" in described["output"]


async def test_a_run_that_is_taken_up_is_answered_as_it_was_begun(storage: SurrealStorage) -> None:
    hangs = Reply(sse(chunk(content="so"), done=False), end="hangs")
    with provider(hangs, says("done")) as server:
        async with run_core(storage) as core:
            own = ModelChoice(base_url=server.url, model="own")
            writer = await made(core, name="Writer", system_prompt="Be brief.", tools=("wait",), model=own)
            run = await begun(core, agent_step("s", agentId=writer.id))
            while not server.posts:
                await core.clock.sleep(0.01)
        async with run_core(storage) as core:
            await core.agents.remove(writer.id)
            await core.runs.recover()
            await told(core, run)
            forked = await core.runs.fork(run.id, "s")
            assert isinstance(forked, Ok)
            await told(core, forked.data)
    assert asked(server) == [("s?", "own", "Be brief.", ["wait"])] * 3


async def test_the_steps_of_a_child_name_theirs_too(storage: SurrealStorage) -> None:
    with provider(says("done")) as server:
        async with run_core(storage) as core:
            own = ModelChoice(base_url=server.url, model="own")
            await made(core, name="Writer", system_prompt="Be brief.", tools=("wait",), model=own)
            text = json.dumps(template(agent_step("s", agentId="Writer"), title="Below"))
            await storage.commit([Put(StoredTemplate(TemplateId("tpl_1"), 1, "Below", text, core.clock.now()))])
            await told(core, await begun(core, {"name": "c", "action": {"workflow": {"title": "Below"}}}))
    assert asked(server) == [("s?", "own", "Be brief.", ["wait"])]


async def test_a_run_does_not_start_without_the_key_of_an_agent_that_it_names(storage: SurrealStorage) -> None:
    async with run_core(storage) as core:
        keyed = ModelChoice(base_url="https://api.example.com/v1", model="own", needs_key=True)
        await made(core, name="Writer", model=keyed)
        found = ResolvedTemplate(Template.model_validate(template(agent_step("s", agentId="Writer"))))
        answer = await core.runs.start(found, {})
        assert isinstance(answer, Failed)
        assert answer.code == "key_missing"
        assert await storage.runs.page() == []
