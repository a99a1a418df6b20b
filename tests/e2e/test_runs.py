"""`run` and the commands that show runs: the main road."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

from core.app import Folders
from core.services.outcome import Ok
from core.wiring import open_core
from tests.support.command_line import CommandLine, write_template
from tests.support.project import ROOT

SET = {"name": "a", "action": {"set": True}, "input": {"x": "@input.x?"}}


def test_folder_report_counts_as_wc_does(metier: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "core"
    shutil.copytree(ROOT / "core", folder, ignore=_other_than_modules)  # whatever else a user's work has left there
    (folder / "picture.bin").write_bytes(b"\xff\xfe\x00")
    (folder / ".hidden").write_text("hidden\n")
    said = metier("run", "folder report", "--input", json.dumps({"folder": str(folder)}), "--allow", str(folder))
    assert said.code == 0, said.err
    assert said.last["status"] == "success"
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = [str(path) for path in files if path.name not in ("picture.bin", ".hidden", "report.md")]
    counted = subprocess.run(["wc", "-l", "-w", *texts], capture_output=True, text=True, check=True).stdout
    *rows, (lines, words, _) = [line.split(None, 2) for line in counted.splitlines()]
    output = said.last["output"]
    assert (output["files"], output["lines"], output["words"]) == (len(texts), int(lines), int(words))
    report = (folder / "report.md").read_text()
    for row_lines, row_words, path in rows:
        assert f"| {Path(path).relative_to(folder)} | {row_lines} | {row_words} |" in report
    assert output["left_out"] == {"hidden": 1, "caches": 0, "reports": 0, "not_text": 1}


def _other_than_modules(folder: str, names: list[str]) -> set[str]:
    return {
        name for name in names if name == "__pycache__" or not (name.endswith(".py") or Path(folder, name).is_dir())
    }


def test_folder_report_leaves_out_its_own_report_and_warns_of_todos(metier: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "x.pyc").write_text("x")
    (folder / "a.txt").write_text("TODO: one\nTODO two, no TODOS\n")
    for expected in (0, 1):
        said = metier("run", "Folder report", "--input", json.dumps({"folder": str(folder)}), "--allow", str(folder))
        assert said.code == 0, said.err
        assert said.last["output"]["todos"] == 2
        assert said.last["output"]["left_out"] == {"hidden": 0, "caches": 1, "reports": expected, "not_text": 0}
        assert not said.last["steps"]["warn"]["skipped"]
    assert "**Warning:** 2 TODOs" in (folder / "report.md").read_text()


def test_folder_report_on_an_empty_folder_returns_early(metier: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    said = metier("run", "Folder report", "--input", json.dumps({"folder": str(folder)}), "--allow", str(folder))
    assert said.code == 0
    assert said.last["output"]["files"] == 0
    assert said.last["steps"]["read"]["status"] == "pending"
    assert list(folder.iterdir()) == []


def test_parallel_read_and_merge_keeps_each_line_once(metier: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("a\nb\n")
    (tmp_path / "two").write_text("b\nc")
    files = {"first": "one", "second": "two", "into": "three"}
    said = metier("run", "Parallel read and merge", "--input", json.dumps(files), "--allow", str(tmp_path))
    assert said.code == 0, said.out
    assert (tmp_path / "three").read_text() == "a\nb\nc\n"
    assert said.last["execution_order"][:2] == ["first", "second"]


def test_ask_around_joins_three_answers(metier: CommandLine) -> None:
    said = metier("run", "Ask around", "--input", '{"question": "say 5 words"}')
    assert said.code == 0, said.out
    assert said.last["output"].count("## Answer") == 3
    assert all(said.last["steps"][name]["output"] for name in ("first", "second", "third"))


def test_a_relative_path_starts_where_the_command_was_given(metier: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("one two\n")
    said = metier("run", "Folder report", "--input", '{"folder": "notes"}', "--allow", "notes")
    assert said.code == 0, said.out
    assert said.last["output"]["words"] == 2
    assert (tmp_path / "notes" / "report.md").exists()


def test_the_last_line_is_the_run(metier: CommandLine, tmp_path: Path) -> None:
    said = metier("run", write_template(tmp_path / "t.json", SET), "--input", '{"x": "\\ud800 \\u0000 😀"}')
    assert said.code == 0
    (line,) = said.lines
    assert line["type"] == "run"
    assert line["output"] == {"x": "\ud800 \x00 😀"}
    assert line["steps"]["a"]["status"] == "completed"
    assert line["steps"]["a"]["attempts"] == 1
    assert line["execution_order"] == ["a"]
    assert line["active"] == line["active_tool_calls"] == line["interruptions"] == line["tool_calls"] == []
    assert metier("show", line["run_id"]).last == line


def test_events_come_numbered_without_gaps_and_are_what_is_stored(metier: CommandLine, tmp_path: Path) -> None:
    each = {**SET, "name": "each", "forEach": {"ref": "@input.items"}, "input": "@item"}
    file = write_template(tmp_path / "t.json", SET, each)
    said = metier("run", file, "--input", '{"x": 1, "items": ["p", "q"]}', "--events")
    *events, line = said.lines
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[0]["type"] == "run_created"
    assert events[-1]["type"] == "run_finished"
    assert metier("events", line["run_id"]).lines == events
    assert line["steps"]["each"]["iterations"] == {"total": 2, "completed": 2, "failed": 0}


def test_list_hides_what_is_archived_and_shows_it_where_it_is_asked_for(metier: CommandLine) -> None:
    asyncio.run(keep_and_put_away(metier.data))
    assert [line["title"] for line in metier("list", "--limit", "1").lines] == ["say 1 word"]
    assert [line["title"] for line in metier("list", "--archived").lines] == ["say 2 words"]


async def keep_and_put_away(data: Path) -> None:
    """Create two chats, of which the newer is archived."""
    async with open_core(Folders.choose(str(data))) as core:
        sent = [await core.chat.send(text) for text in ("say 1 word", "say 2 words")]
        begun = [one.data for one in sent if isinstance(one, Ok)]
        for run in begun:
            await core.engine.wait(run.id)
        assert isinstance(await core.workflows.archive(begun[-1].workflow_id), Ok)


def test_list_shows_the_newest_first(metier: CommandLine, tmp_path: Path) -> None:
    good = write_template(tmp_path / "good.json", SET, title="Good")
    bad = write_template(tmp_path / "bad.json", {**SET, "input": "@input.x"}, title="Bad")
    assert metier("run", good).code == 0
    assert metier("run", bad).code == 1
    assert [line["title"] for line in metier("list").lines] == ["Bad", "Good"]
    assert [line["title"] for line in metier("list", "--status", "success").lines] == ["Good"]
    assert [line["title"] for line in metier("list", "--limit", "1").lines] == ["Bad"]


def test_the_same_key_gives_the_same_run(metier: CommandLine, tmp_path: Path) -> None:
    file = write_template(tmp_path / "t.json", SET)
    first, second = (metier("run", file, "--key", "k") for _ in range(2))
    assert first.last == second.last
    assert len(metier("list").lines) == 1


def test_data_may_stand_before_or_after_the_command(metier: CommandLine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert metier("--data", str(other), "list").code == 0
    assert metier("list", "--data", str(other)).code == 0
    assert (other / "store").is_dir()
    assert not metier.data.exists()


def test_every_command_helps_with_an_example(metier: CommandLine) -> None:
    for command in ("run", "validate", "list", "show", "events", "cancel", "resume", "chat"):
        said = metier(command, "--help")
        assert said.code == 0
        assert "example: python -m core" in said.out
