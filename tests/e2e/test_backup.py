"""`backup`, `restore` and `check`: a second copy of everything, and what a damaged one is worth."""

import gzip
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, write_template

SET = {"name": "a", "action": {"set": True}, "input": {"x": "@input.x?"}}
ASK = {"name": "a", "action": {"set": True}, "interrupt": {"kind": "approval"}}


@pytest.fixture
def filled(metier: CommandLine, tmp_path: Path) -> CommandLine:
    """A data folder with three runs, of which one waits."""
    done, asks = write_template(tmp_path / "set.json", SET), write_template(tmp_path / "ask.json", ASK)
    for text in ("one", "two é"):
        assert metier("run", str(done), "--input", json.dumps({"x": text})).code == 0
    assert metier("run", str(asks)).code == 3
    return metier


def listed(metier: CommandLine) -> list[dict[str, object]]:
    said = metier("list")
    assert said.code == 0, said.out
    return said.lines


def shown(metier: CommandLine) -> list[dict[str, object]]:
    return [metier("show", str(run["run_id"])).last for run in listed(metier)]


def hashes(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and "logs" not in path.parts]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_backup_moves_everything_to_another_folder(filled: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "b.jsonl.gz"
    said = filled("backup", str(file))
    assert said.code == 0, said.out
    assert (said.last["workflows"], said.last["runs"]) == (3, 3)
    assert file.stat().st_mode & 0o077 == 0

    other = CommandLine(tmp_path / "other")
    restored = other("restore", str(file))
    assert restored.code == 0, restored.out
    assert restored.last["set_aside"] is None
    assert shown(other) == shown(filled)
    waiting = next(run for run in listed(other) if run["status"] == "waiting")
    assert other("answer", str(waiting["run_id"]), '{"action": "approve"}').code == 0


def test_restoring_sets_the_present_data_aside(filled: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "b.jsonl.gz"
    assert filled("backup", str(file)).code == 0
    before = listed(filled)
    assert filled("run", str(tmp_path / "set.json")).code == 0

    restored = filled("restore", str(file))

    assert restored.code == 0, restored.out
    assert listed(filled) == before
    aside = Path(restored.last["set_aside"])
    shutil.copytree(aside, tmp_path / "again" / "store")
    assert filled("check").code == 0


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "other", "newer"])
def test_a_file_that_is_not_whole_changes_nothing(filled: CommandLine, tmp_path: Path, damage: str) -> None:
    file = tmp_path / "b.jsonl.gz"
    assert filled("backup", str(file)).code == 0
    data = file.read_bytes()
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    contents = {"cut": data[:-1], "empty": b"", "other": b"PK\x03\x04", "newer": _as_newer(data)}
    file.write_bytes(contents.get(damage, flipped))
    before = hashes(filled.data)

    said = filled("restore", str(file))

    assert said.code == 2
    assert said.last["error"]["code"] == "bad_backup"
    assert hashes(filled.data) == before


def _as_newer(data: bytes) -> bytes:
    """Return the backup as a later release would write it, with checksums that are right."""
    from core.backups.backup_file import stored_member

    head, *rows, summary = gzip.decompress(data).splitlines(keepends=True)
    packed = gzip.compress(json.dumps(json.loads(head) | {"schema": 10_000}).encode() + b"\n" + b"".join(rows))
    end = json.loads(summary) | {"sha256": hashlib.sha256(packed).hexdigest()}
    return packed + stored_member(json.dumps(end).encode() + b"\n")


def test_what_is_asked_in_a_wrong_way_is_said(filled: CommandLine, tmp_path: Path) -> None:
    for arguments in (
        ("backup", str(tmp_path / "nowhere" / "file")),
        ("backup", str(tmp_path)),
        ("backup", str(filled.data / "store" / "file")),
        ("restore", str(tmp_path / "missing")),
        ("restore", str(tmp_path)),
        ("check", "--salvage", str(tmp_path)),
    ):
        said = filled(*arguments)
        assert (said.code, said.last["error"]["code"]) == (2, "bad_input"), arguments


def test_without_data_there_is_nothing_to_back_up(metier: CommandLine, tmp_path: Path) -> None:
    for arguments in (("backup", str(tmp_path / "file")), ("check",)):
        said = metier(*arguments)
        assert (said.code, said.last["error"]["code"]) == (2, "no_data")
    assert not (tmp_path / "file").exists()
    assert not (metier.data / "store").exists()


def test_a_sound_store_is_said_to_be_sound(filled: CommandLine) -> None:
    before = hashes(filled.data)

    said = filled("check")

    assert said.code == 0, said.out
    assert (said.last["is_sound"], said.last["runs"], said.last["problem_count"]) == (True, 3, 0)
    assert hashes(filled.data) == before


def test_a_damaged_store_is_in_doubt_and_not_touched(filled: CommandLine) -> None:
    tables = sorted((filled.data / "store" / "sstables").iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(tables[-1].read_bytes())
    data[len(data) // 2] ^= 8
    tables[-1].write_bytes(data)
    before = hashes(filled.data)

    said = filled("check")

    assert said.code == 4
    assert not said.last["is_sound"]
    assert said.last["doubt"]["code"] == "store_doubtful"
    assert hashes(filled.data) == before
