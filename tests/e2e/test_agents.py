"""`chat --agent`: a stored agent answers, after a crash too."""

import asyncio
import json
from pathlib import Path
from typing import Any

from core.app import Folders
from core.domain.model import ModelChoice
from core.services.outcome import Ok
from core.wiring import open_core
from tests.support.command_line import CommandLine
from tests.support.provider import Provider, Reply, chunk, provider, says, sse


def store_agent(data: Path, server: Provider, **fields: Any) -> None:
    async def store() -> None:
        async with open_core(Folders.choose(str(data))) as core:
            model = ModelChoice(base_url=server.url, model="m")
            assert isinstance(await core.agents.save(model=model, **fields), Ok)

    asyncio.run(store())


def change_agents(data: Path, server: Provider) -> None:
    """Remove all that can be, and have another model as the default."""

    async def change() -> None:
        async with open_core(Folders.choose(str(data))) as core:
            for agent in core.agents.current:
                await core.agents.remove(agent.id)
            await core.providers.add_model(ModelChoice(base_url=server.url, model="another"))

    asyncio.run(change())


def test_a_stored_agent_answers_by_its_name(metier: CommandLine) -> None:
    with provider(says("done")) as server:
        store_agent(metier.data, server, name="Reviewer", system_prompt="Look closely.", temperature=0.5)
        said = metier("chat", "hi", "--agent", "reviewer", timeout_s=60)
        assert (said.code, said.out) == (0, "done\n")
        (asked,) = server.posts
    assert asked.messages[0]["content"].endswith("Look closely.")
    assert asked.body["temperature"] == 0.5


def test_a_run_that_was_killed_goes_on_with_the_agent_that_it_began_with(metier: CommandLine) -> None:
    with provider(Reply(sse(chunk(content="so"), done=False), end="hangs"), says("whole")) as server:
        store_agent(metier.data, server, name="Reviewer", system_prompt="Look closely.", max_tokens=50, tools=("wait",))
        process = metier.start("chat", "go", "--agent", "Reviewer", "--events")
        assert process.stdout is not None
        while '"token"' not in process.stdout.readline():
            pass
        process.kill()
        process.communicate()
        change_agents(metier.data, server)
        resumed = metier("resume", timeout_s=60)
        assert (resumed.code, resumed.last["output"]) == (0, "whole")
    first, second = (one.body for one in server.posts)
    assert first == second
    assert (second["max_tokens"], [tool["function"]["name"] for tool in second["tools"]]) == (50, ["wait"])


def test_an_unknown_agent_is_not_found(metier: CommandLine) -> None:
    said = metier("chat", "hi", "--agent", "Nobody", timeout_s=60)
    error = json.loads(said.out)["error"]
    assert (said.code, error["code"], error["name"]) == (2, "not_found", "Nobody")


def test_an_offline_agent_goes_with_no_model(metier: CommandLine) -> None:
    said = metier("chat", "hi", "--agent", "offline", "--model", "m", timeout_s=60)
    assert (said.code, json.loads(said.out)["error"]["code"]) == (2, "usage")
