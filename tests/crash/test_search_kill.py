"""kill -9 between what the store keeps and what the index knows: the next start brings them together."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.app import Folders
from core.services.outcome import Ok
from core.wiring import open_core
from tests.support.project import ROOT

PROGRAM = """
import asyncio, os, signal, sys
from core.bus import WorkflowDeleted
from core.domain.events import EventsPersisted, RunFinished
from core.services.outcome import Ok
from core.app import Folders
from core.wiring import open_core

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with open_core(Folders.choose(sys.argv[1])) as core:
        core.search.start()
        first = await core.chat.send("the first needle")
        await core.engine.wait(first.data.id)
        while not [g for g in (await core.search.find("first")).data.groups for h in g.hits if h.message_id]:
            await asyncio.sleep(0.01)
        def on_kept(kept):
            if any(isinstance(event.fact, RunFinished) for event in kept.events):
                die()
        if sys.argv[2] == "write":
            core.bus.subscribe(EventsPersisted, on_kept)
            await core.chat.send("the second needle")
            await asyncio.sleep(60)
        # the store forgets the workflow, and the process dies before any observer sees it
        await core.storage.delete_workflow(first.data.workflow_id)
        die()

asyncio.run(main())
"""


@pytest.mark.async_timeout(60)
@pytest.mark.parametrize(("moment", "found"), [("write", 2), ("delete", 0)])
async def test_the_index_is_right_after_a_kill(tmp_path: Path, moment: str, found: int) -> None:
    died = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", PROGRAM, str(tmp_path), moment], cwd=ROOT, timeout=60, check=False
    )
    assert died.returncode == -signal.SIGKILL
    async with open_core(Folders.choose(str(tmp_path))) as core:
        core.search.start()
        async with asyncio.timeout(20):
            count = -1
            while count != found:
                await asyncio.sleep(0.02)
                answer = await core.search.find("needle")
                count = len(answer.data.groups) if isinstance(answer, Ok) else -1
