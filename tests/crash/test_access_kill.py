"""kill -9 while a run asks for a folder, and between the answer and the call: it is asked once, and done once."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from core.app import Folders
from core.domain.events import AccessAllowed
from core.domain.ids import RunId
from core.domain.interruption import Action, Answer
from core.domain.progress import progress_of
from core.domain.run import RunStatus
from core.ports import FileRequest
from core.wiring import open_core
from tests.support.project import ROOT

RUN = RunId("run_asking")

PROGRAM = """
import asyncio, os, signal, sys
from core.app import Folders
from core.domain.events import AccessAllowed, EventsPersisted, InterruptionRaised
from core.domain.interruption import Action, Answer
from core.domain.run import RunKind
from core.domain.template import Template
from core.domain.workflow import Workflow
from core.engine.runs import engine
from core.engine.runs.start_request import StartRequest
from core.wiring import open_core
from tests.support.command_line import template
from tests.support.world import tool_step

async def no_file(wanted):
    return None

async def main():
    async with open_core(Folders.choose(sys.argv[1]), no_file) as core:
        last = {"asked": InterruptionRaised, "answered": AccessAllowed}[sys.argv[3]]
        asked = asyncio.Event()
        def on_kept(kept):
            facts = [event.fact for event in kept.events]
            if any(isinstance(fact, last) for fact in facts):
                os.kill(os.getpid(), signal.SIGKILL)
            if any(isinstance(fact, InterruptionRaised) for fact in facts):
                asked.set()
        core.bus.subscribe(EventsPersisted, on_kept)
        edit = {"path": sys.argv[2], "edits": [{"old": "a", "new": "aa"}]}
        now = core.clock.now()
        request = StartRequest(
            Workflow("wf_1", "W", "offline", now, now),
            Template.model_validate(template(tool_step("edit", "edit_file", **edit))),
            {},
            RunKind.WORKFLOW,
        )
        engine.new_id = lambda kind: "run_asking"
        await core.engine.start(request)
        await asked.wait()
        await core.engine.answer("run_asking", Answer(Action.APPROVE, "run"))
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.fixture
def file() -> Iterator[Path]:
    """A file of the disk: the folders of pytest may lie in /dev, which is never offered."""
    with TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "a.txt"
        path.write_text("a")
        yield path


async def _no_file(wanted: FileRequest) -> Path | None:
    return None


def _content(file: Path) -> str:
    return file.read_text()


@pytest.mark.async_timeout(60)
@pytest.mark.parametrize("moment", ["asked", "answered"])
async def test_a_folder_is_asked_for_once_whenever_the_process_dies(tmp_path: Path, file: Path, moment: str) -> None:
    died = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", PROGRAM, str(tmp_path), str(file), moment],
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL
    assert _content(file) == "a"
    async with open_core(Folders.choose(str(tmp_path)), _no_file) as core:
        await core.engine.recover()
        run = await core.engine.wait(RUN)
        if moment == "asked":
            assert run.status is RunStatus.WAITING
            await core.engine.answer(RUN, Answer(Action.APPROVE, "run"))
            run = await core.engine.wait(RUN)
        assert (run.status, run.error, _content(file)) == (RunStatus.SUCCESS, None, "aa")
        events = await core.storage.events.of_run(RUN)
        assert len(progress_of(RUN, events).interruptions) == 1
        assert [event.fact.place for event in events if isinstance(event.fact, AccessAllowed)] == [str(file.parent)]
