"""`write_file` replaces a file as a whole, appends in a single write, and leaves nothing behind when it fails."""

import asyncio
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from core.domain.tool import Effect
from core.tools.builtin import write_file
from core.tools.file_access import Folder
from core.tools.text_files import PIECE_CHARACTERS
from tests.tools.rig import Builtins, cancel, entries

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions and limits")
EITHER = pytest.mark.parametrize("append", [False, True], ids=["replace", "append"])


@EITHER
async def test_a_new_file_is_created_with_its_folders(tmp_path: Path, append: bool) -> None:
    result = await Builtins(tmp_path).call("write_file", path="a/b/c.txt", content="é\r\n", append=append)
    assert result.value == {"path": str(tmp_path / "a/b/c.txt"), "bytes": 4}
    assert (tmp_path / "a/b/c.txt").read_bytes() == "é\r\n".encode()


async def test_an_existing_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("something longer")
    await Builtins(tmp_path).value("write_file", path="a.txt", content="new")
    assert (tmp_path / "a.txt").read_text() == "new"


async def test_append_adds_at_the_end_and_counts_what_it_added(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old,")
    value = await Builtins(tmp_path).value("write_file", path="a.txt", content="new", append=True)
    assert value["bytes"] == 3
    assert (tmp_path / "a.txt").read_text() == "old,new"


@EITHER
async def test_an_empty_content_makes_an_empty_file(tmp_path: Path, append: bool) -> None:
    assert (await Builtins(tmp_path).value("write_file", path="a", content="", append=append))["bytes"] == 0
    assert (tmp_path / "a").read_bytes() == b""


@EITHER
async def test_what_is_larger_than_a_piece_is_written_whole(tmp_path: Path, append: bool) -> None:
    content = "漢😀" * PIECE_CHARACTERS
    value = await Builtins(tmp_path).value("write_file", path="a", content=content, append=append)
    assert (tmp_path / "a").read_bytes() == content.encode()
    assert value["bytes"] == len(content.encode())


@EITHER
async def test_half_characters_become_the_replacement_character(tmp_path: Path, append: bool) -> None:
    await Builtins(tmp_path).value("write_file", path="a", content="a\ud800\udfffb", append=append)
    assert (tmp_path / "a").read_text(encoding="utf-8") == "a\ufffd\ufffdb"


async def test_what_was_read_can_be_written_back_unchanged(tmp_path: Path) -> None:
    content = "\ufeffone\r\ntwo\rthree\n".encode()
    (tmp_path / "a").write_bytes(content)
    builtins = Builtins(tmp_path)
    text = (await builtins.value("read_file", path="a"))["text"]
    await builtins.value("write_file", path="b", content=text)
    assert (tmp_path / "b").read_bytes() == content


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
async def test_a_replaced_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(mode)
    await Builtins(tmp_path).value("write_file", path="a", content="new")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


@POSIX
async def test_a_new_file_has_the_mode_that_every_program_gives(tmp_path: Path) -> None:
    (tmp_path / "ours").touch()
    await Builtins(tmp_path).value("write_file", path="a", content="")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "ours").stat().st_mode


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everything")
async def test_a_file_that_may_not_be_written_may_not_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o444)
    assert (await Builtins(tmp_path).failure("write_file", path="a", content="new"))[0] == "not_allowed"
    assert (tmp_path / "a").read_text() == "old"


@EITHER
async def test_a_link_that_stays_inside_is_written_through_and_stays(tmp_path: Path, append: bool) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "link").symlink_to("a")
    await Builtins(tmp_path).value("write_file", path="link", content="new", append=append)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_text() == ("oldnew" if append else "new")


@POSIX
@EITHER
@pytest.mark.parametrize("existing", [True, False])
async def test_a_full_disk_is_reported_and_the_old_content_stays(tmp_path: Path, append: bool, existing: bool) -> None:
    if existing:
        (tmp_path / "a").write_text("old")
    with files_of_at_most(100_000):
        failed = await Builtins(tmp_path).failure("write_file", path="a", content="x" * 300_000, append=append)
    assert failed[0] == "disk_full"
    assert entries(tmp_path) == (["a"] if existing or append else [])
    assert not existing or (tmp_path / "a").read_text() == "old"


@POSIX
@pytest.mark.parametrize("step", ["fsync", "fchmod", "replace"])
async def test_whatever_fails_on_the_way_no_trace_is_left(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **more: object) -> None:
        raise OSError(5, "Input/output error")

    (tmp_path / "a").write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        assert (await Builtins(tmp_path).failure("write_file", path="a", content="new"))[0] == "failed"
    assert entries(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


@EITHER
async def test_a_cancelled_write_changes_nothing_and_leaves_nothing(
    tmp_path: Path, append: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(content: str) -> Iterator[bytes]:
        for character in content:
            yield character.encode()
            begun.set()
            go_on.wait(10)

    monkeypatch.setattr(write_file, "encoded", slow)
    (tmp_path / "a").write_text("old")
    caller = asyncio.create_task(Builtins(tmp_path).call("write_file", path="a", content="new", append=append))
    await asyncio.to_thread(begun.wait, 10)
    await cancel(caller)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert entries(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


async def test_a_write_that_takes_less_than_it_was_given_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Reluctant(FileIO):
        def write(self, data: Any) -> int:
            return super().write(data[:7])

    really_open = Folder.open_file

    def open_file(folder: Folder, name: str, flags: int, mode: int = 0o666) -> FileIO:
        with really_open(folder, name, flags, mode) as file:
            return Reluctant(os.dup(file.fileno()), "wb")

    monkeypatch.setattr(Folder, "open_file", open_file)
    value = await Builtins(tmp_path).value("write_file", path="a", content="0123456789" * 3)
    assert value["bytes"] == 30
    assert (tmp_path / "a").read_text() == "0123456789" * 3


async def test_readers_see_the_old_content_or_the_new_one(tmp_path: Path) -> None:
    contents = [letter * 200_000 for letter in "ab"]
    builtins = Builtins(tmp_path)
    await builtins.value("write_file", path="a", content=contents[0])
    seen, stop = set(), threading.Event()

    def watch() -> None:
        while not stop.is_set():
            seen.add((tmp_path / "a").read_text())

    watching = asyncio.create_task(asyncio.to_thread(watch))
    for content in contents * 10:
        await builtins.value("write_file", path="a", content=content)
    stop.set()
    await watching
    assert seen <= set(contents)


async def test_appends_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    builtins = Builtins(tmp_path)
    lines = [letter * 1000 + "\n" for letter in "abcdefghij"]
    writes = (builtins.value("write_file", path="a", content=line, append=True) for line in lines)
    await asyncio.gather(*writes)
    assert sorted((tmp_path / "a").read_text().splitlines(keepends=True)) == lines


def test_replacing_can_be_repeated_and_appending_cannot() -> None:
    write_file = Builtins().tools["write_file"]
    assert write_file.effect({"path": "a", "content": "", "append": False}) is Effect.IDEMPOTENT
    assert write_file.effect({"path": "a", "content": "", "append": True}) is Effect.ONCE


@pytest.mark.parametrize(("append", "summary"), [(False, "1.5 kB written"), (True, "1.5 kB added")])
async def test_what_was_written_sums_it_up(tmp_path: Path, append: bool, summary: str) -> None:
    result = await Builtins(tmp_path).call("write_file", path="a", content="x" * 1500, append=append)
    assert result.summary == summary


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Limit the files of this process to `size` bytes meanwhile, as on a full disk."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
