"""Commands of the system from the command line: rules that hold in the next process, and a kill while one runs."""

import json
import os
import signal
import subprocess

import pytest

from core.tools.builtin import run_command
from tests.e2e.test_consent import answer, asked, chat
from tests.support.command_line import CommandLine
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(not run_command.is_possible(), reason="there is no /bin/sh here")


def command(line: str) -> str:
    return f"/tool run_command {json.dumps({'command': line})}"


def test_a_rule_holds_in_the_next_process_and_for_nothing_else(metier: CommandLine) -> None:
    said = chat(metier, command("echo one"), mode="auto")
    (one,) = asked(said)
    assert one["options"]["command"]["prefix"] == ["echo", "one"]
    said = metier("answer", said.last["run_id"], answer("approve", value="prefix"))
    assert (said.code, '"output":"one\\n"' in said.last["output"]) == (0, True)
    said = chat(metier, command("echo one two"), mode="auto")
    assert (said.code, '"output":"one two\\n"' in said.last["output"]) == (0, True)
    for line in ("echo one; echo two", "echo two", "echo one > two"):
        assert chat(metier, command(line), mode="auto").code == 3


def test_a_command_ends_with_the_process_that_is_killed_and_its_outcome_is_asked_about(metier: CommandLine) -> None:
    effects, number = metier.data.parent / "effects.txt", f"5{os.getpid()}"
    line = f"setsid sleep {number} & echo one >> effects.txt; sleep {number}"
    run_id = chat(metier, command(line), mode="auto").last["run_id"]
    answering = metier.start("answer", run_id, answer("approve"))
    wait_until(effects.exists)
    os.kill(answering.pid, signal.SIGKILL)
    answering.communicate()
    wait_until(lambda: f"sleep {number}" not in subprocess.check_output(["ps", "-eo", "args"], text=True))
    said = metier("resume")
    assert [one["kind"] for one in asked(said)] == ["outcome"]
    metier("answer", run_id, answer("reject"))
    assert effects.read_text() == "one\n"
