"""Bad input gets a clear error with a code and loses nothing."""

import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CommandLine, template, write_template

SET = {"name": "a", "action": {"set": True}}


def code_step(code: str) -> dict[str, Any]:
    return {"name": "code", "action": {"code": code}}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[1, 2]", "not_a_template"),
        (json.dumps(template(SET))[:-5], "not_json"),
        ('{"title": "' + "x" * 10_000_000 + '"}', "too_large"),
        (json.dumps(template({**SET, "input": "@b"}, {**SET, "name": "b", "input": "@a"})), "cycle"),
        (json.dumps(template({**SET, "input": "@nobody"})), "unknown_ref"),
        (json.dumps(template(SET, SET)), "duplicate_step"),
        (json.dumps(template(code_step("export default function (input: number { return 1 }"))), "typescript_error"),
    ],
    ids=["no template", "half a file", "10 MB", "cycle", "unknown ref", "duplicate", "TypeScript"],
)
def test_a_template_that_cannot_run_is_refused_with_its_problems(
    metier: CommandLine, tmp_path: Path, text: str, code: str
) -> None:
    (tmp_path / "t.json").write_text(text, "utf-8")
    for command in ("run", "validate"):
        said = metier(command, str(tmp_path / "t.json"))
        assert said.code == 2
        assert code in [problem["code"] for problem in said.last["problems"]]
    assert metier("list").lines == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["run", "no such template"], "not_found"),
        (["show", "run_nobody"], "not_found"),
        (["events", "run_nobody"], "not_found"),
        (["cancel", "run_nobody"], "not_found"),
        (["chat", "hi", "--workflow", "wf_nobody"], "not_found"),
        (["chat", "hi", "--agent", "nobody"], "not_found"),
        (["chat", "   "], "bad_input"),
        (["run", "Ask around"], "bad_input"),
        (["run", "Ask around", "--input", "[]"], "bad_input"),
        (["run", "Ask around", "--input", "{"], "bad_input"),
        (["run", "Ask around", "--input", "@nowhere.json"], "bad_input"),
        (["run", "Ask around", "--input", '{"question": "help", "x": 1e999}'], "bad_input"),
        (["run", "Ask around", "--input", '{"question": 3}'], "bad_input"),
        (["run", "Folder report", "--allow", "/nowhere/at/all"], "bad_input"),
        (["validate", "nowhere.json"], "bad_input"),
        (["chat", "hi", "--script", "nowhere.jsonl"], "bad_input"),
        (["run", "Ask around", "--input", '{"question": "x"}', "--preset", "nothing=1"], "not_found"),
        (["run", "Ask around", "--preset", "a={"], "bad_preset"),
        (["run", "Ask around", "--allow", "http://127.0.0.1:8000/path"], "bad_input"),
        (["chat", "hi", "--input", "{}"], "usage"),
        (["chat", "hi", "--record", "--input", "[]"], "bad_input"),
        (["record", "run_none", "--accept", "all"], "not_found"),
        (["chat", "hi", "--base-url", "http://127.0.0.1:99999", "--model", "m"], "bad_input"),
        (["chat", "hi", "--model", "m"], "bad_input"),
        (["fly"], "usage"),
        (["list", "--limit", "0"], "usage"),
        (["list", "--status", "odd"], "usage"),
        ([], "usage"),
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2_a_code_and_no_run(metier: CommandLine, arguments: list[str], code: str) -> None:
    said = metier(*arguments)
    assert said.code == 2, said.out
    assert said.last["error"]["code"] == code
    assert said.last["error"]["message"]
    assert metier("list").lines == []


def test_a_folder_that_does_not_exist_fails_the_step_that_needs_it(metier: CommandLine, tmp_path: Path) -> None:
    said = metier("run", "Folder report", "--input", '{"folder": "gone"}', "--allow", str(tmp_path))
    assert said.code == 1
    assert said.last["error"]["code"] == "not_found"
    assert said.last["error"]["failed_step"] == "list"
    assert "gone" in said.last["error"]["message"]


def test_a_folder_that_is_not_allowed_is_not_read(metier: CommandLine, tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    said = metier("run", "Folder report", "--input", json.dumps({"folder": "/"}), "--allow", str(allowed))
    assert said.code == 1
    assert said.last["error"]["code"] == "not_allowed"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("export default () => { throw new TypeError('bad luck') }", "code_error"),
        ("export default () => { const a = []; for (;;) a.push(new Array(10000).fill(1)) }", "out_of_memory"),
        ("export default () => { const a = {}; a.a = a; return a }", "not_json"),
        ("export default () => 10n", "not_json"),
        ("export default () => 'x'.repeat(2e6)", "output_too_large"),
        ("export const x = 1", "no_default_export"),
    ],
)
def test_code_that_goes_wrong_is_an_error_of_its_step(
    metier: CommandLine, tmp_path: Path, code: str, expected: str
) -> None:
    said = metier("run", write_template(tmp_path / "t.json", code_step(code)))
    assert said.code == 1
    assert said.last["error"]["code"] == expected
    assert said.last["error"]["failed_step"] == "code"
    assert said.last["error"]["failed_during"] == "code"


