"""`edit_file` replaces exact passages, all of them or none, and no tool overwrites what others changed meanwhile."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from core.domain.ids import RunId
from core.domain.tool import Effect
from core.tools import text_files
from core.tools.file_access import resolve_path
from core.tools.text_files import SeenFiles
from tests.tools.rig import Builtins, entries
from tests.tools.test_write_file import POSIX, files_of_at_most

TEXT = "one\ntwo\nthree\ntwo\n"


def edit(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"old": old, "new": new, **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a").write_bytes(TEXT.encode())
    return tmp_path


async def test_several_passages_are_replaced_at_once(folder: Path) -> None:
    edits = [edit("three", "3\n3"), edit("two", "2", all=True), edit("one\n", "")]
    result = await Builtins(folder).call("edit_file", path="a", edits=edits)
    assert result.value == {"path": str(folder / "a"), "replacements": 4, "added": 4, "removed": 4}
    assert (folder / "a").read_bytes() == b"2\n3\n3\n2\n"
    assert result.summary == "4 passages: +4 −4"
    assert entries(folder) == ["a"]


@pytest.mark.parametrize(
    ("edits", "code", "told"),
    [
        ([edit("four", "4")], "no_match", "edit 1: the passage is not in the file"),
        ([edit("one", "1"), edit("  three", "3")], "no_match", "edit 2: the passage is not in the file; without the"),
        ([edit("one two", "1")], "no_match", "with other blanks or line ends it is"),
        ([edit("two", "2")], "several_matches", "2 times in the file, on lines 2, 4"),
        ([edit("one", "1"), edit("one\ntwo", "1")], "invalid_arguments", "edits 1 and 2 overlap"),
        ([edit("one", "1"), edit("one", "2")], "invalid_arguments", "edits 1 and 2 overlap"),
        ([edit("one", "1"), edit("three", "three")], "invalid_arguments", "edit 2 changes nothing"),
        ([edit("", "1")], "invalid_arguments", ""),
        ([], "invalid_arguments", ""),
    ],
)
async def test_if_one_edit_cannot_be_made_none_is(folder: Path, edits: list[Any], code: str, told: str) -> None:
    failed = await Builtins(folder).failure("edit_file", path="a", edits=edits)
    assert failed[0] == code
    assert told in failed[1]
    assert (folder / "a").read_bytes() == TEXT.encode()
    assert entries(folder) == ["a"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\nend", b"1\r\n2\r\n3\r\nend"),
        (b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbf1\n2\n3\n"),
        (b"one\ntwo\r\n", b"1\n2\n3\r\n"),
    ],
    ids=["CRLF", "byte order mark", "mixed"],
)
async def test_line_ends_and_byte_order_mark_are_kept(tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / "a").write_bytes(before)
    await Builtins(tmp_path).value("edit_file", path="a", edits=[edit("one\ntwo", "1\n2\n3")])
    assert (tmp_path / "a").read_bytes() == after


async def test_a_large_file_is_edited_whole(tmp_path: Path) -> None:
    text = "é\n" * 500_000 + "here\n" + "漢" * 100_000
    (tmp_path / "a").write_text(text, encoding="utf-8", newline="")
    await Builtins(tmp_path).value("edit_file", path="a", edits=[edit("here", "there"), edit("é", "e", all=True)])
    assert (tmp_path / "a").read_text(encoding="utf-8") == text.replace("é", "e").replace("here", "there")


@pytest.mark.parametrize(
    ("content", "code"), [(b"caf\xe9", "not_text"), (b"a" * 11_000_000, "output_too_large"), (None, "not_found")]
)
async def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes | None, code: str) -> None:
    if content is not None:
        (tmp_path / "a").write_bytes(content)
    assert (await Builtins(tmp_path).failure("edit_file", path="a", edits=[edit("a", "b")]))[0] == code


async def test_no_link_or_path_leads_out(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret").write_text("one")
    (tmp_path / "inside/link").symlink_to(tmp_path / "secret")
    builtins = Builtins(tmp_path / "inside")
    for path in ("link", "../secret", str(tmp_path / "secret")):
        assert (await builtins.failure("edit_file", path=path, edits=[edit("one", "1")]))[0] == "not_allowed"
    assert (tmp_path / "secret").read_text() == "one"


@POSIX
async def test_another_name_of_the_file_keeps_its_content_and_the_mode_stays(folder: Path) -> None:
    (folder / "a").chmod(0o640)
    (folder / "other").hardlink_to(folder / "a")
    await Builtins(folder).value("edit_file", path="a", edits=[edit("one", "1")])
    assert (folder / "other").read_text() == TEXT
    assert stat.S_IMODE((folder / "a").stat().st_mode) == 0o640


@POSIX
async def test_a_full_disk_leaves_the_file(folder: Path) -> None:
    with files_of_at_most(100_000):
        edits = [edit("one", "x" * 150_000)]
        assert (await Builtins(folder).failure("edit_file", path="a", edits=edits))[0] == "disk_full"
    assert (folder / "a").read_text() == TEXT
    assert entries(folder) == ["a"]


async def test_a_change_between_reading_and_replacing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really, builtins = os.fsync, Builtins(folder)

    def change_first(descriptor: int) -> None:
        (folder / "a").write_text("of another")
        really(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", change_first)
        failed = await builtins.failure("edit_file", path="a", edits=[edit("one", "1")])
    assert failed[0] == "changed_since_read"
    assert (folder / "a").read_text() == "of another"
    assert entries(folder) == ["a"]


@pytest.mark.parametrize("before", ["read_file", "write_file", "edit_file"])
async def test_what_others_changed_since_the_run_saw_it_is_not_overwritten(folder: Path, before: str) -> None:
    builtins = Builtins(folder)
    arguments: dict[str, Any] = {
        "read_file": {},
        "write_file": {"content": TEXT},
        "edit_file": {"edits": [edit("one", "1")]},
    }
    await builtins.value(before, path="a", **arguments[before])
    (folder / "a").write_text("changed by hand: one")
    for tool, more in (("write_file", {"content": "new"}), ("edit_file", {"edits": [edit("one", "1")]})):
        code, message = await builtins.failure(tool, path="a", **more)
        assert code == "changed_since_read"
        assert "read it again" in message
    assert (folder / "a").read_text() == "changed by hand: one"
    await builtins.value("write_file", path="a", content=", more", append=True)
    await builtins.value("read_file", path="a")
    await builtins.value("write_file", path="a", content="new")
    await builtins.value("write_file", path="a", content="new", append=True)
    await builtins.value("edit_file", path="a", edits=[edit("newnew", "newer")])
    assert (folder / "a").read_text() == "newer"


async def test_a_file_that_is_unknown_or_gone_may_be_written(folder: Path) -> None:
    builtins = Builtins(folder)
    await builtins.value("write_file", path="a", content="new")
    (folder / "a").unlink()
    await builtins.value("write_file", path="a", content="again")
    (folder / "a").write_text("changed by hand")
    await Builtins(folder).value("write_file", path="a", content="of another run")
    assert (folder / "a").read_text() == "of another run"


async def test_what_runs_have_seen_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "MAX_RUNS", 2)
    seen, target = SeenFiles(), resolve_path("a", [str(folder)])
    with target.parent() as (opened, name):
        for run in ("one", "two", "three"):
            seen.note(RunId(run), target, text_files.stamp_of(opened.state(name)))
        assert [seen.knows(RunId(run), target, opened, name) for run in ("one", "two", "three")] == [False, True, True]


def test_an_edit_is_made_once() -> None:
    assert Builtins().tools["edit_file"].effect({"path": "a", "edits": []}) is Effect.ONCE
