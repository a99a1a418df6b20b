"""`list_files` lists files in the order of their paths, and stays inside the allowed folders."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from core.domain.text.json_text import encode_output
from core.tools.builtin import list_files
from core.tools.file_access import Folder
from tests.tools.rig import Builtins

TREE = ["b.txt", "a.txt", "a/z.txt", "a/b/c.md", "a-b/x.txt", "a b/y.txt", ".hidden"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return the allowed folder, with the files of TREE. Beside it lies `outside`."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_text("secret")
    for name in TREE:
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "tree"


async def names(folder: Path, **arguments: Any) -> list[str]:
    """Return the listed paths, relative to the folder."""
    value = await Builtins(folder).value("list_files", **{"path": ".", **arguments})
    assert value["truncated"] is False
    return relative(folder, value)


def relative(folder: Path, value: Any) -> list[str]:
    return [os.path.relpath(file["path"], folder) for file in value["files"]]


async def test_files_are_listed_and_folders_are_not(tree: Path) -> None:
    assert await names(tree) == [".hidden", "a.txt", "b.txt"]


async def test_sub_folders_are_listed_when_asked_for_in_the_order_of_whole_paths(tree: Path) -> None:
    assert await names(tree, recursive=True) == sorted(TREE)


async def test_a_file_is_listed_with_path_name_size_and_time(tree: Path) -> None:
    os.utime(tree / "a/z.txt", ns=(0, 1_700_000_000_123_999_999))
    value = await Builtins(tree).value("list_files", path="a")
    assert value == {
        "path": str(tree / "a"),
        "files": [{"path": str(tree / "a/z.txt"), "name": "z.txt", "size": 7, "modified": "2023-11-14T22:13:20.123Z"}],
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.txt", ["a.txt", "b.txt"]),
        ("?.txt", ["a.txt", "b.txt"]),
        ("[!a]*", [".hidden", "b.txt"]),
        ("a.txt", ["a.txt"]),
        ("*", [".hidden", "a.txt", "b.txt"]),
        ("z*", []),
        ("a*", ["a.txt"]),
    ],
)
async def test_the_pattern_is_for_the_name(tree: Path, pattern: str, found: list[str]) -> None:
    assert await names(tree, pattern=pattern) == found


async def test_the_pattern_does_not_keep_from_looking_into_folders(tree: Path) -> None:
    assert await names(tree, pattern="*.md", recursive=True) == ["a/b/c.md"]


async def test_a_pattern_with_folders_is_refused_with_advice(tree: Path) -> None:
    code, message = await Builtins(tree).failure("list_files", path=".", pattern="**/*.txt")
    assert code == "invalid_arguments"
    assert "recursive" in message


async def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    assert await names(tmp_path) == []


async def test_a_file_is_no_folder(tree: Path) -> None:
    assert (await Builtins(tree).failure("list_files", path="a.txt"))[0] == "not_a_folder"


async def test_links_to_folders_are_never_followed(tree: Path) -> None:
    (tree / "out").symlink_to(tree.parent / "outside")
    (tree / "round").symlink_to(tree)
    assert await names(tree, recursive=True) == sorted(TREE)


async def test_a_link_to_a_file_inside_is_listed_with_the_size_of_the_file(tree: Path) -> None:
    (tree / "link").symlink_to("a/b/c.md")
    value = await Builtins(tree).value("list_files", path=".", pattern="link")
    assert [(file["path"], file["size"]) for file in value["files"]] == [(str(tree / "link"), 8)]


@pytest.mark.parametrize("target", ["../outside/secret.txt", "missing", "loop", "special"])
async def test_a_link_that_leads_elsewhere_is_not_listed(tree: Path, target: str) -> None:
    os.mkfifo(tree / "special")
    (tree / "loop").symlink_to(target)
    assert await names(tree) == [".hidden", "a.txt", "b.txt"]


async def test_a_named_link_to_a_folder_inside_is_listed(tree: Path) -> None:
    (tree / "link").symlink_to("a")
    value = await Builtins(tree).value("list_files", path="link")
    assert [file["path"] for file in value["files"]] == [str(tree / "a/z.txt")]


async def test_what_is_no_regular_file_is_not_listed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)  # the name of a socket is short
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert await names(tree) == [".hidden", "a.txt", "b.txt"]


@pytest.mark.parametrize("batch", [3, 1000])
async def test_the_first_files_by_path_are_listed_and_the_rest_is_reported(
    tree: Path, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_files, "BATCH", batch)
    monkeypatch.setattr(list_files, "MAX_FILES", 5)
    result = await Builtins(tree).call("list_files", path=".", recursive=True)
    assert relative(tree, result.value) == sorted(TREE)[:5]
    assert result.value["truncated"] is True
    assert result.summary == "5 files and more"


async def test_a_list_that_is_just_full_is_not_truncated(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_files, "MAX_FILES", len(TREE))
    assert await names(tree, recursive=True) == sorted(TREE)


async def test_ten_thousand_files_are_listed_and_fit_into_the_output_of_a_step(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 50)
    folder.mkdir()
    for number in range(10_001):
        (folder / f"{number:05}").touch()
    value = await Builtins(tmp_path).value("list_files", path=folder.name)
    assert (len(value["files"]), value["truncated"]) == (10_000, True)
    assert encode_output(value)


async def test_folders_beyond_the_depth_are_reported_as_truncated(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * (list_files.MAX_LEVELS + 1))
    deep.mkdir(parents=True)
    (deep.parent / "seen").touch()
    (deep / "not_seen").touch()
    value = await Builtins(tmp_path).value("list_files", path=".", recursive=True)
    assert ([file["name"] for file in value["files"]], value["truncated"]) == (["seen"], True)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
async def test_sub_folders_that_cannot_be_read_are_left_out_and_named(tree: Path) -> None:
    (tree / "a").chmod(0)
    try:
        result = await Builtins(tree).call("list_files", path=".", recursive=True)
    finally:
        (tree / "a").chmod(0o700)
    assert [file["name"] for file in result.value["files"]] == [".hidden", "y.txt", "x.txt", "a.txt", "b.txt"]
    assert result.value["unreadable"] == [str(tree / "a")]
    assert result.summary == "5 files; 1 unreadable"


async def test_a_sub_folder_that_vanishes_is_left_out_and_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really_enter = Folder.enter

    def enter(folder: Folder, name: str, *, create: bool = False) -> Folder:
        if name == "a-b":
            raise FileNotFoundError(2, "No such file or directory")
        return really_enter(folder, name, create=create)

    monkeypatch.setattr(Folder, "enter", enter)
    value = await Builtins(tree).value("list_files", path=".", recursive=True)
    assert value["unreadable"] == [str(tree / "a-b")]
    assert len(value["files"]) == len(TREE) - 1


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX alone")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"caf\xe9", "caf\\xE9"),
        (b"caf\\xE9", "caf\\x5CxE9"),
        (b"a\\x5CxE9\xff", "a\\x5Cx5CxE9\\xFF"),
        ("é\\x41\\n".encode(), "é\\x41\\n"),
        (b"\xc3\\xA9", "\\xC3\\x5CxA9"),
    ],
)
async def test_a_name_that_is_no_utf_8_can_be_opened_as_it_is_shown(tmp_path: Path, name: bytes, shown: str) -> None:
    folder = tmp_path / os.fsdecode(name)
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes UTF-8 alone")
    (folder / os.fsdecode(name)).write_text("odd")
    (folder / os.fsdecode(b"link" + name)).symlink_to(folder / os.fsdecode(name))
    builtins = Builtins(tmp_path)
    files = (await builtins.value("list_files", path=".", recursive=True))["files"]
    assert {file["name"] for file in files} == {shown, f"link{shown}"}
    for file in files:
        assert file["path"] == str(tmp_path / shown / file["name"])
        read = await builtins.value("read_file", path=file["path"])
        assert (read["text"], read["path"]) == ("odd", str(tmp_path / shown / shown))
    await builtins.value("edit_file", path=str(tmp_path / shown / shown), edits=[{"old": "odd", "new": "new"}])
    assert (folder / os.fsdecode(name)).read_text() == "new"


async def test_an_escape_of_what_is_utf_8_is_a_name_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "\\xC3\\xA9").write_text("plain")
    assert (await Builtins(tmp_path).value("read_file", path="\\xC3\\xA9"))["text"] == "plain"


@pytest.mark.parametrize(("seconds", "shown"), [(-1, "1969-12-31T23:59:59.000Z"), (0, "1970-01-01T00:00:00.000Z")])
async def test_old_times_are_shown(tmp_path: Path, seconds: int, shown: str) -> None:
    (tmp_path / "a").touch()
    os.utime(tmp_path / "a", (seconds, seconds))
    assert (await Builtins(tmp_path).value("list_files", path="."))["files"][0]["modified"] == shown


def test_a_time_beyond_the_calendar_is_null() -> None:
    state = os.stat_result((0o100644, 0, 0, 1, 0, 0, 0, 0, 10**12, 0, 0, 0, 0, 0, 10**21, 0))
    assert list_files._time(state) is None


async def test_one_file_is_summed_up_as_one(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert (await Builtins(tmp_path).call("list_files", path=".")).summary == "1 file"
