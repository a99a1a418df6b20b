"""`chat`: the offline agent, through the same loop as every model."""

import json
from collections.abc import Mapping
from pathlib import Path

from tests.support.command_line import CommandLine
from tests.support.pictures import picture


def script(path: Path, *lines: Mapping[str, object]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return str(path)


def test_the_answer_is_on_stdout_and_the_run_on_stderr(metier: CommandLine) -> None:
    said = metier("chat", "say 3 words")
    assert said.code == 0
    assert len(said.out.split()) == 3
    line = json.loads(said.err.splitlines()[-1])
    assert line["kind"] == "chat"
    assert line["output"] == said.out.strip()


def test_a_tool_is_really_called(metier: CommandLine) -> None:
    said = metier("chat", '/tool calculator {"expression": "6 * 7"}', "--events")
    assert said.code == 0
    assert "42" in said.last["output"]
    assert [(call["name"], call["status"]) for call in said.last["tool_calls"]] == [("calculator", "completed")]
    assert said.last["metrics"]["total_rounds"] == said.last["metrics"]["tool_call_count"] == 1


def test_what_a_terminal_would_obey_is_printed_as_marks(metier: CommandLine, tmp_path: Path) -> None:
    evil = "\x1b]0;mine\x07\x1b[2J\x9b31mred \u202etxt\rgone\tend\n"
    lines = script(tmp_path / "s.jsonl", {"say": evil})
    said = metier("chat", evil.strip(), "--script", lines)
    assert said.out.rstrip("\n") == ("⟨U+001B⟩]0;mine⟨U+0007⟩⟨U+001B⟩[2J⟨U+009B⟩31mred ⟨U+202E⟩txt⟨U+000D⟩gone\tend")
    run = json.loads(said.err.splitlines()[-1])
    others = [metier("chat", evil, "--events", "--script", lines), metier("events", run["run_id"]), metier("list")]
    others += [
        metier("show", run["run_id"]),
        metier("show", evil),
        metier("run", evil),
        metier("chat", "hi", "--agent", evil),
    ]
    for one in [said, *others]:
        printed = one.out + one.err
        assert not [sign for sign in printed if sign not in "\n\t" and (not sign.isprintable() or sign == "\u202e")]
    assert json.loads(others[3].out)["output"].strip() == evil.strip()  # in JSON as escapes: nothing is lost


def test_help_documents_the_grammar(metier: CommandLine) -> None:
    assert "/tool NAME" in metier("chat", "help").out


def test_a_conversation_goes_on_with_its_history(metier: CommandLine, tmp_path: Path) -> None:
    lines = script(tmp_path / "s.jsonl", {"say": "one"}, {"fail": "broken"}, {"say": "two"})
    first = metier("chat", "hi", "--script", lines)
    assert first.code == 1
    run = json.loads(first.err.splitlines()[-1])
    assert run["error"]["failed_during"] == "model"
    second = metier("chat", "again", "--workflow", run["workflow_id"], "--script", lines)
    assert second.code == 0
    assert second.out.strip() == "two"


def test_ten_rounds_are_run_and_an_eleventh_is_not(metier: CommandLine, tmp_path: Path) -> None:
    calls = [{"call": "calculator", "arguments": {"expression": str(number)}} for number in range(11)]
    rounds = [line for call in calls for line in (call, {"repeat": 1})]
    said = metier("chat", "go", "--events", "--script", script(tmp_path / "s.jsonl", *rounds))
    assert said.code == 1
    assert said.last["error"]["code"] == "round_limit"
    assert said.last["error"]["message"] == "Tool execution limit exceeded"
    assert len(said.last["tool_calls"]) == 10


def test_the_same_call_four_times_in_a_row_ends_the_run(metier: CommandLine, tmp_path: Path) -> None:
    call = {"call": "calculator", "arguments": {"expression": "1 + 1"}}
    said = metier("chat", "go", "--events", "--script", script(tmp_path / "s.jsonl", call, {"repeat": 4}))
    assert (said.code, said.last["error"]["code"]) == (1, "repeated_call")
    assert [one["status"] for one in said.last["tool_calls"]] == ["completed"] * 3


def test_21_calls_in_a_round_are_too_many(metier: CommandLine, tmp_path: Path) -> None:
    calls = [{"call": "calculator", "arguments": {"expression": str(n)}} for n in range(21)]
    said = metier("chat", "go", "--events", "--script", script(tmp_path / "s.jsonl", *calls))
    assert said.code == 1
    assert said.last["error"]["code"] == "too_many_calls"
    assert said.last["error"]["message"] == "Too many concurrent tool calls"
    assert said.last["tool_calls"] == []


def test_a_script_that_cannot_be_played_names_the_line(metier: CommandLine, tmp_path: Path) -> None:
    said = metier("chat", "hi", "--script", script(tmp_path / "s.jsonl", {"say": "x"}, {"sing": "y"}))
    assert said.code == 2
    assert "2" in said.last["error"]["message"]


def test_the_script_may_come_from_the_environment(metier: CommandLine, tmp_path: Path) -> None:
    said = metier("chat", "hi", METIER_SCRIPT=script(tmp_path / "s.jsonl", {"say": "from afar"}))
    assert said.out.strip() == "from afar"


def test_streamed_text_is_what_is_kept(metier: CommandLine) -> None:
    said = metier("chat", "say 200 words", "--events")
    *events, line = said.lines
    text = "".join(event["text"] for event in events if event["type"] == "token")
    assert text == line["output"]
    seen = 0
    for event in events:
        seen = event["seq"] if event["type"] != "token" else seen
        assert event["seq"] <= seen


def test_files_go_along_and_what_cannot_be_sent_is_refused_in_words(metier: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "red.png").write_bytes(picture())
    (tmp_path / "cut.png").write_bytes(picture()[:-20])
    files = [word for name in ("red.png", "cut.png") for word in ("--attach", str(tmp_path / name))]
    assert metier("chat", "say 2 words", *files[:2]).code == 0
    refused = metier("chat", "say 2 words", *files)
    assert (refused.code, refused.last["error"]["code"], refused.last["error"]["name"]) == (
        2,
        "picture_broken",
        "cut.png",
    )
    assert len(metier("list").lines) == 1
