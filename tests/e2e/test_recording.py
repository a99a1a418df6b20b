"""Recording from the command line: `chat --record`, `record`, and `run` of what comes of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CommandLine, Said

SIX_CALLS = [
    {"call": "calculator", "arguments": {"expression": "1200 * 7"}},
    {"call": "run_code", "arguments": {"code": "export default (i) => ({id: `order-${i.n}`})", "input": {"n": 8400}}},
    {"call": "run_code", "arguments": {"code": "export default (i) => i.length", "input": "8400"}},
    {"call": "write_file", "arguments": {"path": "@input.file", "content": "order-8400"}},
    {"call": "read_file", "arguments": {"path": "missing.txt"}},
    {"call": "read_file", "arguments": {"path": "@input.file"}},
    {"say": "done"},
]


@pytest.fixture
def metier(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "data")


def record(metier: CommandLine, lines: list[Any], *more: str, text: str = "go") -> Any:
    script = metier.data.parent / "script.jsonl"
    script.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    said = metier("chat", text, "--record", "--script", str(script), "--allow", ".", *more)
    assert said.code == 0, said
    return json.loads(said.err.splitlines()[-1])


def error_of(said: Said) -> str:
    assert said.code == 2, said
    return str(said.last["error"]["code"])


def test_a_recorded_chat_becomes_a_template_that_runs_with_other_input(metier: CommandLine) -> None:
    folder = metier.data.parent
    run_id = record(metier, SIX_CALLS, "--input", '{"file": "one.txt"}')["recording_id"]
    listed = {line["run_id"]: line for line in metier("list").lines}
    assert (listed[run_id]["kind"], listed[run_id]["status"]) == ("recording", "running")
    offers = metier("record", run_id)
    assert offers.code == 0
    assert {line["path"]: (line["ref"], line["value"], line["source"]) for line in offers.lines} == {
        "/run_code_1/input/n": ("@calculator_1.result", 8400, "@calculator_1.result"),
        "/write_file_1/content": ("@run_code_1.output.id", "order-8400", "@run_code_1.output.id"),
    }
    assert error_of(metier("record", run_id, "--accept", "all", "-o", "no/such/folder.json")) == "bad_input"
    sealed = metier("record", run_id, "--accept", "all", "-o", "made.json")
    assert sealed.code == 0, sealed
    assert sealed.last["left_out"] == [{"step": "read_file_1", "reason": "failed"}]
    assert metier("validate", "made.json").last == {"problems": []}
    assert error_of(metier("record", run_id, "--accept", "all")) == "already_sealed"
    ran = metier("run", "made.json", "--input", '{"file": "two.txt"}', "--allow", ".")
    assert (ran.code, ran.last["output"]["text"]) == (0, "order-8400"), ran
    assert (folder / "two.txt").read_text() == "order-8400"
    types = [line["type"] for line in metier("events", run_id).lines]
    assert types.count("step_recorded") == 6
    assert types[-2:] == ["recording_sealed", "run_finished"]


def test_a_recording_goes_on_in_its_conversation(metier: CommandLine) -> None:
    first = record(metier, [{"call": "calculator", "arguments": {"expression": "6 * 7"}}, {"say": "42"}])
    said = metier(
        *("chat", '/tool calculator {"expression": "@calculator_1.result + @input.more"}', "--record"),
        *("--workflow", first["workflow_id"], "--input", '{"more": 58}', "--events"),
    )
    assert said.last["recording_id"] == first["recording_id"]
    assert said.last["tool_calls"][0]["args"] == {"expression": "42 + 58"}
    assert "step_recorded" in [line["type"] for line in said.lines if line.get("run_id") == first["recording_id"]]
    template = metier("record", first["recording_id"], "--accept").last
    assert template["steps"][1]["input"] == {"expression": "@calculator_1.result + @input.more"}
    resumed = metier("resume")
    assert (resumed.code, resumed.out) == (0, "")


def test_an_empty_recording_can_be_cancelled_and_not_sealed(metier: CommandLine) -> None:
    run_id = record(metier, [{"say": "nothing"}])["recording_id"]
    assert error_of(metier("record", run_id, "--accept", "all")) == "empty_recording"
    assert metier("cancel", run_id).last["status"] == "cancelled"
    assert error_of(metier("record", run_id, "--accept", "all")) == "recording_ended"
