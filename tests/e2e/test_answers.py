"""`answer`, `fork` and runs that wait, from the command line."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, write_template

GATE = {"name": "gate", "action": {"set": True}, "input": {"n": "@input.n"}, "interrupt": {"kind": "approval"}}
AFTER = {"name": "after", "action": {"set": True}, "input": "@gate.n"}


def answer(action: str, **more: object) -> str:
    return json.dumps({"action": action, **more})


def test_a_run_waits_is_answered_and_ends(metier: CommandLine, tmp_path: Path) -> None:
    file = write_template(tmp_path / "t.json", GATE, AFTER)
    said = metier("run", file, "--input", '{"n": 3}')
    assert (said.code, said.last["status"]) == (3, "waiting")
    run_id = said.last["run_id"]
    (one,) = said.last["interruptions"]
    assert (one["step"], one["kind"], one["status"], one["run_id"]) == ("gate", "approval", "awaiting-approval", run_id)
    assert metier("list", "--status", "waiting").last["run_id"] == run_id
    said = metier("resume")
    assert (said.code, said.last["status"]) == (3, "waiting")
    said = metier("answer", run_id, "--step", "gate", answer("approve", value="once"))
    assert (said.code, said.last["output"]) == (0, 3)
    said = metier("answer", run_id, answer("approve"))
    assert (said.code, said.last["error"]["code"]) == (2, "nothing_open")


def test_several_open_are_listed_and_named_by_id(metier: CommandLine, tmp_path: Path) -> None:
    file = write_template(tmp_path / "t.json", GATE, {**GATE, "name": "other"})
    first = metier("run", file, "--input", '{"n": 3}').last
    run_id = first["run_id"]
    said = metier("answer", run_id, answer("approve"))
    assert (said.code, said.last["error"]["code"]) == (2, "which_interruption")
    assert [one["step"] for one in said.last["error"]["open"]] == ["gate", "other"]
    said = metier("answer", run_id, "--id", said.last["error"]["open"][1]["id"], answer("reject", reason="no"))
    assert (said.code, said.last["error"]["code"]) == (1, "rejected")
    assert "no" in said.last["error"]["message"]


@pytest.mark.parametrize("text", ["", "[]", '{"action": "shrug"}', '{"action": "approve", "why": 1}', "approve"])
def test_what_is_no_answer_is_refused(metier: CommandLine, text: str) -> None:
    said = metier("answer", "run_x", text)
    assert (said.code, said.last["error"]["code"]) == (2, "bad_answer")


def test_a_run_is_forked_from_a_step_and_has_a_time_limit(metier: CommandLine, tmp_path: Path) -> None:
    wait = {"name": "w", "action": {"toolName": "wait"}, "input": {"seconds": "@input.s"}}
    file = write_template(tmp_path / "t.json", {"name": "a", "action": {"set": True}, "input": 1}, wait)
    for limit_s in ("0.3", "1", "3", "9"):  # at a busy moment the time may be up before `a` is over
        said = metier("run", file, "--input", '{"s": 30}', "--timeout", limit_s)
        assert (said.code, said.last["error"]["code"]) == (1, "deadline_exceeded")
        if said.last["steps"]["a"]["status"] == "completed":
            break
    said = metier("fork", said.last["run_id"], "w", "--input", '{"s": 0}')
    assert (said.code, said.last["status"], said.last["execution_order"]) == (0, "success", ["w"])
