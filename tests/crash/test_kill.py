"""kill -9 in the middle of effects, then `resume`: nothing happens twice, and nothing unknown is passed over."""

import json
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CommandLine, write_template

KILLS = 20
SEED = 1


def appending(tmp_path: Path) -> str:
    """Ten lines appended to a file, one after the other, with a wait before each."""
    steps: list[dict[str, Any]] = []
    for number in range(10):
        before = [f"write{number - 1}"] if number else []
        pause = {"action": {"toolName": "wait"}, "input": {"seconds": 0.03}}
        wait = {"name": f"wait{number}", **pause, "dependsOn": before}
        arguments = {"path": "log.txt", "content": f"{number}\n", "append": True}
        write = {
            "name": f"write{number}",
            "action": {"toolName": "write_file"},
            "input": arguments,
            "dependsOn": [f"wait{number}"],
        }
        steps += [wait, write]
    return write_template(tmp_path / "appending.json", *steps)


@pytest.mark.async_timeout(300)
def test_after_a_kill_each_line_is_there_once_or_one_step_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dice, tally = random.Random(SEED), Counter[str]()
    file = appending(tmp_path)
    for number in range(KILLS):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        tally[kill_once(CommandLine(folder / "data"), file, folder, dice.uniform(0, 0.5))] += 1
    with capsys.disabled():
        sys.stdout.write(f"\nkill -9 at {KILLS} random moments, seed {SEED}: {dict(tally)}\n")
    assert set(tally) <= {"completed", "completed before the kill", "outcome unknown, step named"}
    assert tally["completed"] > 0


def kill_once(metier: CommandLine, file: str, folder: Path, delay_s: float) -> str:
    """Start, wait for the first step and then `delay_s`, kill, resume; say how it ended."""
    process = metier.start("run", file, "--events", "--allow", str(folder))
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["type"] == "step_started":
            break
    time.sleep(delay_s)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=20)
    resumed = metier("resume")
    written = (folder / "log.txt").read_text().splitlines() if (folder / "log.txt").exists() else []
    assert len(set(written)) == len(written), written
    if not resumed.lines:
        assert written == [str(n) for n in range(10)]
        return "completed before the kill"
    if resumed.last["status"] == "success":
        assert resumed.code == 0
        assert written == [str(n) for n in range(10)]
        return "completed"
    assert resumed.code == 1
    assert resumed.last["error"]["code"] == "outcome_unknown"
    named = resumed.last["error"]["failed_step"]
    assert named == f"write{len(written)}" or named == f"write{len(written) - 1}"
    assert metier("resume").lines == []
    return "outcome unknown, step named"
