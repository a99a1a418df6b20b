"""kill -9 of the window while three workflows stream: what was seen is there, and what runs goes on."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="the window needs Qt")

from core.domain.events import TokenReceived
from core.domain.messages import MessageState
from core.domain.run import RunKind
from core.persistence.folder import LOG
from core.persistence.surreal import SurrealStorage
from tests.support.command_line import CommandLine
from tests.support.waiting import wait_until

DONE = '"step_finished"'
"""What the chat says after more than a hundred characters."""


def window(metier: CommandLine, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "desktop", *arguments],
        env=metier.environment(QT_QPA_PLATFORM="offscreen"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_writes(store: Path, counts: dict[str, int]) -> None:
    """Come back when the store's log, where texts stand as they are, has each of these so often."""

    def are_written() -> bool:
        try:
            log = b"".join(segment.read_bytes() for segment in (store / LOG).glob("*"))
        except FileNotFoundError:  # another took its place in this moment
            return False
        return all(log.count(text.encode()) >= count for text, count in counts.items())

    wait_until(are_written, 100)


@pytest.mark.async_timeout(300)
async def test_a_killed_window_loses_at_most_a_second_of_what_was_seen(tmp_path: Path) -> None:
    metier, store = CommandLine(tmp_path / "data"), tmp_path / "data" / "store"
    killed = window(metier, "--demo")
    wait_for_writes(store, {'"run_created"': 3, DONE: 2})
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=20)
    before = {line["run_id"]: line for line in metier("list").lines}
    assert len(before) == 3
    running = [line for line in before.values() if line["status"] == "running"]
    assert running, "the demo had ended before the kill"

    statuses = [line["status"] for line in before.values()]
    again = window(metier)
    left = {'"run_finished"': 1 - statuses.count("success"), '"interruption_raised"': 2 - statuses.count("waiting")}
    wait_for_writes(store, left)
    again.send_signal(signal.SIGTERM)
    _, err = again.communicate(timeout=60)
    assert again.returncode == 0, err
    assert "Traceback (most recent call last)" not in err
    after = sorted(line["status"] for line in metier("list").lines)
    assert after == ["success", "waiting", "waiting"]  # for an approval, and for an answer

    storage = await SurrealStorage.open(store)
    try:
        ids = [run.workflow_id for run in await storage.runs.page() if run.kind is RunKind.CHAT]
        said = [await storage.messages.of_workflow(workflow_id) for workflow_id in ids]
        (asking,) = [messages for messages in said if "picture frames" in messages[-1].text]
        for cut_off in asking:
            assert cut_off.state is not MessageState.INTERRUPTED or asking[-1].text.startswith(cut_off.text)
        (chat,) = [run for run in await storage.runs.page() if run.message_id == asking[-1].id]
        assert not any(isinstance(event.fact, TokenReceived) for event in await storage.events.of_run(chat.id))
    finally:
        await storage.close()
