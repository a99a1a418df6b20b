"""Consent and questions from the command line: exit 3, an answer, and on; a kill in between loses nothing."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CommandLine, Said, write_template
from tests.support.waiting import wait_until

CALCULATE = '/tool calculator {"expression": "6 * 7"}'


def answer(action: str, **more: object) -> str:
    return json.dumps({"action": action, **more})


def asked(said: Said) -> list[dict[str, Any]]:
    """What the run waits for, by its last line on stdout."""
    assert (said.code, said.last["status"]) == (3, "waiting"), said.err
    return [one for one in said.last["interruptions"] if one["status"].startswith("awaiting")]


def chat(metier: CommandLine, text: str, *options: str, mode: str = "manual") -> Said:
    return metier("chat", text, "--events", "--mode", mode, "--allow", ".", *options)


def test_a_call_that_needs_consent_makes_the_chat_wait(metier: CommandLine) -> None:
    said = chat(metier, CALCULATE)
    (one,) = asked(said)
    assert (one["kind"], one["status"], one["tool"]) == ("tool-approval", "awaiting-approval", "calculator")
    assert (one["arguments"], one["risk"], one["step"]) == ({"expression": "6 * 7"}, "low", "answer")
    assert said.last["tool_calls"] == []
    run_id = said.last["run_id"]
    assert metier("list", "--status", "waiting").last["run_id"] == run_id
    assert asked(metier("resume"))[0]["id"] == one["id"]
    said = metier("answer", run_id, "--id", one["id"], answer("approve"))
    assert (said.code, said.last["status"]) == (0, "success")
    assert "42" in said.last["output"]
    said = metier("answer", run_id, "--id", one["id"], answer("approve"))
    assert (said.code, said.last["error"]["code"]) == (2, "nothing_open")


def test_a_rejection_is_read_by_the_agent_and_other_arguments_are_taken(metier: CommandLine) -> None:
    said = chat(metier, f"{CALCULATE}\n{CALCULATE}")
    run_id, (first, second) = said.last["run_id"], asked(said)
    said = metier("answer", run_id, answer("approve"))
    assert (said.code, said.last["error"]["code"]) == (2, "which_interruption")
    said = metier("answer", run_id, "--id", first["id"], answer("reject", reason="too dear"))
    assert [one["id"] for one in asked(said)] == [second["id"]]
    said = metier("answer", run_id, answer("submit", value={"expression": 5}))
    assert (said.code, said.last["error"]["code"]) == (2, "bad_answer")
    assert said.last["error"]["violations"][0]["path"] == "/expression"
    said = metier("answer", run_id, answer("submit", value={"expression": "1 + 1"}))
    assert (said.code, said.last["status"]) == (0, "success")
    assert "too dear" in said.last["output"]
    assert [call["args"] for call in said.last["tool_calls"]] == [{"expression": "6 * 7"}, {"expression": "1 + 1"}]


def test_an_approval_for_the_run_and_an_approval_for_ever(metier: CommandLine) -> None:
    said = chat(metier, f'{CALCULATE}\n\n{CALCULATE}\n\n/tool wait {{"seconds": 0}}')
    said = metier("answer", said.last["run_id"], answer("approve", value="run"))
    assert [one["tool"] for one in asked(said)] == ["wait"]
    said = metier("answer", said.last["run_id"], answer("approve", value="always"))
    assert said.code == 0
    assert chat(metier, '/tool wait {"seconds": 0}').code == 0
    assert chat(metier, CALCULATE).code == 3


def test_the_mode_of_the_command_line_is_auto_and_that_of_a_template_is_its_own(
    metier: CommandLine, tmp_path: Path
) -> None:
    step = {"name": "a", "action": {"toolName": "calculator"}, "input": {"expression": "1"}}
    assert chat(metier, CALCULATE, mode="auto").code == 0
    assert chat(metier, CALCULATE, mode="selective").code == 0
    assert metier("run", write_template(tmp_path / "auto.json", step)).code == 0
    manual = write_template(tmp_path / "manual.json", step, mode="manual")
    said = metier("run", manual)
    assert [one["tool"] for one in asked(said)] == ["calculator"]
    said = metier("answer", said.last["run_id"], answer("reject", reason="no"))
    assert (said.code, said.last["error"]["code"], said.last["error"]["failed_step"]) == (1, "rejected", "a")
    assert metier("run", manual, "--mode", "auto").code == 0
    assert metier("run", write_template(tmp_path / "t.json", step), "--mode", "manual").code == 3


def test_a_question_is_answered_and_skipped(metier: CommandLine) -> None:
    said = chat(metier, "ask Which colour? [red, blue]\nask Why?", mode="auto")
    run_id, (first, second) = said.last["run_id"], asked(said)
    assert (first["kind"], first["prompt"]) == ("question", "Which colour?")
    assert first["options"] == [{"label": "red", "id": "red"}, {"label": "blue", "id": "blue"}]
    said = metier("answer", run_id, "--id", first["id"], answer("submit", value={"options": ["green"]}))
    assert (said.code, said.last["error"]["code"]) == (2, "bad_answer")
    metier("answer", run_id, "--id", first["id"], answer("submit", value={"options": ["red"], "text": ""}))
    said = metier("answer", run_id, "--id", second["id"], answer("skip"))
    assert (said.code, "You answered: red" in said.last["output"]) == (0, True)
    assert '"skipped":true' in said.last["output"]


def test_a_script_asks(metier: CommandLine, tmp_path: Path) -> None:
    script = tmp_path / "s.jsonl"
    script.write_text('{"ask": "Name?"}\n{"say": "Hello."}\n')
    said = chat(metier, "go", "--script", str(script), mode="auto")
    (one,) = asked(said)
    assert (one["kind"], one["prompt"]) == ("question", "Name?")
    said = metier("answer", said.last["run_id"], answer("submit", value={"text": "Ann"}))
    assert (said.code, said.last["output"]) == (0, "Hello.")


def test_secrets_are_in_no_line_but_the_users_own_message(metier: CommandLine, tmp_path: Path) -> None:
    script, secret = tmp_path / "s.jsonl", "sk-test-1234567890abcdef"
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": f"key {secret}"}}
    script.write_text(json.dumps(call) + '\n{"say": "Done."}\n')
    said = chat(metier, "go", "--script", str(script))
    assert secret not in said.out
    run_id = said.last["run_id"]
    said = metier("answer", run_id, answer("approve"))
    # the process that had the secret is gone, so the agent is told that it has to give it again
    assert (said.code, said.last["tool_calls"][0]["error"]["code"]) == (0, "invalid_arguments")
    assert secret not in said.out + metier("show", run_id).out + metier("events", run_id).out
    logs = [path.read_text("utf-8") for path in metier.data.rglob("*.log")]
    assert secret not in "".join(logs)


WAIT = {"seconds": 5}
WRITE = {"path": "effects.txt", "content": "one\n", "append": True}


@pytest.mark.parametrize("kind", ["chat", "run"])
def test_a_kill_before_and_after_the_answer_loses_nothing_and_repeats_nothing(
    metier: CommandLine, tmp_path: Path, kind: str
) -> None:
    effects = metier.data.parent / "effects.txt"
    steps = [
        {"name": "w", "action": {"toolName": "write_file"}, "input": WRITE},
        {"name": "h", "action": {"toolName": "wait"}, "input": WAIT},
    ]
    begun = {
        "chat": ["chat", f"/tool write_file {json.dumps(WRITE)}\n\n/tool wait {json.dumps(WAIT)}"],
        "run": ["run", write_template(tmp_path / "t.json", *steps)],
    }[kind]
    process = metier.start(*begun, "--events", "--mode", "selective", "--allow", ".")
    raised = _until(process, "interruption_raised")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    run_id = raised["run_id"]
    (one,) = metier("show", run_id).last["interruptions"]
    assert (one["id"], one["kind"], one["status"]) == (raised["id"], "tool-approval", "awaiting-approval")
    assert not effects.exists()
    answering = metier.start("answer", run_id, answer("approve"))
    wait_until(effects.exists)
    os.kill(answering.pid, signal.SIGKILL)
    answering.communicate()
    assert [one["status"] for one in metier("show", run_id).last["interruptions"]] == ["approved"]
    said = metier("resume")
    if said.code == 3:  # it died before the result was on disk: nobody knows whether the line was written
        assert [one["kind"] for one in asked(said)] == ["outcome"]
        said = metier("answer", run_id, answer("submit", value={"path": "effects.txt", "bytes": 4}))
    assert (said.code, said.last["status"]) == (0, "success")
    assert effects.read_text() == "one\n"
    assert [one["kind"] for one in said.last["interruptions"]].count("tool-approval") == 1


def _until(process: Any, kind: str) -> dict[str, Any]:
    """The first event of that kind."""
    for line in process.stdout:
        event: dict[str, Any] = json.loads(line)
        if event["type"] == kind:
            return event
    raise AssertionError(process.stderr.read())
