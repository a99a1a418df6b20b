"""kill -9 while messages wait and are said one by one: after it each is said, and none is said twice."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from core.domain.messages import Role
from core.persistence.surreal import SurrealStorage
from core.services.outcome import Ok
from core.wiring import run_core
from tests.support.project import ROOT

TEXTS = [f"say {number} words" for number in range(1, 9)]
LIFE = """
import asyncio, sys
from pathlib import Path
from core.persistence.surreal import SurrealStorage
from core.wiring import run_core

async def live(path, texts):
    storage = await SurrealStorage.open(path)
    async with run_core(storage) as core:
        await core.queue.start()
        run = (await core.chat.send("say 1 words")).data
        await asyncio.gather(*(core.queue.add(run.workflow_id, text) for text in texts))
        while len(await storage.queued_messages.all()) > len(texts) - 2:
            await asyncio.sleep(0.01)
        print("some are said", flush=True)
        await asyncio.sleep(60)

asyncio.run(live(Path(sys.argv[1]), sys.argv[2:]))
"""


def live_and_be_killed(path: Path) -> None:
    """When two of the messages are said."""
    life = subprocess.Popen(
        [sys.executable, "-P", "-c", LIFE, str(path), *TEXTS],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert life.stdout is not None
    assert life.stdout.readline() == b"some are said\n"
    life.send_signal(signal.SIGKILL)
    life.communicate(timeout=20)


async def test_after_a_kill_every_message_that_waited_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    await asyncio.to_thread(live_and_be_killed, path)
    storage = await SurrealStorage.open(path)
    try:
        left = await storage.queued_messages.all()
        (workflow,) = await storage.workflows.all()
        async with run_core(storage) as core:
            assert isinstance(await core.runs.recover(), Ok)
            assert isinstance(await core.queue.start(), Ok)
            async with asyncio.timeout(20):
                while await storage.queued_messages.all():  # noqa: ASYNC110  # the store emits nothing
                    await asyncio.sleep(0.02)
        messages = await storage.messages.of_workflow(workflow.id)
        said = [message.text for message in messages if message.role is Role.USER]
        assert said == ["say 1 words", *TEXTS]
        assert len(left) < len(TEXTS)
    finally:
        await storage.close()