def test_an_endless_loop_ends_at_its_limit(metier: CommandLine, tmp_path: Path) -> None:
    said = metier("run", write_template(tmp_path / "t.json", code_step("export default () => { for (;;); }")))
    assert said.code == 1
    assert said.last["error"]["code"] == "timeout"


def test_a_tool_that_is_not_there_is_a_warning_and_then_an_error(metier: CommandLine, tmp_path: Path) -> None:
    file = write_template(tmp_path / "t.json", {"name": "t", "action": {"toolName": "no_such_tool"}})
    assert [problem["code"] for problem in metier("validate", file).last["problems"]] == ["unknown_tool"]
    said = metier("run", file)
    assert said.code == 1
    assert said.last["error"]["code"] == "not_registered"


def test_a_call_that_needs_consent_waits_and_is_not_made(metier: CommandLine, tmp_path: Path) -> None:
    write = {"name": "w", "action": {"toolName": "write_file"}, "input": {"path": "x", "content": "x"}}
    said = metier("run", write_template(tmp_path / "t.json", write, mode="manual"), "--allow", str(tmp_path))
    assert (said.code, said.last["status"]) == (3, "waiting")
    assert said.last["interruptions"][0]["kind"] == "tool-approval"
    assert not (tmp_path / "x").exists()


def waiting(metier: CommandLine, tmp_path: Path, *arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """A run that waits for 30 s, begun."""
    wait = {"name": "w", "action": {"toolName": "wait"}, "input": {"seconds": 30}}
    process = metier.start(
        "run", write_template(tmp_path / "wait.json", wait), "--events", "--allow", str(tmp_path), *arguments, **options
    )
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["type"] == "step_started":
            return process
    raise AssertionError(process.communicate())


def test_a_second_process_on_the_same_data_fails_with_that_reason(metier: CommandLine, tmp_path: Path) -> None:
    with waiting(metier, tmp_path) as first:
        said = metier("list")
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=20)
    assert said.code == 4
    assert said.last["error"]["code"] == "in_use"
    assert metier("list").code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_the_run_within_a_second(metier: CommandLine, tmp_path: Path, number: signal.Signals) -> None:
    with waiting(metier, tmp_path) as process:
        began = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 5
    assert process.returncode == 130, err
    line = json.loads(out.splitlines()[-1])
    assert line["status"] == "cancelled"
    assert line["steps"]["w"]["status"] == "cancelled"
    assert metier("resume").lines == []


@pytest.mark.parametrize("delay_s", [0.2, 0.35, 0.5, 0.7, 1.0, 1.5])
def test_ctrl_c_while_the_app_starts_leaves_no_traceback(metier: CommandLine, tmp_path: Path, delay_s: float) -> None:
    wait = {"name": "w", "action": {"toolName": "wait"}, "input": {"seconds": 30}}
    process = metier.start("run", write_template(tmp_path / "wait.json", wait))
    time.sleep(delay_s)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    if "core" in err or process.returncode != 1:  # else Python itself was still starting
        assert process.returncode in (130, -signal.SIGINT)
        assert "Traceback" not in out + err
    assert metier("list").code == 0


def test_a_data_folder_that_cannot_be_written_ends_with_4(metier: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    said = metier("list", "--data", str(tmp_path / "file" / "below"))
    assert said.code == 4
    assert said.last["error"]["code"] == "storage_not_writable"


def test_a_reader_that_goes_away_does_not_stop_the_work(metier: CommandLine, tmp_path: Path) -> None:
    steps = [{**SET, "name": f"s{n}", "input": "x" * 5000, "dependsOn": [f"s{n - 1}"] if n else []} for n in range(50)]
    command = metier.command("run", write_template(tmp_path / "t.json", *steps), "--events")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=metier.environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
    assert process.returncode == 0
    assert [line["status"] for line in metier("list").lines] == ["success"]


def test_a_full_disk_pauses_the_run_and_loses_nothing(metier: CommandLine, tmp_path: Path) -> None:
    steps = [
        {"name": f"s{n}", "action": {"set": True}, "input": "@input.text", "dependsOn": [f"s{n - 1}"] if n else []}
        for n in range(40)
    ]
    file = write_template(tmp_path / "t.json", *steps)
    (tmp_path / "input.json").write_text(json.dumps({"text": "y" * 100_000}))
    assert metier("list").code == 0
    process = metier.start(
        "run",
        file,
        "--input",
        "@input.json",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000)),
    )
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4, (out, err)
    assert "Traceback" not in out + err
    line = json.loads(out.splitlines()[-1])
    assert line["error"]["code"] == "storage_full"
    resumed = metier("resume")
    assert resumed.code == 0, resumed.out
    assert resumed.last["status"] == "success"
    assert all(step["status"] == "completed" for step in resumed.last["steps"].values())


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_a_folder_that_may_not_be_read_is_refused(metier: CommandLine, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    said = metier("run", "Folder report", "--input", json.dumps({"folder": str(closed)}), "--allow", str(closed))
    assert said.code == 2
    assert said.last["error"]["code"] == "bad_input"
