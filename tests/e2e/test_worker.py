"""`python -m core worker`: goes on with what is unfinished, until it is stopped."""

import argparse
import asyncio
from pathlib import Path

import pytest

from core.app import Folders
from core.cli import runs
from core.domain.run import RunStatus
from core.domain.template import Template
from core.ports import ResolvedTemplate
from core.services.outcome import unwrap
from core.wiring import open_core
from tests.support.command_line import template
from tests.support.waiting import until


@pytest.mark.async_timeout(120)
async def test_a_worker_goes_on_with_what_is_unfinished_and_leaves_the_rest_when_it_is_stopped(tmp_path: Path) -> None:
    data = tmp_path / "data"
    folders = Folders(data / "store", data / "logs", data / "keys.json")
    note = tmp_path / "note.txt"
    async with open_core(folders) as core:
        for seconds in (0.2, 60):
            steps = [
                {"name": "w", "action": {"toolName": "wait"}, "input": {"seconds": seconds}},
                {
                    "name": "n",
                    "action": {"toolName": "write_file"},
                    "input": {"path": str(note), "content": "done"},
                    "dependsOn": ["w"],
                },
            ]
            found = ResolvedTemplate(Template.model_validate(template(*steps, title=str(seconds))))
            unwrap(await core.runs.start(found, {}, allow=[str(tmp_path)]))
    assert not note.exists()
    working = asyncio.create_task(runs.worker.execute(argparse.Namespace(), folders))
    await until(lambda: note.exists() or working.done())
    working.cancel()
    assert await working == 0
    assert note.read_text() == "done"
    async with open_core(folders) as core:
        found_runs = {run.title: run.status for run in await core.storage.runs.page()}
        assert found_runs["60"] is RunStatus.ENQUEUED
