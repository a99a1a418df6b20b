"""A store in doubt on the command line: nothing is changed before a choice, and each choice does what it says."""

import shutil
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, Said
from tests.support.damage import content_of


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    """The command line on a data folder with three chats, and a copy of it from after the first in `older`."""
    command = CommandLine(tmp_path / "data")
    for number in range(3):
        assert command("chat", f"say {number + 1} words").code == 0
        if not number:
            shutil.copytree(command.data, tmp_path / "older")
    return command


def runs(command: CommandLine) -> int:
    said = command("list")
    assert said.code == 0, said.out
    return len(said.lines)


def refused(command: CommandLine, *words: str) -> Said:
    """Run a command that must refuse the store and leave it as it is."""
    before = content_of(command.data / "store")
    said = command(*words)
    assert (said.code, said.last["error"]["code"]) == (4, "store_doubtful")
    assert str(command.data / "store") in said.last["error"]["message"]
    assert content_of(command.data / "store") == before
    return said


def test_a_store_without_its_manifest_is_set_aside_and_read(command: CommandLine) -> None:
    shutil.rmtree(command.data / "store" / "manifest")
    before = content_of(command.data / "store")
    for words in (["list"], ["chat", "more"], ["repair"]):
        assert refused(command, *words).last["error"]["choices"] == ["salvage", "empty"]
    assert command("repair", "keep").code == 2
    said = command("repair", "salvage")
    assert (said.code, said.last["choice"], said.last["runs"]) == (0, "salvage", 3)
    assert content_of(Path(said.last["aside"])) == before
    assert runs(command) == 3
    assert command("repair").lines == [{"type": "repair", "choice": None}]
    assert command("repair", "empty").last["error"]["code"] == "bad_choice"


def test_an_older_copy_is_told_by_its_runs_and_can_be_kept(command: CommandLine) -> None:
    shutil.rmtree(command.data / "store")
    shutil.copytree(command.data.parent / "older" / "store", command.data / "store")
    error = refused(command, "list").last["error"]
    assert (error["reason"], error["choices"]) == ("older", ["keep", "salvage", "empty"])
    assert "1 of 3 runs" in error["message"]
    assert command("repair", "keep").last == {
        "type": "repair",
        "choice": "keep",
        "aside": None,
        "runs": 0,
        "missing": [],
    }
    assert runs(command) == 1


def test_a_store_that_was_removed_is_missed(command: CommandLine) -> None:
    shutil.rmtree(command.data / "store")
    error = refused(command, "list").last["error"]
    assert (error["reason"], error["choices"], error["seen"]["run"]) == ("gone", ["empty"], 3)
    assert command("repair", "empty").code == 0
    assert runs(command) == 0
