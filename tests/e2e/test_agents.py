"""`chat --agent`: a stored agent answers, after a crash too."""

import asyncio
import json
from pathlib import Path
from typing import Any

from core.domain.model import ModelChoice
from core.services.outcome import Ok
from core.wiring import Folders, open_core
from tests.support.command_line import CommandLine
from tests.support.provider import Provider, provider, says


def store_agent(data: Path, server: Provider, **fields: Any) -> None:
    async def store() -> None:
        async with open_core(Folders.choose(str(data))) as core:
            model = ModelChoice(base_url=server.url, model="m")
            assert isinstance(await core.agents.put(model=model, **fields), Ok)

    asyncio.run(store())


def test_a_stored_agent_answers_by_its_name(metier: CommandLine) -> None:
    with provider(says("done")) as server:
        store_agent(metier.data, server, name="Reviewer", system_prompt="Look closely.", temperature=0.5)
        said = metier("chat", "hi", "--agent", "reviewer", timeout_s=60)
        assert (said.code, said.out) == (0, "done\n")
        (asked,) = server.posts
    assert asked.messages[0]["content"].endswith("Look closely.")
    assert asked.body["temperature"] == 0.5


def test_an_unknown_agent_is_not_found(metier: CommandLine) -> None:
    said = metier("chat", "hi", "--agent", "Nobody", timeout_s=60)
    error = json.loads(said.out)["error"]
    assert (said.code, error["code"], error["name"]) == (2, "not_found", "Nobody")


def test_an_offline_agent_goes_with_no_model(metier: CommandLine) -> None:
    said = metier("chat", "hi", "--agent", "offline", "--model", "m", timeout_s=60)
    assert (said.code, json.loads(said.out)["error"]["code"]) == (2, "usage")
